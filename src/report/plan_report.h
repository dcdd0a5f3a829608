#pragma once

#include <clade/plan.h>

#include <string>

namespace clade {

// A table of what a piece of work will take by the number of processes; each may have `limit` bytes of memory.
std::string plan_text(const Plan& plan, const std::string& data, double limit);
std::string plan_json(const Plan& plan, const std::string& data, double limit);

}  // namespace clade
