#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/select.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/method_table.h"
#include "data/node_table.h"

namespace clade {

// What a selector works on. Everything must outlive the call.
struct SelectionInput {
  const Dataset& data;                   // all labels are leaves, if labels are needed
  const std::vector<NodeTable>& tables;  // of all internal nodes, in id order
  std::vector<NodeId> nodes;             // the nodes asked for, ascending; coupled methods solve all of them anyway
  Index top = 0;                         // how many features are asked for at each node; 0: all
  double memory = 0;                     // bytes that the work may take besides the data; 0: most of the machine's

  bool is_asked_for(NodeId node) const { return std::binary_search(nodes.begin(), nodes.end(), node); }
};

// A method of feature selection. To add one: its file, its row in selectors.cpp, its test and its page.
class Selector {
 public:
  virtual ~Selector() = default;
  // Can it work where every process has the values of some samples only?
  virtual bool takes_row_parts() const { return false; }
  // False: one ranking for the whole data set, which ignores labels; there are no tables.
  virtual bool needs_labels() const { return true; }
  // False: one ranking for the whole data set.
  virtual bool ranks_per_node() const { return needs_labels(); }
  // Throws Error (kInput) if parameters contradict each other: before any data is read.
  virtual void check() const {}
  // Refers to the selector's options: set values through it, then select.
  virtual ParameterTable parameters() = 0;
  // Parameters that have no effect, given the values of the others.
  struct Idle {
    std::string_view name;
    std::string_view when;  // "without `select-lambda` cv"
  };
  virtual std::vector<Idle> idle_parameters() const { return {}; }
  // Parameters that, if too large, leave no feature with a weight.
  virtual std::vector<std::string_view> penalties() const { return {}; }
  // Values to try where parameters are chosen without labels; empty: there is nothing to choose.
  using Grid = std::vector<std::pair<std::string, std::vector<std::string>>>;
  virtual Grid default_grid() const { return {}; }
  // Fills nodes, objective, gap and notes. Throws Error (kInput) if parameters do not suit the data.
  virtual FeatureRanking select(const SelectionInput& input, Context& ctx) = 0;
};

const MethodTable<Selector>& selector_table();

}  // namespace clade
