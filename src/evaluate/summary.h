#pragma once

#include <clade/evaluate.h>

#include <optional>
#include <span>
#include <vector>

#include "evaluate/outcome_scores.h"

namespace clade {

using Measures = std::vector<std::optional<double>>;  // one per measures()

// What the measures of a set of samples are made from.
struct Totals {
  double samples = 0;
  Scores sums{};
  // Macro averages over nodes; only with Average::kMacro.
  double macro_precision = 0;
  double macro_recall = 0;
  double macro_f1 = 0;
};

// Means over the nodes that are true or predicted somewhere; a node that is never predicted has precision 0, one that
// is never true recall 0.
void add_macro(std::span<const NodeScore> nodes, bool count_root, Totals& totals);

Measures measures_from(const Totals& totals, Average average, bool ranked, double largest_distance);

}  // namespace clade
