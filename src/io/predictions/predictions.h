#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predictions.h>

#include <functional>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "io/input.h"

// The files that clade/predictions.h and clade/clustering.h read and write, from bytes and to any sink.

namespace clade {

Predictions parse_predictions(const Input& input, const Dataset& data, Context& ctx);

// Columns after the score, which readers ignore.
struct ExtraColumns {
  std::vector<std::string> names;
  // The cells of a row: of a label of a sample, by its place among all labels. Called from several threads.
  std::function<std::vector<std::string>(Index sample, Index place)> cells;
};
// Without the header, to continue with further samples.
void write_predictions(const Predictions& predictions, const Dataset& data, Sink& sink, Context& ctx,
                       bool has_header = true, const ExtraColumns& extra = {});

std::vector<Index> parse_clusters(const Input& input, const Dataset& data, Context& ctx);

}  // namespace clade
