// The table of classifiers. To add one, write its file, and declare and list its factory here.

#include <clade/train.h>

#include "classify/classifier.h"
#include "core/method_table.h"

namespace clade {

std::unique_ptr<Classifier> make_top_down_svm();
std::unique_ptr<Classifier> make_top_down_logistic();
std::unique_ptr<Classifier> make_path_svm();
std::unique_ptr<Classifier> make_dnc_svm();
std::unique_ptr<Classifier> make_hierarchical_svm();
std::unique_ptr<Classifier> make_flat_svm();
std::unique_ptr<Classifier> make_hierarchical_perceptron();
std::unique_ptr<Classifier> make_flat_perceptron();
std::unique_ptr<Classifier> make_hieron();
std::unique_ptr<Classifier> make_prior();
std::unique_ptr<Classifier> make_kernel_ridge();
std::unique_ptr<Classifier> make_forest();
std::unique_ptr<Classifier> make_blend();

namespace {

constexpr MethodRow<Classifier> kClassifiers[] = {
    {"top-down-svm", "a linear SVM at every node over its children", "Cai and Hofmann 2004; Zhao et al. 2019",
     make_top_down_svm},
    {"top-down-logistic", "multinomial logistic regression at every node; probabilities", "Cai and Hofmann 2004",
     make_top_down_logistic},
    {"path-svm", "a linear SVM for every node against all samples; whole paths are scored", "Clade; Hsieh et al. 2008",
     make_path_svm},
    {"dnc-svm", "one SVM over all children of every node; ranks them for samples of several labels",
     "Cai 2008; Koller and Sahami 1997", make_dnc_svm},
    {"hierarchical-svm", "one SVM over all classes: they share the weights of their ancestors, near misses cost less",
     "Cai and Hofmann 2004; Cai 2008", make_hierarchical_svm},
    {"flat-svm", "one SVM over all classes, without the hierarchy",
     "Crammer and Singer 2001; Elisseeff and Weston 2001", make_flat_svm},
    {"hierarchical-perceptron", "a perceptron over all classes, which share the weights of their ancestors",
     "Cai and Hofmann 2007; Cai 2008", make_hierarchical_perceptron},
    {"flat-perceptron", "a perceptron over all classes, without the hierarchy", "Crammer and Singer 2003",
     make_flat_perceptron},
    {"hieron", "an online learner over the hierarchy with steps of the right length", "Dekel et al. 2004; Cai 2008",
     make_hieron},
    {"kernel-ridge", "kernel ridge regression of all nodes together; scores at every node",
     "Clade; Saunders et al. 1998; Williams and Seeger 2001", make_kernel_ridge},
    {"forest", "an ensemble of trees that split by the labels of all nodes; takes missing values",
     "Vens et al. 2008; Geurts et al. 2006; Blockeel et al. 1998", make_forest},
    {"blend", "kernel ridge regression and a forest together; the best scores at every node", "Clade", make_blend},
    {"prior", "how often each node occurs, without a look at the features: a baseline", "Clade", make_prior},
};

}  // namespace

ModelBody Classifier::resume(const ModelBody& model, const TrainingInput& /*input*/, Context& /*ctx*/) {
  throw usage_error("a model of " + model.classifier + " cannot go on learning",
                    "expected a linear perceptron, online or averaged, or hieron");
}

const MethodTable<Classifier>& classifier_table() {
  static constexpr MethodTable<Classifier> kTable("classifier", kClassifiers);
  return kTable;
}

std::vector<MethodInfo> classifiers() {
  return classifier_table().infos();
}

}  // namespace clade
