#include <clade/build.h>
#include <clade/error.h>
#include <clade/version.h>

#include <algorithm>
#include <string>
#include <thread>

#include "math/blas/blas.h"

namespace clade {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
  return "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::vector<std::string> instructions() {
  std::vector<std::string> names;
#if defined(__AVX__)
  names.emplace_back("AVX");
#endif
#if defined(__AVX2__)
  names.emplace_back("AVX2");
#endif
#if defined(__FMA__)
  names.emplace_back("FMA");
#endif
#if defined(__AVX512F__)
  names.emplace_back("AVX-512");
#endif
#if defined(__ARM_FEATURE_SVE)
  names.emplace_back("SVE");
#endif
  return names;
}

}  // namespace

std::string compiled_with() {
  std::string text = compiler();
  for (const std::string& name : instructions()) text += (text == compiler() ? ", with " : ", ") + name;
  return text;
}

Build build() {
  Build found{.version = CLADE_VERSION, .compiler = compiler(), .instructions = instructions()};
  found.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  try {
    const blas::Library& library = blas::prepare();
    found.blas = library.kernel.empty() ? "none (" + library.name + ")" : library.name;
    found.blas_kernel = library.kernel;
    found.blas_own_kernel = library.first_kernel;
  } catch (const Error& error) {
    found.blas = "OpenBLAS";
    found.blas_problem = error.what();
  }
  return found;
}

}  // namespace clade
