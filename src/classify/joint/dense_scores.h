#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "classify/joint/attribute_weights.h"
#include "classify/joint/feature_mask.h"
#include "classify/linear/training_rows.h"

namespace clade {

// The outputs <w_z, x_i> of training samples with few, dense features and weights for many attributes: LinearScores
// with the weights of an attribute side by side. All outputs of a sample cost the same, but a few of them cost only
// what they have to, so that solvers can go on with the attributes of active variables for long before they look at all
// of them again.
template <class T>
class DenseScores {
 public:
  using Value = T;
  static constexpr bool kCanScoreWhileVisiting = true;
  static constexpr bool kScoresFewQuickly = true;

  // Is it the better form for these rows?
  static bool suits(const TrainingRows& rows, Index attributes) {
    constexpr Index kManyAttributes = 256;          // below, LinearScores reads full rows as quickly
    constexpr Index kMostWeights = Index{1} << 26;  // 256 MiB as floats
    constexpr double kDense = 0.5;
    return attributes >= kManyAttributes && attributes * rows.width() <= kMostWeights &&
           static_cast<double>(rows.nonzeros()) >= kDense * static_cast<double>(rows.rows() * rows.width());
  }

  DenseScores(const TrainingRows& rows, Index attributes)
      : width_(rows.width()),
        storage_(padded(width_) * rows.rows()),
        rows_(storage_.data(), padded(width_), rows.rows()) {
    weights_ = Values::Zero(rows_.rows(), attributes);
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto columns = rows.columns_of(i);
      rows_.col(i).setZero();
      double square = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double value = rows.values_of(i)[k];
        rows_(columns[k], i) = static_cast<T>(value);
        square += value * value;
      }
      square_.push_back(square);
    }
  }

  Index samples() const { return rows_.cols(); }
  Index stride() const { return weights_.cols(); }
  Index nonzeros() const { return width_ * samples(); }
  double square(Index i) const { return square_[static_cast<std::size_t>(i)]; }
  bool is_masked() const { return false; }
  SampleSquare sample_square(Index i) const { return square(i); }

  void prepare(std::span<const std::int32_t>) const {}
  void outputs(Index i, T* out) const {
    for (Index z = 0; z < stride(); ++z) out[z] = output(i, z);
  }
  // All outputs of several samples, one after the other: the weights are read once.
  void outputs_of(std::span<const std::int32_t> samples, T* out) const {
    for (Index z = 0; z < stride(); ++z) {
      for (std::size_t k = 0; k < samples.size(); ++k) {
        out[static_cast<Index>(k) * stride() + z] = output(samples[k], z);
      }
    }
  }
  // The outputs [first, last) of kSamples samples from `begin` on, a row of `out` for each.
  template <int kSamples>
  void outputs_of_some(Index begin, Index first, Index last, T* out) const {
    const T* const rows = rows_.data() + begin * rows_.rows();
    [&]<std::size_t... s>(std::index_sequence<s...>) {  // so that the sums stay in registers
      const std::array row{rows + static_cast<Index>(s) * rows_.rows()...};
      for (Index z = first; z < last; ++z) {
        const T* const weight = weights_.data() + z * weights_.rows();
        std::array<Line, kSamples> sum;
        (sum[s].setZero(), ...);
        for (Index k = 0; k < rows_.rows(); k += kLine) {
          const Line line = Lines(weight + k);
          ((sum[s] += line * Lines(row[s] + k)), ...);
        }
        ((out[static_cast<Index>(s) * stride() + z] = sum[s].sum()), ...);
      }
    }(std::make_index_sequence<kSamples>());
  }
  T output(Index i, Index z) const { return product(weights_, z, i); }
  // The sum of the outputs of several attributes, and the same change to all of them.
  T sum_of_outputs(Index i, std::span<const std::int32_t> attributes) const {
    Line sum = Line::Zero();
    in_stripes([&]<int kLines>(std::integral_constant<int, kLines>, Index first) {
      Line weight[kLines];
      for (int k = 0; k < kLines; ++k) weight[k] = Line::Zero();
      for (const std::int32_t z : attributes) {
        const T* const from = weights_.data() + z * weights_.rows() + first;
        for (int k = 0; k < kLines; ++k) weight[k] += Lines(from + k * kLine);
      }
      const T* const row = rows_.data() + i * rows_.rows() + first;
      for (int k = 0; k < kLines; ++k) sum += weight[k] * Lines(row + k * kLine);
    });
    return sum.sum();
  }
  void add_to_all(Index i, std::span<const std::int32_t> attributes, double change) {
    in_stripes([&]<int kLines>(std::integral_constant<int, kLines>, Index first) {
      const T* const row = rows_.data() + i * rows_.rows() + first;
      Line gain[kLines];
      for (int k = 0; k < kLines; ++k) gain[k] = static_cast<T>(change) * Lines(row + k * kLine);
      for (const std::int32_t z : attributes) {
        T* const to = weights_.data() + z * weights_.rows() + first;
        for (int k = 0; k < kLines; ++k) Eigen::Map<Line, Eigen::Aligned64>(to + k * kLine) += gain[k];
      }
    });
  }
  void add(Index i, std::span<const AttributeChange> changes) {
    for (const AttributeChange& c : changes) add_row(i, static_cast<T>(c.value), c.attribute, weights_);
  }

  void begin_inner(Index i) { current_ = i; }
  double inner(Index j) const { return inner(current_, j); }
  double inner(Index i, Index j) const { return static_cast<double>(product(rows_, i, j)); }
  void end_inner(Index) {}

  // The same for a second set of weights, used for averages.
  void begin_lagged() {
    if (lagged_.size() == 0) lagged_ = Values::Zero(weights_.rows(), weights_.cols());
  }
  void add_lagged(Index i, std::span<const AttributeChange> changes) {
    begin_lagged();
    for (const AttributeChange& c : changes) add_row(i, static_cast<T>(c.value), c.attribute, lagged_);
  }

  // Goes on from given weights; without lagged ones if there are none.
  void start_from(const AttributeWeights<T>& weights, const std::optional<AttributeWeights<T>>& lagged) {
    set(weights, weights_);
    if (lagged) set(*lagged, lagged_);
  }
  AttributeWeights<T> weights() const { return by_feature(weights_); }
  std::optional<AttributeWeights<T>> lagged() const {
    return lagged_.size() == 0 ? std::nullopt : std::optional(by_feature(lagged_));
  }

 private:
  using Values = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  static constexpr Index kLine = 64 / static_cast<Index>(sizeof(T));
  using Line = Eigen::Array<T, kLine, 1>;
  using Lines = Eigen::Map<const Line, Eigen::Aligned64>;
  static Index padded(Index width) { return (width + kLine - 1) / kLine * kLine; }

  // A column in stripes that fit in registers: calls use(number of lines, where they begin).
  template <class Use>
  void in_stripes(const Use& use) const {
    const Index end = rows_.rows();
    Index first = 0;
    for (; first + 6 * kLine <= end; first += 6 * kLine) use(std::integral_constant<int, 6>(), first);
    switch ((end - first) / kLine) {
      case 1:
        return use(std::integral_constant<int, 1>(), first);
      case 2:
        return use(std::integral_constant<int, 2>(), first);
      case 3:
        return use(std::integral_constant<int, 3>(), first);
      case 4:
        return use(std::integral_constant<int, 4>(), first);
      case 5:
        return use(std::integral_constant<int, 5>(), first);
      default:
        return;
    }
  }

  // The inner product of a column with a sample, and a multiple of a sample added to a column: columns are full lines.
  template <class Columns>
  T product(const Columns& values, Index column, Index i) const {
    const T* const a = values.data() + column * values.rows();
    const T* const b = rows_.data() + i * rows_.rows();
    Line sum = Line::Zero();
    for (Index k = 0; k < rows_.rows(); k += kLine) sum += Lines(a + k) * Lines(b + k);
    return sum.sum();
  }
  void add_row(Index i, T factor, Index column, Values& values) const {
    T* const to = values.data() + column * values.rows();
    const T* const from = rows_.data() + i * rows_.rows();
    for (Index k = 0; k < rows_.rows(); k += kLine) {
      Eigen::Map<Line, Eigen::Aligned64>(to + k) += factor * Lines(from + k);
    }
  }

  void set(const AttributeWeights<T>& from, Values& to) const {
    to = Values::Zero(weights_.rows(), weights_.cols());
    for (Index f = 0; f < width_; ++f) from.for_each(f, [&](std::int32_t z, T value) { to(f, z) = value; });
  }
  AttributeWeights<T> by_feature(const Values& values) const {
    AttributeWeights<T> weights(width_, values.cols());
    std::vector<AttributeChange> row;
    for (Index f = 0; f < width_; ++f) {
      row.clear();
      for (Index z = 0; z < values.cols(); ++z) {
        if (values(f, z) != 0) row.push_back({static_cast<std::int32_t>(z), static_cast<double>(values(f, z))});
      }
      weights.add(f, 1, row);
    }
    return weights;
  }

  Index width_;
  Buffer<T> storage_;        // of the rows; unlike memory of Eigen, it may be in a file
  Eigen::Map<Values> rows_;  // a column per sample
  Values weights_;           // a column per attribute
  Values lagged_;
  std::vector<double> square_;
  Index current_ = 0;
};

}  // namespace clade
