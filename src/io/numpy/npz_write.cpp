#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "core/check.h"
#include "io/numpy/npy.h"
#include "io/numpy/npz_archive.h"

namespace clade {
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

// NumPy strings: each as many code points as the longest, filled up with zeros.
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

// The nodes in the order in which the input named them, a virtual root last; miscellaneous leaves are folded away.
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
