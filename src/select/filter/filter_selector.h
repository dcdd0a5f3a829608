#pragma once

#include <string>
#include <vector>

#include "select/selector.h"

namespace clade {

// What all filters have in common: which tables to rank, in which order, and what to say about odd ones.
//
// Nodes are independent. Small ones are ranked side by side, large ones one after another with all threads inside each,
// so that neither one huge root nor thousands of tiny nodes leave threads idle, and the memory of several large nodes
// is never needed at once. Which is which depends on the data alone.
//
// A node without samples gets the features in their order with weight 0. It is named in a note, as is a node whose
// samples all lie in one child.
class FilterSelector : public Selector {
 public:
  explicit FilterSelector(bool flat) : flat_(flat) {}
  FeatureRanking select(const SelectionInput& input, Context& ctx) final;

 protected:
  struct Ranked {
    NodeRanking ranking;
    std::vector<double> objective;  // per iteration; summed over nodes
    std::vector<std::string> notes;
  };
  // Ranks the features by one table that has samples; `top` as in SelectionInput. The result must not depend on the
  // number of threads. Called from several threads at a time.
  virtual Ranked rank(const Dataset& data, const NodeTable& table, Index top, Context& ctx) const = 0;
  // About how many additions and multiplications that takes.
  virtual double operations(const Dataset& data, const NodeTable& table, Index top) const = 0;

 private:
  bool flat_;
};

// How notes and messages call a table: its node by name, or the whole data set.
std::string table_name(const Dataset& data, const NodeTable& table);

}  // namespace clade
