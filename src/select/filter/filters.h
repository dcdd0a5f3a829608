#pragma once

#include <memory>

#include "select/selector.h"

namespace clade {

// Filters rank the features of every internal node by the node's own sub-table alone. The flat form ignores the
// hierarchy: one ranking, with the leaves as classes, whose node is kNoNode. Described where they are implemented.
std::unique_ptr<Selector> make_fisher(bool flat);
std::unique_ptr<Selector> make_fsnm(bool flat);
std::unique_ptr<Selector> make_mrmr(bool flat);

}  // namespace clade
