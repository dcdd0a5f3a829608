#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <optional>
#include <string>
#include <vector>

#include "report/page/model_page.h"

namespace clade {

// What is known about features beside their names: that they are the pixels of an image, and the groups they are in.
struct FeatureShape {
  struct Image {
    Index height = 0;
    Index width = 0;
    PixelOrder order = PixelOrder::kColumns;
  };
  std::optional<Image> image;
  std::vector<std::string> groups;  // empty: none are known
  std::vector<Index> group_of;      // of every feature
  std::vector<std::string> notes;
};

// By the options: a feature tree gives the groups of its deepest level that has at most 16 of them, and the image, if
// it was made from one. `data` has the features of the model. Throws Error (kInput) if the sizes of the image do not
// fit.
FeatureShape feature_shape(const ModelPageOptions& options, const Dataset& data, Context& ctx);

}  // namespace clade
