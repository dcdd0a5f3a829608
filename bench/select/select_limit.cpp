// How close does hierarchical selection come to what its linear algebra costs?
//
//   select_limit SAMPLES FEATURES GROUPS DENSITY [METHOD...]
//
// Generates data with a root, GROUPS groups and five classes in each; sparse where DENSITY is below 1. The limit is
// measured in the same run, with the same BLAS on two threads, for ten iterations:
//   more samples than features: one Gram over all samples, plus iterations x internal nodes x (a Cholesky factorisation
//   of features x features and its solves);
//   fewer: iterations x the factorisations of samples x samples at every node, and their solves.
#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/select.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "../ratio.h"
#include "core/random.h"
#include "data/node_table.h"
#include "math/blas/blas.h"

extern "C" {
void openblas_set_num_threads(int threads);
void dsyrk_(const char* triangle, const char* transpose, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* triangle, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
}

namespace {

using clade::Index;

constexpr int kThreads = 2;
constexpr int kIterations = 10;
constexpr int kClasses = 5;  // per group

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

clade::FeatureMatrix dense_features(Index samples, Index features, std::size_t leaves) {
  clade::DenseMatrix<double> matrix{samples, features, clade::Buffer<double>(samples * features)};
  clade::RandomStream random(1);
  // Every class shifts some features of its own. The numbers are cheap to make, because only the cost of using them
  // matters.
  for (Index s = 0; s < samples; ++s) {
    const auto leaf = static_cast<std::size_t>(s) % leaves;
    for (Index f = 0; f < features; ++f) {
      const bool is_moved = static_cast<std::size_t>(f) % leaves == leaf;
      matrix.values[s * features + f] = random.uniform() + (is_moved ? 0.3 : 0);
    }
  }
  return matrix;
}

clade::FeatureMatrix sparse_features(Index samples, Index features, std::size_t leaves, double density) {
  clade::RandomStream random(1);
  std::vector<clade::FeatureIndex> indices;
  std::vector<double> values;
  clade::SparseMatrix<double> matrix{samples, features, clade::Buffer<Index>(samples + 1), {}, {}};
  matrix.offsets[0] = 0;
  for (Index s = 0; s < samples; ++s) {
    const auto leaf = static_cast<std::size_t>(s) % leaves;
    for (Index f = 0; f < features; ++f) {
      const bool is_moved = static_cast<std::size_t>(f) % leaves == leaf;
      if (random.uniform() >= density * (is_moved ? 2 : 1)) continue;
      indices.push_back(static_cast<clade::FeatureIndex>(f));
      values.push_back(1 + random.uniform());
    }
    matrix.offsets[s + 1] = std::ssize(indices);
  }
  matrix.indices = clade::Buffer<clade::FeatureIndex>(std::ssize(indices));
  matrix.values = clade::Buffer<double>(std::ssize(values));
  std::ranges::copy(indices, matrix.indices.begin());
  std::ranges::copy(values, matrix.values.begin());
  return matrix;
}

clade::Dataset generate(Index samples, Index features, int groups, double density) {
  clade::TaxonomyBuilder builder;
  std::vector<std::string> leaves;
  for (int g = 0; g < groups; ++g) builder.edge("root", "group " + std::to_string(g));
  for (int g = 0; g < groups; ++g) {
    for (int c = 0; c < kClasses; ++c) {
      leaves.push_back("class " + std::to_string(g) + "." + std::to_string(c));
      builder.edge("group " + std::to_string(g), leaves.back());
    }
  }
  clade::Dataset::Parts parts;
  parts.taxonomy = builder.build();
  for (Index s = 0; s < samples; ++s) {
    parts.labels.nodes.push_back(*parts.taxonomy->find(leaves[static_cast<std::size_t>(s) % leaves.size()]));
    parts.labels.offsets.push_back(s + 1);
  }
  parts.features = density < 1 ? sparse_features(samples, features, leaves.size(), density)
                               : dense_features(samples, features, leaves.size());
  return clade::Dataset(std::move(parts));
}

// A Cholesky factorisation of an n x n matrix, and its solves.
double factor_seconds(int n, int width) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> matrix(size * size, 1.0);
  for (std::size_t j = 0; j < size; ++j) matrix[j * (size + 1)] += n;
  constexpr int kRepeats = 5;
  double total = 0;
  std::vector<double> right(size * static_cast<std::size_t>(width), 1.0);
  for (int r = 0; r < kRepeats; ++r) {
    std::vector<double> a = matrix;
    total += seconds([&] {
      int info = 0;
      dpotrf_("L", &n, a.data(), &n, &info);
      dpotrs_("L", &n, &width, a.data(), &n, right.data(), &n, &info);
    });
  }
  return total / kRepeats;
}

double limit_by_features(const clade::Dataset& data, int nodes, int width) {
  const auto& matrix = std::get<clade::DenseMatrix<double>>(data.matrix());
  const int n = static_cast<int>(matrix.columns);
  const int k = static_cast<int>(matrix.rows);
  const double one = 1;
  const double zero = 0;
  std::vector<double> gram(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const double syrk =
      seconds([&] { dsyrk_("L", "N", &n, &k, &one, matrix.values.data(), &n, &zero, gram.data(), &n); });
  const double factor = factor_seconds(n, width);
  const double total = syrk + kIterations * nodes * factor;
  fmt::print("limit: Gram {:.2f} s + {} x {} x {:.3f} s = {:.1f} s\n", syrk, kIterations, nodes, factor, total);
  return total;
}

double limit_by_samples(const clade::Dataset& data, int width) {
  double total = 0;
  for (const clade::NodeTable& table : clade::node_tables(data)) {
    total += kIterations * factor_seconds(static_cast<int>(table.samples()), width);
  }
  fmt::print("limit: {} factorisations of every node = {:.3f} s\n", kIterations, total);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: select_limit SAMPLES FEATURES GROUPS DENSITY [METHOD...]\n");
    return 2;
  }
  const int groups = std::atoi(argv[3]);
  const clade::Dataset data = generate(std::atol(argv[1]), std::atol(argv[2]), groups, std::atof(argv[4]));
  fmt::print("{} samples x {} features, {} internal nodes, {} threads\n", data.samples(), data.features(), groups + 1,
             kThreads);
  const int width = std::max(groups, kClasses);
  clade::blas::prepare();
  clade::keep_freed_memory();  // as the program does
  openblas_set_num_threads(kThreads);
  const double limit =
      data.samples() < data.features() ? limit_by_samples(data, width) : limit_by_features(data, groups + 1, width);
  openblas_set_num_threads(1);
  std::vector<std::string> methods(argv + 5, argv + argc);
  if (methods.empty()) methods = {"hier-fs", "hirr-par", "hirr-fam"};
  for (const std::string& method : methods) {
    clade::Context ctx({.threads = kThreads});
    double objective = 0;
    const double time = seconds([&] {
      objective = clade::select(data, {.method = method, .parameters = {{"iterations", "10"}}}, ctx).objective.back();
    });
    bench::record({.question = "select",
                   .contender = method,
                   .baseline = "the linear algebra alone",
                   .data = fmt::format("{} x {}, {} inner nodes", data.samples(), data.features(), groups + 1),
                   .threads = kThreads,
                   .rounds = {time / limit}});
    fmt::print("{:10} {:7.2f} s   {:.2f} x the limit   objective {:.8g}\n", method, time, time / limit, objective);
  }
}
