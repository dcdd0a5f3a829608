#pragma once

#include <clade/parameters.h>

namespace clade {

// Throws Error (kInput) if a parameter was given that has no effect beside the values of the others in `table`: a
// misunderstanding.
void refuse_idle_parameters(const Parameters& given, const ParameterTable& table);

}  // namespace clade
