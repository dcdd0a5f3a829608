#include "classify/predict.h"

#include <clade/io.h>
#include <clade/predictions.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/apply.h"
#include "classify/explain.h"
#include "cli/command.h"
#include "cli/read_arguments.h"
#include "core/output_file.h"
#include "model/model_file.h"
#include "report/explanation_text.h"

namespace clade::cli {
namespace {

class PredictCommand : public Command {
 public:
  std::string_view name() const override { return "predict"; }
  std::string_view help() const override { return "apply a model to data: labels with scores"; }

  void declare(Arguments& arguments) override {
    arguments.positional("MODEL", model_, "a model from clade train");
    arguments.positional("DATA", path_, "data to predict for; labels in it are ignored");
    arguments.option("-o,--output", "FILE", output_, "file for the predictions: CSV with sample,rank,label,score");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.flag("--align-features", align_, "find the model's features in the data by name");
    arguments.parameters("Prediction", ParameterTable(options_));
    arguments.parameters("Explanation", ParameterTable(explanation_));
    read_.declare(arguments);
    arguments.examples(
        "  clade predict model.clade test.svm -o predictions.csv\n"
        "  clade predict model.clade test.arff --policy best --top-k 5 -o predictions.csv\n"
        "  clade predict model.clade test.arff --confidence 0.8 -o predictions.csv\n"
        "  clade predict model.clade test.arff --explain 3\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (output_.empty() && explanation_.samples == 0) {
      throw usage_error("nowhere to put the predictions", "expected -o FILE, or --explain SAMPLES");
    }
    if (!output_.empty()) OutputFile(output_, force_);
    const Model model = read_model(model_);
    read_.options.vectorizer = model.vectorizer;
    const LoadedData loaded = read_dataset(path_, read_.options, ctx);
    for (const auto& note : loaded.report.notes) ctx.info(note);
    const Dataset data = without_labels(with_model_features(loaded.data, model, align_), model);
    const Predictions predictions = predict(model, data, options_, ctx);
    if (!output_.empty()) write_predictions(predictions, data, output_, force_, ctx);
    if (common.json) {
      return print_json(nlohmann::json{{"samples", data.samples()}, {"labels", predictions.labels.size()}});
    }
    for (Index s = 0; s < std::min(explanation_.samples, data.samples()); ++s) {
      const NodeId label = predictions.labels_of(s)[0];
      print(explanation_text(model, data, s, label, predictions.scores_of(s)[0],
                             explain(model, data, s, label, explanation_.reasons)));
    }
    if (!output_.empty()) print(fmt::format("{} samples -> {}\n", data.samples(), output_));
  }

 private:
  struct ExplanationOptions {
    Index samples = 0;
    Index reasons = 5;

    template <class V>
    friend void describe(V& v, ExplanationOptions& o) {
      v("explain", o.samples, nonnegative(), "show the path of so many samples, and what decided at each node");
      v("reasons", o.reasons, at_least(1), "features shown at each node");
    }
  };

  std::string model_;
  std::string path_;
  std::string output_;
  bool force_ = false;
  bool align_ = false;
  PredictOptions options_;
  ExplanationOptions explanation_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<PredictCommand>();
}

}  // namespace clade::cli
