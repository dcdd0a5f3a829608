#include <clade/error.h>
#include <fmt/format.h>

#include <cmath>

#include "induce/feature_tree/feature_tree_maker.h"
#include "induce/feature_tree/tidy_groups.h"

namespace clade {
namespace {

enum class PixelOrder { kColumns, kRows };

constexpr Choice<PixelOrder> kPixelOrderWords[] = {{PixelOrder::kColumns, "columns"}, {PixelOrder::kRows, "rows"}};

struct SpatialOptions {
  Index height = 0;
  Index width = 0;
  PixelOrder order = PixelOrder::kColumns;
  int depth = 0;
  Index smallest = 2;
};

template <class V>
void describe(V& v, SpatialOptions& o) {
  v("height", o.height, nonnegative(), "rows of the image; 0: from the number of features");
  v("width", o.width, nonnegative(), "columns of the image; 0: from the number of features");
  v("pixels", o.order, kPixelOrderWords, "columns: features go down the columns, as in MATLAB; rows: along the rows");
  v("depth", o.depth, between(0, 1000), "levels of groups below the root; 0: all");
  v("smallest", o.smallest, at_least(1), "fewest features of a group; smaller groups are merged into the one above");
}

// Rows [top, bottom) and columns [left, right) of an image.
struct Block {
  Index top, bottom, left, right;

  Index height() const { return bottom - top; }
  Index width() const { return right - left; }
  std::string name() const { return fmt::format("rows {}-{}, columns {}-{}", top, bottom - 1, left, right - 1); }
};

class QuadTree {
 public:
  QuadTree(Index height, Index width, PixelOrder order) : height_(height), width_(width), order_(order) {
    add({0, height, 0, width}, kNoNode);
  }

  std::vector<FeatureGroup> take() { return std::move(groups_); }

 private:
  // Halves a block in both directions, the first half being the larger one, down to single pixels. Blocks come after
  // those that contain them.
  void add(const Block& block, NodeId parent) {
    const auto number = static_cast<NodeId>(groups_.size());
    groups_.push_back({.name = parent == kNoNode ? "root" : block.name(), .parent = parent});
    if (block.height() * block.width() == 1) {
      groups_.back().features.push_back(feature(block.top, block.left));
      return;
    }
    const Index middle = block.top + (block.height() + 1) / 2;
    const Index centre = block.left + (block.width() + 1) / 2;
    for (const auto& [top, bottom] : {std::pair(block.top, middle), std::pair(middle, block.bottom)}) {
      for (const auto& [left, right] : {std::pair(block.left, centre), std::pair(centre, block.right)}) {
        if (top < bottom && left < right) add({top, bottom, left, right}, number);
      }
    }
  }

  FeatureIndex feature(Index row, Index column) const {
    return static_cast<FeatureIndex>(order_ == PixelOrder::kColumns ? column * height_ + row : row * width_ + column);
  }

  Index height_;
  Index width_;
  PixelOrder order_;
  std::vector<FeatureGroup> groups_;
};

class SpatialTree : public FeatureTreeMaker {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  FeatureHierarchy make(const FeatureTreeInput& input, Context& /*ctx*/) override {
    set_size(input.data.features());
    QuadTree quads(options_.height, options_.width, options_.order);
    return {.tree = FeatureTree::build(input.data.features(),
                                       tidy_groups(quads.take(), options_.smallest, options_.depth))};
  }

 private:
  // Fills in the sizes that were not given: a square, or the other side.
  void set_size(Index features) {
    Index& height = options_.height;
    Index& width = options_.width;
    if (height == 0 && width == 0) height = width = std::lround(std::sqrt(static_cast<double>(features)));
    if (height == 0) height = features / width;
    if (width == 0) width = features / height;
    if (height > features || width > features || height * width != features) {
      throw usage_error(fmt::format("{} features are no image of {} x {} pixels", features, height, width),
                        "expected `height` and `width` whose product is the number of features");
    }
  }

  SpatialOptions options_;
};

}  // namespace

std::unique_ptr<FeatureTreeMaker> make_spatial_tree() {
  return std::make_unique<SpatialTree>();
}

}  // namespace clade
