#include "classify/joint/class_attributes.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "math/decompositions.h"

namespace clade {
namespace {

// An eigenvalue whose size is below this share of the largest is due to rounding.
constexpr double kRounding = 1e-9;
// With so few attributes per class a loop over classes is faster than shared sums.
constexpr Index kFewPlaces = 8;

void add_class(ClassAttributes& attributes, const std::vector<std::pair<std::int32_t, double>>& values) {
  for (const auto& [index, value] : values) {
    if (value == 0) continue;
    attributes.index.push_back(index);
    attributes.value.push_back(value);
  }
  attributes.offsets.push_back(std::ssize(attributes.index));
}

}  // namespace

double similarity(const ClassAttributes& attributes, Index a, Index b) {
  const auto index_a = attributes.index_of(a);
  const auto index_b = attributes.index_of(b);
  const auto value_a = attributes.value_of(a);
  const auto value_b = attributes.value_of(b);
  double sum = 0;
  for (std::size_t i = 0, k = 0; i < index_a.size() && k < index_b.size();) {
    if (index_a[i] == index_b[k]) {
      sum += value_a[i++] * value_b[k++];
    } else {
      index_a[i] < index_b[k] ? ++i : ++k;
    }
  }
  return sum;
}

ClassAttributes path_attributes(const Taxonomy& taxonomy, std::span<const NodeId> classes, bool normalised) {
  std::vector<Index> below(static_cast<std::size_t>(taxonomy.size()), 0);  // classes at or below each node
  std::vector<std::vector<NodeId>> above;
  std::size_t depth = 0;
  for (const NodeId y : classes) {
    above.push_back(taxonomy.ancestors(y));
    for (const NodeId z : above.back()) ++below[static_cast<std::size_t>(z)];
    depth = std::max(depth, above.back().size());
  }
  ClassAttributes attributes;
  attributes.nodes.assign(classes.begin(), classes.end());
  std::vector<std::int32_t> number(static_cast<std::size_t>(taxonomy.size()), -1);
  for (NodeId z = 0; z < taxonomy.size(); ++z) {
    const Index count = below[static_cast<std::size_t>(z)];
    if (count == 0 || count == std::ssize(classes)) continue;
    number[static_cast<std::size_t>(z)] = static_cast<std::int32_t>(attributes.nodes.size());
    attributes.nodes.push_back(z);
  }
  for (std::size_t y = 0; y < classes.size(); ++y) {
    const std::size_t length = std::max<std::size_t>(1, normalised ? above[y].size() : depth);
    const double value = 1 / std::sqrt(static_cast<double>(length));
    std::vector<std::pair<std::int32_t, double>> values{{static_cast<std::int32_t>(y), value}};
    for (const NodeId z : above[y]) {
      const std::int32_t at = number[static_cast<std::size_t>(z)];
      if (at >= 0) values.emplace_back(at, value);
    }
    std::sort(values.begin(), values.end());
    add_class(attributes, values);
  }
  attributes.count = std::ssize(attributes.nodes);
  return attributes;
}

ClassAttributes flat_attributes(std::span<const NodeId> classes) {
  ClassAttributes attributes;
  attributes.nodes.assign(classes.begin(), classes.end());
  attributes.count = std::ssize(classes);
  for (std::size_t y = 0; y < classes.size(); ++y) add_class(attributes, {{static_cast<std::int32_t>(y), 1.0}});
  return attributes;
}

ClassAttributes given_attributes(const std::vector<std::vector<double>>& values) {
  ClassAttributes attributes;
  attributes.count = values.empty() ? 0 : std::ssize(values[0]);
  attributes.nodes.assign(static_cast<std::size_t>(attributes.count), kNoNode);
  for (const auto& row : values) {
    std::vector<std::pair<std::int32_t, double>> entries;
    for (std::size_t z = 0; z < row.size(); ++z) entries.emplace_back(static_cast<std::int32_t>(z), row[z]);
    add_class(attributes, entries);
  }
  if (attributes.index.empty()) {
    throw usage_error("all class attributes are 0", "expected some that tell classes apart");
  }
  return attributes;
}

ClassAttributes attributes_of_similarity(const std::vector<std::vector<double>>& similarity) {
  const auto q = std::ssize(similarity);
  Matrix matrix(q, q);
  for (Index a = 0; a < q; ++a) {
    for (Index b = 0; b < q; ++b) {
      matrix(a, b) = similarity[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
    }
  }
  const double size = matrix.cwiseAbs().maxCoeff();
  if (size == 0) throw usage_error("all similarities are 0", "expected classes to be similar to themselves at least");
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > kRounding * size) {
    throw usage_error("the class similarity is not symmetric", "expected the same value for (a, b) and (b, a)");
  }
  const SymmetricEigen solved = symmetric_eigen(matrix);
  const double least = solved.values(0);
  if (least < -kRounding * std::max(size, solved.values(q - 1))) {
    throw usage_error(fmt::format("the class similarity has the eigenvalue {:.6g}", least),
                      "expected a positive semidefinite matrix, such as inner products");
  }
  std::vector<std::vector<double>> values(similarity.size());
  for (Index k = q - 1; k >= 0; --k) {
    const double eigenvalue = solved.values(k);
    if (eigenvalue <= kRounding * size) break;
    for (Index y = 0; y < q; ++y) {
      values[static_cast<std::size_t>(y)].push_back(std::sqrt(eigenvalue) * solved.vectors(y, k));
    }
  }
  return given_attributes(values);
}

ClassScorer::ClassScorer(const ClassAttributes& attributes) : classes_(attributes.classes()) {
  bool has_equal_values = true;
  for (Index y = 0; y < classes_; ++y) {
    const auto value = attributes.value_of(y);
    places_ = std::max(places_, std::ssize(value));
    has_equal_values = has_equal_values && std::ranges::all_of(value, [&](double v) { return v == value[0]; });
  }
  uses_sums_ = has_equal_values && places_ > kFewPlaces;
  is_equal_ = has_equal_values;
  for (Index y = 0; y < classes_; ++y) is_equal_ = is_equal_ && std::ssize(attributes.value_of(y)) == places_;
  uses_sums_ ? arrange_sums(attributes) : arrange_by_place(attributes);
}

void ClassScorer::arrange_by_place(const ClassAttributes& attributes) {
  index_.assign(static_cast<std::size_t>(places_ * classes_), 0);
  value_.assign(index_.size(), 0);
  for (Index y = 0; y < classes_; ++y) {
    const auto index = attributes.index_of(y);
    for (std::size_t k = 0; k < index.size(); ++k) {
      const auto at = k * static_cast<std::size_t>(classes_) + static_cast<std::size_t>(y);
      index_[at] = index[k];
      value_[at] = attributes.value_of(y)[k];
    }
  }
}

void ClassScorer::arrange_sums(const ClassAttributes& attributes) {
  const auto count = static_cast<std::size_t>(attributes.count);
  // C(z), as ascending attributes; empty for those that no class has.
  std::vector<std::vector<std::int32_t>> common(count);
  std::vector<std::int32_t> both;
  for (Index y = 0; y < classes_; ++y) {
    const auto own = attributes.index_of(y);
    for (const std::int32_t z : own) {
      auto& shared = common[static_cast<std::size_t>(z)];
      if (shared.empty()) {
        shared.assign(own.begin(), own.end());
        continue;
      }
      both.clear();
      std::ranges::set_intersection(shared, own, std::back_inserter(both));
      shared.assign(both.begin(), both.end());
    }
  }
  // Sums of small sets first, so that every sum finds its base.
  std::vector<std::int32_t> order;
  for (std::size_t z = 0; z < count; ++z) {
    if (!common[z].empty()) order.push_back(static_cast<std::int32_t>(z));
  }
  std::ranges::sort(order, {},
                    [&](std::int32_t z) { return std::pair(common[static_cast<std::size_t>(z)].size(), z); });
  std::vector<std::int32_t> sum_of(count, 0);  // attribute -> sum over C(z); 0: not yet
  const auto largest_sum = [&](std::span<const std::int32_t> set) {
    std::int32_t best = -1;
    for (const std::int32_t p : set) {
      if (sum_of[static_cast<std::size_t>(p)] == 0) continue;
      if (best < 0 || common[static_cast<std::size_t>(p)].size() > common[static_cast<std::size_t>(best)].size()) {
        best = p;
      }
    }
    return best;
  };
  // The sum over a set that is not empty: one that is known, or a new one.
  std::vector<std::int32_t> terms;
  const auto sum_over = [&](std::span<const std::int32_t> set) {
    const std::int32_t best = largest_sum(set);
    const std::int32_t base = best < 0 ? 0 : sum_of[static_cast<std::size_t>(best)];
    terms.clear();
    if (best < 0) {
      terms.assign(set.begin(), set.end());
    } else {
      std::ranges::set_difference(set, common[static_cast<std::size_t>(best)], std::back_inserter(terms));
    }
    if (terms.empty()) return base;
    base_.push_back(base);
    index_.push_back(terms.front());
    const auto sum = static_cast<std::int32_t>(base_.size());
    for (std::size_t k = 1; k < terms.size(); ++k) more_.push_back({sum, terms[k]});
    return sum;
  };
  for (const std::int32_t z : order) {
    sum_of[static_cast<std::size_t>(z)] = sum_over(common[static_cast<std::size_t>(z)]);
  }
  for (Index y = 0; y < classes_; ++y) {
    const auto own = attributes.index_of(y);
    value_.push_back(own.empty() ? 0 : attributes.value_of(y)[0]);
    sum_of_.push_back(own.empty() ? 0 : sum_over(own));
  }
}

}  // namespace clade
