#include <clade/predict.h>
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "classify/apply.h"
#include "classify/predict.h"
#include "core/json.h"
#include "core/output_file.h"
#include "io/compress.h"
#include "io/predictions/predictions.h"
#include "io/row_stream.h"

namespace clade {
namespace {

class FunctionSink : public Sink {
 public:
  explicit FunctionSink(const std::function<void(std::string_view)>& write) : write_(write) {}
  void write(std::string_view bytes) override { write_(bytes); }

 private:
  const std::function<void(std::string_view)>& write_;
};

void write_json_lines(const Predictions& predictions, const Dataset& data, Sink& sink) {
  for (Index s = 0; s < data.samples(); ++s) {
    nlohmann::json labels = nlohmann::json::array();
    for (std::size_t k = 0; k < predictions.labels_of(s).size(); ++k) {
      labels.push_back(
          {{"label", data.taxonomy().name(predictions.labels_of(s)[k])}, {"score", predictions.scores_of(s)[k]}});
    }
    const nlohmann::json row{{"sample", data.sample_name(s)}, {"labels", std::move(labels)}};
    sink.write(dump_json(row) + "\n");
  }
}

// Predicts block by block; `sink` may be null.
Index predict_rows(const ModelBody& model, RowStream& rows, const PredictFileOptions& options, Sink* sink,
                   Context& ctx) {
  Index samples = 0;
  bool goes_on = true;
  while (goes_on) {
    const std::optional<Dataset> block = rows.next(*model.taxonomy, ctx);
    if (!block) break;
    const Dataset data = with_model_features(*block, model, options.predict.align_features, ctx);
    const Predictions predictions = predict(model, data, options.predict, ctx);
    if (sink != nullptr && options.shape == PredictFileOptions::Shape::kCsv) {
      write_predictions(predictions, data, *sink, ctx, samples == 0);
    } else if (sink != nullptr) {
      write_json_lines(predictions, data, *sink);
    }
    samples += data.samples();
    if (options.watch) goes_on = options.watch(data, predictions);
  }
  return samples;
}

}  // namespace

PredictedFile predict_file(const Model& model, const std::string& input, const PredictFileOptions& options,
                           Context& ctx) {
  RowStream rows(input, reading_for(model, options.read), ctx);
  PredictedFile result;
  const auto predict_all = [&](Sink* sink) {
    result.samples = predict_rows(model.body(), rows, options, sink, ctx);
    if (result.samples == 0) throw input_error({.file = input}, "no samples", "expected some to predict for");
  };
  if (!options.output.empty()) {
    OutputFile file(options.output, options.overwrite);
    write_through(file, [&](Sink& sink) { predict_all(&sink); });
    file.commit();
  } else if (options.write) {
    FunctionSink sink(options.write);
    predict_all(&sink);
  } else {
    predict_all(nullptr);
  }
  result.notes = rows.notes();
  return result;
}

}  // namespace clade
