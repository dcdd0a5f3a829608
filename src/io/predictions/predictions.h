#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predictions.h>

#include <vector>

#include "core/output_file.h"
#include "io/input.h"

// The files that clade/predictions.h and clade/clustering.h read and write, from bytes and to any sink.

namespace clade {

Predictions parse_predictions(const Input& input, const Dataset& data, Context& ctx);
// Without the header, to continue with further samples.
void write_predictions(const Predictions& predictions, const Dataset& data, Sink& sink, Context& ctx,
                       bool has_header = true);
std::vector<Index> parse_clusters(const Input& input, const Dataset& data, Context& ctx);

}  // namespace clade
