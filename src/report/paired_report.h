#pragma once

#include <clade/paired.h>

#include <string>

namespace clade {

// The comparison of two models, for people and for programs. `a` and `b` are their names.
std::string paired_text(const PairedComparison& comparison, const std::string& a, const std::string& b);
std::string paired_json(const PairedComparison& comparison, const std::string& a, const std::string& b);

}  // namespace clade
