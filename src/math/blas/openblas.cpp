#include "math/blas/blas.h"

#ifdef CLADE_WITH_BLAS

#include <clade/context.h>
#include <clade/error.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <semaphore>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace clade::blas {
namespace {

// The routines in one precision.
template <class Scalar>
struct Routines {
  void (*gemm)(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
               const Scalar* alpha, const Scalar* a, const int* lda, const Scalar* b, const int* ldb,
               const Scalar* beta, Scalar* c, const int* ldc);
  void (*syrk)(const char* triangle, const char* transpose, const int* n, const int* k, const Scalar* alpha,
               const Scalar* a, const int* lda, const Scalar* beta, Scalar* c, const int* ldc);
  void (*trsm)(const char* side, const char* triangle, const char* transpose, const char* diagonal, const int* m,
               const int* n, const Scalar* alpha, const Scalar* a, const int* lda, Scalar* b, const int* ldb);
  void (*potrf)(const char* triangle, const int* n, Scalar* a, const int* lda, int* info);
  void (*potrs)(const char* triangle, const int* n, const int* columns, const Scalar* l, const int* ldl, Scalar* b,
                const int* ldb, int* info);
};

// OpenBLAS is loaded on first use: its constructor starts threads and takes buffers, which commands without dense
// linear algebra should not pay for. Its symbols are declared here, because its header differs between packages.
struct Functions {
  char* (*config)();
  char* (*core_name)();
  void (*set_threads)(int threads);
  Routines<double> in_double;
  Routines<float> in_float;
  // Null if a build has kernels for one processor only.
  void (*choose_kernel)();
  void (*forget_kernel)();
  // A buffer of the kind that a call works in. Null if a build hides these functions.
  void* (*take_buffer)(int purpose);
  void (*return_buffer)(void* buffer);
};

// Sets an environment variable until the end of the scope.
class TemporaryVariable {
 public:
  TemporaryVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value, 1);
  }
  ~TemporaryVariable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  TemporaryVariable(const TemporaryVariable&) = delete;
  TemporaryVariable& operator=(const TemporaryVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

std::string& chosen_path() {
  static std::string path;
  return path;
}

// A copy of its own must not be given the functions of another OpenBLAS that a program has made global. Sanitizers
// refuse that flag.
int loading_flags() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(RTLD_DEEPBIND)
  return RTLD_NOW | RTLD_LOCAL;
#else
  return RTLD_NOW | RTLD_LOCAL | (chosen_path().empty() ? 0 : RTLD_DEEPBIND);
#endif
}

void* load_library() {
  // With more threads, its constructor would take a buffer for each.
  const TemporaryVariable threads("OPENBLAS_NUM_THREADS", "1");
  std::vector<std::string> names{"libopenblas.so.0", "libopenblas.so", "libopenblasp.so.0"};
  if (!chosen_path().empty()) names = {chosen_path()};
  std::string reason;
  for (const std::string& name : names) {
    if (void* library = ::dlopen(name.c_str(), loading_flags())) return library;
    if (reason.empty()) reason = ::dlerror();
  }
  throw Error(Error::Kind::kSystem, {}, fmt::format("OpenBLAS cannot be loaded: {}", reason),
              "install it (libopenblas0), allow more address space (ulimit -v), or build with CLADE_BLAS=OFF");
}

template <class Function>
void find_optional(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  find_optional(library, name, function);
  if (function == nullptr) {
    throw Error(Error::Kind::kSystem, {}, fmt::format("the OpenBLAS of this machine has no {}", name),
                "OpenBLAS 0.3 with 32-bit integers");
  }
}

template <class Scalar>
void find_routines(void* library, char precision, Routines<Scalar>& routines) {
  const auto find_one = [&](const char* name, auto& function) {
    find(library, fmt::format("{}{}_", precision, name).c_str(), function);
  };
  find_one("gemm", routines.gemm);
  find_one("syrk", routines.syrk);
  find_one("trsm", routines.trsm);
  find_one("potrf", routines.potrf);
  find_one("potrs", routines.potrs);
}

Functions find_functions(void* library) {
  Functions functions;
  find(library, "openblas_get_config", functions.config);
  find(library, "openblas_get_corename", functions.core_name);
  find(library, "openblas_set_num_threads", functions.set_threads);
  find_routines(library, 'd', functions.in_double);
  find_routines(library, 's', functions.in_float);
  find_optional(library, "gotoblas_dynamic_init", functions.choose_kernel);
  find_optional(library, "gotoblas_dynamic_quit", functions.forget_kernel);
  find_optional(library, "blas_memory_alloc", functions.take_buffer);
  find_optional(library, "blas_memory_free", functions.return_buffer);
  return functions;
}

// Kernels that use at least AVX2; on a processor that has it, any other was chosen out of ignorance.
bool is_modern(std::string_view kernel) {
  for (const std::string_view name : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids", "Excavator"}) {
    if (kernel == name) return true;
  }
  return false;
}

bool is_wide(std::string_view kernel) {
  return kernel == "SkylakeX" || kernel == "Cooperlake" || kernel == "SapphireRapids";
}

// The right kernel for this processor, or nothing if the chosen one will do.
const char* better_kernel(std::string_view chosen) {
#if defined(__x86_64__)
  // Zen 4 runs AVX-512 at half width: the wide kernels gain nothing in products, and take 1.6 times as long for
  // triangular solves and small factorisations. OpenBLAS chooses them all the same.
  if (__builtin_cpu_is("amdfam19h")) return is_wide(chosen) || !is_modern(chosen) ? "ZEN" : nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return is_wide(chosen) || chosen == "Zen" ? nullptr : "SKYLAKEX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return is_modern(chosen) ? nullptr : "HASWELL";
#endif
  return nullptr;
}

// A kernel that the user has chosen stays.
void choose_kernel(const Functions& functions, Library& library) {
  library.first_kernel = library.kernel = functions.core_name();
  const char* better = better_kernel(library.kernel);
  const bool can_change = functions.choose_kernel != nullptr && functions.forget_kernel != nullptr;
  if (better == nullptr || !can_change || std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
  const TemporaryVariable kernel("OPENBLAS_CORETYPE", better);
  functions.forget_kernel();
  functions.choose_kernel();
  library.kernel = functions.core_name();
}

bool is_limited(decltype(RLIMIT_AS) resource) {
  ::rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Linux can be set to promise no more memory than there is.
bool is_strict_about_memory() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/sys/vm/overcommit_memory", "re"),
                                                             &std::fclose);
  return file != nullptr && std::fgetc(file.get()) == '2';
}

// How many regions of `size` bytes the system would grant right now, at most `most`.
int count_regions(std::size_t size, int most) {
  std::vector<void*> regions;
  while (static_cast<int>(regions.size()) < most) {
    void* region = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) break;
    regions.push_back(region);
  }
  for (void* region : regions) ::munmap(region, size);
  return static_cast<int>(regions.size());
}

// Each running call of OpenBLAS works in a buffer of 128 MiB of address space, and if the system refuses one, it
// retries for ever. So if memory is limited, a few buffers are taken beforehand, and no more calls run at a time than
// there are buffers. The others wait; results do not depend on it.
class Buffers {
 public:
  explicit Buffers(const Functions& functions) {
    if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA) && !is_strict_about_memory()) return;
    constexpr std::size_t kSize = std::size_t{160} << 20;  // a buffer, and what other threads may take meanwhile
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int regions = count_regions(kSize, 4 * threads);
    if (regions == 0) {
      throw Error(Error::Kind::kSystem, {},
                  fmt::format("OpenBLAS needs {} MiB of address space, which the system refuses", kSize >> 20),
                  "raise the limit (ulimit -v)");
    }
    const bool can_take = functions.take_buffer != nullptr && functions.return_buffer != nullptr;
    const int buffers = can_take ? std::max(1, regions / 4) : 1;  // three quarters are for data
    if (can_take) {
      std::vector<void*> taken;
      for (int i = 0; i < buffers; ++i) taken.push_back(functions.take_buffer(0));
      for (void* buffer : taken) functions.return_buffer(buffer);  // to OpenBLAS, which keeps them
    }
    free_ = std::make_unique<std::counting_semaphore<>>(buffers);
  }

  void acquire() {
    if (free_) free_->acquire();
  }
  void release() {
    if (free_) free_->release();
  }

 private:
  std::unique_ptr<std::counting_semaphore<>> free_;  // null: no limit
};

Library set_up(const Functions& functions) {
  functions.set_threads(1);  // something else may have loaded it before us
  const std::string config = functions.config();
  Library library{.name = config.substr(0, config.find(' ', config.find(' ') + 1))};
  choose_kernel(functions, library);
  return library;
}

struct OpenBlas {
  Functions functions = find_functions(load_library());
  Library library = set_up(functions);
  Buffers buffers{functions};
};

OpenBlas& openblas() {
  static OpenBlas instance;
  return instance;
}

// One call of the library: its routines in one precision, and a buffer to work in.
template <class Scalar>
class Call {
 public:
  Call() : blas_(openblas()) { blas_.buffers.acquire(); }
  ~Call() { blas_.buffers.release(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  const Routines<Scalar>* operator->() const {
    if constexpr (std::is_same_v<Scalar, float>) return &blas_.functions.in_float;
    if constexpr (std::is_same_v<Scalar, double>) return &blas_.functions.in_double;
  }

 private:
  OpenBlas& blas_;
};

// The library requires a leading dimension of at least 1, even for an empty matrix, and prints a complaint otherwise.
int leading(int dimension) {
  return std::max(dimension, 1);
}

}  // namespace

const Library& prepare() {
  return openblas().library;
}

template <class Scalar>
void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, std::type_identity_t<Scalar> alpha, const Scalar* a,
          int lda, const Scalar* b, int ldb, std::type_identity_t<Scalar> beta, Scalar* c, int ldc) {
  lda = leading(lda);
  ldb = leading(ldb);
  ldc = leading(ldc);
  Call<Scalar>()->gemm(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c,
                       &ldc);
}

template <class Scalar>
void syrk(bool transpose, int n, int k, std::type_identity_t<Scalar> alpha, const Scalar* a, int lda,
          std::type_identity_t<Scalar> beta, Scalar* c, int ldc) {
  lda = leading(lda);
  ldc = leading(ldc);
  Call<Scalar>()->syrk("L", transpose ? "T" : "N", &n, &k, &alpha, a, &lda, &beta, c, &ldc);
}

template <class Scalar>
bool cholesky(int n, Scalar* a, int lda) {
  lda = leading(lda);
  int info = 0;
  Call<Scalar>()->potrf("L", &n, a, &lda, &info);
  return info == 0;
}

template <class Scalar>
void solve_right(int m, int n, const Scalar* l, int ldl, Scalar* b, int ldb) {
  ldl = leading(ldl);
  ldb = leading(ldb);
  const Scalar one = 1;
  Call<Scalar>()->trsm("R", "L", "T", "N", &m, &n, &one, l, &ldl, b, &ldb);
}

template <class Scalar>
void cholesky_solve(int n, int columns, const Scalar* l, int ldl, Scalar* b, int ldb) {
  ldl = leading(ldl);
  ldb = leading(ldb);
  int info = 0;
  Call<Scalar>()->potrs("L", &n, &columns, l, &ldl, b, &ldb, &info);
}

template void gemm(bool, bool, int, int, int, double, const double*, int, const double*, int, double, double*, int);
template void syrk(bool, int, int, double, const double*, int, double, double*, int);
template bool cholesky(int, double*, int);
template void solve_right(int, int, const double*, int, double*, int);
template void cholesky_solve(int, int, const double*, int, double*, int);
template void gemm(bool, bool, int, int, int, float, const float*, int, const float*, int, float, float*, int);
template void syrk(bool, int, int, float, const float*, int, float, float*, int);
template bool cholesky(int, float*, int);
template void solve_right(int, int, const float*, int, float*, int);
template void cholesky_solve(int, int, const float*, int, float*, int);

}  // namespace clade::blas

namespace clade {

void use_openblas(const std::string& path) {
  blas::chosen_path() = path;
}

}  // namespace clade

#endif
