#include "classify/local/node_bytes.h"

namespace clade {
namespace {

void put_tree(ByteWriter& bytes, const LabelTree& tree) {
  bytes.put(tree.offsets).put(tree.order).put(tree.checksum).put(tree.weights).put(tree.beam);
  for (const auto group : tree.packed) bytes.put(group);
}

std::shared_ptr<const LabelTree> get_tree(ByteReader& bytes, Index features, PackedGroups& groups) {
  auto tree = std::make_shared<LabelTree>();
  bytes.get(tree->offsets).get(tree->order).get(tree->checksum).get(tree->weights).get(tree->beam);
  for (std::size_t g = 0; g < tree->checksum.size(); ++g)
    tree->packed.push_back(groups.keep(bytes.get<std::vector<std::uint8_t>>()));
  tree->prepare(features);
  return tree;
}

}  // namespace

void put(ByteWriter& bytes, const NodeClassifier& node) {
  bytes.put(node.node).put(node.children).put(node.decision).put(node.temperature).put(node.samples);
  bytes.put(std::uint64_t{node.calibration.size()});
  for (const Calibration& own : node.calibration) bytes.put(own.kind).put(own.at).put(own.value);
  PackedWeights::put(bytes, node.linear);
  bytes.put(node.tree != nullptr);
  if (node.tree) put_tree(bytes, *node.tree);
}

NodeClassifier get_node(ByteReader& bytes, Index features, PackedWeights& weights, PackedGroups& groups) {
  NodeClassifier node;
  bytes.get(node.node).get(node.children).get(node.decision).get(node.temperature).get(node.samples);
  node.calibration.resize(bytes.get<std::uint64_t>());
  for (Calibration& own : node.calibration) bytes.get(own.kind).get(own.at).get(own.value);
  node.linear = weights.restored(bytes);
  if (bytes.get<bool>()) node.tree = get_tree(bytes, features, groups);
  return node;
}

}  // namespace clade
