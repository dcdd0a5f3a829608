#include <clade/io.h>
#include <clade/summary.h>
#include <clade/taxonomy.h>

#include "arrays.h"
#include "bindings.h"
#include "evaluate/node_distance.h"
#include "report/data_report.h"
#include "runtime.h"
#include "taxonomy/restore.h"

namespace clade::python {
namespace {

Taxonomy from_edges(const py::sequence& nodes, const py::sequence& edges, bool implies_root) {
  TaxonomyBuilder builder;
  for (const auto& node : nodes) builder.node(bytes_of(node));
  for (const auto& edge : edges) {
    const auto pair = edge.cast<py::sequence>();
    if (pair.size() != 2) throw usage_error("an edge is not a pair", "expected a parent and a child");
    builder.edge(bytes_of(pair[0]), bytes_of(pair[1]));
  }
  if (implies_root) builder.imply_root();
  builder.merge_repeated_edges(true);
  return builder.build();
}

Taxonomy from_paths(const py::sequence& paths, const std::string& separator) {
  if (separator.empty()) throw usage_error("no separator", "expected what stands between the levels of a path");
  TaxonomyBuilder builder;
  for (const auto& path : paths) builder.path(bytes_of(path), separator);
  builder.imply_root();
  return builder.build();
}

NodeId checked(const Taxonomy& taxonomy, NodeId node) {
  if (node < 0 || node >= taxonomy.size()) throw py::index_error("no such node");
  return node;
}

py::array_t<NodeId> nodes_of(std::span<const NodeId> nodes) {
  return array_of(std::vector<NodeId>(nodes.begin(), nodes.end()));
}

// Parents and children by number, sorted by child.
py::array_t<NodeId> edge_array(const Taxonomy& taxonomy) {
  std::vector<NodeId> edges;
  for (NodeId child = 0; child < taxonomy.size(); ++child) {
    for (const NodeId parent : taxonomy.parents(child)) {
      edges.push_back(parent);
      edges.push_back(child);
    }
  }
  return array_of(std::move(edges)).reshape({py::ssize_t{-1}, py::ssize_t{2}});
}

py::list names_of(const Taxonomy& taxonomy) {
  py::list names(static_cast<std::size_t>(taxonomy.size()));
  for (NodeId node = 0; node < taxonomy.size(); ++node)
    names[static_cast<std::size_t>(node)] = text_of(taxonomy.name(node));
  return names;
}

// The node of each name, -1 where there is none.
py::array_t<NodeId> find_all(const Taxonomy& taxonomy, const py::sequence& names) {
  std::vector<NodeId> found;
  found.reserve(names.size());
  for (const auto& name : names) found.push_back(taxonomy.find(bytes_of(name)).value_or(kNoNode));
  return array_of(std::move(found));
}

// What pickle keeps: ids stay the same.
py::tuple state_of(const Taxonomy& taxonomy) {
  const TaxonomyShape shape = shape_of(taxonomy);
  return py::make_tuple(texts_of(shape.names), shape.input_position, shape.edges, shape.virtual_root,
                        shape.first_miscellaneous);
}

Taxonomy restored(const py::tuple& state) {
  if (state.size() != 5) throw usage_error("no state of a taxonomy", "expected what pickle kept");
  TaxonomyShape shape{.names = strings_of(state[0]),
                      .input_position = state[1].cast<std::vector<NodeId>>(),
                      .edges = state[2].cast<std::vector<std::pair<NodeId, NodeId>>>(),
                      .virtual_root = state[3].cast<bool>(),
                      .first_miscellaneous = state[4].cast<NodeId>()};
  return restore_taxonomy(std::move(shape), {});
}

py::array_t<NodeId> input_positions(const Taxonomy& taxonomy) {
  std::vector<NodeId> positions;
  for (NodeId node = 0; node < taxonomy.size(); ++node) positions.push_back(taxonomy.input_position(node));
  return array_of(std::move(positions));
}

}  // namespace

void bind_taxonomy(py::module_& module) {
  py::class_<Taxonomy>(module, "Taxonomy")
      .def_static("from_edges", &from_edges, py::arg("nodes"), py::arg("edges"), py::arg("implies_root"))
      .def_static("from_paths", &from_paths, py::arg("paths"), py::arg("separator"))
      .def_static(
          "flat", [](const py::sequence& names) { return flat_taxonomy(strings_of(names)); }, py::arg("names"))
      .def_static(
          "random_like", [](const Taxonomy& like, std::uint64_t seed) { return random_taxonomy_like(like, seed); },
          py::arg("like"), py::arg("seed"))
      .def("__len__", [](const Taxonomy& t) { return t.size(); })
      .def(
          "__eq__", [](const Taxonomy& a, const Taxonomy& b) { return a == b; }, py::is_operator())
      .def_property_readonly("is_tree", &Taxonomy::is_tree)
      .def_property_readonly("has_virtual_root", &Taxonomy::has_virtual_root)
      .def_property_readonly("levels", &Taxonomy::levels)
      .def("names", &names_of)
      .def("name", [](const Taxonomy& t, NodeId node) { return text_of(t.name(checked(t, node))); })
      .def("find", &find_all, py::arg("names"))
      .def("edges", &edge_array)
      .def("input_positions", &input_positions)
      .def("parents", [](const Taxonomy& t, NodeId node) { return nodes_of(t.parents(checked(t, node))); })
      .def("children", [](const Taxonomy& t, NodeId node) { return nodes_of(t.children(checked(t, node))); })
      .def("leaves", [](const Taxonomy& t) { return nodes_of(t.leaves()); })
      .def("internal_nodes", [](const Taxonomy& t) { return nodes_of(t.internal_nodes()); })
      .def("depth", [](const Taxonomy& t, NodeId node) { return t.depth(checked(t, node)); })
      .def("ancestors", [](const Taxonomy& t, NodeId node) { return array_of(t.ancestors(checked(t, node))); })
      .def("descendants", [](const Taxonomy& t, NodeId node) { return array_of(t.descendants(checked(t, node))); })
      .def("leaves_below", [](const Taxonomy& t, NodeId node) { return array_of(t.leaves_below(checked(t, node))); })
      .def("siblings", [](const Taxonomy& t, NodeId node) { return array_of(t.siblings(checked(t, node))); })
      .def("is_ancestor", [](const Taxonomy& t, NodeId above,
                             NodeId below) { return t.is_ancestor(checked(t, above), checked(t, below)); })
      .def("lowest_common_ancestors",
           [](const Taxonomy& t, NodeId a, NodeId b) {
             return array_of(t.lowest_common_ancestors(checked(t, a), checked(t, b)));
           })
      .def("distance",
           [](const Taxonomy& t, NodeId a, NodeId b, const Settings& settings) {
             const NodePair pairs[] = {{checked(t, a), checked(t, b)}};
             return run(settings, [&](Context& ctx) { return distances(t, pairs, ctx)[0]; });
           })
      .def("is_miscellaneous", [](const Taxonomy& t, NodeId node) { return t.is_miscellaneous(checked(t, node)); })
      .def(py::pickle(&state_of, &restored))
      .def("with_miscellaneous_leaves",
           [](const Taxonomy& t, const Array<NodeId>& labelled) {
             for (const NodeId node : span_of(labelled)) checked(t, node);
             return t.with_miscellaneous_leaves(span_of(labelled));
           })
      .def("fold", [](const Taxonomy& t, NodeId node) { return t.fold(checked(t, node)); })
      .def("summary", [](const Taxonomy& t) { return taxonomy_json(LoadedTaxonomy{t, {}}); });

  module.def(
      "read_taxonomy",
      [](const FilePath& path, const Texts& options, const Settings& settings) {
        LoadedTaxonomy loaded = run(settings, [&](Context& ctx) { return read_taxonomy(path, reading(options), ctx); });
        return py::make_tuple(std::move(loaded.taxonomy), notes_of(loaded.report.notes));
      },
      py::arg("path"), py::arg("options"), py::arg("settings"));
  module.def(
      "write_taxonomy",
      [](const Taxonomy& taxonomy, const FilePath& path, const Texts& options, const Settings& settings) {
        run(settings,
            [&](Context& ctx) { write_taxonomy(taxonomy, path, with_options(WriteOptions{}, options), ctx); });
      },
      py::arg("taxonomy"), py::arg("path"), py::arg("options"), py::arg("settings"));
}

}  // namespace clade::python
