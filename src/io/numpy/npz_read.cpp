#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "io/labels/label_file.h"
#include "io/numpy/npy.h"
#include "io/numpy/npy_features.h"
#include "io/numpy/npy_labels.h"
#include "io/numpy/npz_archive.h"

namespace clade {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kFeatureArrays = {"X", "data", "features", "arr_0"};
constexpr std::array<std::string_view, 5> kLabelArrays = {"y", "Y", "labels", "target", "arr_1"};
constexpr std::array<std::string_view, 13> kOtherArrays = {
    "indices",      "indptr",        "shape",        "format",     "row",   "col",         "feature_names",
    "sample_names", "label_indices", "label_indptr", "node_names", "edges", "virtual_root"};
constexpr std::string_view kScipyMark = "_is_array";  // SciPy tells its two classes of sparse matrices apart with it

std::vector<std::string_view> all_known_arrays() {
  std::vector<std::string_view> known(kFeatureArrays.begin(), kFeatureArrays.end());
  known.insert(known.end(), kLabelArrays.begin(), kLabelArrays.end());
  known.insert(known.end(), kOtherArrays.begin(), kOtherArrays.end());
  return known;
}

void read_features(NpzArchive& archive, ParsedData& data, std::size_t file_bytes, const ReadOptions& options,
                   Context& ctx) {
  if (archive.find("format") != nullptr) {
    set_sparse_features(data, archive, file_bytes, options, ctx);
  } else if (const NpyArray* matrix = archive.find_any(kFeatureArrays)) {
    set_dense_features(data, *matrix, options, ctx);
  } else {
    throw input_error({.file = archive.file()},
                      fmt::format("no features among the arrays ({})", fmt::join(archive.names(), ", ")),
                      "expected X, data, features, arr_0, or a sparse matrix written by SciPy");
  }
}

std::vector<std::string> read_names(NpzArchive& archive, std::string_view name, Index expected) {
  const NpyArray* array = archive.find(name);
  if (array == nullptr) return {};
  std::vector<std::string> names = string_vector(*array);
  if (static_cast<Index>(names.size()) != expected) {
    throw array->place.error(fmt::format("{} names", names.size()), fmt::format("{}", expected));
  }
  return names;
}

// The classes of a file that Clade wrote: names by number, and edges between numbers. The builder knows all of them but
// a virtual root, which is the last and which it makes itself.
struct NodeTable {
  std::vector<std::string> names;
  bool virtual_root = false;

  Index real_nodes() const { return static_cast<Index>(names.size()) - (virtual_root ? 1 : 0); }
};

bool read_flag(NpzArchive& archive, std::string_view name) {
  const NpyArray* array = archive.find(name);
  if (array == nullptr) return false;
  if (array->header.kind != 'b' || array->header.count != 1) throw array->place.error("not one truth value", "a bool");
  Index value = 0;
  copy_integers(*array, 0, 1, &value);
  return value != 0;
}

// Pairs of node numbers, each checked.
std::vector<std::pair<NodeId, NodeId>> read_edges(const NpyArray& array, Index nodes) {
  const bool pairs = array.header.dimensions() == 2 && array.header.shape[1] == 2 && array.header.is_integer();
  if (!pairs)
    throw array.place.error(fmt::format("shape {}", array.header.shape_text()), "integer pairs parent, child");
  const Index count = array.header.shape[0];
  std::vector<std::pair<NodeId, NodeId>> edges;
  edges.reserve(static_cast<std::size_t>(count));
  for (Index e = 0; e < count; ++e) {
    std::array<Index, 2> ends{};
    for (Index side = 0; side < 2; ++side) {
      Index& end = ends[static_cast<std::size_t>(side)];
      copy_integers(array, array.header.fortran_order ? side * count + e : 2 * e + side, 1, &end);
      if (end < 0 || end >= nodes) {
        throw array.place.error(fmt::format("row {}: node {}", e + 1, end), fmt::format("0 to {}", nodes - 1));
      }
    }
    edges.emplace_back(static_cast<NodeId>(ends[0]), static_cast<NodeId>(ends[1]));
  }
  return edges;
}

// The edges of a virtual root say nothing that the builder does not find itself; they must agree with it.
void check_virtual_root(const NpyArray& array, const std::vector<std::pair<NodeId, NodeId>>& edges, NodeId root) {
  enum : unsigned char { kBelowRoot = 1, kBelowOther = 2 };
  std::vector<unsigned char> seen(static_cast<std::size_t>(root) + 1, 0);
  for (const auto& [parent, child] : edges) {
    seen[static_cast<std::size_t>(child)] |= parent == root ? kBelowRoot : kBelowOther;
  }
  for (NodeId node = 0; node < root; ++node) {
    const unsigned char parents = seen[static_cast<std::size_t>(node)];
    if (parents == 0 || parents == (kBelowRoot | kBelowOther)) {
      throw array.place.error(fmt::format("the virtual root is {} node {}", parents == 0 ? "not above" : "above", node),
                              "exactly the nodes without another parent below a virtual root");
    }
  }
  if (seen[static_cast<std::size_t>(root)] != 0) throw array.place.error("the virtual root has a parent", "none");
}

std::optional<NodeTable> read_nodes(NpzArchive& archive, ParsedData& data) {
  const NpyArray* name_array = archive.find("node_names");
  if (name_array == nullptr) return std::nullopt;
  NodeTable table{string_vector(*name_array), read_flag(archive, "virtual_root")};
  if (table.names.empty()) throw name_array->place.error("no node", "at least the root");
  TaxonomyBuilder builder(archive.file());
  if (table.virtual_root) builder.imply_root();
  const auto nodes = static_cast<Index>(table.names.size());
  for (Index k = 0; k < table.real_nodes(); ++k) {
    const std::string& name = table.names[static_cast<std::size_t>(k)];
    if (builder.node(name) != k) throw name_array->place.error(fmt::format("node '{}' twice", name), "each name once");
  }
  if (const NpyArray* edge_array = archive.find("edges")) {
    const auto edges = read_edges(*edge_array, nodes);
    if (table.virtual_root) check_virtual_root(*edge_array, edges, static_cast<NodeId>(nodes - 1));
    for (const auto& [parent, child] : edges) {
      if (parent < table.real_nodes()) builder.edge(parent, child);
    }
  }
  if (table.virtual_root) {
    // The name that the builder will give it, for samples labelled with the root itself.
    std::string& root = table.names.back();
    for (root = Taxonomy::kVirtualRootName; builder.find(root);) root += '\'';
  }
  data.hierarchy = std::move(builder);
  return table;
}

LabelNames labels_from_nodes(NpzArchive& archive, const NodeTable& table, Index samples) {
  const NpyArray& indptr = archive.require("label_indptr", "label_indices");
  const std::vector<Index> offsets = integer_vector(indptr);
  const NpyArray& index_array = archive.require("label_indices", "label_indptr");
  const std::vector<Index> nodes = integer_vector(index_array);
  if (static_cast<Index>(offsets.size()) != samples + 1) {
    throw indptr.place.error(fmt::format("labels for {} samples", static_cast<Index>(offsets.size()) - 1),
                             fmt::format("{}, as many as there are samples", samples));
  }
  const bool ascending = std::is_sorted(offsets.begin(), offsets.end());
  if (!ascending || offsets.front() != 0 || offsets.back() != static_cast<Index>(nodes.size())) {
    throw indptr.place.error("offsets that do not fit label_indices", "from 0 to its length, never falling");
  }
  std::vector<std::int32_t> number(table.names.size(), -1);
  LabelNames labels;
  for (Index s = 0; s < samples; ++s) {
    const auto at = static_cast<std::size_t>(s);
    for (Index k = offsets[at]; k < offsets[at + 1]; ++k) {
      const Index node = nodes[static_cast<std::size_t>(k)];
      if (node < 0 || node >= static_cast<Index>(table.names.size())) {
        throw index_array.place.error(fmt::format("node {} for sample {}", node, s + 1),
                                      fmt::format("0 to {}", table.names.size() - 1));
      }
      std::int32_t& label = number[static_cast<std::size_t>(node)];
      if (label < 0) label = labels.intern(table.names[static_cast<std::size_t>(node)]);
      labels.add(label);
    }
    labels.end_sample();
  }
  return labels;
}

void read_labels(NpzArchive& archive, ParsedData& data, const ReadOptions& options, Context& ctx) {
  const Index samples = row_count(data.features);
  const auto table = read_nodes(archive, data);
  if (!options.labels_file.empty()) {
    data.labels_file = options.labels_file;
    data.labels = read_label_file(options.labels_file, options, data.sample_names, samples, data.notes, ctx);
  } else if (table && archive.find("label_indices") != nullptr) {
    data.labels = labels_from_nodes(archive, *table, samples);
    data.labels_are_names = true;
  } else if (const NpyArray* array = archive.find_any(kLabelArrays)) {
    data.labels = labels_from_array(*array, samples, options);
  } else {
    for (Index s = 0; s < samples; ++s) data.labels.end_sample();
  }
}

}  // namespace

ParsedData read_npz(const Input& input, const ReadOptions& options, Context& ctx) {
  NpzArchive archive(input, all_known_arrays(), ctx);
  ParsedData data;
  read_features(archive, data, input.bytes().size(), options, ctx);
  data.feature_names = read_names(archive, "feature_names", column_count(data.features));
  data.sample_names = read_names(archive, "sample_names", row_count(data.features));
  read_labels(archive, data, options, ctx);
  std::vector<std::string> unused = archive.unused_names();
  std::erase(unused, kScipyMark);
  if (!unused.empty()) data.notes.push_back(fmt::format("arrays not used: {}", fmt::join(unused, ", ")));
  return data;
}

}  // namespace clade
