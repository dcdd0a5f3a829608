// How close does selection without labels come to what its largest part costs?
//
//   unsupervised_limit hufs SAMPLES FEATURES CLUSTERS ITERATIONS
//   unsupervised_limit laplacian SAMPLES FEATURES
//
// Generated dense data, two threads. The parts are measured in turn in the same run; the best of several rounds counts.
//
// hufs: an iteration has four products with a samples x features matrix: U V' twice, and that matrix with U and with V.
// They are measured alone, over as many iterations, with the same BLAS, in both layouts of the matrix; the faster one
// counts.
//
// laplacian: the search for the nearest neighbours, in processor seconds.
#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/select.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "../ratio.h"
#include "core/parallel.h"
#include "core/random.h"
#include "math/blas/blas.h"
#include "math/dense.h"
#include "select/unsupervised/cluster_start.h"
#include "select/unsupervised/hufs_solver.h"
#include "select/unsupervised/nearest_neighbours.h"

namespace {

using clade::Index;
using clade::Matrix;

constexpr int kThreads = 2;
constexpr int kRounds = 5;
constexpr Index kSamples = 64;
constexpr Index kFeatures = 512;

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of all threads together, because other programs on the machine disturb it less than wall time.
template <class Work>
double processor_seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

clade::Dataset generate(Index samples, Index features, Index clusters) {
  clade::Dataset::Parts parts;
  clade::DenseMatrix<double> matrix{samples, features, clade::Buffer<double>(samples * features)};
  clade::RandomStream random(1);
  for (Index s = 0; s < samples; ++s) {
    for (Index f = 0; f < features; ++f) {
      matrix.values[s * features + f] = random.uniform() + (f % clusters == s % clusters ? 0.5 : 0);
    }
  }
  parts.features = std::move(matrix);
  clade::TaxonomyBuilder builder;
  builder.node("root");
  parts.taxonomy = builder.build();
  parts.labels.offsets.assign(static_cast<std::size_t>(samples) + 1, 0);
  return clade::Dataset(std::move(parts));
}

// Three levels below the root, in groups of 8 x 8 x 8.
clade::FeatureTree generate_tree(Index features) {
  std::vector<clade::FeatureGroup> groups{{"all", clade::kNoNode, {}}};
  std::vector<clade::FeatureIndex> all;
  for (Index f = 0; f < features; ++f) all.push_back(static_cast<clade::FeatureIndex>(f));
  const auto split = [&](auto&& self, clade::NodeId parent, Index begin, Index end, int levels) -> void {
    if (levels == 0) return;
    for (Index part = 0; part < 8; ++part) {
      const Index from = begin + (end - begin) * part / 8;
      const Index to = begin + (end - begin) * (part + 1) / 8;
      if (from == to) continue;
      const auto node = static_cast<clade::NodeId>(groups.size());
      groups.push_back({fmt::format("g{}", node), parent, {all.begin() + from, all.begin() + to}});
      self(self, node, from, to, levels - 1);
    }
  };
  split(split, 0, 0, features, 3);
  return clade::FeatureTree::build(features, groups);
}

// The products alone, V U, X U' and V'X, over blocks of samples or features that suit them.
void multiply_factors(const Matrix& v, const Matrix& u, Matrix& product, clade::Context& ctx) {
  const int p = static_cast<int>(v.rows());
  const int k = static_cast<int>(v.cols());
  clade::parallel_for(ctx, u.cols(), kSamples, [&](Index begin, Index end) {
    clade::blas::gemm(false, false, p, static_cast<int>(end - begin), k, 1, v.data(), p, u.col(begin).data(), k, 0,
                      product.col(begin).data(), p);
  });
}
void multiply_by_clusters(const Matrix& x, const Matrix& u, Matrix& product, clade::Context& ctx) {
  const int p = static_cast<int>(x.rows());
  const int k = static_cast<int>(u.rows());
  clade::parallel_for(ctx, x.rows(), kFeatures, [&](Index begin, Index end) {
    clade::blas::gemm(false, true, static_cast<int>(end - begin), k, static_cast<int>(x.cols()), 1, x.data() + begin, p,
                      u.data(), k, 0, product.data() + begin, p);
  });
}
void multiply_by_features(const Matrix& v, const Matrix& x, Matrix& product, clade::Context& ctx) {
  const int p = static_cast<int>(v.rows());
  const int k = static_cast<int>(v.cols());
  clade::parallel_for(ctx, x.cols(), kSamples, [&](Index begin, Index end) {
    clade::blas::gemm(true, false, k, static_cast<int>(end - begin), p, 1, v.data(), p, x.col(begin).data(), p, 0,
                      product.col(begin).data(), k);
  });
}

void measure_hufs(Index samples, Index features, Index clusters, int iterations) {
  const clade::Dataset data = generate(samples, features, clusters);
  clade::Context ctx({.threads = kThreads});
  std::vector<std::string> notes;
  std::vector<Index> labels;
  const double start = seconds([&] { labels = clade::start_clusters(data, clusters, 5, notes, ctx); });
  const clade::FeatureGroups groups(generate_tree(features));
  clade::HufsSettings settings;
  settings.iterations = iterations;
  settings.tolerance = 0;
  const Matrix u = clade::cluster_matrix(labels, clusters, 0);
  const Matrix x = Matrix::Random(features, samples);  // a column per sample, as the solver has it
  const Matrix v = Matrix::Random(features, clusters);
  const Matrix x_rows = x.transpose();
  const Matrix u_rows = u.transpose();
  const Matrix v_rows = v.transpose();
  double by_columns = std::numeric_limits<double>::infinity();
  double by_rows = by_columns;
  double solver_time = by_columns;
  double objective = 0;
  for (int round = 0; round < kRounds; ++round) {
    Matrix fitted(features, samples);
    Matrix by_features(features, clusters);
    Matrix by_samples(clusters, samples);
    by_columns = std::min(by_columns, seconds([&] {
                            for (int t = 0; t < iterations; ++t) {
                              multiply_factors(v, u, fitted, ctx);
                              multiply_by_clusters(x, u, by_features, ctx);
                              multiply_by_features(v, x, by_samples, ctx);
                              multiply_factors(v, u, fitted, ctx);
                            }
                          }));
    Matrix fitted_rows = Matrix::Zero(samples, features);
    Matrix by_samples_rows(samples, clusters);
    by_rows = std::min(by_rows, seconds([&] {
                         for (int t = 0; t < iterations; ++t) {
                           clade::add_product(u_rows, v_rows, fitted_rows, ctx);
                           by_features.setZero();
                           clade::add_transposed_product(x_rows, u_rows, by_features, ctx);
                           by_samples_rows.setZero();
                           clade::add_product(x_rows, v, by_samples_rows, ctx);
                           clade::add_product(u_rows, v_rows, fitted_rows, ctx);
                         }
                       }));
    solver_time = std::min(solver_time, seconds([&] {
                             clade::HufsSolver solver(data, groups, u, settings, ctx);
                             solver.run();
                             objective = solver.objectives().back();
                           }));
  }
  const double products = std::min(by_columns, by_rows);
  bench::record({.question = "unsupervised",
                 .contender = "hufs",
                 .baseline = "its products alone",
                 .data = fmt::format("{} x {}", samples, features),
                 .threads = kThreads,
                 .rounds = {solver_time / products}});
  fmt::print("hufs, {} samples x {} features, {} clusters, {} iterations, {} threads\n", samples, features, clusters,
             iterations, kThreads);
  fmt::print("products, samples as columns {:.3f} s, as rows {:.3f} s\n", by_columns, by_rows);
  fmt::print(
      "products {:.3f} s   solver {:.3f} s   {:.2f} x the products   (k-means before it {:.3f} s)   objective "
      "{:.8g}\n",
      products, solver_time, solver_time / products, start, objective);
}

void measure_laplacian(Index samples, Index features) {
  const clade::Dataset data = generate(samples, features, 10);
  clade::Context ctx({.threads = kThreads});
  double search = std::numeric_limits<double>::infinity();
  double whole = search;
  for (int round = 0; round < 3; ++round) {
    search = std::min(search, processor_seconds([&] { clade::nearest_neighbours(data, 5, ctx); }));
    whole = std::min(whole, processor_seconds([&] { clade::select(data, {.method = "laplacian"}, ctx); }));
  }
  bench::record({.question = "unsupervised",
                 .contender = "laplacian",
                 .baseline = "nearest neighbours",
                 .data = fmt::format("{} x {}", samples, features),
                 .measure = "processor seconds",
                 .threads = kThreads,
                 .rounds = {whole / search}});
  fmt::print("laplacian, {} samples x {} features, {} threads, processor seconds\n", samples, features, kThreads);
  fmt::print("neighbours {:.2f} s   whole {:.2f} s   {:.2f} x the neighbours\n", search, whole, whole / search);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string method = argc > 1 ? argv[1] : "";
  clade::keep_freed_memory();  // as the program does
  if (method == "hufs" && argc == 6) {
    measure_hufs(std::atol(argv[2]), std::atol(argv[3]), std::atol(argv[4]), std::atoi(argv[5]));
  } else if (method == "laplacian" && argc == 4) {
    measure_laplacian(std::atol(argv[2]), std::atol(argv[3]));
  } else {
    fmt::print(stderr,
               "usage: unsupervised_limit hufs SAMPLES FEATURES CLUSTERS ITERATIONS | laplacian SAMPLES FEATURES\n");
    return 2;
  }
}
