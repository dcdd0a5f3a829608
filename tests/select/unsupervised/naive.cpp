#include "select/unsupervised/naive.h"

#include <algorithm>
#include <cmath>

#include "math/decompositions.h"
#include "plain_inverse.h"

namespace clade::testing {

NaiveMatrix dense_values(const Dataset& data) {
  NaiveMatrix x = NaiveMatrix::Zero(data.samples(), data.features());
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) { x(s, f) = static_cast<double>(v); });
  }
  return x;
}

double naive_square(const NaiveMatrix& x, Index i, Index j) {
  double sum = 0;
  for (Index f = 0; f < x.cols(); ++f) sum += (x(i, f) - x(j, f)) * (x(i, f) - x(j, f));
  return sum;
}

std::vector<std::pair<double, Index>> naive_neighbours(const NaiveMatrix& x, Index sample, Index count) {
  std::vector<std::pair<double, Index>> all;
  for (Index j = 0; j < x.rows(); ++j) {
    if (j != sample) all.emplace_back(naive_square(x, sample, j), j);
  }
  std::sort(all.begin(), all.end());
  all.resize(static_cast<std::size_t>(count));
  return all;
}

NaiveMatrix naive_graph(const NaiveMatrix& x, Index count) {
  const Index n = x.rows();
  double t = 0;
  for (Index i = 0; i < n; ++i) {
    for (const auto& [square, j] : naive_neighbours(x, i, count)) t += square / static_cast<double>(n * count);
  }
  NaiveMatrix s = NaiveMatrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (const auto& [square, j] : naive_neighbours(x, i, count)) {
      s(i, j) = s(j, i) = std::max(std::exp(-square / t), 1e-8);
    }
  }
  return s;
}

NaiveVector naive_laplacian_scores(const NaiveMatrix& x, const NaiveMatrix& s) {
  const NaiveVector ones = NaiveVector::Ones(x.rows());
  const NaiveMatrix d = (s * ones).asDiagonal();
  NaiveVector scores(x.cols());
  for (Index f = 0; f < x.cols(); ++f) {
    const NaiveVector centred = x.col(f) - (x.col(f).dot(d * ones) / ones.dot(d * ones)) * ones;
    scores[f] = centred.dot((d - s) * centred) / centred.dot(d * centred);
  }
  return scores;
}

NaiveMatrix naive_normalised_laplacian(const NaiveMatrix& s) {
  const NaiveVector root = (s * NaiveVector::Ones(s.rows())).cwiseSqrt().cwiseInverse();
  return NaiveMatrix::Identity(s.rows(), s.rows()) - root.asDiagonal() * s * root.asDiagonal();
}

NaiveNdfs naive_ndfs(const NaiveMatrix& x, const NaiveMatrix& s, NaiveMatrix f, double alpha, double beta, double gamma,
                     int iterations) {
  const Index n = x.rows();
  const Index p = x.cols();
  const NaiveMatrix l = naive_normalised_laplacian(s);
  const NaiveMatrix identity = NaiveMatrix::Identity(f.cols(), f.cols());
  NaiveMatrix d = NaiveMatrix::Identity(p, p);
  NaiveNdfs result;
  for (int t = 0; t < iterations; ++t) {
    const NaiveMatrix inverse = plain_inverse(x.transpose() * x + beta * d);
    const NaiveMatrix m = l + alpha * (NaiveMatrix::Identity(n, n) - x * inverse * x.transpose());
    const NaiveMatrix below = m * f + gamma * f * f.transpose() * f;
    f = (f.array() * (gamma * f).array() / below.array()).matrix();
    for (Index k = 0; k < f.cols(); ++k) f.col(k) /= f.col(k).norm();
    result.w = inverse * x.transpose() * f;
    d = (2 * result.w.rowwise().norm()).cwiseInverse().asDiagonal();
    result.objective.push_back((f.transpose() * l * f).trace() +
                               alpha * ((x * result.w - f).squaredNorm() + beta * result.w.rowwise().norm().sum()) +
                               gamma / 2 * (f.transpose() * f - identity).squaredNorm());
  }
  result.f = f;
  return result;
}

NaiveRufs naive_rufs(const NaiveMatrix& x, const NaiveMatrix& s, NaiveMatrix g, double alpha, double beta, double nu,
                     double gamma, int iterations) {
  const Index n = x.rows();
  const Index p = x.cols();
  const NaiveMatrix l = naive_normalised_laplacian(s);
  const NaiveMatrix links = NaiveMatrix::Identity(n, n) - l;
  const auto fit = [&](const NaiveMatrix& a) {
    return NaiveVector((a.rowwise().squaredNorm().array() + 1e-12 * x.rowwise().squaredNorm().mean()).sqrt());
  };
  const auto predicted = [&](const NaiveMatrix& a) {
    return NaiveVector((a.rowwise().squaredNorm().array() + 1e-12 / static_cast<double>(n)).sqrt());
  };
  const auto plus = [](const NaiveMatrix& a) { return NaiveMatrix(a.cwiseMax(0)); };
  const auto minus = [](const NaiveMatrix& a) { return NaiveMatrix((-a).cwiseMax(0)); };
  NaiveMatrix f = plus(g.transpose() * x);
  NaiveMatrix w = plain_inverse(x.transpose() * x + beta / alpha * NaiveMatrix::Identity(p, p)) * x.transpose() * g;
  NaiveRufs result;
  for (int t = 0; t < iterations; ++t) {
    const NaiveMatrix e = (2 * fit(x - g * f)).cwiseInverse().asDiagonal();
    const NaiveMatrix h = (2 * predicted(x * w - g)).cwiseInverse().asDiagonal();
    const NaiveMatrix gex = g.transpose() * e * x;
    const NaiveMatrix factor = (plus(gex).array() / (minus(gex) + g.transpose() * e * g * f).array()).sqrt().matrix();
    f = (f.array() == 0).select(0, f.cwiseProduct(factor));
    const NaiveMatrix above = e * plus(x * f.transpose()) + nu * links * g + alpha * h * plus(x * w) + gamma * g;
    const NaiveMatrix below = e * (g * f * f.transpose() + minus(x * f.transpose())) + nu * g +
                              alpha * h * (g + minus(x * w)) + gamma * g * g.transpose() * g;
    g = (g.array() * (above.array() / below.array()).sqrt().sqrt()).matrix();
    const NaiveMatrix h_now = (2 * predicted(x * w - g)).cwiseInverse().asDiagonal();
    NaiveMatrix c = NaiveMatrix::Identity(p, p);
    if (t > 0) c = (2 * w.rowwise().norm()).asDiagonal();
    w = plain_inverse(c * x.transpose() * h_now * x + beta / alpha * NaiveMatrix::Identity(p, p)) * c * x.transpose() *
        h_now * g;
    result.objective.push_back(fit(x - g * f).sum() + nu * (g.transpose() * l * g).trace() +
                               alpha * predicted(x * w - g).sum() + beta * w.rowwise().norm().sum() +
                               gamma / 2 *
                                   (g.transpose() * g - NaiveMatrix::Identity(g.cols(), g.cols())).squaredNorm());
  }
  result.w = w;
  result.g = g;
  result.f = f;
  return result;
}
namespace {

NaiveVector shrink(const NaiveVector& q, double threshold) {
  return q.norm() > threshold ? NaiveVector((1 - threshold / q.norm()) * q) : NaiveVector(NaiveVector::Zero(q.size()));
}

}  // namespace

NaiveHufs::NaiveHufs(NaiveMatrix values, const std::vector<std::vector<Index>>& features, NaiveMatrix start)
    : x(std::move(values)), u(std::move(start)) {
  Index rows = 0;
  for (const auto& group : features) rows += std::ssize(group);
  m = NaiveMatrix::Zero(rows, x.cols());
  Index row = 0;
  for (const auto& group : features) {
    groups.emplace_back();
    for (const Index f : group) {
      m(row, f) = 1;
      groups.back().push_back(row++);
    }
  }
  v = x.transpose() * u;
  z = u;
  p = m * v;
  y1 = NaiveMatrix::Zero(u.rows(), u.cols());
  y2 = NaiveMatrix::Zero(x.rows(), x.cols());
  y3 = NaiveMatrix::Zero(p.rows(), p.cols());
}

void NaiveHufs::update_e() {
  const NaiveMatrix q = x - u * v.transpose() + y2 / mu;
  e.resize(q.rows(), q.cols());
  for (Index i = 0; i < q.rows(); ++i) e.row(i) = shrink(q.row(i).transpose(), 1 / mu).transpose();
}

void NaiveHufs::update_v() {
  const NaiveMatrix k = (x - e + y2 / mu).transpose() * u;
  const NaiveMatrix h = p + y3 / mu;
  for (Index i = 0; i < v.rows(); ++i) {
    NaiveVector sum = k.row(i).transpose();
    double copies = 0;
    for (Index j = 0; j < m.rows(); ++j) {
      if (m(j, i) == 0) continue;
      sum += h.row(j).transpose();
      ++copies;
    }
    v.row(i) = shrink(sum, beta / mu).transpose() / (1 + copies);
  }
}

void NaiveHufs::update_u() {
  NaiveMatrix n = y1 / mu + z + (x - e + y2 / mu) * v;
  if (nu != 0) n -= nu / mu * laplacian * z;
  u = nearest_orthonormal(n);
}

void NaiveHufs::update_p() {
  const NaiveMatrix q = m * v - y3 / mu;
  for (const auto& group : groups) {
    for (Index k = 0; k < v.cols(); ++k) {
      NaiveVector part(std::ssize(group));
      for (std::size_t r = 0; r < group.size(); ++r) part[static_cast<Index>(r)] = q(group[r], k);
      part = shrink(part, alpha / mu);
      for (std::size_t r = 0; r < group.size(); ++r) p(group[r], k) = part[static_cast<Index>(r)];
    }
  }
}

void NaiveHufs::update_z() {
  NaiveMatrix t = u - y1 / mu;
  if (nu != 0) t -= nu / mu * laplacian * u;
  z = t.cwiseMax(0);
}

void NaiveHufs::update_multipliers() {
  y1 += mu * (z - u);
  y2 += mu * (x - u * v.transpose() - e);
  y3 += mu * (p - m * v);
  mu = std::min(rho * mu, 1e10);
}

double NaiveHufs::objective() const {
  double sum = (x - u * v.transpose()).rowwise().norm().sum() + beta * v.rowwise().norm().sum();
  const NaiveMatrix copies = m * v;
  for (const auto& group : groups) {
    for (Index k = 0; k < v.cols(); ++k) {
      double square = 0;
      for (const Index row : group) square += copies(row, k) * copies(row, k);
      sum += alpha * std::sqrt(square);
    }
  }
  if (nu != 0) sum += nu * (u.transpose() * laplacian * u).trace();
  return sum;
}

double NaiveHufs::lagrangian() const {
  const NaiveMatrix misfit = x - u * v.transpose() - e;
  double sum = e.rowwise().norm().sum() + beta * v.rowwise().norm().sum();
  for (const auto& group : groups) {
    for (Index k = 0; k < v.cols(); ++k) {
      double square = 0;
      for (const Index row : group) square += p(row, k) * p(row, k);
      sum += alpha * std::sqrt(square);
    }
  }
  if (nu != 0) sum += nu * (z.transpose() * laplacian * u).trace();
  sum += y1.cwiseProduct(z - u).sum() + y2.cwiseProduct(misfit).sum() + y3.cwiseProduct(p - m * v).sum();
  return sum + mu / 2 * ((z - u).squaredNorm() + misfit.squaredNorm() + (p - m * v).squaredNorm());
}
}  // namespace clade::testing
