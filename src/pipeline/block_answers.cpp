#include "pipeline/block_answers.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/apply.h"
#include "classify/levels.h"
#include "classify/node_scores.h"
#include "classify/predict.h"
#include "core/parallel.h"
#include "io/kept_columns.h"
#include "io/predictions/predictions.h"
#include "pipeline/node_rows.h"
#include "pipeline/prediction_columns.h"

namespace clade {
namespace {

PredictionColumns columns_for(const ModelBody& model, const RowStream& rows, const Dataset& data,
                              const Predictions& predictions, const PredictFileOptions& options, Context& ctx) {
  PredictionColumns columns;
  if (options.has_levels) {
    columns.levels = levels_of(model, data, predictions, ctx);
    columns.level_count = model.taxonomy->longest_path();
  }
  if (options.covering) columns.coverage = options.covering->coverage;
  if (options.keep.empty()) return columns;
  columns.kept_names = options.keep;
  const Input block = rows.block();
  columns.kept = kept_columns(rows.format(), block, options.keep, options.read);
  if (std::ssize(columns.kept) != data.samples()) {
    throw input_error({.file = block.name()},
                      fmt::format("`keep`: {} rows for {} samples", columns.kept.size(), data.samples()),
                      "expected a sample in every row");
  }
  return columns;
}

// Samples in which a model of words knows none; numbers in columns beside the text do not count. Words that occur in
// every document weigh nothing, and tell as little.
Index samples_without_words(const ModelBody& model, const Dataset& data, Context& ctx) {
  const Index words = model.features - std::ssize(model.vectorizer->numbers);
  const auto count = [&](Index begin, Index end) {
    Index found = 0;
    for (Index s = begin; s < end; ++s) {
      bool has_word = false;
      data.for_each_value(s, [&](FeatureIndex f, auto value) { has_word = has_word || (f < words && value != 0); });
      if (!has_word) ++found;
    }
    return found;
  };
  constexpr Index kSamplesPerTask = 1024;
  return parallel_reduce(ctx, data.samples(), kSamplesPerTask, Index{0}, count,
                         [](Index& total, Index part) { total += part; });
}

bool is_of_words(const ModelBody& model) {
  return model.vectorizer && !model.vectorizer->options.sequences &&
         model.features > std::ssize(model.vectorizer->numbers);
}

}  // namespace

Dataset BlockAnswers::fitting(const RowStream& rows, const Dataset& block) {
  try {
    return with_model_features(block, model_, options_.predict.align_features, ctx_);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInput || !error.where().file.empty()) throw;
    throw input_error({.file = rows.name()}, error.problem(), error.expected());  // one of many parts, perhaps
  }
}

bool BlockAnswers::answer(const RowStream& rows, const Dataset& block) {
  const Dataset data = fitting(rows, block);
  if (is_of_words(model_)) {
    result_.without_words = result_.without_words.value_or(0) + samples_without_words(model_, data, ctx_);
  }
  const bool is_first = has_header_ && result_.samples == 0;
  result_.samples += data.samples();
  if (options_.nodes_above && sink_ != nullptr) {
    write_nodes(data, is_first);
    return true;
  }
  const Predictions predictions =
      rule_ != nullptr ? predict_covering(model_, data, *rule_, ctx_) : predict(model_, data, options_.predict, ctx_);
  if (sink_ != nullptr) write_labels(rows, data, predictions, is_first);
  return !options_.watch || options_.watch(data, predictions);
}

void BlockAnswers::write_nodes(const Dataset& data, bool is_first) {
  const NodeScores scores = node_scores(model_, data, options_.consistency, ctx_);
  if (options_.shape == PredictFileOptions::Shape::kCsv) {
    write_node_rows(scores, *options_.nodes_above, data, *sink_, is_first);
  } else {
    write_node_objects(scores, *options_.nodes_above, data, *sink_);
  }
}

void BlockAnswers::write_labels(const RowStream& rows, const Dataset& data, const Predictions& predictions,
                                bool is_first) {
  const PredictionColumns columns = columns_for(model_, rows, data, predictions, options_, ctx_);
  if (options_.shape == PredictFileOptions::Shape::kCsv) {
    write_predictions(predictions, data, *sink_, ctx_, is_first, extra_columns(columns, *model_.taxonomy));
  } else {
    write_json_lines(predictions, data, columns, *sink_);
  }
}

// With several threads, a block is read while the one before it is answered, so that none waits for the last rows of a
// block. Not from a pipe, where the next rows may wait for these answers; nor if somebody may stop, or still needs the
// text of the block.
bool BlockAnswers::answer_all(RowStream& rows) {
  const bool reads_ahead = ctx_.threads() > 1 && !rows.is_pipe() && !options_.watch && options_.keep.empty();
  std::optional<Dataset> block = rows.next(*model_.taxonomy, ctx_);
  while (block) {
    std::optional<Dataset> next;
    if (reads_ahead) {
      ctx_.pool().run(2, [&](Index task) {
        if (task == 0) {
          answer(rows, *block);
        } else {
          next = rows.next(*model_.taxonomy, ctx_);
        }
      });
    } else {
      if (!answer(rows, *block)) return false;
      block.reset();
      next = rows.next(*model_.taxonomy, ctx_);
    }
    block = std::move(next);
  }
  for (const std::string& note : rows.notes()) {
    if (std::ranges::find(result_.notes, note) == result_.notes.end()) result_.notes.push_back(note);
  }
  return true;
}

}  // namespace clade
