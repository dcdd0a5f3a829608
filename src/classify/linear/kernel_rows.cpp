#include "classify/linear/kernel_rows.h"

#include <algorithm>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kFullShare = 4;  // data with a non-zero among so many is multiplied as dense
constexpr Index kRowsPerTask = 512;

}  // namespace

KernelRows::KernelRows(const TrainingRows& rows, std::span<const Index> taken, Index memory_bytes, Context& ctx)
    : rows_(rows), taken_(taken), ctx_(ctx), diagonal_(static_cast<Index>(taken.size())) {
  Index nonzeros = 0;
  for (Index k = 0; k < size(); ++k) {
    double square = 0;
    for (const double value : rows_.values_of(taken_[static_cast<std::size_t>(k)])) square += value * value;
    diagonal_(k) = square;
    nonzeros += static_cast<Index>(rows_.values_of(taken_[static_cast<std::size_t>(k)]).size());
  }
  if (size() == 0) return;
  const Index row_bytes = size() * static_cast<Index>(sizeof(double));
  capacity_ = static_cast<std::size_t>(std::max<Index>(2, memory_bytes / row_bytes));
  place_.assign(taken_.size(), kept_.end());
  is_dense_ = nonzeros >= size() * rows_.width() / kFullShare;
  if (!is_dense_) {
    list_columns();
    return;
  }
  copy_dense();
  if (memory_bytes / row_bytes >= size()) multiply_all();
}

void KernelRows::copy_dense() {
  dense_.resize(rows_.width(), size());
  parallel_for(ctx_, size(), kRowsPerTask, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const auto columns = rows_.columns_of(taken_[static_cast<std::size_t>(k)]);
      const auto values = rows_.values_of(taken_[static_cast<std::size_t>(k)]);
      double* const target = dense_.col(k).data();
      std::fill(target, target + rows_.width(), 0.0);
      for (std::size_t e = 0; e < columns.size(); ++e) target[columns[e]] = values[e];
    }
  });
}

void KernelRows::multiply_all() {
  all_ = Matrix::Zero(size(), size());
  add_inner_product(dense_, all_, ctx_);
  all_.triangularView<Eigen::StrictlyUpper>() = all_.transpose();
  // Equal rows then have a distance of exactly zero in most cases, instead of one by rounding.
  diagonal_ = all_.diagonal();
  dense_.resize(0, 0);
}

void KernelRows::list_columns() {
  list_offsets_.assign(static_cast<std::size_t>(rows_.width()) + 2, 0);
  for (const Index r : taken_) {
    for (const std::int32_t c : rows_.columns_of(r)) ++list_offsets_[static_cast<std::size_t>(c) + 2];
  }
  for (std::size_t c = 2; c < list_offsets_.size(); ++c) list_offsets_[c] += list_offsets_[c - 1];
  listed_.resize(static_cast<std::size_t>(list_offsets_.back()));
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    const auto columns = rows_.columns_of(taken_[k]);
    const auto values = rows_.values_of(taken_[k]);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      Index& next = list_offsets_[static_cast<std::size_t>(columns[e]) + 1];
      listed_[static_cast<std::size_t>(next++)] = {static_cast<std::int32_t>(k), values[e]};
    }
  }
}

void KernelRows::compute(Index i, double* target) const {
  if (is_dense_) {
    parallel_for(ctx_, size(), kRowsPerTask, [&](Index begin, Index end) {
      Eigen::Map<Vector>(target + begin, end - begin).noalias() =
          dense_.middleCols(begin, end - begin).transpose() * dense_.col(i);
    });
    return;
  }
  std::fill(target, target + size(), 0.0);
  const auto columns = rows_.columns_of(taken_[static_cast<std::size_t>(i)]);
  const auto values = rows_.values_of(taken_[static_cast<std::size_t>(i)]);
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const auto column = static_cast<std::size_t>(columns[e]);
    const Listed* const end = listed_.data() + list_offsets_[column + 1];
    for (const Listed* entry = listed_.data() + list_offsets_[column]; entry != end; ++entry) {
      target[entry->row] += values[e] * entry->value;
    }
  }
}

const double* KernelRows::row(Index i) {
  if (all_.size() > 0) return all_.col(i).data();
  auto& place = place_[static_cast<std::size_t>(i)];
  if (place != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, place);
    return place->values.data();
  }
  if (kept_.size() < capacity_) {
    kept_.push_front({i, Vector(size())});
  } else {
    kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
    place_[static_cast<std::size_t>(kept_.front().row)] = kept_.end();
    kept_.front().row = i;
  }
  place = kept_.begin();
  compute(i, place->values.data());
  return place->values.data();
}

}  // namespace clade
