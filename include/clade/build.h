#pragma once

#include <string>
#include <vector>

namespace clade {

// How this copy of the library was built, and what it computes with on this machine.
struct Build {
  std::string version;                    // of Clade
  std::string compiler;                   // "GCC 12.2.0"
  std::vector<std::string> instructions;  // that it was compiled for, beyond the least of its kind: "AVX2", ...
  std::string blas;                       // "OpenBLAS 0.3.21"; "none (Eigen)" in a build without it
  std::string blas_kernel;                // in use, such as "SkylakeX"; empty without a BLAS
  std::string blas_own_kernel;            // the one that OpenBLAS would have taken by itself
  std::string blas_problem;               // why OpenBLAS cannot be loaded; empty if it can
  int threads = 0;                        // that a context has unless it is told otherwise
};

// Loads OpenBLAS to see which kernel it has, which takes some milliseconds. Does not fail if it cannot be loaded.
Build build();

// The compiler, and the instructions that it compiled for, without a look at OpenBLAS: "GCC 12.2.0, with AVX, AVX2".
std::string compiled_with();

}  // namespace clade
