#include <clade/feature_tree.h>
#include <clade/select.h>

#include "arrays.h"
#include "bindings.h"
#include "report/feature_tree_report.h"
#include "report/ranking_report.h"

namespace clade::python {
namespace {

SelectOptions select_options(const std::string& method, const Texts& parameters, const Texts& options,
                             const std::vector<std::string>& nodes, const std::string& top) {
  SelectOptions request = with_options(SelectOptions{}, options);
  request.method = method;
  request.parameters = parameters_of(parameters);
  request.nodes = nodes;
  request.top = top;
  return request;
}

// A ranking with the data set that its features and nodes belong to.
struct Ranking {
  std::shared_ptr<FeatureRanking> ranking;
  Dataset data;
};

py::list nodes_of(const Ranking& self) {
  py::list nodes;
  for (const NodeRanking& node : self.ranking->nodes) {
    nodes.append(py::make_tuple(node.node, view_of(node.ranking.data(), {std::ssize(node.ranking)}, self.ranking),
                                view_of(node.weight.data(), {std::ssize(node.weight)}, self.ranking),
                                view_of(node.common.data(), {std::ssize(node.common)}, self.ranking), node.samples,
                                node.children));
  }
  return nodes;
}

}  // namespace

FeatureRanking ranking_of(const py::object& ranking) {
  return *ranking.cast<const Ranking&>().ranking;
}

SelectOptions selecting(const py::dict& select) {
  return select_options(select["method"].cast<std::string>(), select["parameters"].cast<Texts>(),
                        select["options"].cast<Texts>(), select["nodes"].cast<std::vector<std::string>>(),
                        select["top"].cast<std::string>());
}

void bind_select(py::module_& module) {
  py::class_<Ranking>(module, "Ranking")
      .def_property_readonly("method", [](const Ranking& r) { return r.ranking->method; })
      .def_property_readonly("parameters", [](const Ranking& r) { return r.ranking->parameters; })
      .def_property_readonly("objective", [](const Ranking& r) { return r.ranking->objective; })
      .def_property_readonly("gap", [](const Ranking& r) { return r.ranking->gap; })
      .def_property_readonly("residuals", [](const Ranking& r) { return r.ranking->residuals; })
      .def_property_readonly("seconds", [](const Ranking& r) { return r.ranking->seconds; })
      .def_property_readonly("notes", [](const Ranking& r) { return texts_of(r.ranking->notes); })
      .def_property_readonly("data", [](const Ranking& r) { return r.data; })
      .def("nodes", &nodes_of)
      .def("json", [](const Ranking& r) { return ranking_json_text(*r.ranking, r.data); })
      .def("text", [](const Ranking& r) { return ranking_text(*r.ranking, r.data); })
      .def(
          "write",
          [](const Ranking& r, const std::string& path, bool overwrite) {
            write_ranking(*r.ranking, r.data, path, overwrite);
          },
          py::arg("path"), py::arg("overwrite"));

  module.def(
      "select",
      [](const Dataset& data, const py::dict& select_request, const Settings& settings) {
        const SelectOptions options = selecting(select_request);
        check_request(options);
        FeatureRanking ranking = run(settings, [&](Context& ctx) {
          FeatureRanking found = select(data, options, ctx);
          for (const std::string& note : found.notes) ctx.info(note);
          return found;
        });
        return Ranking{std::make_shared<FeatureRanking>(std::move(ranking)), data};
      },
      py::arg("data"), py::arg("request"), py::arg("settings"));
  module.def("check_select", [](const py::dict& request) { check_request(selecting(request)); }, py::arg("request"));
  module.def(
      "read_ranking",
      [](const std::string& path, const Dataset& data, const Settings& settings) {
        const Dataset leaves = with_leaf_labels(data);
        FeatureRanking ranking = run(settings, [&](Context& ctx) { return read_ranking(path, leaves, ctx); });
        return Ranking{std::make_shared<FeatureRanking>(std::move(ranking)), leaves};
      },
      py::arg("path"), py::arg("data"), py::arg("settings"));

  // The tree as the JSON of its file.
  module.def(
      "feature_tree",
      [](const Dataset& data, const std::string& method, const Texts& parameters, const std::string& memory,
         const std::string& path, bool overwrite, const Settings& settings) {
        const FeatureTreeOptions options{method, parameters_of(parameters), memory};
        check_request(options);
        return run(settings, [&](Context& ctx) {
          const FeatureHierarchy hierarchy = make_feature_tree(data, options, ctx);
          if (!path.empty()) write_feature_tree(hierarchy, path, overwrite);
          return feature_tree_json(hierarchy, path);
        });
      },
      py::arg("data"), py::arg("method"), py::arg("parameters"), py::arg("memory"), py::arg("path"),
      py::arg("overwrite"), py::arg("settings"));
}

}  // namespace clade::python
