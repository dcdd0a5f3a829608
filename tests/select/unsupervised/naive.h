#pragma once

#include <clade/dataset.h>

#include <Eigen/Core>
#include <utility>
#include <vector>

// The methods without labels straight from their formulas: dense matrices of all sizes, explicit inverses, samples as
// rows, no shared code.
namespace clade::testing {

using NaiveMatrix = Eigen::MatrixXd;
using NaiveVector = Eigen::VectorXd;

NaiveMatrix dense_values(const Dataset& data);
double naive_square(const NaiveMatrix& x, Index i, Index j);

// (squared distance, sample), nearest first.
std::vector<std::pair<double, Index>> naive_neighbours(const NaiveMatrix& x, Index sample, Index count);
NaiveMatrix naive_graph(const NaiveMatrix& x, Index count);
NaiveVector naive_laplacian_scores(const NaiveMatrix& x, const NaiveMatrix& s);
NaiveMatrix naive_normalised_laplacian(const NaiveMatrix& s);

struct NaiveNdfs {
  NaiveMatrix w, f;
  std::vector<double> objective;
};

NaiveNdfs naive_ndfs(const NaiveMatrix& x, const NaiveMatrix& s, NaiveMatrix f, double alpha, double beta, double gamma,
                     int iterations);

struct NaiveRufs {
  NaiveMatrix w, g, f;
  std::vector<double> objective;
};

NaiveRufs naive_rufs(const NaiveMatrix& x, const NaiveMatrix& s, NaiveMatrix g, double alpha, double beta, double nu,
                     double gamma, int iterations);

// hufs with the matrix M and all variables of the paper, block by block.
struct NaiveHufs {
  NaiveMatrix x, m;
  std::vector<std::vector<Index>> groups;  // rows of M
  double alpha = 0.01, beta = 0.01, nu = 0, mu = 1e-3, rho = 1.1;
  NaiveMatrix laplacian;  // D - S, of the neighbour graph; used if nu is not 0
  NaiveMatrix u, v, z, p, e, y1, y2, y3;

  NaiveHufs(NaiveMatrix values, const std::vector<std::vector<Index>>& features, NaiveMatrix start);
  void update_e();
  void update_v();
  void update_u();
  void update_p();
  void update_z();
  void update_multipliers();
  double objective() const;
  double lagrangian() const;  // what every update but the last minimises
};

}  // namespace clade::testing
