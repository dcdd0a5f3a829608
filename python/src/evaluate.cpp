#include <clade/evaluate.h>
#include <clade/paired.h>
#include <clade/pipeline.h>
#include <clade/predictions.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "evaluate/baseline.h"
#include "report/covering_report.h"
#include "report/evaluation_report.h"
#include "report/json_text.h"
#include "report/paired_report.h"

namespace clade::python {
namespace {

// The reports for programs that the command line prints.
std::string json_of(const Evaluation& evaluation, const Dataset& data, bool breakdown) {
  return evaluation_json(evaluation, evaluation.taxonomy ? *evaluation.taxonomy : data.taxonomy(), breakdown, {});
}

std::string predictions_json(const Dataset& data, const py::tuple& arrays, const Texts& options,
                             const Array<Index>& folds, bool breakdown, const Settings& settings) {
  const Predictions predictions = predictions_of(arrays, data.samples(), data.taxonomy());
  const EvaluateOptions how = with_options(EvaluateOptions{}, options);
  return run(settings, [&](Context& ctx) {
    return json_of(evaluate(data, predictions, how, folds_of(folds, data), ctx), data, breakdown);
  });
}

// Points of the curve that a picture needs.
constexpr Index kCurvePoints = 200;

// The rows of an array of samples x nodes, which must outlive them.
std::optional<NodeScoreRows> score_rows(const Dataset& data, const std::optional<Array<double>>& node_scores) {
  if (!node_scores) return std::nullopt;
  const Array<double>& values = *node_scores;
  const Index nodes = data.taxonomy().size();
  if (values.ndim() != 2 || values.shape(0) != data.samples() || values.shape(1) != nodes) {
    throw usage_error("scores of other samples or nodes", "expected a row per sample and a column per node");
  }
  if (!std::ranges::all_of(span_of(values), [](double score) { return std::isfinite(score); })) {
    throw usage_error("scores of nodes that are not finite", "expected numbers");
  }
  NodeScoreRows rows{std::span<const double>{}};
  rows.nodes = nodes;
  rows.values = values.data();
  rows.stride = nodes;
  return rows;
}

EvaluateOptions with_curve(const Texts& options) {
  EvaluateOptions how = with_options(EvaluateOptions{}, options);
  how.curve_points = kCurvePoints;
  return how;
}

// The report for programs and for people, and what pictures need: bins of scores, and the curve of the node scores.
py::tuple reports_of(const Evaluation& found, const Dataset& data, const EvaluateOptions& how, bool breakdown) {
  py::list bins;
  if (found.reliability) {
    for (const ReliabilityBin& bin : found.reliability->bins) {
      bins.append(py::make_tuple(bin.samples, bin.score, bin.right));
    }
  }
  py::list curve;
  for (const CurvePoint& point : found.curve) {
    curve.append(py::make_tuple(point.threshold, point.recall, point.precision));
  }
  const Taxonomy& taxonomy = found.taxonomy ? *found.taxonomy : data.taxonomy();
  return py::make_tuple(json_of(found, data, breakdown),
                        text_of(with_keywords(evaluation_text(found, taxonomy, how, false))), bins, curve);
}

py::tuple predictions_reports(const Dataset& data, const py::tuple& arrays,
                              const std::optional<Array<double>>& node_scores, const Texts& options,
                              const Array<Index>& folds, bool breakdown, const Settings& settings) {
  const Predictions predictions = predictions_of(arrays, data.samples(), data.taxonomy());
  const auto rows = score_rows(data, node_scores);
  const std::span<const Index> parts = folds_of(folds, data);
  const EvaluateOptions how = with_curve(options);
  const Evaluation found = run(settings, [&](Context& ctx) {
    Evaluation evaluation = measure_predictions(data, predictions, rows, how, parts, ctx);
    evaluation.baseline = measure_constant(data, {}, rows.has_value(), how, parts, ctx);
    return evaluation;
  });
  return reports_of(found, data, how, breakdown);
}

py::tuple model_reports(const Model& model, const Dataset& data, const Texts& options, const Texts& predicting,
                        const Array<Index>& folds, bool breakdown, const Settings& settings) {
  const EvaluateOptions how = with_curve(options);
  const PredictOptions predict_how = with_options(PredictOptions{}, predicting);
  const Evaluation found =
      run(settings, [&](Context& ctx) { return evaluate(model, data, how, predict_how, folds_of(folds, data), ctx); });
  return reports_of(found, data, how, breakdown);
}

py::tuple recipe_reports(const Dataset& data, const Recipe& recipe, const Array<Index>& folds,
                         const Array<double>& weights, const Texts& options, const Texts& predicting, bool breakdown,
                         const Settings& settings) {
  check_recipe(recipe, data);
  const EvaluateOptions how = with_curve(options);
  const PredictOptions predict_how = with_options(PredictOptions{}, predicting);
  const Evaluation found = run(settings, [&](Context& ctx) {
    return evaluate(data, recipe, folds_of(folds, data), weights_of(weights, data), how, predict_how, ctx);
  });
  return reports_of(found, data, how, breakdown);
}

// Learnt on one part of the samples, and measured on the other.
py::tuple split_reports(const Dataset& data, const Recipe& recipe, const py::tuple& split, const Array<double>& weights,
                        const Texts& options, bool breakdown, const Settings& settings) {
  check_recipe(recipe, data);
  const auto rows = [&](std::size_t part) {
    const auto given = split[part].cast<Array<Index>>();
    for (const Index row : span_of(given)) {
      if (row < 0 || row >= data.samples()) throw py::index_error("no such sample");
    }
    return std::vector<Index>(given.data(), given.data() + given.size());
  };
  const Split parts{.train = rows(0), .test = rows(1)};
  const EvaluateOptions how = with_curve(options);
  const Evaluation found =
      run(settings, [&](Context& ctx) { return evaluate(data, recipe, parts, weights_of(weights, data), how, ctx); });
  return reports_of(found, data, how, breakdown);
}

}  // namespace

void bind_evaluate(py::module_& module) {
  module.def("evaluate_predictions", &predictions_json, py::arg("data"), py::arg("predictions"), py::arg("options"),
             py::arg("folds"), py::arg("breakdown"), py::arg("settings"));
  module.def("evaluation_reports", &predictions_reports, py::arg("data"), py::arg("predictions"),
             py::arg("node_scores"), py::arg("options"), py::arg("folds"), py::arg("breakdown"), py::arg("settings"));
  module.def("model_reports", &model_reports, py::arg("model"), py::arg("data"), py::arg("options"),
             py::arg("predicting"), py::arg("folds"), py::arg("breakdown"), py::arg("settings"));
  module.def("recipe_reports", &recipe_reports, py::arg("data"), py::arg("recipe"), py::arg("folds"),
             py::arg("weights"), py::arg("options"), py::arg("predicting"), py::arg("breakdown"), py::arg("settings"));
  module.def("split_reports", &split_reports, py::arg("data"), py::arg("recipe"), py::arg("split"), py::arg("weights"),
             py::arg("options"), py::arg("breakdown"), py::arg("settings"));
  module.def(
      "evaluate_coverage",
      [](const Model& model, const Dataset& data, const CoverageOptions& options, const Settings& settings) {
        return run(settings, [&](Context& ctx) {
          return json_text(covering_json(evaluate_coverage(model, data, options, ctx)));
        });
      },
      py::arg("model"), py::arg("data"), py::arg("options"), py::arg("settings"));
  module.def(
      "compare_models",
      [](const Model& a, const Dataset& data_a, const Model& b, const Dataset& data_b, const Texts& options,
         const std::string& name_a, const std::string& name_b, const Settings& settings) {
        const PairedOptions how = with_options(PairedOptions{}, options);
        return run(settings, [&](Context& ctx) {
          return paired_json(compare_models(a, data_a, b, data_b, how, ctx), name_a, name_b);
        });
      },
      py::arg("a"), py::arg("data_a"), py::arg("b"), py::arg("data_b"), py::arg("options"), py::arg("name_a"),
      py::arg("name_b"), py::arg("settings"));
  module.def(
      "write_predictions",
      [](const py::tuple& arrays, const Dataset& data, const FilePath& path, bool overwrite, const Settings& settings) {
        const Predictions predictions = predictions_of(arrays, data.samples(), data.taxonomy());
        run(settings, [&](Context& ctx) { write_predictions(predictions, data, path, overwrite, ctx); });
      },
      py::arg("predictions"), py::arg("data"), py::arg("path"), py::arg("overwrite"), py::arg("settings"));
}

}  // namespace clade::python
