#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/select.h>

#include <map>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "select/scaling.h"

namespace clade {

struct SelectOptions {
  std::string method;
  std::map<std::string, std::string> parameters;  // of the method, by name
  std::vector<std::string> nodes;                 // names; empty: all internal nodes
  Index top = 0;                                  // features kept at each node; 0: all
  Scale scale = Scale::kNone;
  bool bias = false;   // a feature that is always 1 takes part; it is not ranked
  std::string memory;  // that the work may take beside the data, such as 4G; empty: most of it
};

inline constexpr Choice<Scale> kScaleWords[] = {
    {Scale::kNone, "none"}, {Scale::kStandard, "standard"}, {Scale::kMinMax, "minmax"}, {Scale::kUnit, "unit"}};

template <class V>
void describe(V& v, SelectOptions& o) {
  v("scale", o.scale, kScaleWords, "scale features (standard, minmax) or samples (unit) first");
  v("bias", o.bias, "add a feature that is always 1; it is not ranked");
}

// The number of features that "40" or "10%" asks for; at least one. Throws Error (kInput) if it is neither, or more
// than there are.
Index parse_top(std::string_view text, Index features);

// Throws Error (kInput) for what is wrong with the method, its parameters or the memory, whatever the data.
void check_request(const SelectOptions& options);

// Runs a selector on a data set; labels at inner nodes are moved to leaves of their own first.
FeatureRanking select_features(const Dataset& data, const SelectOptions& options, Context& ctx);

}  // namespace clade
