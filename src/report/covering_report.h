#pragma once

#include <clade/conformal.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace clade {

// Answers with a guarantee, by level of the truth, for people.
std::string covering_text(const CoverageEvaluation& evaluation);

// {"coverage", "guarantee", "set_size" (null: any), "samples", "covered", "share", "low", "high", "size", "depth",
// "roots", "levels": the keys from "samples" on, and "level"}
nlohmann::json covering_json(const CoverageEvaluation& evaluation);

}  // namespace clade
