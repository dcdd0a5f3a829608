#pragma once

#include <optional>

#include "classify/joint/attribute_weights.h"
#include "classify/joint/feature_mask.h"
#include "classify/linear/training_rows.h"

namespace clade {

// The outputs <w_z, x_i> of training samples by explicit weights: all that a joint solver needs to know about the
// samples. KernelScores is the other form.
template <class T>
class LinearScores {
 public:
  using Value = T;
  static constexpr bool kCanScoreWhileVisiting = true;  // outputs() may run beside begin_inner() and inner()
  static constexpr bool kScoresFewQuickly = false;      // a few outputs cost almost as much as all

  // With a mask, which must outlive this, an attribute has weights for the features of its list alone.
  LinearScores(const TrainingRows& rows, Index attributes, const FeatureMask* mask = nullptr)
      : rows_(rows), weights_(rows.width(), attributes), mask_(mask != nullptr && !mask->is_none() ? mask : nullptr) {
    for (Index i = 0; i < rows.rows(); ++i) {
      double square = 0;
      const auto values = rows.values_of(i);
      for (const double v : values) square += v * v;
      square_.push_back(square);
      nonzeros_ += std::ssize(values);
    }
    spread_.assign(static_cast<std::size_t>(rows.width()), 0.0);
  }

  const TrainingRows& rows() const { return rows_; }
  Index samples() const { return rows_.rows(); }
  Index stride() const { return weights_.stride(); }
  Index nonzeros() const { return nonzeros_; }
  double square(Index i) const { return square_[static_cast<std::size_t>(i)]; }
  bool is_masked() const { return mask_ != nullptr; }
  // Valid until the next call.
  SampleSquare sample_square(Index i) {
    if (mask_ == nullptr) return square(i);
    by_list_.assign(static_cast<std::size_t>(mask_->lists()), 0);
    const auto columns = rows_.columns_of(i);
    const auto values = rows_.values_of(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::int32_t list = 0; list < mask_->lists(); ++list) {
        if (mask_->has(columns[k], list)) by_list_[static_cast<std::size_t>(list)] += values[k] * values[k];
      }
    }
    return {square(i), by_list_.data(), mask_->list_by_attribute()};
  }

  // The samples whose outputs are needed next.
  void prepare(std::span<const std::int32_t>) const {}
  void outputs(Index i, T* out) const { weights_.product(rows_.columns_of(i), rows_.values_of(i), out); }
  void outputs_at(Index i, std::span<const std::int32_t> wanted, T* out) const {
    weights_.product_at(rows_.columns_of(i), rows_.values_of(i), wanted, out);
  }
  void add(Index i, std::span<const AttributeChange> changes) { add_to(weights_, i, changes); }

  // The same for a second set of weights, used for averages.
  void add_lagged(Index i, std::span<const AttributeChange> changes) {
    if (!lagged_) lagged_.emplace(weights_.features(), weights_.attributes());
    add_to(*lagged_, i, changes);
  }

  // <x_i, x_j> for one i and several j.
  void begin_inner(Index i) {
    const auto columns = rows_.columns_of(i);
    for (std::size_t k = 0; k < columns.size(); ++k)
      spread_[static_cast<std::size_t>(columns[k])] = rows_.values_of(i)[k];
  }
  double inner(Index j) const {
    const auto columns = rows_.columns_of(j);
    const auto values = rows_.values_of(j);
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) sum += values[k] * spread_[static_cast<std::size_t>(columns[k])];
    return sum;
  }
  void end_inner(Index i) {
    for (const std::int32_t f : rows_.columns_of(i)) spread_[static_cast<std::size_t>(f)] = 0;
  }

  const AttributeWeights<T>& weights() const { return weights_; }
  AttributeWeights<T>& weights() { return weights_; }
  const std::optional<AttributeWeights<T>>& lagged() const { return lagged_; }
  std::optional<AttributeWeights<T>>& lagged() { return lagged_; }

 private:
  void add_to(AttributeWeights<T>& weights, Index i, std::span<const AttributeChange> changes) {
    const auto columns = rows_.columns_of(i);
    const auto values = rows_.values_of(i);
    if (mask_ == nullptr) {
      weights.add(columns, values, changes);
      return;
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      mask_->pick(columns[k], changes, picked_);
      weights.add(columns[k], values[k], picked_);
    }
  }

  const TrainingRows& rows_;
  AttributeWeights<T> weights_;
  std::optional<AttributeWeights<T>> lagged_;
  std::vector<double> square_;
  Index nonzeros_ = 0;
  std::vector<double> spread_;  // x_i by column
  const FeatureMask* mask_ = nullptr;
  std::vector<double> by_list_;
  std::vector<AttributeChange> picked_;
};

}  // namespace clade
