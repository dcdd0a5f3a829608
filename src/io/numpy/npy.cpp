#include "io/numpy/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "core/check.h"
#include "io/labels/label_file.h"
#include "io/numpy/npy_content.h"
#include "io/numpy/npz_archive.h"

namespace clade {
namespace {

constexpr Index kMaxDenseValues = 2'000'000'000;

template <class T>
void write_rows(const Dataset& data, Sink& sink, Context& ctx) {
  const auto columns = static_cast<std::size_t>(data.features());
  std::vector<T> row(columns);
  for (Index s = 0; s < data.samples(); ++s) {
    ctx.check_cancelled();
    std::fill(row.begin(), row.end(), T{0});
    data.for_each_value(s,
                        [&](FeatureIndex f, auto value) { row[static_cast<std::size_t>(f)] = static_cast<T>(value); });
    sink.write({reinterpret_cast<const char*>(row.data()), columns * sizeof(T)});
  }
}

}  // namespace

ParsedData read_npy(const Input& input, const ReadOptions& options, Context& ctx) {
  ParsedData data;
  NpyArray array = npy_array(input.bytes(), {input.name(), {}});
  array.file = input.file();
  set_dense_features(data, array, options, ctx);
  const Index samples = row_count(data.features);
  if (!options.labels_file.empty()) {
    data.labels_file = options.labels_file;
    data.labels = read_label_file(options.labels_file, options, data.sample_names, samples, data.notes, ctx);
  } else {
    for (Index s = 0; s < samples; ++s) data.labels.end_sample();
  }
  return data;
}

void write_npy(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  Index values = 0;
  const bool countable = !__builtin_mul_overflow(data.samples(), data.features(), &values);
  if (is_sparse(data.matrix()) && (!countable || values > kMaxDenseValues)) {
    throw usage_error(
        fmt::format("sparse data of {} x {} does not fit a dense .npy file", data.samples(), data.features()),
        "write .npz, which keeps it sparse");
  }
  const bool single = is_single_precision(data.matrix());
  sink.write(npy_header_text(single ? "<f4" : "<f8", {data.samples(), data.features()}));
  single ? write_rows<float>(data, sink, ctx) : write_rows<double>(data, sink, ctx);
}

DataFormat::Holds npy_holds(const Dataset& /*data*/) {
  return {.feature_count = true, .labels = false};
}

namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kFeatureArrays = {"X", "data", "features", "arr_0"};
constexpr std::array<std::string_view, 5> kLabelArrays = {"y", "Y", "labels", "target", "arr_1"};
constexpr std::array<std::string_view, 13> kOtherArrays = {
    "indices",      "indptr",        "shape",        "format",     "row",   "col",         "feature_names",
    "sample_names", "label_indices", "label_indptr", "node_names", "edges", "virtual_root"};
constexpr std::string_view kScipyMark = "_is_array";  // SciPy distinguishes its two classes of sparse matrices by it

std::vector<std::string_view> all_known_arrays() {
  std::vector<std::string_view> known(kFeatureArrays.begin(), kFeatureArrays.end());
  known.insert(known.end(), kLabelArrays.begin(), kLabelArrays.end());
  known.insert(known.end(), kOtherArrays.begin(), kOtherArrays.end());
  return known;
}

// .xlsx and .ods are ZIP archives, too, and people try them first.
bool is_spreadsheet(const NpzArchive& archive) {
  constexpr std::string_view kMarks[] = {"xl/workbook.xml", "content.xml"};
  return std::ranges::find_first_of(archive.names(), kMarks) != archive.names().end();
}

void read_features(NpzArchive& archive, ParsedData& data, std::size_t file_bytes, const ReadOptions& options,
                   Context& ctx) {
  if (archive.find("format") != nullptr) {
    set_sparse_features(data, archive, file_bytes, options, ctx);
  } else if (const NpyArray* matrix = archive.find_any(kFeatureArrays)) {
    set_dense_features(data, *matrix, options, ctx);
  } else if (is_spreadsheet(archive)) {
    throw input_error({.file = archive.file()}, "a workbook of a spreadsheet program",
                      "expected its sheet saved as CSV");
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

// The classes of a file that Clade wrote: names by number, and edges between numbers. The builder knows all of them
// except a virtual root, which is the last, because it makes that one itself.
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

// The builder finds the edges of a virtual root by itself; those in the file must agree with it.
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
    // The name that the builder will give the root, for samples labelled with it.
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

namespace {

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> points;
  while (!text.empty()) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                     static_cast<utf8proc_ssize_t>(text.size()), &point);
    if (length <= 0)
      throw usage_error(fmt::format("the name '{}' is not UTF-8", text), "expected UTF-8, as .npz strings need it");
    points.push_back(static_cast<std::uint32_t>(point));
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  if (!points.empty() && points.back() == 0) {
    throw usage_error("a name ends in a NUL byte", "expected none, because .npz strings are filled up with them");
  }
  return points;
}

// NumPy strings: all padded with zeros to the number of code points of the longest.
void write_names(NpzWriter& writer, std::string_view array, Index count,
                 const std::function<std::string(Index)>& name) {
  std::size_t longest = 1;
  for (Index k = 0; k < count; ++k) longest = std::max(longest, code_points(name(k)).size());
  writer.begin(array, fmt::format("<U{}", longest), static_cast<Index>(4 * longest), {count});
  for (Index k = 0; k < count; ++k) {
    std::vector<std::uint32_t> points = code_points(name(k));
    points.resize(longest, 0);
    writer.write(std::span<const std::uint32_t>(points));
  }
}

template <class T>
constexpr std::string_view kDescr = std::is_same_v<T, float> ? "<f4" : "<f8";

template <class T>
void write_features(NpzWriter& writer, const Dataset& data, const DenseMatrix<T>& matrix) {
  writer.begin("X", kDescr<T>, sizeof(T), {data.samples(), matrix.columns});
  for (Index s = 0; s < data.samples(); ++s) writer.write(matrix.row(data.source_row(s)));
}

template <class Stored>
void write_offsets(NpzWriter& writer, std::string_view array, const std::vector<Index>& offsets) {
  std::vector<Stored> stored(offsets.begin(), offsets.end());
  writer.begin(array, sizeof(Stored) == 4 ? "<i4" : "<i8", sizeof(Stored), {static_cast<Index>(stored.size())});
  writer.write(std::span<const Stored>(stored));
}

// What scipy.sparse.save_npz writes, in its order.
template <class T>
void write_features(NpzWriter& writer, const Dataset& data, const SparseMatrix<T>& matrix) {
  std::vector<Index> offsets{0};
  for (Index s = 0; s < data.samples(); ++s) {
    const Index row = data.source_row(s);
    offsets.push_back(offsets.back() + matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  const Index count = offsets.back();
  writer.begin("indices", "<i4", 4, {count});
  for (Index s = 0; s < data.samples(); ++s) writer.write(matrix.row_indices(data.source_row(s)));
  const bool small = count <= std::numeric_limits<std::int32_t>::max();
  small ? write_offsets<std::int32_t>(writer, "indptr", offsets) : write_offsets<Index>(writer, "indptr", offsets);
  writer.begin("format", "|S3", 3, {});
  writer.write("csr", 3);
  const std::array<Index, 2> shape = {data.samples(), matrix.columns};
  writer.begin("shape", "<i8", 8, {2});
  writer.write(std::span<const Index>(shape));
  writer.begin("data", kDescr<T>, sizeof(T), {count});
  for (Index s = 0; s < data.samples(); ++s) writer.write(matrix.row_values(data.source_row(s)));
}

// The nodes in the order in which the input named them, with a virtual root last; without miscellaneous leaves.
struct NodeOrder {
  std::vector<NodeId> nodes;
  std::vector<std::int32_t> position;  // node -> place in `nodes`
};

NodeOrder node_order(const Taxonomy& taxonomy) {
  NodeOrder order;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (!taxonomy.is_miscellaneous(node)) order.nodes.push_back(node);
  }
  std::sort(order.nodes.begin(), order.nodes.end(),
            [&](NodeId a, NodeId b) { return taxonomy.input_position(a) < taxonomy.input_position(b); });
  order.position.resize(static_cast<std::size_t>(taxonomy.size()), -1);
  for (std::size_t k = 0; k < order.nodes.size(); ++k) {
    order.position[static_cast<std::size_t>(order.nodes[k])] = static_cast<std::int32_t>(k);
  }
  CLADE_CHECK(!taxonomy.has_virtual_root() || order.nodes.back() == taxonomy.root());
  return order;
}

void write_nodes(NpzWriter& writer, const Taxonomy& taxonomy, const NodeOrder& order) {
  write_names(writer, "node_names", static_cast<Index>(order.nodes.size()),
              [&](Index k) { return taxonomy.name(order.nodes[static_cast<std::size_t>(k)]); });
  std::vector<std::int32_t> edges;
  for (const NodeId parent : order.nodes) {
    for (const NodeId child : taxonomy.children(parent)) {
      if (taxonomy.is_miscellaneous(child)) continue;
      edges.push_back(order.position[static_cast<std::size_t>(parent)]);
      edges.push_back(order.position[static_cast<std::size_t>(child)]);
    }
  }
  writer.begin("edges", "<i4", 4, {static_cast<Index>(edges.size() / 2), 2});
  writer.write(std::span<const std::int32_t>(edges));
  writer.begin("virtual_root", "|b1", 1, {});
  writer.write(taxonomy.has_virtual_root() ? "\1" : "\0", 1);
}

void write_labels(NpzWriter& writer, const Dataset& data, const NodeOrder& order) {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> labels;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId node : data.labels(s)) {
      labels.push_back(order.position[static_cast<std::size_t>(data.taxonomy().fold(node))]);
    }
    offsets.push_back(static_cast<Index>(labels.size()));
  }
  writer.begin("label_indices", "<i4", 4, {static_cast<Index>(labels.size())});
  writer.write(std::span<const std::int32_t>(labels));
  write_offsets<Index>(writer, "label_indptr", offsets);
}

}  // namespace

void write_npz(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  NpzWriter writer(sink);
  std::visit([&](const auto& matrix) { write_features(writer, data, matrix); }, data.matrix());
  ctx.check_cancelled();
  if (data.has_feature_names()) {
    write_names(writer, "feature_names", data.features(),
                [&](Index k) { return data.feature_name(static_cast<FeatureIndex>(k)); });
  }
  if (data.has_sample_names()) {
    write_names(writer, "sample_names", data.samples(), [&](Index k) { return data.sample_name(k); });
  }
  const NodeOrder order = node_order(data.taxonomy());
  write_nodes(writer, data.taxonomy(), order);
  write_labels(writer, data, order);
  writer.close();
}

DataFormat::Holds npz_holds(const Dataset& /*data*/) {
  return {.feature_names = true, .sample_names = true, .taxonomy = true, .feature_count = true};
}

}  // namespace clade
