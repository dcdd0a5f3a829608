#pragma once

#include <span>
#include <string>
#include <vector>

#include "comm/tasks.h"
#include "comm/team.h"
#include "core/byte_string.h"
#include "select/selector.h"

namespace clade {

// What all filters share: which tables they rank, in which order, and the notes about unusual ones.
//
// Nodes are independent. Small ones are ranked side by side; large ones one after another, with all threads inside
// each. So neither one huge root nor thousands of tiny nodes leave threads idle, and only one large node needs memory
// at a time. Which nodes are large depends on the data alone.
//
// A node without samples gets the features in their order, with weight 0. A note names it, and also a node whose
// samples all lie in one child.
//
// Where every process has some of the rows, they exchange them for columns, and each ranks its features among those of
// the others.
class FilterSelector : public Selector {
 public:
  explicit FilterSelector(bool flat) : flat_(flat) {}
  bool ranks_per_node() const final { return !flat_; }
  FeatureRanking select(const SelectionInput& input, Context& ctx) final;

 protected:
  struct Ranked {
    NodeRanking ranking;
    std::vector<double> objective;  // per iteration, summed over nodes
    std::vector<std::string> notes;
  };
  // Ranks the features by one table that has samples; `top` is as in SelectionInput. The result must not depend on the
  // number of threads. Called from several threads at once.
  virtual Ranked rank(const Dataset& data, const NodeTable& table, Index top, Context& ctx) const = 0;
  // Ranks by several tables that have samples, if that takes less time for all of them together than for one after the
  // other; otherwise, the result is empty.
  virtual std::vector<NodeRanking> rank_together(const Dataset& data, std::span<const NodeTable* const> tables,
                                                 Context& ctx) const;
  // All samples with the features that this process has of those of a team, which begin at `first`.
  struct Columns {
    const Dataset& data;
    Index first;
    Index all;  // features of all processes
    Team& team;
  };
  // Ranks all features by several tables that have samples. All processes call it with the same tables, and get the
  // same. For methods that take row parts.
  virtual std::vector<NodeRanking> rank_columns(const Columns& columns, std::span<const NodeTable* const> tables,
                                                Index top, Context& ctx) const;
  // Is the table so large that processes rank it together, each some columns? Otherwise one gets its rows, and all
  // columns. By the data alone.
  virtual bool is_ranked_by_columns(const Dataset& /*data*/, const NodeTable& /*table*/) const { return true; }
  // Roughly how many additions and multiplications rank() takes.
  virtual double operations(const Dataset& data, const NodeTable& table, Index top) const = 0;

 private:
  std::vector<Ranked> rank_shared(const Dataset& data, std::span<const NodeTable* const> tables, Index top, Team& team,
                                  Context& ctx) const;
  SharedTasks shared_tasks(const Dataset& data, std::span<const NodeTable* const> tables, Index top) const;
  std::vector<NodeRanking> rank_row_parts(const Dataset& data, std::span<const NodeTable* const> tables, Index top,
                                          Context& ctx) const;
  std::vector<NodeRanking> rank_by_owners(const Dataset& data, std::span<const NodeTable* const> tables, Index top,
                                          Team& team, Context& ctx) const;
  std::vector<Ranked> rank_apart(const Dataset& data, std::span<const NodeTable* const> tables, Index top,
                                 Context& ctx) const;

  bool flat_;
};

// A ranking as bytes, for other processes.
void put(ByteWriter& bytes, const NodeRanking& node);
void get(ByteReader& bytes, NodeRanking& node);

// The name of a table in notes and messages: that of its node, or one for the whole data set.
std::string table_name(const Dataset& data, const NodeTable& table);

}  // namespace clade
