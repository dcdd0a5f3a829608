#include "classify/joint/class_loss.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <limits>

namespace clade {
namespace {

constexpr Index kKeptClasses = 4096;  // largest number for which all pairs are kept: 128 MiB

}  // namespace

ClassLoss::ClassLoss(const Taxonomy& taxonomy, std::span<const NodeId> classes, std::span<const double> volume)
    : classes_(std::ssize(classes)),
      below_(static_cast<std::size_t>(taxonomy.size())),
      volume_(volume.begin(), volume.end()) {
  for (std::size_t y = 0; y < classes.size(); ++y) {
    std::vector<NodeId> above = taxonomy.ancestors(classes[y]);
    above.push_back(classes[y]);
    double total = 0;
    for (const NodeId z : above) {
      total += volume_[static_cast<std::size_t>(z)];
      below_[static_cast<std::size_t>(z)].push_back(static_cast<std::int32_t>(y));
    }
    total_.push_back(total);
    above_.push_back(std::move(above));
  }
}

void ClassLoss::keep_rows() {
  if (classes_ > kKeptClasses) return;
  std::vector<double> rows(static_cast<std::size_t>(classes_ * classes_));
  for (Index y = 0; y < classes_; ++y) compute_row(y, rows.data() + y * classes_);
  rows_ = std::move(rows);
}

ClassLoss ClassLoss::zero_one(Index classes) {
  ClassLoss loss(classes);
  loss.is_zero_one_ = true;
  loss.keep_rows();
  return loss;
}

ClassLoss ClassLoss::tree(const Taxonomy& taxonomy, std::span<const NodeId> classes) {
  const std::vector<double> ones(static_cast<std::size_t>(taxonomy.size()), 1);
  ClassLoss loss(taxonomy, classes, ones);
  loss.missed_.assign(classes.size(), 0.5);
  loss.extra_ = loss.missed_;
  loss.keep_rows();
  return loss;
}

ClassLoss ClassLoss::tree_normalised(const Taxonomy& taxonomy, std::span<const NodeId> classes) {
  const std::vector<double> ones(static_cast<std::size_t>(taxonomy.size()), 1);
  ClassLoss loss(taxonomy, classes, ones);
  for (const double total : loss.total_) loss.missed_.push_back(0.5 / std::max(1.0, total - 1));
  loss.extra_ = loss.missed_;
  loss.keep_rows();
  return loss;
}

ClassLoss ClassLoss::weighted(const Taxonomy& taxonomy, std::span<const NodeId> classes, std::span<const double> volume,
                              double missed, double extra) {
  ClassLoss loss(taxonomy, classes, volume);
  loss.missed_.assign(classes.size(), missed);
  loss.extra_.assign(classes.size(), extra);
  loss.keep_rows();
  std::vector<double> scratch;
  for (Index y = 0; y < loss.classes_; ++y) {
    const double* const row = loss.row(y, scratch);
    for (Index r = 0; r < loss.classes_; ++r) {
      if (r == y || row[r] > 0) continue;
      throw usage_error(fmt::format("the loss of taking '{}' for '{}' is 0",
                                    taxonomy.name(taxonomy.fold(classes[static_cast<std::size_t>(y)])),
                                    taxonomy.name(taxonomy.fold(classes[static_cast<std::size_t>(r)]))),
                        "expected volumes and costs that keep all classes apart");
    }
  }
  return loss;
}

ClassLoss ClassLoss::given(const std::vector<std::vector<double>>& values) {
  ClassLoss loss(std::ssize(values));
  for (std::size_t y = 0; y < values.size(); ++y) {
    for (std::size_t r = 0; r < values.size(); ++r) {
      const double value = values[y][r];
      if (y == r ? value == 0 : value > 0) {
        loss.rows_.push_back(value);
        continue;
      }
      throw usage_error(fmt::format("row {}, column {} of the loss matrix is {:.6g}", y + 1, r + 1, value),
                        y == r ? "expected 0 on the diagonal" : "expected a positive loss between different classes");
    }
  }
  return loss;
}

void ClassLoss::compute_row(Index y, double* out) const {
  const auto own = static_cast<std::size_t>(y);
  if (is_zero_one_) {
    std::fill_n(out, classes_, 1.0);
    out[y] = 0;
    return;
  }
  // The volume in common, with the nodes above all classes at once.
  double shared = 0;
  for (const NodeId z : above_[own]) {
    if (std::ssize(below_[static_cast<std::size_t>(z)]) == classes_) shared += volume_[static_cast<std::size_t>(z)];
  }
  std::fill_n(out, classes_, shared);
  for (const NodeId z : above_[own]) {
    const auto& below = below_[static_cast<std::size_t>(z)];
    if (std::ssize(below) == classes_) continue;
    for (const std::int32_t r : below) out[r] += volume_[static_cast<std::size_t>(z)];
  }
  using Row = Eigen::Map<const Eigen::ArrayXd>;
  Eigen::Map<Eigen::ArrayXd> row(out, classes_);
  row = missed_[own] * (total_[own] - row) + Row(extra_.data(), classes_) * (Row(total_.data(), classes_) - row);
  out[y] = 0;
}

const double* ClassLoss::row(Index y, std::vector<double>& scratch) const {
  if (!rows_.empty()) return rows_.data() + y * classes_;
  scratch.resize(static_cast<std::size_t>(classes_));
  compute_row(y, scratch.data());
  return scratch.data();
}

double ClassLoss::of(Index y, Index r) const {
  if (!rows_.empty()) return rows_[static_cast<std::size_t>(y * classes_ + r)];
  if (y == r) return 0;
  if (is_zero_one_) return 1;
  const auto own = static_cast<std::size_t>(y);
  const auto other = static_cast<std::size_t>(r);
  double common = 0;
  for (const NodeId z : above_[own]) {
    if (std::ranges::find(above_[other], z) != above_[other].end()) common += volume_[static_cast<std::size_t>(z)];
  }
  return missed_[own] * (total_[own] - common) + extra_[other] * (total_[other] - common);
}

double ClassLoss::largest() const {
  std::vector<double> scratch;
  double most = 0;
  for (Index y = 0; y < classes_; ++y) {
    const double* const values = row(y, scratch);
    most = std::max(most, *std::max_element(values, values + classes_));
  }
  return most;
}

double ClassLoss::smallest() const {
  std::vector<double> scratch;
  double least = std::numeric_limits<double>::infinity();
  for (Index y = 0; y < classes_; ++y) {
    const double* const values = row(y, scratch);
    for (Index r = 0; r < classes_; ++r) {
      if (r != y) least = std::min(least, values[r]);
    }
  }
  return least;
}

}  // namespace clade
