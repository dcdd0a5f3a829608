#include "classify/predict.h"

#include <clade/io.h>
#include <clade/predictions.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "classify/apply.h"
#include "classify/explain.h"
#include "cli/command.h"
#include "cli/read_arguments.h"
#include "core/output_file.h"
#include "io/compress.h"
#include "io/predictions/predictions.h"
#include "io/row_stream.h"
#include "model/model_file.h"
#include "report/explanation_text.h"

namespace clade::cli {
namespace {

enum class Shape { kCsv, kJsonLines };
constexpr clade::Choice<Shape> kShapeWords[] = {{Shape::kCsv, "csv"}, {Shape::kJsonLines, "json-lines"}};

struct ShapeOptions {
  Shape shape = Shape::kCsv;
  Index explained = 0;
  Index reasons = 5;
};

template <class V>
void describe(V& v, ShapeOptions& o) {
  v("to", o.shape, kShapeWords, "csv: sample,rank,label,score; json-lines: an object per sample");
  v("explain", o.explained, nonnegative(), "show the way of so many samples, and what decided at each node");
  v("reasons", o.reasons, at_least(1), "features shown at each node");
}

class StandardOutput : public Sink {
 public:
  void write(std::string_view bytes) override { print(bytes); }
};

class PredictCommand : public Command {
 public:
  std::string_view name() const override { return "predict"; }
  std::string_view help() const override { return "apply a model to data: labels with scores"; }

  void declare(Arguments& arguments) override {
    arguments.positional("MODEL", model_, "a model from clade train");
    arguments.positional("DATA", path_, "data to predict for, - for standard input; labels in it are ignored");
    arguments.option("-o,--output", "FILE", output_, "file for the predictions, - for standard output");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.flag("--align-features", align_, "find the model's features in the data by name");
    arguments.parameters("Prediction", ParameterTable(options_));
    arguments.parameters("Output", ParameterTable(shape_));
    read_.declare(arguments);
    arguments.examples(
        "  clade predict model.clade test.svm -o predictions.csv\n"
        "  clade predict model.clade test.arff --policy best --top-k 5 -o predictions.csv\n"
        "  clade predict model.clade test.arff --confidence 0.8 -o predictions.csv\n"
        "  clade predict model.clade test.arff --explain 3\n"
        "  zcat new.jsonl.gz | clade predict model.clade - --format json-lines --to json-lines -o - | head\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (output_.empty() && shape_.explained == 0) {
      throw usage_error("nowhere to put the predictions", "expected -o FILE, or --explain SAMPLES");
    }
    if (output_ == "-" && (common.json || shape_.explained > 0)) {
      throw usage_error("standard output cannot hold both", "expected -o FILE with --json or --explain");
    }
    const Model model = read_model(model_);
    read_.options.vectorizer = model.vectorizer;
    if (shape_.explained > 0 && model.kind != ModelKind::kTopDown) {
      throw usage_error("--explain shows decisions node by node", "expected a top-down model");
    }
    RowStream rows(path_, read_.options, ctx);
    std::optional<OutputFile> file;
    if (!output_.empty() && output_ != "-") file.emplace(output_, force_);
    Index samples = 0;
    std::string explanations;
    const auto predict_all = [&](Sink* sink) {
      while (const std::optional<Dataset> block = rows.next(*model.taxonomy, ctx)) {
        const Dataset data = with_model_features(*block, model, align_);
        const Predictions predictions = predict(model, data, options_, ctx);
        if (sink != nullptr) write(predictions, data, *sink, samples == 0, ctx);
        for (Index s = 0; s < data.samples() && samples + s < shape_.explained; ++s) {
          const NodeId label = predictions.labels_of(s)[0];
          explanations += explanation_text(model, data, s, label, predictions.scores_of(s)[0],
                                           explain(model, data, s, label, shape_.reasons));
        }
        samples += data.samples();
        if (sink == nullptr && samples >= shape_.explained) break;
      }
      if (samples == 0) throw input_error({.file = path_}, "no samples", "expected some to predict for");
    };
    if (output_ == "-") {
      StandardOutput standard_output;
      predict_all(&standard_output);
    } else if (file) {
      write_through(*file, [&](Sink& sink) { predict_all(&sink); });
      file->commit();
    } else {
      predict_all(nullptr);
    }
    for (const auto& note : rows.notes()) ctx.info(note);
    if (output_ == "-") return;
    if (common.json) return print_json(nlohmann::json{{"samples", samples}});
    print(explanations);
    if (file) print(fmt::format("{} samples -> {}\n", samples, output_));
  }

 private:
  void write(const Predictions& predictions, const Dataset& data, Sink& sink, bool is_first, Context& ctx) const {
    if (shape_.shape == Shape::kCsv) return write_predictions(predictions, data, sink, ctx, is_first);
    for (Index s = 0; s < data.samples(); ++s) {
      nlohmann::json labels = nlohmann::json::array();
      for (std::size_t k = 0; k < predictions.labels_of(s).size(); ++k) {
        labels.push_back(
            {{"label", data.taxonomy().name(predictions.labels_of(s)[k])}, {"score", predictions.scores_of(s)[k]}});
      }
      const nlohmann::json row{{"sample", data.sample_name(s)}, {"labels", std::move(labels)}};
      sink.write(row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
  }

  std::string model_;
  std::string path_;
  std::string output_;
  bool force_ = false;
  bool align_ = false;
  PredictOptions options_;
  ShapeOptions shape_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<PredictCommand>();
}

}  // namespace clade::cli
