#include "select/unsupervised/lars.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/decompositions.h"

namespace clade {
namespace {

constexpr double kSpanned = 1e-10;  // if only this share of a column's square is left, the others span it
constexpr double kNothing = 1e-12;  // if only this share of the first correlation is left, y is fitted

// The active features, their inner products, and the Cholesky factor of these.
class ActiveSet {
 public:
  explicit ActiveSet(const CentredColumns& x) : x_(x), place_(static_cast<std::size_t>(x.features()), -1) {}

  Index size() const { return static_cast<Index>(features_.size()); }
  const std::vector<Index>& features() const { return features_; }
  bool holds(Index feature) const { return place_[static_cast<std::size_t>(feature)] >= 0; }

  // What a feature would add to the factor.
  struct Growth {
    Vector column;
    Vector products;
    Vector row;
    double pivot;

    bool is_spanned() const { return !(pivot > kSpanned * products[products.size() - 1]); }
  };
  Growth growth(Index feature) const {
    Growth g{x_.column(feature), Vector(size() + 1), {}, 0};
    const Index k = size();
    for (Index i = 0; i < k; ++i) g.products[i] = columns_[static_cast<std::size_t>(i)].dot(g.column);
    g.products[k] = g.column.squaredNorm();
    g.row = g.products.head(k);
    factor_.topLeftCorner(k, k).triangularView<Eigen::Lower>().solveInPlace(g.row);
    g.pivot = g.products[k] - g.row.squaredNorm();
    return g;
  }

  void add(Index feature, Growth g) {
    const Index k = size();
    if (k == factor_.rows()) {
      factor_.conservativeResize(2 * k + 8, 2 * k + 8);
      gram_.conservativeResize(2 * k + 8, 2 * k + 8);
    }
    gram_.row(k).head(k + 1) = g.products;
    gram_.col(k).head(k + 1) = g.products;
    factor_.row(k).head(k) = g.row;
    factor_(k, k) = std::sqrt(g.pivot);
    columns_.push_back(std::move(g.column));
    place_[static_cast<std::size_t>(feature)] = k;
    features_.push_back(feature);
  }

  void remove(Index at) {
    place_[static_cast<std::size_t>(features_[static_cast<std::size_t>(at)])] = -1;
    features_.erase(features_.begin() + at);
    columns_.erase(columns_.begin() + at);
    const Index k = size();
    for (Index i = at; i < k; ++i) {
      place_[static_cast<std::size_t>(features_[static_cast<std::size_t>(i)])] = i;
      gram_.row(i).head(k + 1) = gram_.row(i + 1).head(k + 1).eval();
    }
    for (Index i = at; i < k; ++i) gram_.col(i).head(k) = gram_.col(i + 1).head(k).eval();
    factor_.topLeftCorner(k, k) = cholesky_factor(gram_.topLeftCorner(k, k));
  }

  // (X_A'X_A)^-1 s
  Vector solve(Vector s) const {
    const auto lower = factor_.topLeftCorner(size(), size()).triangularView<Eigen::Lower>();
    lower.solveInPlace(s);
    lower.transpose().solveInPlace(s);
    return s;
  }

  Vector combine(const Vector& w) const {
    Vector sum = Vector::Zero(x_.samples());
    for (Index i = 0; i < size(); ++i) sum += w[i] * columns_[static_cast<std::size_t>(i)];
    return sum;
  }

 private:
  const CentredColumns& x_;
  std::vector<Index> place_;  // of every feature; -1: not active
  std::vector<Index> features_;
  std::vector<Vector> columns_;
  Matrix gram_;
  Matrix factor_;
};

}  // namespace

CentredColumns::CentredColumns(const Dataset& data)
    : samples_(data.samples()), is_sparse_(is_sparse(data.matrix())), means_(Vector::Zero(data.features())) {
  const auto n = static_cast<double>(samples_);
  for (Index s = 0; s < samples_; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) { means_[f] += static_cast<double>(v) / n; });
  }
  if (is_sparse_) {
    std::vector<Eigen::Triplet<double>> values;
    for (Index s = 0; s < samples_; ++s) {
      data.for_each_value(
          s, [&](FeatureIndex f, auto v) { values.emplace_back(static_cast<int>(s), f, static_cast<double>(v)); });
    }
    sparse_.resize(samples_, data.features());
    sparse_.setFromTriplets(values.begin(), values.end());
    return;
  }
  dense_.resize(samples_, data.features());
  for (Index s = 0; s < samples_; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) { dense_(s, f) = static_cast<double>(v) - means_[f]; });
  }
}

Vector CentredColumns::column(Index feature) const {
  if (!is_sparse_) return dense_.col(feature);
  return (Vector(sparse_.col(feature)).array() - means_[feature]).matrix();
}

Vector CentredColumns::transposed_times(const Vector& v) const {
  if (!is_sparse_) return dense_.transpose() * v;
  return sparse_.transpose() * v - means_ * v.sum();
}

double CentredColumns::memory(const Dataset& data) {
  if (!is_sparse(data.matrix())) {
    return sizeof(double) * static_cast<double>(data.samples()) * static_cast<double>(data.features());
  }
  double stored = 0;
  for (Index s = 0; s < data.samples(); ++s) data.for_each_value(s, [&](FeatureIndex, auto) { ++stored; });
  return stored * (sizeof(Eigen::Triplet<double>) + sizeof(double) + sizeof(int));
}

Vector lasso_by_lars(const CentredColumns& x, const Vector& y, Index nonzeros, Context& ctx) {
  Vector weights = Vector::Zero(x.features());
  Vector correlation = x.transposed_times((y.array() - y.mean()).matrix());
  Index entering = 0;
  double level = correlation.cwiseAbs().maxCoeff(&entering);  // lambda
  const double first_level = level;
  ActiveSet active(x);
  std::vector<bool> is_out(static_cast<std::size_t>(x.features()), false);  // spanned by others
  Index left = -1;  // has just left: still at the level, it would enter again at once
  while (level > kNothing * first_level) {
    ctx.check_cancelled();
    if (entering >= 0) {
      ActiveSet::Growth growth = active.growth(entering);
      if (growth.is_spanned()) {
        is_out[static_cast<std::size_t>(entering)] = true;
      } else if (active.size() == nonzeros) {
        break;
      } else {
        active.add(entering, std::move(growth));
      }
    }
    const std::vector<Index>& features = active.features();
    Vector signs(active.size());
    for (Index i = 0; i < active.size(); ++i) {
      signs[i] = correlation[features[static_cast<std::size_t>(i)]] < 0 ? -1 : 1;
    }
    const Vector direction = active.solve(signs);
    const Vector change = x.transposed_times(active.combine(direction));

    double step = level;
    entering = -1;
    for (Index f = 0; f < x.features(); ++f) {
      if (active.holds(f) || is_out[static_cast<std::size_t>(f)] || f == left) continue;
      for (const double sign : {1.0, -1.0}) {
        const double speed = 1 - sign * change[f];
        const double until = std::max(0.0, (level - sign * correlation[f]) / speed);
        if (!(speed > 0) || until >= step) continue;
        step = until;
        entering = f;
      }
    }
    Index leaving = -1;
    for (Index i = 0; i < active.size(); ++i) {
      const double until = -weights[features[static_cast<std::size_t>(i)]] / direction[i];
      if (!(until > 0) || until >= step) continue;
      step = until;
      leaving = i;
    }

    for (Index i = 0; i < active.size(); ++i) weights[features[static_cast<std::size_t>(i)]] += step * direction[i];
    correlation -= step * change;
    level -= step;
    left = -1;
    if (leaving >= 0) {
      left = features[static_cast<std::size_t>(leaving)];
      weights[left] = 0;
      active.remove(leaving);
      entering = -1;
    } else if (entering < 0) {
      break;
    }
  }
  return weights;
}

}  // namespace clade
