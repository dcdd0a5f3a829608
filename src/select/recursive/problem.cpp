#include "select/recursive/problem.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <utility>

#include "core/large_pages.h"
#include "core/parallel.h"
#include "select/node_matrix.h"

namespace clade {
namespace {

constexpr Index kRowsPerBlock = 1024;  // several nodes have one at a time
constexpr Index kFeaturesPerTask = 128;

// Fills columns [begin, end) of the block with those rows of the data.
void fill_columns(const Dataset& data, const Index* rows, Index begin, Index end, Matrix& block) {
  for (Index k = begin; k < end; ++k) {
    if (is_sparse(data.matrix())) block.col(k).setZero();
    data.for_each_value(rows[k], [&](FeatureIndex f, auto value) { block(f, k) = static_cast<double>(value); });
  }
}

Matrix zero_square(Index size) {
  Matrix square(size, size);
  prefer_large_pages(square.data(), static_cast<std::size_t>(square.size()) * sizeof(double));
  square.setZero();
  return square;
}

Matrix lower_triangle(const std::string& columns, Index size) {
  Matrix square(size, size);
  ByteReader bytes(columns);
  for (Index j = 0; j < size; ++j) {
    const std::string_view column = bytes.bytes();
    std::memcpy(square.col(j).data() + j, column.data(), column.size());
  }
  return square;
}

// Column by column: the order of Eigen's own sums depends on where their result stands.
Vector row_sums(const Matrix& m) {
  Vector sums = Vector::Zero(m.rows());
  for (Index column = 0; column < m.cols(); ++column) sums += m.col(column);
  return sums;
}

Matrix dense_columns(const Dataset& data, const Index* rows, Index count) {
  Matrix block(data.features(), count);
  fill_columns(data, rows, 0, count, block);
  return block;
}

}  // namespace

bool is_cheaper_by_features(Index samples, Index features) {
  constexpr Index kManyFeatures = 8192;
  return features <= kManyFeatures ? 2 * samples >= features : samples >= features;
}

Matrix label_matrix(const NodeProblem& node, Index width) {
  Matrix y = Matrix::Zero(node.samples(), width);
  for (Index r = 0; r < node.samples(); ++r) {
    for (const std::int32_t column : node.table->labels(r)) y(r, column) = 1;
  }
  return y;
}

Matrix gram_of(const NodeProblem& node, Index features, Context& ctx) {
  if (node.is_tall) return node.gram;
  Matrix gram = Matrix::Zero(features, features);
  if (node.sparse.cols() > 0) {
    gram = dense_product(node.sparse, node.by_feature);
  } else if (node.dense.cols() > 0) {
    add_outer_product(node.dense, gram, ctx);
  }
  return gram;
}

Problem::Problem(const Dataset& data, const std::vector<NodeTable>& tables, Context& ctx, NodeOwners owners)
    : data_(data),
      tables_(tables),
      owners_(std::move(owners)),
      features_(data.features()),
      nodes_(tables.size()),
      sums_up_(data.taxonomy().is_tree() && !has_several_labels(data)) {
  for (const NodeTable& table : tables) width_ = std::max(width_, table.classes());
  find_relations();
  find_levels();
  parallel_for(ctx, static_cast<Index>(tables.size()), 1,
               [&](Index i, Index) { build_node(static_cast<std::size_t>(i), ctx); });
  // Children have larger numbers, so theirs are done.
  for (std::size_t i = nodes_.size(); sums_up_ && i-- > 0;) {
    if (owners_.is_own(i)) add_rights_of_children(i);
  }
  build_grams(ctx);
  for (int level = 1; !owners_.is_shared() && level < levels(); ++level) complete_level(level, ctx);
}

void Problem::find_levels() {
  level_.assign(nodes_.size(), 0);
  for (std::size_t i = nodes_.size(); sums_up_ && i-- > 0;) {
    if (!is_cheaper_by_features(tables_[i].samples(), features_)) continue;
    for (const std::size_t child : children_[i]) {
      if (is_cheaper_by_features(tables_[child].samples(), features_))
        level_[i] = std::max(level_[i], level_[child] + 1);
    }
  }
}

Matrix Problem::columns(std::size_t i, Index begin, Index end) const {
  return dense_columns(data_, tables_[i].rows.data() + begin, end - begin);
}

void Problem::find_relations() {
  const Taxonomy& taxonomy = data_.taxonomy();
  std::vector<std::size_t> number(static_cast<std::size_t>(taxonomy.size()), 0);
  for (std::size_t i = 0; i < tables_.size(); ++i) number[static_cast<std::size_t>(tables_[i].node)] = i;
  const auto internal = [&](std::span<const NodeId> nodes) {
    std::vector<std::size_t> numbers;
    for (const NodeId node : nodes) {
      if (!taxonomy.is_leaf(node)) numbers.push_back(number[static_cast<std::size_t>(node)]);
    }
    return numbers;
  };
  for (const NodeTable& table : tables_) {
    parents_.push_back(internal(taxonomy.parents(table.node)));
    children_.push_back(internal(taxonomy.children(table.node)));
    const std::vector<NodeId> all = taxonomy.siblings(table.node);
    siblings_.push_back(internal(all));
    // A pair that is also parent and child counts only as that.
    std::erase_if(siblings_.back(), [&](std::size_t other) {
      const auto is_in = [other](const std::vector<std::size_t>& list) {
        return std::find(list.begin(), list.end(), other) != list.end();
      };
      return is_in(parents_.back()) || is_in(children_.back());
    });
  }
}

void Problem::build_node(std::size_t i, Context& ctx) {
  ctx.check_cancelled();
  const NodeTable& table = tables_[i];
  NodeProblem& node = nodes_[i];
  node.table = &table;
  node.name = data_.taxonomy().name(table.node);
  node.is_tall = is_cheaper_by_features(table.samples(), features_);
  node.squared_labels = static_cast<double>(table.columns.size());
  if (!owners_.is_own(i)) return;
  node.right = Matrix::Zero(features_, width_);
  add_right(table, node.right, ctx);
  if (node.is_tall) return;
  if (is_sparse(data_.matrix())) {
    node.sparse = sparse_columns(data_, table.rows);
    node.by_feature = node.sparse.transpose();
  } else {
    node.dense = dense_columns(data_, table.rows.data(), table.samples());
  }
}

// X'Y: every number is summed over the samples in their order. Where nodes sum up, without the columns of children that
// are nodes of the problem.
void Problem::add_right(const NodeTable& table, Matrix& right, Context& ctx) const {
  std::vector<char> is_wanted(static_cast<std::size_t>(table.classes()), 1);
  for (std::size_t column = 0; sums_up_ && column < is_wanted.size(); ++column) {
    is_wanted[column] = data_.taxonomy().is_leaf(table.children[column]) ? 1 : 0;
  }
  const auto add = [&](Index begin, Index end) {
    for (Index r = 0; r < table.samples(); ++r) {
      const Index row = data_.source_row(table.rows[static_cast<std::size_t>(r)]);
      for (const std::int32_t column : table.labels(r)) {
        if (is_wanted[static_cast<std::size_t>(column)] == 0) continue;
        double* const sums = right.col(column).data();
        std::visit(
            [&](const auto& m) {
              if constexpr (requires { m.indices; }) {
                const auto columns = m.row_indices(row);
                const auto values = m.row_values(row);
                for (std::size_t k = 0; k < columns.size(); ++k) sums[columns[k]] += static_cast<double>(values[k]);
              } else {
                using Value = std::remove_cvref_t<decltype(m.row(row)[0])>;
                const Eigen::Map<const Eigen::Array<Value, Eigen::Dynamic, 1>> values(m.row(row).data() + begin,
                                                                                      end - begin);
                Eigen::Map<Eigen::ArrayXd>(sums + begin, end - begin) += values.template cast<double>();
              }
            },
            data_.matrix());
      }
    }
  };
  if (is_sparse(data_.matrix())) return add(0, features_);
  parallel_for(ctx, features_, kFeaturesPerTask, add);
}

void Problem::build_grams(Context& ctx) {
  // Of every node first the samples that no child has, or all if they do not add up; these sums are independent.
  parallel_for(ctx, std::ssize(nodes_), 1, [&](Index number, Index) {
    const auto i = static_cast<std::size_t>(number);
    if (!nodes_[i].is_tall || !owners_.is_own(i)) return;
    nodes_[i].gram = zero_square(features_);
    add_gram(sums_up_ ? rows_of_no_child(i) : tables_[i].rows, nodes_[i].gram, ctx);
  });
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (level_[i] == 0) tell_gram(i);
  }
}

void Problem::complete_level(int level, Context& ctx) {
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (level_[i] != level || !owners_.is_own(i)) continue;
    add_children(i, ctx);
    tell_gram(i);
  }
}

void Problem::tell_gram(std::size_t i) const {
  const bool has_other_parent =
      std::ranges::any_of(parents_[i], [&](std::size_t parent) { return !owners_.is_own(parent); });
  if (!sums_up_ || !nodes_[i].is_tall || !owners_.is_own(i) || !has_other_parent) return;
  const auto columns = static_cast<std::size_t>(features_);
  ByteWriter bytes(columns * (columns + 1) / 2 * sizeof(double) + columns * sizeof(std::uint64_t));
  for (Index j = 0; j < features_; ++j) {
    bytes.put(std::span<const double>(nodes_[i].gram.col(j).data() + j, static_cast<std::size_t>(features_ - j)));
  }
  tell_parents(i, Told::kGram, bytes.take());
}

// The column of a child is the sum of the child's own.
void Problem::add_rights_of_children(std::size_t i) {
  NodeProblem& node = nodes_[i];
  for (const std::size_t child : children_[i]) {
    if (tables_[child].samples() == 0) continue;
    const auto& columns = node.table->children;
    const auto column = std::ranges::find(columns, tables_[child].node) - columns.begin();
    if (owners_.is_own(child)) {
      node.right.col(column) = row_sums(nodes_[child].right);
    } else {
      const std::vector<double> sums = ByteReader(told_by(child, Told::kSums)).get<std::vector<double>>();
      node.right.col(column) = Eigen::Map<const Vector>(sums.data(), features_);
    }
  }
  // Nobody asks for the sums of no samples.
  if (!owners_.is_shared() || tables_[i].samples() == 0) return;
  const Vector sums = row_sums(node.right);
  tell_parents(i, Told::kSums,
               ByteWriter().put(std::span<const double>(sums.data(), static_cast<std::size_t>(features_))).take());
}

void Problem::add_children(std::size_t i, Context& ctx) {
  std::vector<const Matrix*> added;
  std::list<Matrix> received;
  for (const std::size_t child : children_[i]) {
    if (!nodes_[child].is_tall) continue;
    added.push_back(owners_.is_own(child)
                        ? &nodes_[child].gram
                        : &received.emplace_back(lower_triangle(told_by(child, Told::kGram), features_)));
  }
  constexpr Index kColumnsPerTask = 64;
  parallel_for(ctx, features_, kColumnsPerTask, [&](Index begin, Index end) {
    for (const Matrix* const gram : added) {
      for (Index j = begin; j < end; ++j) nodes_[i].gram.col(j).tail(features_ - j) += gram->col(j).tail(features_ - j);
    }
  });
}

void Problem::tell_parents(std::size_t i, Told what, const std::string& bytes) const {
  constexpr std::size_t kHead = 32;  // before the bytes
  for (const std::size_t parent : parents_[i]) {
    if (owners_.is_own(parent)) continue;
    owners_.team().processes().send(owners_.owner(parent), Topic::kMatrix,
                                    ByteWriter(kHead + bytes.size()).put(i).put(what).put(bytes).take());
  }
}

std::string Problem::told_by(std::size_t child, Told what) {
  while (!early_.contains({child, what})) {
    const std::string message = owners_.team().processes().receive(owners_.owner(child), Topic::kMatrix);
    ByteReader reader(message);
    const auto number = reader.get<std::size_t>();
    const auto kind = reader.get<Told>();
    early_[{number, kind}] = reader.bytes();
  }
  return std::move(early_.extract({child, what}).mapped());
}

// The samples of a node that are not below a tall child.
std::vector<Index> Problem::rows_of_no_child(std::size_t i) const {
  std::vector<bool> is_below(static_cast<std::size_t>(data_.samples()), false);
  for (const std::size_t child : children_[i]) {
    if (!nodes_[child].is_tall) continue;
    for (const Index row : tables_[child].rows) is_below[static_cast<std::size_t>(row)] = true;
  }
  std::vector<Index> rest;
  for (const Index row : tables_[i].rows) {
    if (!is_below[static_cast<std::size_t>(row)]) rest.push_back(row);
  }
  return rest;
}

void Problem::add_gram(const std::vector<Index>& rows, Matrix& gram, Context& ctx) const {
  if (is_sparse(data_.matrix())) {
    return add_sparse_gram(data_, rows, Vector::Ones(std::ssize(rows)), gram, ctx);
  }
  const auto count = static_cast<Index>(rows.size());
  constexpr Index kRowsPerTask = 32;
  // Columns a power of two apart would share few lines of the cache.
  constexpr Index kPadding = 8;
  Matrix block(features_ + kPadding, std::min(kRowsPerBlock, count));
  for (Index begin = 0; begin < count; begin += kRowsPerBlock) {
    const Index size = std::min(kRowsPerBlock, count - begin);
    parallel_for(ctx, size, kRowsPerTask,
                 [&](Index first, Index last) { fill_columns(data_, rows.data() + begin, first, last, block); });
    add_outer_product(block.topLeftCorner(features_, size), gram, ctx);
  }
}

}  // namespace clade
