#include <clade/feature_tree.h>

#include "arrays.h"
#include "bindings.h"
#include "report/feature_tree_report.h"
#include "report/flag_text.h"

namespace clade::python {
namespace {

FeatureHierarchy made(const Dataset& data, const std::string& method, const Texts& parameters,
                      const std::string& memory, const Settings& settings) {
  const FeatureTreeOptions options{method, parameters_of(parameters), memory};
  check_request(options);
  return run(settings, [&](Context& ctx) {
    FeatureHierarchy hierarchy = make_feature_tree(data, options, ctx);
    for (const std::string& note : hierarchy.notes) ctx.info(note);
    return hierarchy;
  });
}

// Name, number of the parent and own features of every group, depth first; the root has the parent -1.
py::list groups_of(const FeatureHierarchy& hierarchy) {
  py::list groups;
  const FeatureTree& tree = hierarchy.tree;
  for (NodeId node = 0; node < tree.size(); ++node) {
    const auto own = tree.own_features(node);
    groups.append(py::make_tuple(text_of(tree.name(node)), node == tree.root() ? -1 : tree.parent(node),
                                 array_of(std::vector<FeatureIndex>(own.begin(), own.end()))));
  }
  return groups;
}

py::object names_of(const FeatureHierarchy& hierarchy) {
  if (hierarchy.feature_names.empty()) return py::none();
  return texts_of(hierarchy.feature_names);
}

py::tuple state_of(const FeatureHierarchy& hierarchy) {
  return py::make_tuple(hierarchy.tree.features(), groups_of(hierarchy), names_of(hierarchy), hierarchy.method,
                        hierarchy.parameters, texts_of(hierarchy.notes));
}

FeatureHierarchy restored(const py::tuple& state) {
  constexpr std::size_t kParts = 6;
  if (state.size() != kParts) throw usage_error("no state of a feature tree", "expected what pickle kept");
  std::vector<FeatureGroup> groups;
  for (const auto& entry : state[1].cast<py::list>()) {
    const auto group = entry.cast<py::tuple>();
    const auto own = group[2].cast<Array<FeatureIndex>>();
    const auto parent = group[1].cast<NodeId>();
    groups.push_back({bytes_of(group[0]), parent < 0 ? kNoNode : parent, {own.data(), own.data() + own.size()}});
  }
  FeatureTree::Source source;
  source.is_whole = false;
  FeatureHierarchy hierarchy{.tree = FeatureTree::build(state[0].cast<Index>(), groups, source)};
  if (!state[2].is_none()) hierarchy.feature_names = strings_of(state[2]);
  hierarchy.method = state[3].cast<std::string>();
  hierarchy.parameters = state[4].cast<std::vector<std::pair<std::string, std::string>>>();
  hierarchy.notes = strings_of(state[5]);
  return hierarchy;
}

FeatureHierarchy with_flag_notes(FeatureHierarchy hierarchy) {
  hierarchy.notes = with_flags(std::move(hierarchy.notes));
  return hierarchy;
}

}  // namespace

void bind_feature_tree(py::module_& module) {
  py::class_<FeatureHierarchy>(module, "FeatureTree")
      .def_property_readonly("features", [](const FeatureHierarchy& h) { return h.tree.features(); })
      .def_property_readonly("levels", [](const FeatureHierarchy& h) { return h.tree.levels(); })
      .def(
          "__eq__", [](const FeatureHierarchy& a, const FeatureHierarchy& b) { return a.tree == b.tree; },
          py::is_operator())
      .def("feature_names", &names_of)
      .def("groups", &groups_of)
      .def("json", [](const FeatureHierarchy& h) { return feature_tree_json(h, ""); })
      .def("text", [](const FeatureHierarchy& h) { return text_of(feature_tree_text(h)); })
      .def(
          "write",
          [](const FeatureHierarchy& h, const FilePath& path, bool overwrite) {
            write_feature_tree(with_flag_notes(h), path, overwrite);  // as the command line writes it
          },
          py::arg("path"), py::arg("overwrite"))
      .def(py::pickle(&state_of, &restored));

  module.def("make_feature_tree", &made, py::arg("data"), py::arg("method"), py::arg("parameters"), py::arg("memory"),
             py::arg("settings"));
  module.def(
      "read_feature_tree",
      [](const FilePath& path, const Settings& settings) {
        return run(settings, [&](Context& ctx) { return read_feature_tree(path, ctx); });
      },
      py::arg("path"), py::arg("settings"));
}

}  // namespace clade::python
