// Feature trees, read for six words, for nameless features, and on their own. What is accepted must be a tree, and must
// read back the same after writing.

#include <clade/error.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "io/feature_tree/feature_tree_file.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(std::string_view bytes, const std::optional<clade::KnownFeatures>& known) {
  using namespace clade;
  std::string text;
  try {
    const FeatureHierarchy hierarchy = parse_feature_tree(Input::from_bytes("fuzz.json", bytes), known);
    const FeatureTree& tree = hierarchy.tree;
    std::vector<FeatureIndex> order(tree.order().begin(), tree.order().end());
    std::sort(order.begin(), order.end());
    for (std::size_t f = 0; f < order.size(); ++f) require(order[f] == static_cast<FeatureIndex>(f));
    require(!known || tree.features() == known->count);
    for (NodeId node = 1; node < tree.size(); ++node) {
      const NodeId parent = tree.parent(node);
      require(parent >= 0 && parent < node && tree.count(node) > 0);
      require(tree.begin(parent) <= tree.begin(node) && tree.end(node) <= tree.end(parent));
    }
    StringSink sink;
    print_feature_tree(hierarchy, sink);
    text = sink.text();
    require(parse_feature_tree(Input::from_bytes("again.json", text), known).tree == tree || tree.uncovered() > 0);
  } catch (const Error& error) {
    // Bad input may be refused, but what was written must be readable.
    require(text.empty());
    require(error.kind() == Error::Kind::kInput);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> words{"coin", "cash", "money", "gold", "ring", "gem"};
  check(bytes, clade::KnownFeatures{6, words});
  check(bytes, clade::KnownFeatures{6, {}});
  check(bytes, std::nullopt);
  clade::looks_like_feature_tree(bytes);
  return 0;
}
