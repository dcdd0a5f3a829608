#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace clade::cli {

// The flags that say what to train, for `train` and for cross-validation.
class TrainArguments {
 public:
  TrainArguments() = default;
  TrainArguments(const TrainArguments&) = delete;
  TrainArguments& operator=(const TrainArguments&) = delete;

  void declare(Arguments& arguments);
  bool is_given() const { return !recipe_.classifier.empty(); }
  // Throws Error (kInput) if there are parameters but no classifier: they would have no effect.
  void refuse_idle() const;
  // Reports errors in the request before the work begins. Throws Error (kInput).
  void check();
  // The same for continuing a model, which already has its classifier.
  void check_append() const;
  // How to read the data so that the whole recipe can be learnt in training.
  ReadOptions reading(ReadOptions options);
  // The recipe for this data set, without a classifier if none was named; with --features, reads the ranking.
  Recipe recipe_for(const Dataset& data, Context& ctx) const;
  // Without a classifier named and nothing said about missing values, they are means where the recipe needs values.
  Recipe for_gaps(Recipe recipe, Index missing_values) const;
  // The weights from --sample-weights; empty without it.
  std::vector<double> weights_for(const Dataset& data, Context& ctx) const;
  const Parameters& parameters() const { return recipe_.parameters; }
  // The files that training reads, beside the data.
  std::vector<std::string> inputs() const { return {ranking_, weights_}; }

 private:
  bool decides() const;  // does a flag say how label sets are decided?

  Recipe recipe_;
  std::string ranking_;
  std::string top_;
  std::string select_parameters_;
  std::string weights_;
  bool fills_gaps_ = false;
};

}  // namespace clade::cli
