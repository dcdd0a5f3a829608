#pragma once

#include <clade/evaluate.h>
#include <clade/model.h>
#include <clade/recipes.h>

#include <optional>
#include <string>

namespace clade {

// What training has to tell beside the model.
struct TrainingReport {
  std::string reason;                  // why this classifier; empty: the user named it
  std::optional<TriedRecipes> tried;   // before the model was trained
  std::optional<Evaluation> held_out;  // by a model trained on the other samples
  Index held_out_from = 0;             // samples from which they were held out
  Index calibrating = 0;               // samples that the model has not learnt from, because they calibrate it
  std::string test_name;
  std::optional<Evaluation> test;  // of the model itself
};

// The recipes with their values, the best one marked.
std::string tried_text(const TriedRecipes& tried);

// The measured values; empty if nothing was measured.
std::string training_text(const TrainingReport& report);

// model_json() with the keys "reason", "tried", "held_out" and "test" where there are such.
std::string training_json(const Model& model, Index file_bytes, const TrainingReport& report);

}  // namespace clade
