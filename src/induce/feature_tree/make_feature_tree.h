#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/feature_tree.h>

#include <map>
#include <string>

namespace clade {

struct FeatureTreeOptions {
  std::string method;
  std::map<std::string, std::string> parameters;  // of the method, by name
  std::string memory;  // that the work may take beside the data, such as 4G; empty: most of it
};

// Throws Error (kInput) for what is wrong with the method, its parameters or the memory, whatever the data.
void check_request(const FeatureTreeOptions& options);

// Arranges the features of a data set in a hierarchy; its labels play no part.
FeatureHierarchy make_feature_tree(const Dataset& data, const FeatureTreeOptions& options, Context& ctx);

}  // namespace clade
