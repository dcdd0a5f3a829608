#pragma once

#include <string>
#include <type_traits>

namespace clade::blas {

// The dense linear algebra that this build uses on this processor.
struct Library {
  std::string name;          // "OpenBLAS 0.3.21", or "Eigen" in a build without a BLAS
  std::string kernel;        // the kernel in use, for example "SkylakeX"; empty without a BLAS
  std::string first_kernel;  // the one that the library chose by itself
  bool repaired() const { return kernel != first_kernel; }
};

// Loads the BLAS and prepares it; cheap after the first call, thread-safe. All functions below call it first.
//
// A program that needs no BLAS never loads it, which saves 40 MB of address space and another 128 MiB for each of its
// buffers. If it is not installed or address space is short, throws Error (kSystem); there is no other library to fall
// back on, because results would then differ in their last digits from one run to the next.
//
// Its own threads are switched off, because its results would depend on their number, and we run in parallel outside.
// Its kernel is checked: OpenBLAS releases that do not know a new processor silently choose a kernel of 2004 (SSE3),
// four times slower than the AVX-512 one. The right one is then requested by OPENBLAS_CORETYPE, unless the user has set
// that variable.
const Library& prepare();

// C = alpha op(A) op(B) + beta C and C = alpha op(A) op(A)' + beta C (lower triangle, n x n), column-major, in double
// or single precision; op is the transpose if the flag says so. Single-threaded. Without a BLAS, Eigen computes the
// same up to rounding.
template <class Scalar>
void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, std::type_identity_t<Scalar> alpha, const Scalar* a,
          int lda, const Scalar* b, int ldb, std::type_identity_t<Scalar> beta, Scalar* c, int ldc);
template <class Scalar>
void syrk(bool transpose, int n, int k, std::type_identity_t<Scalar> alpha, const Scalar* a, int lda,
          std::type_identity_t<Scalar> beta, Scalar* c, int ldc);

// A = L L' in the lower triangle of a symmetric positive definite matrix, column-major; the upper triangle is neither
// read nor changed. False if a pivot is not positive; the lower triangle is then unusable.
template <class Scalar>
bool cholesky(int n, Scalar* a, int lda);
// B becomes B L'^-1 (m x n) for a lower triangle L.
template <class Scalar>
void solve_right(int m, int n, const Scalar* l, int ldl, Scalar* b, int ldb);
// Solves L L' X = B for the factor made by cholesky(); X replaces B (n x columns, column-major).
template <class Scalar>
void cholesky_solve(int n, int columns, const Scalar* l, int ldl, Scalar* b, int ldb);

}  // namespace clade::blas
