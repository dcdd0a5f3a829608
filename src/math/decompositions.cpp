#include "math/decompositions.h"

#include <Spectra/SymEigsSolver.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace clade {
namespace {

// The interface that Spectra expects of a matrix.
class Operator {
 public:
  using Scalar = double;

  explicit Operator(const SymmetricOperator& given) : given_(given), y_(given.size) {}
  Index rows() const { return given_.size; }
  Index cols() const { return given_.size; }
  void perform_op(const double* x, double* y) const {
    x_ = Eigen::Map<const Vector>(x, given_.size);
    given_.multiply(x_, y_);
    Eigen::Map<Vector>(y, given_.size) = y_;
  }

 private:
  const SymmetricOperator& given_;
  mutable Vector x_;
  mutable Vector y_;
};

}  // namespace

Vector symmetric_eigenvalues(const Matrix& a) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen symmetric_eigen(const Matrix& a) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(a);
  return {.values = solved.eigenvalues(), .vectors = solved.eigenvectors()};
}

std::optional<SymmetricEigen> largest_eigen(const SymmetricOperator& a, Index count, const Vector& start,
                                            const LanczosOptions& options) {
  Operator multiplied(a);
  Spectra::SymEigsSolver<Operator> solver(multiplied, count, options.basis);
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestAlge, options.restarts, options.tolerance);
  if (solver.info() != Spectra::CompInfo::Successful) return std::nullopt;
  return SymmetricEigen{.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
}

void solve_by_lu(MatrixRef a, Matrix& b) {
  const Eigen::PartialPivLU<MatrixRef> factors(a);
  b = factors.solve(b).eval();
}

Matrix cholesky_factor(const Matrix& a) {
  return a.llt().matrixL();
}

Matrix nearest_orthonormal(const Matrix& a) {
  // A = H T with H'H = I and a small T, whose singular vectors H maps to those of A.
  const Eigen::HouseholderQR<Matrix> qr(a);
  const Matrix t = qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>();
  // T is square: what Eigen does for other shapes is not compiled.
  const Eigen::JacobiSVD<Matrix, Eigen::NoQRPreconditioner> svd(t, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Matrix turn = svd.matrixU() * svd.matrixV().transpose();
  Matrix orthonormal = Matrix::Identity(a.rows(), a.cols());
  orthonormal.applyOnTheLeft(qr.householderQ());
  return orthonormal * turn;
}

}  // namespace clade
