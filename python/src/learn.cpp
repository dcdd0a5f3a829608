#include <clade/diagnose.h>
#include <clade/learn.h>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "report/dendrogram_picture.h"
#include "report/diagnosis_report.h"
#include "report/learned_taxonomy_report.h"

namespace clade::python {
namespace {

LearnTaxonomyOptions learning(const std::string& method, const Texts& parameters, const Texts& options) {
  LearnTaxonomyOptions request;
  request.method = method;
  ParameterTable table(request);
  for (const auto& [name, text] : options) table.set(name, text);
  request.parameters = parameters_of(parameters);
  check_request(request);
  return request;
}

py::dict learned(const Dataset& data, const std::string& method, const Texts& parameters, const Texts& options,
                 const std::string& title, const Settings& settings) {
  const LearnTaxonomyOptions request = learning(method, parameters, options);
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

}  // namespace

void bind_learn(py::module_& module) {
  module.def("learn_taxonomy", &learned, py::arg("data"), py::arg("method"), py::arg("parameters"), py::arg("options"),
             py::arg("title"), py::arg("settings"));
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
