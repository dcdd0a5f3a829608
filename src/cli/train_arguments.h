#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace clade::cli {

// The flags that say what to train: for `train`, and for cross-validation.
class TrainArguments {
 public:
  TrainArguments() = default;
  TrainArguments(const TrainArguments&) = delete;
  TrainArguments& operator=(const TrainArguments&) = delete;

  void declare(Arguments& arguments);
  bool is_given() const { return !recipe_.classifier.empty(); }
  // Without a classifier its parameters have no effect: that is a misunderstanding. Throws Error (kInput).
  void refuse_idle() const;
  // What is wrong with the request is said before the work. Throws Error (kInput).
  void check();
  // The same where a model is to go on learning: it says which classifier.
  void check_append() const;
  // How to read the data, so that everything of the recipe can be learnt in training.
  ReadOptions reading(ReadOptions options);
  // The recipe for this data set; with --features the ranking is read.
  Recipe recipe_for(const Dataset& data, Context& ctx) const;
  // What --sample-weights says; empty without it.
  std::vector<double> weights_for(const Dataset& data, Context& ctx) const;
  const Parameters& parameters() const { return recipe_.parameters; }
  // The files that it reads.
  std::vector<std::string> inputs() const { return {ranking_, weights_}; }

 private:
  Recipe recipe_;
  std::string ranking_;
  std::string top_;
  std::string select_parameters_;
  std::string weights_;
};

}  // namespace clade::cli
