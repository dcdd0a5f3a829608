#pragma once

#include <clade/build.h>

#include <string>

namespace clade {

// What only the build of a program knows. It changes with every commit, so it stands in a small file of its own, which
// CMake makes from cmake/program_build.cpp.in and the tool and the Python module have compiled in.
struct ProgramBuild {
  const char* commit;     // as `git describe` writes it; "unknown" without Git and without a file COMMIT
  const char* processor;  // "native": compiled for the processor of the machine; "portable": for all of its kind
};
extern const ProgramBuild program_build;

// What tells builds of one version apart, as far as results may differ: "v0.2.0-3-g94907f8a1b, portable, GCC 12.2.0".
std::string build_line(const ProgramBuild& program);

// "clade 0.2.0" on a line of its own, then the rest; and the same for programs.
std::string version_text(const Build& build, const ProgramBuild& program);
std::string version_json(const Build& build, const ProgramBuild& program);

}  // namespace clade
