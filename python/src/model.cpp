#include <clade/conformal.h>
#include <clade/explain.h>
#include <clade/model.h>
#include <clade/node_scores.h>
#include <clade/predict.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "data/text/word_collection.h"
#include "report/explanation_text.h"
#include "report/model_report.h"
#include "report/page/model_page.h"

namespace clade::python {
namespace {

constexpr Choice<Consistency> kConsistencyWords[] = {{Consistency::kDescendants, "descendants"},
                                                     {Consistency::kAncestors, "ancestors"}};

struct NodeOptions {
  NodeScoreOptions scores;
  friend void describe(ParameterTable& v, NodeOptions& o) {
    v("consistency", o.scores.consistency, kConsistencyWords, "how scores are made to agree with the hierarchy");
    v("align-features", o.scores.align_features, "find features by name");
  }
};

py::array_t<double> node_score_array(const Model& model, const Dataset& data, const Texts& options,
                                     const Settings& settings) {
  NodeScores scores = run(settings, [&](Context& ctx) {
    return node_scores(model, data, with_options(NodeOptions{}, options).scores, ctx);
  });
  const py::ssize_t nodes = scored_nodes(model);
  auto kept = std::make_shared<std::vector<double>>(std::move(scores.values));
  return array_over(kept->data(), {data.samples(), nodes}, kept);
}

NodeId known(const Model& model, const std::string& name) {
  const auto node = model.taxonomy().find(name);
  if (!node) throw usage_error("the model has no class '" + name + "'", "expected one of its hierarchy");
  return *node;
}

// Explanations of samples: for the labels given to each, or for those that are predicted.
std::vector<Explanation> explanations_of(const Model& model, const Dataset& data,
                                         const std::optional<std::vector<std::vector<std::string>>>& labels,
                                         Index reasons, const Settings& settings) {
  if (labels && std::ssize(*labels) != data.samples()) {
    throw usage_error("labels for each sample are needed", "expected as many as samples");
  }
  if (reasons < 1) throw usage_error(fmt::format("`reasons` {}", reasons), "expected 1 or more");
  return run(settings, [&](Context& ctx) {
    const Predictions best = predict(model, data, {}, ctx);
    std::vector<Explanation> explanations;
    for (Index s = 0; s < data.samples(); ++s) {
      ctx.check_cancelled();
      const auto own = best.labels_of(s);
      std::vector<NodeId> asked(own.begin(), own.end());
      if (labels) {
        asked.clear();
        for (const std::string& name : (*labels)[static_cast<std::size_t>(s)]) asked.push_back(known(model, name));
      }
      for (const NodeId label : asked) {
        const auto at = std::ranges::find(own, label);
        const double score = at == own.end() ? std::numeric_limits<double>::quiet_NaN()
                                             : best.scores_of(s)[static_cast<std::size_t>(at - own.begin())];
        explanations.push_back(explanation_of(model, data, s, label, score, explain(model, data, s, label, reasons)));
      }
    }
    return explanations;
  });
}

// As a document, and with a text for people for each.
py::tuple explained(const Model& model, const Dataset& data,
                    const std::optional<std::vector<std::vector<std::string>>>& labels, Index reasons,
                    const Settings& settings) {
  const std::vector<Explanation> found = explanations_of(model, data, labels, reasons, settings);
  py::list texts;
  for (const Explanation& explanation : found) texts.append(text_of(explanation_text(explanation)));
  return py::make_tuple(explanations_json(data.samples(), found), texts);
}

// Data for a model: texts that were read before it was trained are read again with its words.
Dataset data_for(const Model& model, const Dataset& data, const Settings& settings) {
  auto vectorizer = reading_for(model).vectorizer;
  if (!vectorizer || vectorizer == data.vectorizer()) return data;
  return run(settings, [&](Context& ctx) { return with_vocabulary(data, std::move(vectorizer), ctx).value_or(data); });
}

const char* word_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kText:
      return "text";
    case ColumnKind::kNumber:
      return "number";
    case ColumnKind::kDate:
      return "date";
    case ColumnKind::kCategory:
      return "category";
    case ColumnKind::kIgnored:
      break;
  }
  return "ignored";
}

// The columns of the table that a model was trained on, with their kinds: none for features without words, and no
// columns for plain texts.
py::object columns_of(const Model& model) {
  const auto vectorizer = reading_for(model).vectorizer;
  if (!vectorizer) return py::none();
  py::list columns;
  for (const DataColumn& column : vectorizer->options.columns) {
    columns.append(py::make_tuple(text_of(column.name), word_of(column.kind)));
  }
  return columns;
}

py::list levels_list(const Model& model, const Dataset& data, const py::tuple& arrays, const Settings& settings) {
  const Predictions predictions = predictions_of(arrays, data.samples(), model.taxonomy());
  const auto levels = run(settings, [&](Context& ctx) { return levels_of(model, data, predictions, ctx); });
  py::list all;
  for (const auto& path : levels) {
    py::list steps;
    for (const LevelAnswer& answer : path) {
      steps.append(py::make_tuple(text_of(model.taxonomy().name(answer.node)), answer.probability));
    }
    all.append(steps);
  }
  return all;
}

constexpr Choice<PredictFileOptions::Shape> kShapeWords[] = {{PredictFileOptions::Shape::kCsv, "csv"},
                                                             {PredictFileOptions::Shape::kJsonLines, "json-lines"}};

struct FileOptions {
  PredictFileOptions file;
  friend void describe(ParameterTable& v, FileOptions& o) {
    v("to", o.file.shape, kShapeWords, "format of the predictions");
    v("levels", o.file.has_levels, "also the nodes on the way to the label");
    v("overwrite", o.file.overwrite, "overwrite the output if it exists");
    v("consistency", o.file.consistency, kConsistencyWords, "of the scores of nodes");
    describe(v, o.file.predict);
  }
};

py::dict predicted_file(const Model& model, const FilePath& input, const FilePath& output,
                        const std::vector<std::string>& keep, const Texts& options, const Texts& read,
                        const Settings& settings, const std::optional<double>& nodes_above,
                        const std::optional<CoverageOptions>& covering) {
  PredictFileOptions how = with_options(FileOptions{}, options).file;
  how.output = output;
  how.keep = keep;
  how.read = reading(read);
  how.nodes_above = nodes_above;
  how.covering = covering;
  const PredictedFile done = run(settings, [&](Context& ctx) { return predict_file(model, input, how, ctx); });
  py::dict facts;
  facts["samples"] = done.samples;
  facts["notes"] = notes_of(done.notes);
  return facts;
}

py::tuple model_html(const Model& model, const Dataset& data, const std::string& name, const std::string& data_name,
                     const py::object& texts, const Texts& options, const Settings& settings) {
  ModelPageNames names{.model = name, .data = data_name};
  if (!texts.is_none()) {
    names.texts = strings_of(texts);
    if (std::ssize(names.texts) != data.samples()) {
      throw usage_error(fmt::format("{} texts of {} samples", names.texts.size(), data.samples()), "expected as many");
    }
  }
  const ModelPageOptions how = with_options(ModelPageOptions{}, options);
  const ModelPage page = run(settings, [&](Context& ctx) { return model_page(model, data, names, how, ctx); });
  return py::make_tuple(text_of(page.html), notes_of(page.notes));
}

void bind_model_class(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def_property_readonly("classifier", &Model::classifier)
      .def_property_readonly("parameters", &Model::parameters)
      .def_property_readonly("taxonomy", &Model::taxonomy)
      .def_property_readonly("features", &Model::features)
      .def_property_readonly("has_probabilities", &Model::has_probabilities)
      .def_property_readonly("is_multilabel", &Model::is_multilabel)
      .def_property_readonly("samples", &Model::samples)
      .def_property_readonly("seconds", &Model::seconds)
      .def_property_readonly("scored_nodes", &scored_nodes)
      .def("feature_names",
           [](const Model& m) -> py::object {
             if (m.feature_names().empty()) return py::none();
             return texts_of(m.feature_names());
           })
      .def("columns", &columns_of)
      .def("conformal",
           [](const Model& m) -> py::object {
             const auto info = conformal_info(m);
             if (!info) return py::none();
             py::dict facts;
             facts["way"] = info->way == ConformalOptions::Way::kSplit ? "split" : "cross";
             facts["samples"] = info->samples;
             facts["by_class"] = info->by_class;
             facts["has_several_labels"] = info->has_several_labels;
             return facts;
           })
      .def("json", [](const Model& m, Index bytes) { return model_json(m, bytes); })
      .def("text", [](const Model& m, const std::string& name, Index bytes) { return model_text(m, name, bytes); })
      .def("telling_features",
           [](const Model& m, const py::str& name, Index top) {
             if (top < 1) throw usage_error(fmt::format("`top` {}", top), "expected 1 or more");
             const NodeId node = known(m, bytes_of(name));
             return telling_features_json(m, node, telling_features(m, node, top));
           })
      .def(
          "write", [](const Model& m, const FilePath& path, bool overwrite) { write_model(m, path, overwrite); },
          py::arg("path"), py::arg("overwrite"), py::call_guard<py::gil_scoped_release>());
  module.def(
      "read_model",
      [](const FilePath& path) {
        const py::gil_scoped_release released;
        return read_model(path);
      },
      py::arg("path"));
}

}  // namespace

py::tuple prediction_arrays(Predictions predictions) {
  return py::make_tuple(array_of(std::move(predictions.offsets)), array_of(std::move(predictions.labels)),
                        array_of(std::move(predictions.scores)));
}

Predictions predictions_of(const py::tuple& arrays, Index samples, const Taxonomy& taxonomy) {
  if (arrays.size() != 3) throw usage_error("no predictions", "expected offsets, labels and scores");
  const auto offsets = arrays[0].cast<Array<Index>>();
  const auto labels = arrays[1].cast<Array<NodeId>>();
  const auto scores = arrays[2].cast<Array<double>>();
  Predictions predictions;
  predictions.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  predictions.labels.assign(labels.data(), labels.data() + labels.size());
  predictions.scores.assign(scores.data(), scores.data() + scores.size());
  const bool fits = !predictions.offsets.empty() && predictions.offsets.front() == 0 &&
                    predictions.offsets.back() == std::ssize(predictions.labels) &&
                    predictions.labels.size() == predictions.scores.size() &&
                    std::ranges::is_sorted(predictions.offsets);
  if (!fits) throw usage_error("predictions whose parts do not fit together", "expected offsets, labels and scores");
  if (predictions.samples() != samples) {
    throw usage_error("predictions and data have different samples", "expected a prediction for each");
  }
  for (const NodeId label : predictions.labels) {
    if (label < 0 || label >= taxonomy.size()) throw usage_error("no such node", "expected its number");
  }
  for (Index s = 0; s < samples; ++s) {
    if (predictions.labels_of(s).empty()) {
      throw usage_error(fmt::format("sample {} has no predicted label", s),
                        "expected one at least; the root says nothing");
    }
  }
  return predictions;
}

void bind_model(py::module_& module) {
  bind_model_class(module);
  py::class_<CoverageOptions>(module, "CoverageOptions")
      .def(py::init([](double coverage, Index set_size, bool align_features, const Texts& options) {
             CoverageOptions how = with_options(CoverageOptions{}, options);
             how.coverage = coverage;
             how.set_size = set_size;
             how.align_features = align_features;
             return how;
           }),
           py::arg("coverage"), py::arg("set_size"), py::arg("align_features"), py::arg("options"));
  module.def(
      "predict",
      [](const Model& model, const Dataset& data, const Texts& options, const Settings& settings) {
        const PredictOptions how = with_options(PredictOptions{}, options);
        return prediction_arrays(run(settings, [&](Context& ctx) { return predict(model, data, how, ctx); }));
      },
      py::arg("model"), py::arg("data"), py::arg("options"), py::arg("settings"));
  // All classes with their scores, best first.
  module.def(
      "rank",
      [](const Model& model, const Dataset& data, bool align_features, const Settings& settings) {
        const PredictOptions how{.is_ranked = true, .align_features = align_features};
        return prediction_arrays(run(settings, [&](Context& ctx) { return predict(model, data, how, ctx); }));
      },
      py::arg("model"), py::arg("data"), py::arg("align_features"), py::arg("settings"));
  module.def("node_scores", &node_score_array, py::arg("model"), py::arg("data"), py::arg("options"),
             py::arg("settings"));
  module.def(
      "predict_covering",
      [](const Model& model, const Dataset& data, const CoverageOptions& options, const Settings& settings) {
        return prediction_arrays(
            run(settings, [&](Context& ctx) { return predict_covering(model, data, options, ctx); }));
      },
      py::arg("model"), py::arg("data"), py::arg("options"), py::arg("settings"));
  module.def("explain", &explained, py::arg("model"), py::arg("data"), py::arg("labels"), py::arg("reasons"),
             py::arg("settings"));
  module.def("data_for", &data_for, py::arg("model"), py::arg("data"), py::arg("settings"));
  module.def("levels", &levels_list, py::arg("model"), py::arg("data"), py::arg("predictions"), py::arg("settings"));
  module.def("predict_file", &predicted_file, py::arg("model"), py::arg("input"), py::arg("output"), py::arg("keep"),
             py::arg("options"), py::arg("read"), py::arg("settings"), py::arg("nodes_above") = py::none(),
             py::arg("covering") = py::none());
  module.def("model_page", &model_html, py::arg("model"), py::arg("data"), py::arg("name"), py::arg("data_name"),
             py::arg("texts"), py::arg("options"), py::arg("settings"));
}

}  // namespace clade::python
