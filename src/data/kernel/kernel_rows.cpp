#include "data/kernel/kernel_rows.h"

#include <algorithm>

#include "core/check.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kFullShare = 4;  // data with at least one non-zero among this many is multiplied as dense
constexpr Index kRowsPerTask = 512;
constexpr Index kStringsPerTask = 64;

}  // namespace

KernelRows::KernelRows(const KernelSamples& samples, const KernelOptions& options, Index memory_bytes, Context& ctx)
    : samples_(samples), options_(options), ctx_(ctx), diagonal_(samples.size()) {
  if (size() == 0) return;
  const Index row_bytes = size() * static_cast<Index>(sizeof(double));
  capacity_ = static_cast<std::size_t>(std::max<Index>(2, memory_bytes / row_bytes));
  place_.assign(static_cast<std::size_t>(size()), kept_.end());
  if (!is_of_vectors(options_.kind)) {
    for (Index k = 0; k < size(); ++k) diagonal_(k) = samples_.self(options_, k);
    return;
  }
  Index nonzeros = 0;
  for (Index k = 0; k < size(); ++k) nonzeros += std::ssize(samples_.values_of(k));
  is_dense_ = nonzeros >= size() * samples_.width() / kFullShare;
  measure();
  if (!is_dense_) {
    list_columns();
    return;
  }
  copy_dense();
  if (memory_bytes / row_bytes >= size()) multiply_all();
}

void KernelRows::measure() {
  square_.resize(size());
  for (Index k = 0; k < size(); ++k) {
    double square = 0;
    for (const double value : samples_.values_of(k)) square += value * value;
    square_(k) = square;
    diagonal_(k) = kernel_value(options_, square, square, square);
  }
}

void KernelRows::copy_dense() {
  dense_.resize(samples_.width(), size());
  parallel_for(ctx_, size(), kRowsPerTask, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      const auto columns = samples_.columns_of(k);
      const auto values = samples_.values_of(k);
      double* const target = dense_.col(k).data();
      std::fill(target, target + samples_.width(), 0.0);
      for (std::size_t e = 0; e < columns.size(); ++e) target[columns[e]] = values[e];
    }
  });
}

void KernelRows::multiply_all() {
  all_ = Matrix::Zero(size(), size());
  add_inner_product(dense_, all_, ctx_);
  // In most cases, equal rows then have a distance of exactly zero instead of a rounding error.
  square_ = all_.diagonal();
  dense_.resize(0, 0);
  if (options_.kind != KernelKind::kLinear) {
    parallel_for(ctx_, size(), 1, [&](Index j, Index) {
      for (Index i = j; i < size(); ++i) all_(i, j) = kernel_value(options_, all_(i, j), square_(i), square_(j));
    });
  }
  all_.triangularView<Eigen::StrictlyUpper>() = all_.transpose();
  diagonal_ = all_.diagonal();
  computed_rows_ = size();
}

void KernelRows::list_columns() {
  list_offsets_.assign(static_cast<std::size_t>(samples_.width()) + 2, 0);
  for (Index k = 0; k < size(); ++k) {
    for (const FeatureIndex c : samples_.columns_of(k)) ++list_offsets_[static_cast<std::size_t>(c) + 2];
  }
  for (std::size_t c = 2; c < list_offsets_.size(); ++c) list_offsets_[c] += list_offsets_[c - 1];
  listed_.resize(static_cast<std::size_t>(list_offsets_.back()));
  for (Index k = 0; k < size(); ++k) {
    const auto columns = samples_.columns_of(k);
    const auto values = samples_.values_of(k);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      Index& next = list_offsets_[static_cast<std::size_t>(columns[e]) + 1];
      listed_[static_cast<std::size_t>(next++)] = {static_cast<std::int32_t>(k), values[e]};
    }
  }
}

// Inner products of vector i with all others.
void KernelRows::multiply(Index i, double* target) const {
  if (is_dense_) {
    parallel_for(ctx_, size(), kRowsPerTask, [&](Index begin, Index end) {
      Eigen::Map<Vector>(target + begin, end - begin).noalias() =
          dense_.middleCols(begin, end - begin).transpose() * dense_.col(i);
    });
    return;
  }
  std::fill(target, target + size(), 0.0);
  const auto columns = samples_.columns_of(i);
  const auto values = samples_.values_of(i);
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const auto column = static_cast<std::size_t>(columns[e]);
    const Listed* const end = listed_.data() + list_offsets_[column + 1];
    for (const Listed* entry = listed_.data() + list_offsets_[column]; entry != end; ++entry) {
      target[entry->row] += values[e] * entry->value;
    }
  }
}

void KernelRows::compute(Index i, double* target) const {
  if (!is_of_vectors(options_.kind)) {
    const Index grain = options_.kind == KernelKind::kSubsequence ? kStringsPerTask : size();
    parallel_for(ctx_, size(), grain, [&](Index begin, Index end) {
      samples_.part_of_row(options_, samples_, i, begin, {target + begin, static_cast<std::size_t>(end - begin)});
    });
    return;
  }
  multiply(i, target);
  if (options_.kind == KernelKind::kLinear) return;
  parallel_for(ctx_, size(), kRowsPerTask, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) target[k] = kernel_value(options_, target[k], square_(i), square_(k));
  });
  target[i] = diagonal_(i);
}

// Where a missing row goes: the place of the one that was not used for longest, if there is no other.
double* KernelRows::place_for(Index i) {
  if (kept_.size() < capacity_) {
    kept_.push_front({i, Vector(size())});
  } else {
    kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
    place_[static_cast<std::size_t>(kept_.front().row)] = kept_.end();
    kept_.front().row = i;
  }
  place_[static_cast<std::size_t>(i)] = kept_.begin();
  ++computed_rows_;
  return kept_.front().values.data();
}

const double* KernelRows::row(Index i) {
  if (all_.size() > 0) return all_.col(i).data();
  const auto place = place_[static_cast<std::size_t>(i)];
  if (place != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, place);
    return place->values.data();
  }
  double* const target = place_for(i);
  compute(i, target);
  return target;
}

void KernelRows::compute_together(std::span<const Index> rows) {
  CLADE_CHECK(std::ssize(rows) <= capacity());
  if (all_.size() > 0) return;
  std::vector<Index> missing;
  for (const Index i : rows) {
    const auto place = place_[static_cast<std::size_t>(i)];
    if (place == kept_.end()) {
      missing.push_back(i);
    } else {
      kept_.splice(kept_.begin(), kept_, place);
    }
  }
  std::vector<double*> targets;
  for (const Index i : missing) targets.push_back(place_for(i));
  if (!is_dense_) {
    parallel_for(ctx_, std::ssize(missing), 1, [&](Index k, Index) {
      compute(missing[static_cast<std::size_t>(k)], targets[static_cast<std::size_t>(k)]);
    });
    return;
  }
  constexpr Index kTogether = 256;
  Matrix some;
  for (Index first = 0; first < std::ssize(missing); first += kTogether) {
    const Index count = std::min(kTogether, std::ssize(missing) - first);
    some.resize(dense_.rows(), count);
    for (Index k = 0; k < count; ++k) some.col(k) = dense_.col(missing[static_cast<std::size_t>(first + k)]);
    parallel_for(ctx_, size(), kRowsPerTask, [&](Index begin, Index end) {
      Matrix products = Matrix::Zero(end - begin, count);
      add_transposed_product(dense_.middleCols(begin, end - begin), some, products, ctx_);
      for (Index k = 0; k < count; ++k) {
        const Index i = missing[static_cast<std::size_t>(first + k)];
        double* const target = targets[static_cast<std::size_t>(first + k)];
        for (Index j = begin; j < end; ++j) {
          target[j] = kernel_value(options_, products(j - begin, k), square_(i), square_(j));
        }
        if (i >= begin && i < end) target[i] = diagonal_(i);
      }
    });
  }
}

}  // namespace clade
