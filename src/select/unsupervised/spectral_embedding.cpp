#include "select/unsupervised/spectral_embedding.h"

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "math/decompositions.h"

namespace clade {
namespace {

constexpr Index kFewSamples = 200;  // up to this many, a full decomposition takes no longer
constexpr double kTolerance = 1e-13;
constexpr int kRestarts = 2000;

// N - 2 B B' for N = D^-1/2 S D^-1/2. Its eigenvectors are D^1/2 y and its eigenvalues 1 - lambda, except for the known
// eigenvectors B, which are moved from the upper end of the spectrum (1) to the lower (-1).
class DeflatedGraph {
 public:
  DeflatedGraph(const NeighbourGraph& graph, const Matrix& known, Context& ctx)
      : normalised_(graph.weights), known_(known), ctx_(ctx) {
    for (Index i = 0; i < normalised_.cols(); ++i) {
      for (SparseColumns::InnerIterator link(normalised_, i); link; ++link) {
        link.valueRef() /= std::sqrt(graph.degrees[i]) * std::sqrt(graph.degrees[link.row()]);
      }
    }
  }

  Index rows() const { return normalised_.rows(); }

  void multiply(const Vector& from, Vector& to) const {
    constexpr Index kRowsPerTask = 1024;
    to.noalias() = -2 * (known_ * (known_.transpose() * from));
    parallel_for(ctx_, rows(), kRowsPerTask, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        double sum = 0;
        for (SparseColumns::InnerIterator link(normalised_, i); link; ++link) sum += link.value() * from[link.row()];
        to[i] += sum;
      }
    });
  }

  Matrix dense() const { return Matrix(normalised_) - 2 * known_ * known_.transpose(); }

 private:
  SparseColumns normalised_;
  const Matrix& known_;
  Context& ctx_;
};

// Orthonormal vectors D^1/2 y with lambda = 0: first the constant one, then those that separate the components.
Matrix known_vectors(const NeighbourGraph& graph) {
  const auto parts = static_cast<std::size_t>(graph.components);
  std::vector<Index> size(parts, 0);
  std::vector<double> volume(parts, 0);
  for (std::size_t i = 0; i < graph.component.size(); ++i) {
    const auto part = static_cast<std::size_t>(graph.component[i]);
    ++size[part];
    volume[part] += graph.degrees[static_cast<Index>(i)];
  }
  std::vector<std::size_t> order(parts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return size[a] != size[b] ? size[a] > size[b] : a < b; });
  std::vector<std::size_t> rank(parts);
  for (std::size_t k = 0; k < parts; ++k) rank[order[k]] = k;

  // y is 1 on all components before the k-th, -(their volume) / (its volume) on the k-th, and 0 after it: orthogonal
  // with respect to D.
  Matrix known = Matrix::Zero(graph.degrees.size(), graph.components);
  double before = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    const double own = volume[order[k]];
    for (std::size_t i = 0; i < graph.component.size(); ++i) {
      const std::size_t place = rank[static_cast<std::size_t>(graph.component[i])];
      const double y = k == 0 || place < k ? 1 : place == k ? -before / own : 0;
      known(static_cast<Index>(i), static_cast<Index>(k)) = y * std::sqrt(graph.degrees[static_cast<Index>(i)]);
    }
    known.col(static_cast<Index>(k)).normalize();
    before += own;
  }
  return known;
}

SpectralEmbedding full_decomposition(const DeflatedGraph& graph, Index count) {
  const SymmetricEigen all = symmetric_eigen(graph.dense());
  return {all.vectors.rightCols(count).rowwise().reverse(), all.values.tail(count).reverse()};
}

SpectralEmbedding lanczos(const DeflatedGraph& graph, Index count) {
  RandomStream random(1, {kSolverStream});
  Vector start(graph.rows());
  for (double& value : start) value = random.normal();
  const SymmetricOperator matrix{graph.rows(), [&](const Vector& x, Vector& y) { graph.multiply(x, y); }};
  for (const Index extra : {20, 60, 180}) {
    const Index basis = std::min(graph.rows(), 2 * count + extra);
    auto found = largest_eigen(matrix, count, start, {.basis = basis, .restarts = kRestarts, .tolerance = kTolerance});
    if (found) return {std::move(found->vectors), std::move(found->values)};
  }
  throw usage_error("the eigenvectors of the neighbour graph do not converge",
                    "expected fewer `clusters`, or more `neighbours`");
}

void fix_sign(MatrixRef vectors) {
  constexpr double kEqual = 1 - 1e-6;
  for (Index k = 0; k < vectors.cols(); ++k) {
    const double largest = vectors.col(k).cwiseAbs().maxCoeff();
    Index first = 0;
    while (std::abs(vectors(first, k)) < kEqual * largest) ++first;
    if (vectors(first, k) < 0) vectors.col(k) *= -1;
  }
}

}  // namespace

SpectralEmbedding spectral_embedding(const NeighbourGraph& graph, Index count, Context& ctx) {
  const Matrix known = known_vectors(graph);
  const Index parts = std::min(graph.components - 1, count);
  SpectralEmbedding result{Matrix(known.rows(), count), Vector::Zero(count)};
  result.vectors.leftCols(parts) = known.middleCols(1, parts);
  if (const Index rest = count - parts; rest > 0) {
    const DeflatedGraph deflated(graph, known, ctx);
    const bool is_small = known.rows() <= std::max(kFewSamples, 2 * rest + 20);
    const SpectralEmbedding found = is_small ? full_decomposition(deflated, rest) : lanczos(deflated, rest);
    result.vectors.rightCols(rest) = found.vectors;
    result.values.tail(rest) = (1 - found.values.array()).max(0);
  }
  for (Index i = 0; i < known.rows(); ++i) result.vectors.row(i) /= std::sqrt(graph.degrees[i]);
  fix_sign(result.vectors);
  return result;
}

}  // namespace clade
