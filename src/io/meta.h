#pragma once

#include <clade/dataset.h>

#include <optional>
#include <string>
#include <vector>

#include "io/format.h"
#include "io/parsed.h"

namespace clade {

// The file beside a data file, FILE.meta.json, that holds what the data format cannot: docs/formats/meta.md.
std::string meta_path(const std::string& data_path);

// The content for a data file that holds `held` of itself; nothing if the data file needs none.
std::optional<std::string> meta_content(const Dataset& data, const DataFormat::Holds& held);

// Completes what was read from a data file by its meta file. Throws Error where the two do not belong together.
void apply_meta(const Input& meta, ParsedData& parsed);

}  // namespace clade
