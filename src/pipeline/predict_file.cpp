#include <clade/predict.h>
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "classify/apply.h"
#include "classify/conformal.h"
#include "classify/levels.h"
#include "classify/node_scores.h"
#include "classify/predict.h"
#include "core/json.h"
#include "core/output_file.h"
#include "core/parallel.h"
#include "io/compress.h"
#include "io/kept_columns.h"
#include "io/predictions/predictions.h"
#include "io/row_stream.h"
#include "pipeline/node_rows.h"
#include "pipeline/prediction_columns.h"

namespace clade {
namespace {

class FunctionSink : public Sink {
 public:
  explicit FunctionSink(const std::function<void(std::string_view)>& write) : write_(write) {}
  void write(std::string_view bytes) override { write_(bytes); }

 private:
  const std::function<void(std::string_view)>& write_;
};

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

void write_nodes(const NodeScores& scores, const Dataset& data, const PredictFileOptions& options, bool is_first,
                 Sink& sink) {
  if (options.shape == PredictFileOptions::Shape::kCsv) {
    write_node_rows(scores, *options.nodes_above, data, sink, is_first);
  } else {
    write_node_objects(scores, *options.nodes_above, data, sink);
  }
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

// Answers block after block; `sink` may be null.
class BlockAnswers {
 public:
  BlockAnswers(const ModelBody& model, const RowStream& rows, const PredictFileOptions& options, Sink* sink,
               Context& ctx)
      : model_(model), rows_(rows), options_(options), sink_(sink), ctx_(ctx) {
    if (is_of_words(model)) result_.without_words = 0;
    if (options.covering) rule_ = coverage_rule(model, *options.covering);
    if (rule_ && !rule_->note.empty()) ctx.info(rule_->note);
  }

  // Whether to go on.
  bool answer(const Dataset& block) {
    const Dataset data = with_model_features(block, model_, options_.predict.align_features, ctx_);
    if (result_.without_words) *result_.without_words += samples_without_words(model_, data, ctx_);
    const bool is_first = result_.samples == 0;
    result_.samples += data.samples();
    if (options_.nodes_above && sink_ != nullptr) {
      write_nodes(node_scores(model_, data, options_.consistency, ctx_), data, options_, is_first, *sink_);
      return true;
    }
    const Predictions predictions =
        rule_ ? predict_covering(model_, data, *rule_, ctx_) : predict(model_, data, options_.predict, ctx_);
    if (sink_ != nullptr) {
      const PredictionColumns columns = columns_for(model_, rows_, data, predictions, options_, ctx_);
      if (options_.shape == PredictFileOptions::Shape::kCsv) {
        write_predictions(predictions, data, *sink_, ctx_, is_first, extra_columns(columns, *model_.taxonomy));
      } else {
        write_json_lines(predictions, data, columns, *sink_);
      }
    }
    return !options_.watch || options_.watch(data, predictions);
  }
  const PredictedFile& result() const { return result_; }

 private:
  const ModelBody& model_;
  const RowStream& rows_;
  const PredictFileOptions& options_;
  Sink* sink_;
  Context& ctx_;
  std::optional<CoverageRule> rule_;
  PredictedFile result_;
};

// With several threads, a block is read while the one before it is answered, so that none waits for the last rows of a
// block. Not from a pipe, where the next rows may wait for these answers; nor if somebody may stop, or still needs the
// text of the block.
PredictedFile predict_rows(const ModelBody& model, RowStream& rows, const PredictFileOptions& options, Sink* sink,
                           Context& ctx) {
  BlockAnswers answers(model, rows, options, sink, ctx);
  const bool reads_ahead = ctx.threads() > 1 && !rows.is_pipe() && !options.watch && options.keep.empty();
  std::optional<Dataset> block = rows.next(*model.taxonomy, ctx);
  while (block) {
    std::optional<Dataset> next;
    if (reads_ahead) {
      ctx.pool().run(2, [&](Index task) {
        if (task == 0) {
          answers.answer(*block);
        } else {
          next = rows.next(*model.taxonomy, ctx);
        }
      });
    } else {
      if (!answers.answer(*block)) break;
      block.reset();
      next = rows.next(*model.taxonomy, ctx);
    }
    block = std::move(next);
  }
  return answers.result();
}

// Texts as the lines of a file of the kind that the model was trained on.
RowStream rows_of_texts(const Model& model, const PredictFileOptions& options, Context& ctx) {
  const auto& vectorizer = model.body().vectorizer;
  if (!vectorizer) throw usage_error("the model was not trained on text", "expected a file with its features");
  const auto& columns = vectorizer->options.columns;
  const auto field = std::ranges::find(columns, ColumnKind::kText, &DataColumn::kind);
  if (!columns.empty() && field == columns.end()) {
    throw usage_error("the model was not trained on text", "expected a file with its columns");
  }
  std::string lines;
  for (std::string text : options.texts) {
    std::ranges::replace(text, '\n', ' ');
    lines += columns.empty() ? text : dump_json(nlohmann::json{{field->name, text}});
    lines += '\n';
  }
  ReadOptions read = reading_for(model, options.read);
  read.format = columns.empty() ? "text-lines" : "json-lines";
  return {"the text", std::move(lines), read, ctx};
}

}  // namespace

PredictedFile predict_file(const Model& model, const std::string& input, const PredictFileOptions& options,
                           Context& ctx) {
  if (options.has_levels && options.covering) {
    throw usage_error("`levels` gives the way to one label, and `coverage` answers with nodes", "expected one of them");
  }
  if (options.has_levels) require_levels(model.body());
  if (!options.keep.empty() && !options.texts.empty()) {
    throw usage_error("`keep` copies columns of a file", "expected none for a text");
  }
  RowStream rows = options.texts.empty() ? RowStream(input, reading_for(model, options.read), ctx)
                                         : rows_of_texts(model, options, ctx);
  PredictedFile result;
  const auto predict_all = [&](Sink* sink) {
    result = predict_rows(model.body(), rows, options, sink, ctx);
    if (result.samples == 0) throw input_error({.file = input}, "no samples", "expected some to predict for");
  };
  if (!options.output.empty()) {
    OutputFile file(options.output, options.overwrite);
    write_through(file, [&](Sink& sink) { predict_all(&sink); }, &ctx);
    file.commit();
  } else if (options.write) {
    FunctionSink sink(options.write);
    predict_all(&sink);
  } else {
    predict_all(nullptr);
  }
  if (options.texts.empty()) result.notes = rows.notes();
  if (result.without_words.value_or(0) > 0) {
    result.notes.push_back(
        options.texts.size() == 1
            ? "the model knows no word of the text: the answer does not depend on it"
            : fmt::format("texts without a known word: {}; the answers to them do not depend on their words",
                          *result.without_words));
  }
  return result;
}

}  // namespace clade
