// The variables of a .mat file for a data set, which docs/formats/mat.md describes.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "io/lines.h"
#include "io/mat/mat.h"
#include "io/mat/mat_output.h"

namespace clade {
namespace {

// The nodes that a file contains, in the order of the input, with a virtual root last; without miscellaneous leaves.
class NodeRows {
 public:
  explicit NodeRows(const Taxonomy& taxonomy) : row_(static_cast<std::size_t>(taxonomy.size()), 0) {
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      if (!taxonomy.is_miscellaneous(node)) order_.push_back(node);
    }
    std::ranges::sort(order_, {}, [&](NodeId node) { return taxonomy.input_position(node); });
    for (std::size_t k = 0; k < order_.size(); ++k)
      row_[static_cast<std::size_t>(order_[k])] = static_cast<Index>(k) + 1;
  }

  std::span<const NodeId> order() const { return order_; }
  Index count() const { return std::ssize(order_); }
  Index row(NodeId node) const { return row_[static_cast<std::size_t>(node)]; }  // from 1

 private:
  std::vector<NodeId> order_;
  std::vector<Index> row_;
};

std::optional<Index> canonical_number(const std::string& name) {
  Index value = 0;
  const auto result = std::from_chars(name.data(), name.data() + name.size(), value);
  constexpr Index kLargestWhole = Index{1} << 53;
  if (result.ec != std::errc() || std::abs(value) > kLargestWhole || std::to_string(value) != name) return std::nullopt;
  return value;
}

MatOutput text_variable(std::string name, std::vector<std::string> texts) {
  for (const std::string& text : texts) {
    if (first_invalid_utf8(text) == std::string_view::npos) continue;
    throw usage_error(fmt::format("{}: a name is not valid UTF-8 and cannot be written to a MATLAB file", name),
                      "rename it");
  }
  MatOutput variable;
  variable.name = std::move(name);
  variable.kind = MatOutput::Kind::kTexts;
  variable.rows = std::ssize(texts);
  variable.columns = 1;
  variable.texts = std::move(texts);
  return variable;
}

// A small matrix of doubles, given column after column.
MatOutput number_variable(std::string name, Index columns, std::vector<double> numbers) {
  MatOutput variable;
  variable.name = std::move(name);
  variable.columns = columns;
  variable.rows = std::ssize(numbers) / columns;
  variable.fill = [rows = variable.rows, numbers = std::move(numbers)](Index row, Index row_end, Index column,
                                                                       Index column_end, char* out) {
    for (; column < column_end; ++column) {
      const auto bytes = static_cast<std::size_t>(row_end - row) * sizeof(double);
      std::memcpy(out, numbers.data() + column * rows + row, bytes);
      out += bytes;
    }
  };
  return variable;
}

// Turns a data set into variables.
class DatasetVariables {
 public:
  explicit DatasetVariables(const Dataset& data)
      : data_(data), taxonomy_(data.taxonomy()), nodes_(taxonomy_), labels_(folded_labels()) {}

  std::vector<MatOutput> take() {
    if (data_.samples() > std::numeric_limits<std::int32_t>::max()) {
      throw usage_error("more samples than Clade writes to a MATLAB file", "choose another format");
    }
    flat_without_root_labels() ? add_classes() : add_tree();
    if (data_.has_feature_names()) {
      const auto names = data_.feature_names();
      variables_.push_back(text_variable("feature_names", {names.begin(), names.end()}));
    }
    if (data_.has_sample_names()) {
      std::vector<std::string> names;
      names.reserve(static_cast<std::size_t>(data_.samples()));
      for (Index s = 0; s < data_.samples(); ++s) names.push_back(data_.sample_name(s));
      variables_.push_back(text_variable("sample_names", std::move(names)));
    }
    return std::move(variables_);
  }

 private:
  // For each sample, the nodes that its labels stand for.
  LabelSets folded_labels() const {
    LabelSets sets;
    for (Index s = 0; s < data_.samples(); ++s) {
      const Index first = sets.offsets.back();
      for (const NodeId node : data_.labels(s)) sets.nodes.push_back(taxonomy_.fold(node));
      std::sort(sets.nodes.begin() + first, sets.nodes.end());
      sets.nodes.erase(std::unique(sets.nodes.begin() + first, sets.nodes.end()), sets.nodes.end());
      sets.offsets.push_back(std::ssize(sets.nodes));
    }
    return sets;
  }

  // Does every sample have at most one label?
  bool at_most_one_label() const {
    for (Index s = 0; s < labels_.samples(); ++s) {
      if (labels_.of(s).size() > 1) return false;
    }
    return true;
  }
  bool exactly_one_label() const { return at_most_one_label() && std::ssize(labels_.nodes) == labels_.samples(); }

  bool flat_without_root_labels() const {
    if (!taxonomy_.has_virtual_root() || std::ranges::count(labels_.nodes, taxonomy_.root()) > 0) return false;
    return std::ranges::all_of(nodes_.order(), [&](NodeId node) { return taxonomy_.depth(node) <= 1; });
  }

  // ---- X and Y: classes directly below the root

  void add_classes() {
    const Index classes = nodes_.count() - 1;
    const bool positions_are_names = classes_are_counted();
    const bool single = exactly_one_label();
    const bool numbers_are_names = single && classes_follow_from_numbers();
    const bool matrix = !at_most_one_label();
    const bool named = matrix ? !positions_are_names : !numbers_are_names;
    add_features("X", nullptr);
    if (matrix) {
      variables_.push_back(label_matrix("Y", classes));
    } else {
      variables_.push_back(number_variable("Y", 1, class_column(numbers_are_names)));
    }
    if (named) variables_.push_back(text_variable("node_names", node_names(classes)));
  }

  // Are the classes "1", "2" and so on, and is each used?
  bool classes_are_counted() const {
    if (!every_class_is_used()) return false;
    for (Index k = 0; k + 1 < nodes_.count(); ++k) {
      if (taxonomy_.name(nodes_.order()[static_cast<std::size_t>(k)]) != std::to_string(k + 1)) return false;
    }
    return true;
  }

  // Would reading just the class numbers give these classes in this order?
  bool classes_follow_from_numbers() const {
    std::optional<Index> before;
    for (Index k = 0; k + 1 < nodes_.count(); ++k) {
      const auto number = canonical_number(taxonomy_.name(nodes_.order()[static_cast<std::size_t>(k)]));
      if (!number || (before && *number <= *before)) return false;
      before = number;
    }
    return every_class_is_used();
  }

  bool every_class_is_used() const {
    std::vector<bool> used(static_cast<std::size_t>(taxonomy_.size()), false);
    for (const NodeId node : labels_.nodes) used[static_cast<std::size_t>(node)] = true;
    return std::ranges::all_of(
        nodes_.order(), [&](NodeId node) { return node == taxonomy_.root() || used[static_cast<std::size_t>(node)]; });
  }

  std::vector<double> class_column(bool by_name) const {
    std::vector<double> column;
    for (Index s = 0; s < labels_.samples(); ++s) {
      const auto of = labels_.of(s);
      Index value = of.empty() ? 0 : nodes_.row(of[0]);
      if (by_name) value = canonical_number(taxonomy_.name(of[0])).value_or(0);
      column.push_back(static_cast<double>(value));
    }
    return column;
  }

  // ---- data_array and tree

  void add_tree() {
    const std::vector<double> labels = class_column(false);
    add_features("data_array", &labels);
    std::vector<double> tree;
    std::vector<double> more_children;
    std::vector<double> more_parents;
    for (const NodeId node : nodes_.order()) {
      const auto parents = taxonomy_.parents(node);
      tree.push_back(parents.empty() ? 0.0 : static_cast<double>(nodes_.row(parents[0])));
      for (std::size_t k = 1; k < parents.size(); ++k) {
        more_children.push_back(static_cast<double>(nodes_.row(node)));
        more_parents.push_back(static_cast<double>(nodes_.row(parents[k])));
      }
    }
    for (const NodeId node : nodes_.order()) tree.push_back(taxonomy_.depth(node));
    variables_.push_back(number_variable("tree", 2, std::move(tree)));
    if (!more_parents.empty()) {
      more_children.insert(more_children.end(), more_parents.begin(), more_parents.end());
      variables_.push_back(number_variable("parents", 2, std::move(more_children)));
    }
    if (taxonomy_.has_virtual_root()) {
      variables_.push_back(number_variable("virtual_root", 1, {static_cast<double>(nodes_.count())}));
    }
    if (!named_by_rows()) variables_.push_back(text_variable("node_names", node_names(nodes_.count())));
    if (!exactly_one_label()) variables_.push_back(label_matrix("labels", nodes_.count()));
  }

  bool named_by_rows() const {
    return std::ranges::all_of(nodes_.order(), [&](NodeId node) {
      const bool implied = taxonomy_.has_virtual_root() && node == taxonomy_.root();
      return implied || taxonomy_.name(node) == std::to_string(nodes_.row(node));
    });
  }

  // ---- shared by both

  std::vector<std::string> node_names(Index count) const {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k) names.push_back(taxonomy_.name(nodes_.order()[static_cast<std::size_t>(k)]));
    return names;
  }

  // Samples x nodes: 1 where the sample has the label.
  MatOutput label_matrix(std::string name, Index columns) const {
    MatOutput variable;
    variable.name = std::move(name);
    variable.kind = MatOutput::Kind::kSparse;
    variable.rows = labels_.samples();
    variable.columns = columns;
    variable.column_starts.assign(static_cast<std::size_t>(columns) + 1, 0);
    for (const NodeId node : labels_.nodes) ++variable.column_starts[static_cast<std::size_t>(nodes_.row(node))];
    std::partial_sum(variable.column_starts.begin(), variable.column_starts.end(), variable.column_starts.begin());
    variable.row_indices.resize(labels_.nodes.size());
    variable.values.assign(labels_.nodes.size(), 1.0);
    std::vector<Index> next = variable.column_starts;
    for (Index s = 0; s < labels_.samples(); ++s) {
      for (const NodeId node : labels_.of(s)) {
        Index& at = next[static_cast<std::size_t>(nodes_.row(node)) - 1];
        variable.row_indices[static_cast<std::size_t>(at++)] = static_cast<std::int32_t>(s);
      }
    }
    return variable;
  }

  // The feature matrix, with `labels` as a last column if given.
  void add_features(std::string name, const std::vector<double>* labels) {
    std::visit(
        [&](const auto& matrix) {
          if constexpr (requires { matrix.indices; }) {
            variables_.push_back(sparse_features(matrix, labels));
          } else {
            variables_.push_back(dense_features(matrix, labels));
          }
        },
        data_.matrix());
    variables_.back().name = std::move(name);
  }

  template <class T>
  MatOutput dense_features(const DenseMatrix<T>& matrix, const std::vector<double>* labels) const {
    constexpr Index kExactInFloat = Index{1} << 24;
    const bool single = std::is_same_v<T, float> && (labels == nullptr || nodes_.count() <= kExactInFloat);
    MatOutput variable;
    variable.kind = single ? MatOutput::Kind::kSingle : MatOutput::Kind::kDouble;
    variable.rows = data_.samples();
    variable.columns = matrix.columns + (labels != nullptr ? 1 : 0);
    const std::vector<double> last = labels != nullptr ? *labels : std::vector<double>();
    if (single) {
      variable.fill = transposing_fill<float>(matrix, last);
    } else {
      variable.fill = transposing_fill<double>(matrix, last);
    }
    return variable;
  }

  // Reads rows, which are contiguous, and writes to as many columns as are requested at a time.
  template <class Out, class T>
  MatOutput::Fill transposing_fill(const DenseMatrix<T>& matrix, std::vector<double> last) const {
    return [&matrix, &data = data_, last = std::move(last)](Index row, Index row_end, Index column, Index column_end,
                                                            char* out) {
      const Index height = row_end - row;
      const auto put = [out](Index at, Out value) {
        std::memcpy(out + at * static_cast<Index>(sizeof(Out)), &value, sizeof(Out));
      };
      const Index features_end = std::min(column_end, matrix.columns);
      for (Index r = row; r < row_end; ++r) {
        const T* values = matrix.values.data() + data.source_row(r) * matrix.columns;
        for (Index c = column; c < features_end; ++c) put((c - column) * height + r - row, static_cast<Out>(values[c]));
        if (column_end > matrix.columns) {
          put((matrix.columns - column) * height + r - row, static_cast<Out>(last[static_cast<std::size_t>(r)]));
        }
      }
    };
  }

  template <class T>
  MatOutput sparse_features(const SparseMatrix<T>& matrix, const std::vector<double>* labels) const {
    MatOutput variable;
    variable.kind = MatOutput::Kind::kSparse;
    variable.rows = data_.samples();
    variable.columns = matrix.columns + (labels != nullptr ? 1 : 0);
    const auto for_each_entry = [&](auto&& visit) {
      for (Index s = 0; s < data_.samples(); ++s) {
        data_.for_each_value(s, [&](FeatureIndex feature, auto value) {
          if (value != 0) visit(s, static_cast<std::size_t>(feature), static_cast<double>(value));
        });
        if (labels == nullptr) continue;
        const double label = (*labels)[static_cast<std::size_t>(s)];
        if (label != 0) visit(s, static_cast<std::size_t>(matrix.columns), label);
      }
    };
    variable.column_starts.assign(static_cast<std::size_t>(variable.columns) + 1, 0);
    for_each_entry([&](Index, std::size_t column, double) { ++variable.column_starts[column + 1]; });
    std::partial_sum(variable.column_starts.begin(), variable.column_starts.end(), variable.column_starts.begin());
    variable.row_indices.resize(static_cast<std::size_t>(variable.column_starts.back()));
    variable.values.resize(variable.row_indices.size());
    std::vector<Index> next = variable.column_starts;
    for_each_entry([&](Index sample, std::size_t column, double value) {
      const auto at = static_cast<std::size_t>(next[column]++);
      variable.row_indices[at] = static_cast<std::int32_t>(sample);
      variable.values[at] = value;
    });
    return variable;
  }

  const Dataset& data_;
  const Taxonomy& taxonomy_;
  NodeRows nodes_;
  LabelSets labels_;
  std::vector<MatOutput> variables_;
};

}  // namespace

void write_mat(const Dataset& data, const WriteOptions& options, Sink& sink, Context& ctx) {
  const std::vector<MatOutput> variables = DatasetVariables(data).take();
  const auto too_large = std::ranges::find_if_not(variables, fits_mat5);
  if (too_large != variables.end() && !options.mat73) {
    ctx.info(fmt::format("written as MATLAB 7.3 (HDF5): {} is beyond the 2 GB of a variable in earlier versions",
                         too_large->name));
  }
  options.mat73 || too_large != variables.end() ? write_mat73(variables, sink, ctx) : write_mat5(variables, sink, ctx);
}

}  // namespace clade
