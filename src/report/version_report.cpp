#include "report/version_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "report/json_text.h"

namespace clade {
namespace {

std::string blas_text(const Build& build) {
  if (!build.blas_problem.empty()) return build.blas_problem;
  if (build.blas_kernel.empty()) return build.blas;
  const std::string instead =
      build.blas_own_kernel == build.blas_kernel ? "" : fmt::format(" instead of its own {}", build.blas_own_kernel);
  return fmt::format("{}, kernel {}{}", build.blas, build.blas_kernel, instead);
}

}  // namespace

std::string build_line(const ProgramBuild& program) {
  return fmt::format("{}, {}, {}", program.commit, program.processor, compiled_with());
}

std::string version_text(const Build& build, const ProgramBuild& program) {
  std::string text = fmt::format("clade {}\n", build.version);
  text += fmt::format("commit:    {}\n", program.commit);
  text += fmt::format("BLAS:      {}\n", blas_text(build));
  text += fmt::format("threads:   {}\n", build.threads);
  text += fmt::format("compiler:  {}\n", build.compiler);
  const std::string with =
      build.instructions.empty() ? "" : fmt::format(", with {}", fmt::join(build.instructions, ", "));
  return text + fmt::format("processor: {}{}\n", program.processor, with);
}

std::string version_json(const Build& build, const ProgramBuild& program) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
  };
  return json_text({{"version", build.version},
                    {"commit", program.commit},
                    {"blas",
                     {{"name", build.blas},
                      {"kernel", text_or_null(build.blas_kernel)},
                      {"own_kernel", text_or_null(build.blas_own_kernel)},
                      {"problem", text_or_null(build.blas_problem)}}},
                    {"threads", build.threads},
                    {"compiler", build.compiler},
                    {"processor", program.processor},
                    {"instructions", build.instructions}});
}

}  // namespace clade
