#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>

#include "classify/train.h"
#include "cli/command_line.h"

namespace clade::cli {

// The flags that say what to train: for `train`, and for cross-validation.
class TrainArguments {
 public:
  TrainArguments() = default;
  TrainArguments(const TrainArguments&) = delete;
  TrainArguments& operator=(const TrainArguments&) = delete;

  void declare(Arguments& arguments);
  bool is_given() const { return !options_.classifier.empty(); }
  // Without a classifier its parameters have no effect: that is a misunderstanding. Throws Error (kInput).
  void refuse_idle() const;
  // What is wrong with the request is said before the work. Throws Error (kInput).
  void check() const;
  // The same where a model is to go on learning: it says which classifier.
  void check_append() const;
  // Options for this data set; with --features the ranking is read.
  TrainOptions options_for(const Dataset& data, Context& ctx) const;
  // Trains; with --select features are selected on the same data first.
  Model train(const Dataset& data, TrainOptions options, Context& ctx) const;
  // The same for a part of the data that the options were made for: `samples` are its rows in the whole.
  Model train_part(const Dataset& part, const std::vector<Index>& samples, TrainOptions options, Context& ctx) const;

 private:
  TrainOptions options_;
  std::string ranking_;
  std::string top_;
  std::string select_;
  std::string select_parameters_;
  std::string weights_;
};

}  // namespace clade::cli
