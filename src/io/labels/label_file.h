#pragma once

#include <clade/io.h>

#include <span>
#include <string>
#include <vector>

#include "io/input.h"
#include "io/parsed.h"

namespace clade {

// Labels in a file of their own (ReadOptions::labels_file): docs/formats/labels.md describes the layouts. The file
// itself determines the layout:
//
//   *.clist           `class, sample, sample, ...` or `class: sample, ...` per line; needs `sample_names`
//   NumPy bytes       an array of numbers or strings, or a 0/1 matrix with one column per class
//   tabs in line 1    `number<TAB>train<TAB>class`: the last column holds the labels, line i is sample i
//   anything else     the labels of sample i in line i, separated by options.label_separators; empty: no label
//
// The result has exactly `samples` samples. `notes` counts what was repaired or left out. Throws Error (kInput) if the
// file has another number of samples (naming both numbers), or is a .clist that names none of `sample_names`.
LabelNames read_label_file(const std::string& path, const ReadOptions& options,
                           std::span<const std::string> sample_names, Index samples, std::vector<std::string>& notes,
                           Context& ctx);

// The same for a file that is already open.
LabelNames parse_labels(const Input& input, const ReadOptions& options, std::span<const std::string> sample_names,
                        Index samples, std::vector<std::string>& notes, Context& ctx);

}  // namespace clade
