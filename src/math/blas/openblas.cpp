#include "math/blas/blas.h"

#ifdef CLADE_WITH_BLAS

#include <algorithm>
#include <cstdlib>
#include <string_view>

// OpenBLAS's own symbols; its header is not the same in all its packages. The two weak ones exist only in builds with
// kernels for several processors.
extern "C" {
char* openblas_get_config();
char* openblas_get_corename();
void openblas_set_num_threads(int threads);
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc);
void dsyrk_(const char* triangle, const char* transpose, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc);
void dtrsm_(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dpotrf_(const char* triangle, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* triangle, const int* n, const int* columns, const double* l, const int* ldl, double* b,
             const int* ldb, int* info);
}

namespace clade::blas {
namespace {

// Kernels that use at least AVX2; anything else on a processor that has it was chosen in ignorance.
bool is_modern(std::string_view kernel) {
  for (const std::string_view name : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids", "Excavator"}) {
    if (kernel == name) return true;
  }
  return false;
}

bool is_wide(std::string_view kernel) {
  return kernel == "SkylakeX" || kernel == "Cooperlake" || kernel == "SapphireRapids";
}

// The kernel this processor deserves, or nothing if the chosen one will do.
const char* better_kernel(std::string_view chosen) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    // Zen 4 runs AVX-512 at half width: its own kernel is fine there.
    return is_wide(chosen) || chosen == "Zen" ? nullptr : "SKYLAKEX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return is_modern(chosen) ? nullptr : "HASWELL";
#endif
  return nullptr;
}

Library prepare_once() {
  openblas_set_num_threads(1);
  Library library;
  const std::string config = openblas_get_config();
  library.name = config.substr(0, config.find(' ', config.find(' ') + 1));
  library.first_kernel = library.kernel = openblas_get_corename();
  const char* better = better_kernel(library.kernel);
  const bool can_change = gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr;
  if (better != nullptr && can_change && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    ::setenv("OPENBLAS_CORETYPE", better, 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    ::unsetenv("OPENBLAS_CORETYPE");  // child processes choose for themselves
    library.kernel = openblas_get_corename();
  }
  return library;
}

// The library demands 1 or more as a leading dimension, of an empty matrix too, and prints where it is not.
int leading(int dimension) {
  return std::max(dimension, 1);
}

}  // namespace

const Library& prepare() noexcept {
  static const Library library = prepare_once();
  return library;
}

void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  prepare();
  lda = leading(lda);
  ldb = leading(ldb);
  ldc = leading(ldc);
  dgemm_(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

void syrk(bool transpose, int n, int k, double alpha, const double* a, int lda, double beta, double* c, int ldc) {
  prepare();
  lda = leading(lda);
  ldc = leading(ldc);
  dsyrk_("L", transpose ? "T" : "N", &n, &k, &alpha, a, &lda, &beta, c, &ldc);
}

bool cholesky(int n, double* a, int lda) {
  prepare();
  lda = leading(lda);
  int info = 0;
  dpotrf_("L", &n, a, &lda, &info);
  return info == 0;
}

void solve_right(int m, int n, const double* l, int ldl, double* b, int ldb) {
  prepare();
  ldl = leading(ldl);
  ldb = leading(ldb);
  const double one = 1;
  dtrsm_("R", "L", "T", "N", &m, &n, &one, l, &ldl, b, &ldb);
}

void cholesky_solve(int n, int columns, const double* l, int ldl, double* b, int ldb) {
  prepare();
  ldl = leading(ldl);
  ldb = leading(ldb);
  int info = 0;
  dpotrs_("L", &n, &columns, l, &ldl, b, &ldb, &info);
}

}  // namespace clade::blas

#endif
