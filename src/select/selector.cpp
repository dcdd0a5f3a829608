#include "select/selector.h"

#include <algorithm>

namespace clade {

bool SelectionInput::is_asked_for(NodeId node) const {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

}  // namespace clade
