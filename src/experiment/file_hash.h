#pragma once

#include <clade/experiment.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// XXH3 (128 bits, hexadecimal) of the bytes of a file; of a folder, of the names and bytes of all files in it.
std::string content_hash(const std::string& path, Context& ctx);

// The same of a text.
std::string text_hash(std::string_view text);

// Everything that an experiment reads, and its hash.
std::vector<std::pair<std::string, std::string>> input_hashes(const Experiment& experiment, Context& ctx);

}  // namespace clade
