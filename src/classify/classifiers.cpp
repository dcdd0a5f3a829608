#include <clade/error.h>

#include <string>

#include "classify/classifier.h"
#include "classify/joint/hierarchical_svm.h"
#include "classify/local/path_svm.h"
#include "classify/local/top_down.h"

namespace clade {
namespace {

struct ClassifierEntry {
  ClassifierInfo info;
  std::unique_ptr<Classifier> (*make)();
};

constexpr ClassifierEntry kClassifiers[] = {
    {{"top-down-svm", "a linear SVM at every node over its children", "Cai and Hofmann 2004; Zhao et al. 2019"},
     make_top_down_svm},
    {{"top-down-logistic", "multinomial logistic regression at every node; probabilities", "Cai and Hofmann 2004"},
     make_top_down_logistic},
    {{"path-svm", "a linear SVM for every node against all samples; whole paths are scored", "Clade"}, make_path_svm},
    {{"dnc-svm", "one SVM over all children of every node; ranks them for samples of several labels", "Cai 2008"},
     make_dnc_svm},
    {{"hierarchical-svm", "one SVM over all classes: they share the weights of their ancestors, near misses cost less",
      "Cai and Hofmann 2004"},
     make_hierarchical_svm},
    {{"flat-svm", "one SVM over all classes, without the hierarchy", "Crammer and Singer 2001"}, make_flat_svm},
};

}  // namespace

std::vector<ClassifierInfo> classifiers() {
  std::vector<ClassifierInfo> infos;
  for (const ClassifierEntry& entry : kClassifiers) infos.push_back(entry.info);
  return infos;
}

std::unique_ptr<Classifier> make_classifier(std::string_view name) {
  std::string names;
  for (const ClassifierEntry& entry : kClassifiers) {
    if (entry.info.name == name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.info.name);
  }
  throw usage_error("no classifier '" + std::string(name) + "'", "expected one of " + names);
}

}  // namespace clade
