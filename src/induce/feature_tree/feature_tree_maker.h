#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/feature_tree.h>
#include <clade/parameters.h>

#include <memory>
#include <string_view>

#include "core/method_table.h"

namespace clade {

// What a method works on.
struct FeatureTreeInput {
  const Dataset& data;
  double memory = 0;  // bytes that the work may take besides the data
};

// A method that arranges features in a hierarchy. To add one: its file, its row in feature_tree_makers.cpp, its test
// and its part of docs/feature-tree.md.
class FeatureTreeMaker {
 public:
  virtual ~FeatureTreeMaker() = default;
  // Refers to the maker's options: set values through it, then make.
  virtual ParameterTable parameters() = 0;
  // Throws Error (kInput) if a parameter is missing: before any data is read.
  virtual void check() const {}
  // Fills tree and notes. Throws Error (kInput) if parameters do not suit the data.
  virtual FeatureHierarchy make(const FeatureTreeInput& input, Context& ctx) = 0;
};

const MethodTable<FeatureTreeMaker>& feature_tree_table();

}  // namespace clade
