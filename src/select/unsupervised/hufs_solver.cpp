#include "select/unsupervised/hufs_solver.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/progress.h"
#include "math/blas/blas.h"
#include "math/decompositions.h"

namespace clade {
namespace {

// kBlock samples, so that their part of Q stays in the cache until it is used; made in segments of kSegment features.
constexpr Index kBlock = 16;
constexpr Index kSegment = 512;
constexpr Index kMostTasks = 32;  // each sums up its own matrix

int as_int(Index value) {
  return static_cast<int>(value);
}

Index samples_per_task(Index samples) {
  const Index share = (samples + kMostTasks - 1) / kMostTasks;
  return std::max(Index{2}, (share + kBlock - 1) / kBlock) * kBlock;
}

// The factor by which shrink(a, t) multiplies a vector of this length.
double shrinkage(double length, double threshold) {
  return length > threshold ? 1 - threshold / length : 0;
}

// The values of a sample, in place if they are stored as dense doubles, else copied.
class RowReader {
 public:
  explicit RowReader(const Dataset& data) : data_(data), plain_(std::get_if<DenseMatrix<double>>(&data.matrix())) {
    if (plain_ == nullptr) copy_.resize(data.features());
  }

  const double* row(Index sample) {
    if (plain_ != nullptr) return plain_->row(data_.source_row(sample)).data();
    copy_.setZero();
    data_.for_each_value(sample, [&](FeatureIndex f, auto v) { copy_[f] = static_cast<double>(v); });
    return copy_.data();
  }

 private:
  const Dataset& data_;
  const DenseMatrix<double>* plain_;
  Vector copy_;
};

}  // namespace

FeatureGroups::FeatureGroups(const FeatureTree& tree) : order(tree.order().begin(), tree.order().end()) {
  for (NodeId node = 0; node < tree.size(); ++node) ranges.push_back({tree.begin(node), tree.end(node)});
}

Index FeatureGroups::total() const {
  Index sum = 0;
  for (const Range& range : ranges) sum += range.size();
  return sum;
}

HufsSolver::HufsSolver(const Dataset& data, FeatureGroups groups, Matrix start, const HufsSettings& settings,
                       Context& ctx, const NeighbourGraph* graph)
    : data_(data),
      groups_(std::move(groups)),
      graph_(graph),
      copies_(Vector::Zero(data.features())),
      settings_(settings),
      ctx_(ctx),
      mu_(settings.mu),
      u_(std::move(start)) {
  if (settings.alpha == 0) groups_ = {};
  const Index n = data.samples();
  const Index p = data.features();
  const Index clusters = u_.rows();
  group_begin_.push_back(0);
  for (const auto& range : groups_.ranges) {
    group_begin_.push_back(group_begin_.back() + range.size());
    for (Index t = range.begin; t < range.end; ++t) copies_[groups_.order[static_cast<std::size_t>(t)]] += 1;
  }
  v_ = Matrix::Zero(p, clusters);
  const Index grain = samples_per_task(n);
  partial_k_.assign(static_cast<std::size_t>(chunk_count(n, grain)), Matrix::Zero(p, clusters));
  Vector squares = Vector::Zero(n);
  parallel_for(ctx, n, grain, [&](Index begin, Index end) {
    Matrix& sum = partial_k_[static_cast<std::size_t>(begin / grain)];
    for (Index s = begin; s < end; ++s) {
      data.for_each_value(s, [&](FeatureIndex f, auto v) {
        const auto value = static_cast<double>(v);
        squares[s] += value * value;
        sum.row(f) += value * u_.col(s).transpose();
      });
    }
  });
  for (const Matrix& part : partial_k_) v_ += part;
  x_square_ = squares.sum();
  z_ = u_;
  y1_ = Matrix::Zero(clusters, n);
  p_.resize(group_begin_.back(), clusters);
  for (std::size_t g = 0; g < groups_.ranges.size(); ++g) {
    const auto& range = groups_.ranges[g];
    for (Index t = 0; t < range.size(); ++t) {
      p_.row(group_begin_[g] + t) = v_.row(groups_.order[static_cast<std::size_t>(range.begin + t)]);
    }
  }
  y3_ = Matrix::Zero(p_.rows(), clusters);
  q_.resize(p, n);
  kept_ = Vector::Zero(n);
}

// With moves_on, Q becomes that of the next iteration, and the block's part of Q'diag(1 - s) U is added to `products`.
template <bool moves_on>
HufsSolver::Measures HufsSolver::sweep_block(Index begin, Index end, MatrixRef products) {
  const Index p = data_.features();
  const Index size = end - begin;
  const double ratio = is_first_ ? 0 : mu_before_ / mu_;
  RowReader reader(data_);
  Vector fit(std::min(kSegment, p));     // x - V u
  Vector before(std::min(kSegment, p));  // V u of the previous iteration
  Measures measures;
  Matrix scaled(u_.rows(), size);  // (1 - s) U
  for (Index s = begin; s < end; ++s) {
    const double* const x = reader.row(s);
    const double kept = kept_[s];
    double fit_square = 0;
    double residual_square = 0;
    double q_square = 0;
    for (Index from = 0; from < p; from += kSegment) {
      const Index count = std::min(kSegment, p - from);
      const Eigen::Map<const Vector> values(x + from, count);
      auto q = q_.col(s).segment(from, count);
      auto r = fit.head(count);
      auto b = before.head(count);
      r = values;
      r.noalias() -= v_.middleRows(from, count) * u_.col(s);
      fit_square += r.squaredNorm();
      if (is_first_) {
        if constexpr (moves_on) {
          q = r;
          q_square += q.squaredNorm();
        }
        continue;
      }
      residual_square += (r - (1 - kept) * q).squaredNorm();
      if constexpr (moves_on) {
        b.noalias() = v_before_.middleRows(from, count) * u_before_.col(s);
        q = r + ratio * (b + kept * q - values + r);
        q_square += q.squaredNorm();
      }
    }
    measures.fit += std::sqrt(fit_square);
    measures.residual += residual_square;
    if constexpr (moves_on) {
      kept_[s] = 1 - shrinkage(std::sqrt(q_square), 1 / mu_);
      scaled.col(s - begin) = kept_[s] * u_.col(s);
    }
  }
  if constexpr (moves_on) {
    blas::gemm(false, true, as_int(p), as_int(u_.rows()), as_int(size), 1, q_.col(begin).data(), as_int(p),
               scaled.data(), as_int(u_.rows()), 1, products.data(), as_int(p));
  }
  return measures;
}

template <bool moves_on>
HufsSolver::Measures HufsSolver::sweep() {
  const Index grain = samples_per_task(data_.samples());
  return parallel_reduce(
      ctx_, data_.samples(), grain, Measures{},
      [&](Index begin, Index end) {
        Matrix& products = partial_k_[static_cast<std::size_t>(begin / grain)];
        if (moves_on) products.setZero();
        Measures sum;
        for (Index from = begin; from < end; from += kBlock) {
          const Measures part = sweep_block<moves_on>(from, std::min(from + kBlock, end), products);
          sum.fit += part.fit;
          sum.residual += part.residual;
        }
        return sum;
      },
      [](Measures& total, const Measures& part) {
        total.fit += part.fit;
        total.residual += part.residual;
      });
}

void HufsSolver::update_error() {
  measures_ = sweep<true>();
  is_first_ = false;
  mu_before_ = mu_;
  u_before_ = u_;
  v_before_ = v_;
}

void HufsSolver::update_features() {
  constexpr Index kFeaturesPerTask = 512;
  Matrix copies = Matrix::Zero(v_.rows(), v_.cols());  // sums of P + Y3 / mu over the groups, in tree order
  if (!groups_.ranges.empty()) {
    parallel_for(ctx_, v_.cols(), 1, [&](Index k, Index) {
      for (std::size_t g = 0; g < groups_.ranges.size(); ++g) {
        const auto& range = groups_.ranges[g];
        copies.col(k).segment(range.begin, range.size()) +=
            p_.col(k).segment(group_begin_[g], range.size()) + y3_.col(k).segment(group_begin_[g], range.size()) / mu_;
      }
      Vector in_data_order(v_.rows());
      for (Index t = 0; t < v_.rows(); ++t) in_data_order[groups_.order[static_cast<std::size_t>(t)]] = copies(t, k);
      copies.col(k) = in_data_order;
    });
  }
  parallel_for(ctx_, v_.rows(), kFeaturesPerTask, [&](Index begin, Index end) {
    const Index count = end - begin;
    auto v = v_.middleRows(begin, count);
    for (const Matrix& part : partial_k_) v += part.middleRows(begin, count);
    v += copies.middleRows(begin, count);
    for (Index j = begin; j < end; ++j) {
      v_.row(j) *= shrinkage(v_.row(j).norm(), settings_.beta / mu_) / (1 + copies_[j]);
    }
  });
}

void HufsSolver::update_clusters() {
  const Matrix turned = v_.transpose() * v_before_;
  Matrix n = y1_ / mu_ + z_;
  if (has_graph()) n -= (settings_.nu / mu_) * times_plain_laplacian(z_, *graph_, ctx_);
  const int p = as_int(data_.features());
  parallel_for(ctx_, data_.samples(), samples_per_task(data_.samples()), [&](Index begin, Index end) {
    Matrix product(u_.rows(), end - begin);
    blas::gemm(true, false, as_int(u_.rows()), as_int(end - begin), p, 1, v_.data(), p, q_.col(begin).data(), p, 0,
               product.data(), as_int(u_.rows()));
    n.middleCols(begin, end - begin) +=
        turned * u_before_.middleCols(begin, end - begin) + product * kept_.segment(begin, end - begin).asDiagonal();
  });
  u_ = nearest_orthonormal(n.transpose()).transpose();
}

void HufsSolver::update_groups() {
  if (groups_.ranges.empty()) return;
  parallel_for(ctx_, v_.cols(), 1, [&](Index k, Index) {
    const Vector v = in_tree_order(k);
    for (std::size_t g = 0; g < groups_.ranges.size(); ++g) {
      const auto& range = groups_.ranges[g];
      auto p = p_.col(k).segment(group_begin_[g], range.size());
      p = v.segment(range.begin, range.size()) - y3_.col(k).segment(group_begin_[g], range.size()) / mu_;
      p *= shrinkage(p.norm(), settings_.alpha / mu_);
    }
  });
}

void HufsSolver::update_signs() {
  z_ = u_ - y1_ / mu_;
  if (has_graph()) z_ -= (settings_.nu / mu_) * times_plain_laplacian(u_, *graph_, ctx_);
  z_ = z_.cwiseMax(0);
}

void HufsSolver::update_multipliers() {
  y1_ += mu_ * (z_ - u_);
  constraint_.sign = (z_ - u_).norm() / std::sqrt(static_cast<double>(u_.rows()));
  if (!groups_.ranges.empty()) {
    Matrix squares = Matrix::Zero(3, v_.cols());  // of P - M V, P and M V
    parallel_for(ctx_, v_.cols(), 1, [&](Index k, Index) {
      const Vector v = in_tree_order(k);
      for (std::size_t g = 0; g < groups_.ranges.size(); ++g) {
        const auto& range = groups_.ranges[g];
        const auto own = v.segment(range.begin, range.size());
        const auto copy = p_.col(k).segment(group_begin_[g], range.size());
        y3_.col(k).segment(group_begin_[g], range.size()) += mu_ * (copy - own);
        squares.col(k) += Eigen::Vector3d((copy - own).squaredNorm(), copy.squaredNorm(), own.squaredNorm());
      }
    });
    const Vector sums = squares.rowwise().sum();
    const double size = std::max(sums[1], sums[2]);
    constraint_.groups = size > 0 ? std::sqrt(sums[0] / size) : 0;
  }
  mu_ = std::min(settings_.rho * mu_, settings_.max_mu);
}

Vector HufsSolver::in_tree_order(Index cluster) const {
  Vector values(v_.rows());
  for (Index t = 0; t < v_.rows(); ++t) values[t] = v_(groups_.order[static_cast<std::size_t>(t)], cluster);
  return values;
}

double HufsSolver::group_penalty() const {
  double sum = 0;
  for (Index k = 0; k < v_.cols() && !groups_.ranges.empty(); ++k) {
    const Vector v = in_tree_order(k);
    for (const auto& range : groups_.ranges) sum += v.segment(range.begin, range.size()).norm();
  }
  return sum;
}

void HufsSolver::record(const Measures& measures) {
  double row_norms = 0;
  for (Index j = 0; j < v_.rows(); ++j) row_norms += v_.row(j).norm();
  const double rough = has_graph() ? u_.cwiseProduct(times_plain_laplacian(u_, *graph_, ctx_)).sum() : 0;
  objectives_.push_back(measures.fit + settings_.beta * row_norms + settings_.alpha * group_penalty() +
                        settings_.nu * rough);
  constraint_.fit = x_square_ > 0 ? std::sqrt(measures.residual / x_square_) : 0;
  residuals_.push_back(constraint_);
}

bool HufsSolver::is_within_tolerance() const {
  const HufsResiduals& last = residuals_.back();
  return std::max({last.fit, last.sign, last.groups}) < settings_.tolerance;
}

void HufsSolver::run() {
  Progress progress(ctx_, "clusters and features", settings_.iterations);
  for (int t = 0; t < settings_.iterations; ++t) {
    ctx_.check_cancelled();
    update_error();
    if (t > 0) {
      record(measures_);
      has_converged_ = is_within_tolerance();
      if (has_converged_) return;
    }
    update_features();
    update_clusters();
    update_groups();
    update_signs();
    update_multipliers();
    progress.advance();
  }
  record(sweep<false>());
  has_converged_ = is_within_tolerance();
}

Matrix HufsSolver::error() const {
  return q_ * (1 - kept_.array()).matrix().asDiagonal();
}

Matrix HufsSolver::fit_multiplier() const {
  return mu_before_ * (v_before_ * u_before_ + q_ * kept_.asDiagonal() - v_ * u_);
}

double HufsSolver::memory(Index samples, Index features, Index clusters, Index group_features) {
  const auto n = static_cast<double>(samples);
  const auto p = static_cast<double>(features);
  const auto k = static_cast<double>(clusters);
  const double parts = static_cast<double>(chunk_count(samples, samples_per_task(samples)));
  return sizeof(double) * (n * p + (parts + 4) * p * k + 8 * n * k + 2 * static_cast<double>(group_features) * k);
}

}  // namespace clade
