#pragma once

#include <clade/parameters.h>

#include <string_view>
#include <vector>

namespace clade {

// A method, as listed by selectors() in clade/select.h, classifiers() in clade/train.h, taxonomy_learners() in
// clade/learn.h and feature_tree_methods() in clade/feature_tree.h, in the order in which they are shown. measures() in
// clade/evaluate.h does the same for measures.
struct MethodInfo {
  std::string_view name;
  std::string_view help;    // one line
  std::string_view source;  // a reference
  std::vector<ParameterInfo> parameters;
};

}  // namespace clade
