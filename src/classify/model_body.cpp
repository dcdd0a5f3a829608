#include "classify/model_body.h"

#include <algorithm>

namespace clade {

const NodeClassifier* ModelBody::at(NodeId node) const {
  const auto found = std::ranges::lower_bound(nodes, node, {}, &NodeClassifier::node);
  return found != nodes.end() && found->node == node ? &*found : nullptr;
}

}  // namespace clade
