// How close does hierarchical selection come to what its linear algebra costs?
//
//   select_limit SAMPLES FEATURES GROUPS [METHOD...]
//
// Generated data with a root, GROUPS groups and five classes in each. The limit, measured in the same run with the same
// BLAS on two threads: one Gram over all samples, plus iterations x internal nodes x (a Cholesky factorisation and its
// solves). Ten iterations.
#include <clade/dataset.h>
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/random.h"
#include "math/blas/blas.h"
#include "select/select.h"

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
constexpr int kClasses = 5;  // of each group

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

clade::Dataset generate(Index samples, Index features, int groups) {
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
  clade::DenseMatrix<double> matrix{samples, features, clade::Buffer<double>(samples * features)};
  clade::RandomStream random(1);
  for (Index s = 0; s < samples; ++s) {
    const auto leaf = static_cast<std::size_t>(s) % leaves.size();
    parts.labels.nodes.push_back(*parts.taxonomy->find(leaves[leaf]));
    parts.labels.offsets.push_back(s + 1);
    // Every class moves some features of its own; cheap numbers, because only their cost matters.
    for (Index f = 0; f < features; ++f) {
      const bool is_moved = static_cast<std::size_t>(f) % leaves.size() == leaf;
      matrix.values[s * features + f] = random.uniform() + (is_moved ? 0.3 : 0);
    }
  }
  parts.features = std::move(matrix);
  return clade::Dataset(std::move(parts));
}

double limit_seconds(const clade::Dataset& data, int nodes, int width) {
  clade::blas::prepare();
  openblas_set_num_threads(kThreads);
  const auto& matrix = std::get<clade::DenseMatrix<double>>(data.matrix());
  const int n = static_cast<int>(matrix.columns);
  const int k = static_cast<int>(matrix.rows);
  const double one = 1;
  const double zero = 0;
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<double> gram(size);
  const double syrk =
      seconds([&] { dsyrk_("L", "N", &n, &k, &one, matrix.values.data(), &n, &zero, gram.data(), &n); });
  for (int j = 0; j < n; ++j) gram[static_cast<std::size_t>(j) * static_cast<std::size_t>(n + 1)] += n;
  constexpr int kRepeats = 5;
  double factor = 0;
  std::vector<double> right(static_cast<std::size_t>(n) * static_cast<std::size_t>(width), 1.0);
  for (int r = 0; r < kRepeats; ++r) {
    std::vector<double> a = gram;
    factor += seconds([&] {
      int info = 0;
      dpotrf_("L", &n, a.data(), &n, &info);
      dpotrs_("L", &n, &width, a.data(), &n, right.data(), &n, &info);
    });
  }
  openblas_set_num_threads(1);
  const double total = syrk + kIterations * nodes * factor / kRepeats;
  fmt::print("limit: Gram {:.2f} s + {} x {} x {:.3f} s = {:.1f} s\n", syrk, kIterations, nodes, factor / kRepeats,
             total);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: select_limit SAMPLES FEATURES GROUPS [METHOD...]\n");
    return 2;
  }
  const int groups = std::atoi(argv[3]);
  const clade::Dataset data = generate(std::atol(argv[1]), std::atol(argv[2]), groups);
  fmt::print("{} samples x {} features, {} internal nodes, {} threads\n", data.samples(), data.features(), groups + 1,
             kThreads);
  const double limit = limit_seconds(data, groups + 1, std::max(groups, kClasses));
  std::vector<std::string> methods(argv + 4, argv + argc);
  if (methods.empty()) methods = {"hier-fs", "hirr-par", "hirr-fam"};
  for (const std::string& method : methods) {
    clade::Context ctx({.threads = kThreads});
    double objective = 0;
    const double time = seconds([&] {
      objective =
          clade::select_features(data, {.method = method, .parameters = {{"iterations", "10"}}}, ctx).objective.back();
    });
    fmt::print("{:10} {:7.1f} s   {:.2f} x the limit   objective {:.8g}\n", method, time, time / limit, objective);
  }
}
