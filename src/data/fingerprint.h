#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>

namespace clade {

// 128 bits, in hexadecimal, of everything but the samples: features and their names, taxonomy, what text becomes, and
// what missing values do.
std::string frame_fingerprint(const Dataset& data, Context& ctx);

}  // namespace clade
