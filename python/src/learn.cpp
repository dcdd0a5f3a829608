#include <clade/cluster.h>
#include <clade/diagnose.h>
#include <clade/learn.h>

#include <algorithm>
#include <numeric>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "report/cluster_report.h"
#include "report/dendrogram_picture.h"
#include "report/diagnosis_report.h"
#include "report/learned_taxonomy_report.h"

namespace clade::python {
namespace {

LearnTaxonomyOptions learning(const std::string& method, const Texts& parameters, const Texts& options,
                              const std::string& memory) {
  LearnTaxonomyOptions request;
  request.method = method;
  ParameterTable table(request);
  for (const auto& [name, text] : options) table.set(name, text);
  request.parameters = parameters_of(parameters);
  request.memory = memory;
  check_request(request);
  return request;
}

py::dict learned(const Dataset& data, const std::string& method, const Texts& parameters, const Texts& options,
                 const std::string& memory, const std::string& title, const Settings& settings) {
  const LearnTaxonomyOptions request = learning(method, parameters, options, memory);
  const LearnedTaxonomy found = run(settings, [&](Context& ctx) {
    LearnedTaxonomy taxonomy = learn_taxonomy(data, request, ctx);
    for (const std::string& note : taxonomy.notes) ctx.info(note);
    return taxonomy;
  });
  const bool has_dendrogram = !found.dendrogram.classes.empty();
  py::dict result;
  result["taxonomy"] = found.taxonomy;
  result["json"] = learned_taxonomy_json(found, data, {});
  result["text"] = text_of(learned_taxonomy_text(found, data));
  result["dendrogram"] = has_dendrogram ? py::object(text_of(dendrogram_json(found))) : py::object(py::none());
  result["picture"] = has_dendrogram ? py::object(text_of(dendrogram_svg(found, title))) : py::object(py::none());
  return result;
}

std::vector<FeatureIndex> features_from(const py::object& features, const Dataset& data) {
  std::vector<FeatureIndex> used(static_cast<std::size_t>(data.features()));
  std::iota(used.begin(), used.end(), FeatureIndex{0});
  if (features.is_none()) return used;
  const auto given = features.cast<Array<FeatureIndex>>();
  used.assign(given.data(), given.data() + given.size());
  for (const FeatureIndex f : used) {
    if (f < 0 || f >= data.features()) throw py::index_error("no such feature");
  }
  return used;
}

// The report of `clade cluster`, and the clusters of the best start.
py::tuple clustered(const Dataset& data, const py::object& features, const Texts& options, const Settings& settings) {
  if (data.samples() == 0) throw usage_error("clusters of no samples", "expected one sample at least");
  ClusterOptions how = with_options(ClusterOptions{}, options);
  const auto classes = single_classes(data);
  ClusterReport report{.samples = data.samples()};
  if (!classes) report.notes.emplace_back("not every sample has one label: accuracy and NMI are not measured");
  if (how.clusters == 0) {
    if (!classes) {
      throw usage_error("the data do not have one label per sample, so there is no number of classes",
                        "expected `clusters`");
    }
    how.clusters = 1 + *std::ranges::max_element(*classes);
  }
  report.options = how;
  report.runs.push_back(run(settings, [&, used = features_from(features, data)](Context& ctx) {
    ClusterRun found = cluster_samples(data, used, classes ? *classes : std::vector<Index>(), how, ctx);
    for (std::string& note : cluster_notes(found, how)) report.notes.push_back(std::move(note));
    for (const std::string& note : report.notes) ctx.info(note);
    return found;
  }));
  return py::make_tuple(cluster_json(report), array_of(report.runs.front().clusters));
}

}  // namespace

void bind_learn(py::module_& module) {
  module.def("cluster", &clustered, py::arg("data"), py::arg("features"), py::arg("options"), py::arg("settings"));
  module.def("learn_taxonomy", &learned, py::arg("data"), py::arg("method"), py::arg("parameters"), py::arg("options"),
             py::arg("memory"), py::arg("title"), py::arg("settings"));
  module.def(
      "diagnose",
      [](const Dataset& data, const Recipe& recipe, const Texts& options, const std::string& name,
         const Settings& settings) {
        DiagnoseOptions how = with_options(DiagnoseOptions{}, options);
        how.recipe = recipe;
        if (!recipe.classifier.empty()) check_recipe(recipe, data);
        const Diagnosis found = run(settings, [&](Context& ctx) { return diagnose(data, how, ctx); });
        return py::make_tuple(found.edited, diagnosis_json(found, name, {}),
                              text_of(with_keywords(diagnosis_text(found, name))));
      },
      py::arg("data"), py::arg("recipe"), py::arg("options"), py::arg("name"), py::arg("settings"));
}

}  // namespace clade::python
