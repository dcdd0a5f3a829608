#pragma once

#include <clade/context.h>
#include <clade/parameters.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "classify/label_tree.h"
#include "classify/linear/training_rows.h"
#include "classify/pack.h"
#include "data/node_table.h"

namespace clade {

struct LabelTreeOptions {
  Index children = 5000;  // of a node from which on it gets a label tree; 0: never
  Index group = 200;      // children in a last group at most
  Index branches = 8;     // groups in a group at most: a power of two is used
  Index beam = 10;
};

template <class V>
void describe(V& v, LabelTreeOptions& o) {
  v("label-tree", o.children, nonnegative(),
    "number of children from which on a node looks for them in a tree of groups (not with `calibrate` or one-vs-one); "
    "0: never");
  v("label-group", o.group, between(2, 256), "children in a last group of a label tree at most");
  v("label-branches", o.branches, between(2, 128), "groups in a larger group of a label tree at most");
  v("label-beam", o.beam, at_least(1), "groups that a search keeps at every level of a label tree");
}

// The solved functions of one group: weights by local column, which are positions in `features`.
struct SolvedGroup {
  std::vector<SparseOutput> weights;
  std::vector<double> bias;
  std::vector<FeatureIndex> features;
  bool has_converged = true;
};

// Learns the functions of a group, of which the table says what its samples are and what is below it.
// `stream` names the random numbers to use.
using GroupSolver = std::function<SolvedGroup(const NodeTable& table, std::uint64_t stream)>;

// Keeps the weights of trees alive. Trees may be added from several threads.
class PackedGroups {
 public:
  std::span<const std::uint8_t> keep(const std::vector<std::uint8_t>& bytes);

 private:
  std::mutex mutex_;
  std::vector<std::vector<double>> kept_;  // doubles, for their alignment
};

// Forms the groups of a node (order_by_similarity) and learns each from the samples with a label below it: the top
// group from all, the last groups from few. `rows` makes the rows of the table. Large groups use all threads, small
// ones run side by side. `unsolved` becomes the number of groups that have not converged. Where a team shares the work
// for its leader alone, the others get null.
std::shared_ptr<const LabelTree> train_label_tree(const NodeTable& table,
                                                  const std::function<TrainingRows(const NodeTable&)>& rows,
                                                  const GroupSolver& solve, GroupPrecision precision,
                                                  const LabelTreeOptions& options, Index features,
                                                  PackedGroups& storage, Index& unsolved, Context& ctx,
                                                  ResultsFor whom = ResultsFor::kAll);

}  // namespace clade
