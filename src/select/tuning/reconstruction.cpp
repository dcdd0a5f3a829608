#include "select/tuning/reconstruction.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

constexpr Index kMostSamples = 2000;
constexpr Index kFolds = 5;
constexpr Index kFeaturesAtOnce = 4096;
constexpr std::array kRidges{1e-3, 1e-1, 10.0};
constexpr std::uint64_t kFoldOrder = 1U << 16U;  // apart from the numbers of subsamples

struct Fold {
  std::vector<Index> kept;
  std::vector<Index> held_out;
};

Fold fold_of(Index samples, Index fold, Index folds) {
  Fold result;
  for (Index s = 0; s < samples; ++s) (s % folds == fold ? result.held_out : result.kept).push_back(s);
  return result;
}

// Inner products of samples about the mean of those that are kept.
Matrix centred(const Matrix& products, const std::vector<Index>& kept) {
  Vector mean = Vector::Zero(products.rows());
  for (const Index t : kept) mean += products.col(t);
  mean /= static_cast<double>(kept.size());
  double of_mean = 0;
  for (const Index t : kept) of_mean += mean[t] / static_cast<double>(kept.size());
  return (products.colwise() - mean).rowwise() - (mean.array() - of_mean).matrix().transpose();
}

// The squared errors of the held-out samples for every ridge.
std::array<double, kRidges.size()> errors(const Matrix& k, const Matrix& g, const Fold& fold, Context& ctx) {
  const Matrix k_tt = k(fold.kept, fold.kept);
  const Matrix k_th = k(fold.kept, fold.held_out);
  const Matrix g_tt = g(fold.kept, fold.kept);
  const Matrix g_th = g(fold.kept, fold.held_out);
  double whole = 0;
  for (const Index h : fold.held_out) whole += g(h, h);
  std::array<double, kRidges.size()> found{};
  found.fill(whole);
  const double size = k_tt.trace() / static_cast<double>(k_tt.rows());
  if (!(size > 0)) return found;
  for (std::size_t r = 0; r < kRidges.size(); ++r) {
    Matrix factor = k_tt;
    factor.diagonal().array() += kRidges[r] * size;
    if (!cholesky(factor, ctx)) continue;
    Matrix a = k_th;
    cholesky_solve(factor, a, ctx);
    Matrix g_a = Matrix::Zero(a.rows(), a.cols());
    add_product(g_tt, a, g_a, ctx);
    found[r] += a.cwiseProduct(g_a - 2 * g_th).sum();
  }
  return found;
}

}  // namespace

Reconstruction::Reconstruction(const Dataset& data, Context& ctx)
    : data_(data), rows_(static_cast<std::size_t>(data.samples())) {
  std::iota(rows_.begin(), rows_.end(), Index{0});
  RandomStream(ctx.seed(), {kTuneStream, kFoldOrder}).shuffle(std::span(rows_));
  rows_.resize(static_cast<std::size_t>(std::min(data.samples(), kMostSamples)));
  std::vector<FeatureIndex> features(static_cast<std::size_t>(data.features()));
  std::iota(features.begin(), features.end(), FeatureIndex{0});
  all_ = inner_products(features, ctx);
}

Matrix Reconstruction::inner_products(std::span<const FeatureIndex> features, Context& ctx) const {
  const auto n = std::ssize(rows_);
  Matrix products = Matrix::Zero(n, n);
  std::vector<Index> place(static_cast<std::size_t>(data_.features()), -1);
  for (std::size_t from = 0; from < features.size(); from += kFeaturesAtOnce) {
    const auto some = features.subspan(from, std::min<std::size_t>(kFeaturesAtOnce, features.size() - from));
    for (std::size_t k = 0; k < some.size(); ++k) place[static_cast<std::size_t>(some[k])] = static_cast<Index>(k);
    Matrix values = Matrix::Zero(std::ssize(some), n);
    for (Index s = 0; s < n; ++s) {
      data_.for_each_value(rows_[static_cast<std::size_t>(s)], [&](FeatureIndex f, auto value) {
        const Index k = place[static_cast<std::size_t>(f)];
        if (k >= 0) values(k, s) = static_cast<double>(value);
      });
    }
    add_inner_product(values, products, ctx);
    for (const FeatureIndex f : some) place[static_cast<std::size_t>(f)] = -1;
  }
  return products.selfadjointView<Eigen::Lower>();
}

double Reconstruction::share(std::span<const FeatureIndex> selected, Context& ctx) const {
  const Matrix products = inner_products(selected, ctx);
  const Index folds = std::min(kFolds, products.rows());
  std::array<double, kRidges.size()> error{};
  double whole = 0;
  for (Index k = 0; k < folds && folds > 1; ++k) {
    const Fold fold = fold_of(products.rows(), k, folds);
    const Matrix g = centred(all_, fold.kept);
    for (const Index h : fold.held_out) whole += g(h, h);
    const auto part = errors(centred(products, fold.kept), g, fold, ctx);
    for (std::size_t r = 0; r < error.size(); ++r) error[r] += part[r];
  }
  return whole > 0 ? 1 - *std::ranges::min_element(error) / whole : 0;
}

}  // namespace clade
