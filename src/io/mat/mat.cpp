#include "io/mat/mat.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/mat/mat_features.h"
#include "io/mat/mat_variables.h"

namespace clade {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

bool is_whole(double value) {
  return std::abs(value) <= kLargestWhole && std::floor(value) == value;
}

// Is the value one of 1 .. count?
bool is_position(double value, Index count) {
  return is_whole(value) && value >= 1 && value <= static_cast<double>(count);
}

// Finds either layout in a file's variables and makes samples, labels and a hierarchy from them.
class LayoutReader {
 public:
  LayoutReader(const Input& input, const ReadOptions& options, Context& ctx)
      : options_(options), ctx_(ctx), variables_(input, ctx), hierarchy_(input.name()) {}

  ParsedData read() {
    const auto data_array = variables_.find({"data_array"});
    const auto tree = variables_.find({"tree"});
    const auto features = variables_.find({"X", "fea", "data"});
    const auto labels = variables_.find({"Y", "gnd", "label", "labels"});
    if (data_array && tree) {
      read_tree_layout(*data_array, *tree);
    } else if (features && labels) {
      read_class_layout(*features, *labels);
    } else {
      const std::string found = variables_.list(false);
      throw variables_.error(fmt::format("no known layout; the variables are {}", found.empty() ? "none" : found),
                             "expected data_array and tree, or X and Y");
    }
    if (const auto entry = variables_.find({"feature_names"})) {
      parsed_.feature_names = variables_.load_texts(*entry, column_count(parsed_.features), "features");
    }
    if (const auto entry = variables_.find({"sample_names"})) {
      parsed_.sample_names = variables_.load_texts(*entry, row_count(parsed_.features), "samples");
    }
    if (has_hierarchy_) parsed_.hierarchy = std::move(hierarchy_);
    const std::string unused = variables_.list(true);
    if (!unused.empty()) parsed_.notes.push_back("variables not used: " + unused);
    return std::move(parsed_);
  }

 private:
  void set_features(const MatVariable& variable, Index columns) {
    MatRows rows = take_rows(variable, columns, options_.precision, variables_.file_name(), ctx_);
    parsed_.features = std::move(rows.matrix);
    parsed_.missing_values = rows.missing_values;
    parsed_.first_missing = std::move(rows.first_missing);
    if (rows.rounded > 0) {
      parsed_.notes.push_back(
          fmt::format("{} integers of {} beyond 2^53: rounded to the nearest double", rows.rounded, variable.name));
    }
  }

  // ---- data_array and tree

  void read_tree_layout(std::size_t data_entry, std::size_t tree_entry) {
    read_tree(variables_.load_dense(tree_entry));
    const MatVariable data = variables_.load_matrix(data_entry);
    if (data.columns == 0) {
      throw variables_.error(fmt::format("variable '{}' has no columns", data.name),
                             "expected the label in the last one");
    }
    if (const auto labels = variables_.find({"labels"})) {
      read_label_matrix(variables_.load_matrix(*labels), data.rows);
    } else {
      read_label_column(data);
    }
    set_features(data, data.columns - 1);
    parsed_.labels_are_names = true;
  }

  // Rows are nodes; column 1 is the parent's row, 0 for the root.
  void read_tree(const MatVariable& tree) {
    if (tree.rows == 0 || tree.columns == 0) {
      throw variables_.error(fmt::format("variable '{}' is empty", tree.name), "expected one row per node");
    }
    variables_.check_count(tree.rows, "rows of " + tree.name);
    if (tree.rows > std::numeric_limits<NodeId>::max()) throw variables_.error("more nodes than Clade can number");
    name_nodes(tree.rows, virtual_root_row(tree.rows));
    for (Index row = 1; row <= tree.rows; ++row) {
      const double parent = tree.values.at(row - 1);
      if (parent == 0) continue;
      if (!is_position(parent, tree.rows)) {
        throw variables_.error(fmt::format("row {} of {}: parent {}", row, tree.name, parent),
                               fmt::format("expected a row number from 1 to {}, or 0 for the root", tree.rows));
      }
      add_edge(static_cast<Index>(parent), row);
    }
    if (const auto entry = variables_.find({"parents"})) read_more_parents(variables_.load_dense(*entry));
  }

  // The row of a root that is not counted among the nodes proper, or 0.
  Index virtual_root_row(Index rows) {
    const auto entry = variables_.find({"virtual_root"});
    if (!entry) return 0;
    const MatVariable variable = variables_.load_dense(*entry);
    if (variable.values.size() != 1 || !is_position(variable.values.at(0), rows)) {
      throw variables_.error(fmt::format("variable '{}' is no row of tree", variable.name),
                             fmt::format("expected one number from 1 to {}", rows));
    }
    return static_cast<Index>(variable.values.at(0));
  }

  // By the texts of node_names, or by row numbers; the virtual root by the name that the builder will give it.
  void name_nodes(Index rows, Index virtual_root) {
    if (const auto entry = variables_.find({"node_names"})) {
      node_names_ = variables_.load_texts(*entry, rows, "rows of tree");
    } else {
      for (Index row = 1; row <= rows; ++row) node_names_.push_back(std::to_string(row));
    }
    has_hierarchy_ = true;
    for (Index row = 1; row <= rows; ++row) {
      if (row != virtual_root) add_node(node_names_[static_cast<std::size_t>(row) - 1], row);
      if (row == virtual_root) node_of_row_.push_back(kNoNode);
    }
    if (virtual_root == 0) return;
    hierarchy_.imply_root();
    std::string& name = node_names_[static_cast<std::size_t>(virtual_root) - 1];
    name = Taxonomy::kVirtualRootName;
    while (hierarchy_.find(name)) name += "'";
  }

  void add_node(const std::string& name, Index row) {
    const NodeId next = hierarchy_.size();
    if (hierarchy_.node(name) != next) {
      throw variables_.error(fmt::format("row {} of node_names: another node is named '{}' too", row, name),
                             "expected each name once");
    }
    node_of_row_.push_back(next);
  }

  void add_edge(Index parent_row, Index child_row) {
    const NodeId parent = node_of_row_[static_cast<std::size_t>(parent_row) - 1];
    const NodeId child = node_of_row_[static_cast<std::size_t>(child_row) - 1];
    if (child == kNoNode) {
      throw variables_.error(fmt::format("row {} of tree has a parent and is the virtual root", child_row),
                             "expected a root");
    }
    if (parent != kNoNode) hierarchy_.edge(parent, child);
  }

  // One row (child, parent) for each parent besides the one in tree.
  void read_more_parents(const MatVariable& pairs) {
    if (pairs.columns != 2 && pairs.values.size() > 0) {
      throw variables_.error(fmt::format("variable '{}' has {} columns", pairs.name, pairs.columns),
                             "expected two: child and parent");
    }
    const auto nodes = std::ssize(node_of_row_);
    for (Index row = 0; row < pairs.values.size() / 2; ++row) {
      const double child = pairs.values.at(row);
      const double parent = pairs.values.at(pairs.rows + row);
      if (!is_position(child, nodes) || !is_position(parent, nodes)) {
        throw variables_.error(fmt::format("row {} of {}: child {}, parent {}", row + 1, pairs.name, child, parent),
                               fmt::format("expected row numbers of tree, 1 to {}", nodes));
      }
      add_edge(static_cast<Index>(parent), static_cast<Index>(child));
    }
  }

  void read_label_column(const MatVariable& data) {
    start_labels();
    Index row = 0;
    for (const double label : take_column(data, data.columns - 1, variables_.file_name())) {
      ++row;
      if (!is_position(label, std::ssize(node_names_))) {
        throw variables_.error(fmt::format("row {} of {}: label {}", row, data.name, label),
                               fmt::format("expected the row number of a node in tree, 1 to {}", node_names_.size()));
      }
      add_label(static_cast<Index>(label));
      parsed_.labels.end_sample();
    }
  }

  // ---- labels by their position in node_names_

  void start_labels() { label_of_name_.assign(node_names_.size(), -1); }

  // Names are interned on first use: a taxonomy given from outside need not have the others.
  void add_label(Index position) {
    const auto k = static_cast<std::size_t>(position) - 1;
    if (label_of_name_[k] < 0) label_of_name_[k] = parsed_.labels.intern(node_names_[k]);
    parsed_.labels.add(label_of_name_[k]);
  }

  // A matrix of 0 and 1 with a row per sample and a column per name.
  void read_label_matrix(const MatVariable& matrix, Index samples) {
    if (matrix.rows != samples || matrix.columns != std::ssize(node_names_)) {
      throw variables_.error(
          fmt::format("variable '{}' is {} x {}", matrix.name, matrix.rows, matrix.columns),
          fmt::format("expected a row per sample and a column per class, {} x {}", samples, node_names_.size()));
    }
    const MatRows rows = take_rows(matrix, matrix.columns, Precision::kDouble, variables_.file_name(), ctx_);
    start_labels();
    const auto add = [&](Index row, Index column, double value) {
      if (value == 1) return add_label(column + 1);
      if (value == 0) return;
      throw variables_.error(fmt::format("row {}, column {} of {}: {}", row + 1, column + 1, matrix.name, value),
                             "expected 0 or 1");
    };
    std::visit(
        [&](const auto& m) {
          for (Index row = 0; row < m.rows; ++row) {
            if constexpr (requires { m.indices; }) {
              for (Index k = m.offsets[row]; k < m.offsets[row + 1]; ++k) add(row, m.indices[k], m.values[k]);
            } else {
              for (Index column = 0; column < m.columns; ++column) add(row, column, m.values[row * m.columns + column]);
            }
            parsed_.labels.end_sample();
          }
        },
        rows.matrix);
  }

  // ---- X and Y

  void read_class_layout(std::size_t feature_entry, std::size_t label_entry) {
    const bool named = read_class_names();
    const MatVariable features = variables_.load_matrix(feature_entry);
    const MatVariable labels = variables_.load(label_entry);
    if (labels.kind == MatVariable::Kind::kTexts || labels.kind == MatVariable::Kind::kText) {
      for (const std::string& text : labels.texts) {
        if (!text.empty()) parsed_.labels.add(text);
        parsed_.labels.end_sample();
      }
    } else {
      variables_.check_matrix(labels);
      read_class_numbers(labels, features.rows, named);
      parsed_.labels_are_names = true;
    }
    if (features.rows != parsed_.labels.samples()) {
      throw variables_.error(fmt::format("{} has {} rows, but {} has the labels of {} samples", features.name,
                                         features.rows, labels.name, parsed_.labels.samples()),
                             "expected a row per sample");
    }
    set_features(features, features.columns);
  }

  bool read_class_names() {
    const auto entry = variables_.find({"node_names"});
    if (!entry) return false;
    node_names_ = variables_.load_texts(*entry, -1, "classes");
    has_hierarchy_ = true;
    hierarchy_.imply_root();
    for (std::size_t k = 0; k < node_names_.size(); ++k) add_node(node_names_[k], static_cast<Index>(k) + 1);
    return true;
  }

  // A row or column of class numbers, or a matrix with a row per sample and a column per class.
  void read_class_numbers(const MatVariable& labels, Index samples, bool named) {
    const bool list = labels.columns == 1 || (labels.rows == 1 && samples != 1);
    if (list) {
      const std::vector<double> numbers = as_vector(labels);
      return named ? add_positions(numbers, labels.name) : add_numbers(numbers, labels.name);
    }
    if (!named) {
      if (labels.rows == 0) variables_.check_count(labels.columns, "columns of " + labels.name);
      for (Index k = 1; k <= labels.columns; ++k) node_names_.push_back(std::to_string(k));
    }
    read_label_matrix(labels, samples);
  }

  // The numbers of a variable with one column or one row.
  std::vector<double> as_vector(const MatVariable& variable) {
    if (variable.columns == 1) return take_column(variable, 0, variables_.file_name());
    std::vector<double> numbers(static_cast<std::size_t>(variable.columns), 0.0);
    const MatRows rows = take_rows(variable, variable.columns, Precision::kDouble, variables_.file_name(), ctx_);
    std::visit(
        [&](const auto& m) {
          for (Index k = 0; k < m.values.size(); ++k) {
            Index column = k;
            if constexpr (requires { m.indices; }) column = m.indices[k];
            numbers[static_cast<std::size_t>(column)] = m.values[k];
          }
        },
        rows.matrix);
    return numbers;
  }

  // Positions in node_names, 0 for no label.
  void add_positions(const std::vector<double>& positions, const std::string& variable) {
    start_labels();
    Index row = 0;
    for (const double position : positions) {
      ++row;
      if (position != 0 && !is_position(position, std::ssize(node_names_))) {
        throw variables_.error(
            fmt::format("row {} of {}: class {}", row, variable, position),
            fmt::format("expected a position in node_names, 1 to {}, or 0 for none", node_names_.size()));
      }
      if (position != 0) add_label(static_cast<Index>(position));
      parsed_.labels.end_sample();
    }
  }

  // Class numbers, which serve as names.
  void add_numbers(const std::vector<double>& numbers, const std::string& variable) {
    Index row = 0;
    for (const double value : numbers) {
      ++row;
      if (!is_whole(value)) {
        throw variables_.error(fmt::format("row {} of {}: class {}", row, variable, value), "expected a whole number");
      }
    }
    std::vector<double> classes = numbers;
    std::ranges::sort(classes);
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    for (const double value : classes) node_names_.push_back(std::to_string(static_cast<Index>(value)));
    start_labels();
    for (const double value : numbers) {
      add_label(std::ranges::lower_bound(classes, value) - classes.begin() + 1);
      parsed_.labels.end_sample();
    }
  }

  const ReadOptions& options_;
  Context& ctx_;
  MatVariables variables_;
  bool has_hierarchy_ = false;
  TaxonomyBuilder hierarchy_;
  std::vector<std::string> node_names_;      // by row of tree, by column of a label matrix
  std::vector<NodeId> node_of_row_;          // numbers in the builder; kNoNode for the virtual root
  std::vector<std::int32_t> label_of_name_;  // by position in node_names_; -1: not used yet
  ParsedData parsed_;
};

}  // namespace

ParsedData read_mat(const Input& input, const ReadOptions& options, Context& ctx) {
  return LayoutReader(input, options, ctx).read();
}

DataFormat::Holds mat_holds(const Dataset& /*data*/) {
  return {.feature_names = true, .sample_names = true, .taxonomy = true, .feature_count = true};
}

}  // namespace clade
