#pragma once

#include <clade/dataset.h>
#include <clade/predict.h>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "io/predictions/predictions.h"

namespace clade {

// What an answer may have besides labels and scores: the nodes on the way to each label, the coverage that is
// guaranteed, and columns of the input.
struct PredictionColumns {
  std::vector<std::vector<LevelAnswer>> levels;  // per label of the predictions; empty: not wanted
  Index level_count = 0;
  std::optional<double> coverage;  // that is guaranteed of the answer
  std::vector<std::string> kept_names;
  std::vector<std::vector<nlohmann::json>> kept;  // per sample
};

// The columns after sample,rank,label,score: level_1,level_1_probability, ..., coverage, then those kept, which are
// called input_NAME if the predictions have a column NAME. `columns` must outlive the result.
ExtraColumns extra_columns(const PredictionColumns& columns, const Taxonomy& taxonomy);

// An object per sample: sample, labels (label, score, levels), coverage, kept.
void write_json_lines(const Predictions& predictions, const Dataset& data, const PredictionColumns& columns,
                      Sink& sink);

}  // namespace clade
