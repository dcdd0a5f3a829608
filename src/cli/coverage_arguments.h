#pragma once

#include <clade/conformal.h>

#include <optional>
#include <string>

#include "cli/command_line.h"

namespace clade::cli {

// The flags of answers with a guarantee, for `predict` and `evaluate`.
class CoverageArguments {
 public:
  CoverageArguments() = default;
  CoverageArguments(const CoverageArguments&) = delete;
  CoverageArguments& operator=(const CoverageArguments&) = delete;

  void declare(Arguments& arguments);
  // Empty without --coverage. Throws Error (kInput) for bad values, and for flags without --coverage.
  std::optional<CoverageOptions> options() const;

 private:
  std::string coverage_;
  std::string set_size_;
  CoverageOptions options_;
};

}  // namespace clade::cli
