#include "io/labels/labels.h"

#include <algorithm>

#include "arrays.h"
#include "bindings.h"

// How labels are understood, the same as in files.
namespace clade::python {
namespace {

ReadOptions path_options(const py::object& separator) {
  ReadOptions options;
  if (separator.is_none()) return options;
  options.path_separator = separator.cast<std::string>();
  if (options.path_separator.empty()) options.label_paths = LabelPaths::kNo;
  return options;
}

LabelNames single_labels(const py::sequence& names) {
  LabelNames labels;
  for (const auto& name : names) {
    labels.add(bytes_of(name));
    labels.end_sample();
  }
  return labels;
}

// The taxonomy that labels imply, all of them different; the node of each; what joins the parts of paths, empty if
// they are none; and notes.
py::tuple implied_labels(const py::sequence& names, const py::object& path_separator) {
  LabelNames labels = single_labels(names);
  std::vector<std::string> notes;
  const PathSeparator separator = label_separator(labels.names(), path_options(path_separator), notes);
  if (!separator.empty()) labels = as_paths(labels, separator, {}, notes);
  Taxonomy taxonomy = path_taxonomy(labels.names(), separator, {});
  std::vector<NodeId> nodes;
  for (Index k = 0; k < labels.samples(); ++k) {
    nodes.push_back(taxonomy.find(labels.names()[static_cast<std::size_t>(labels.of(k)[0])]).value_or(kNoNode));
  }
  const bool has_paths = !separator.empty() && std::ranges::any_of(labels.names(), [&](const std::string& name) {
    return name.find(separator.join) != std::string::npos;
  });
  return py::make_tuple(std::move(taxonomy), array_of(std::move(nodes)),
                        text_of(has_paths ? separator.join : std::string()), notes_of(notes));
}

// The node of each label: by name, or by a path that ends there.
py::array_t<NodeId> resolved_labels(const py::sequence& names, const Taxonomy& taxonomy,
                                    const py::object& path_separator) {
  std::vector<std::string> notes;
  LabelSets sets = resolve_labels(single_labels(names), taxonomy, path_options(path_separator), {}, notes);
  return array_of(std::move(sets.nodes));
}

}  // namespace

void bind_labels(py::module_& module) {
  module.def("implied_labels", &implied_labels, py::arg("names"), py::arg("path_separator"));
  module.def("resolved_labels", &resolved_labels, py::arg("names"), py::arg("taxonomy"), py::arg("path_separator"));
}

}  // namespace clade::python
