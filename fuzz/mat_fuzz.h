#pragma once

#include <clade/dataset.h>

#include "array_fuzz.h"
#include "core/output_file.h"
#include "io/assemble.h"
#include "io/mat/mat.h"

namespace clade {

inline Dataset dataset_of(ParsedData parsed) {
  std::vector<std::string> notes;
  const ReadOptions options;
  return assemble(std::move(parsed), "fuzz.mat", std::nullopt, options, notes);
}

// Reads the bytes; what can be read must hold together and survive being written and read again.
inline int fuzz_mat(const std::uint8_t* data, std::size_t size, bool mat73) {
  return fuzz_bytes(data, size, [mat73](std::string_view bytes) {
    ParsedData parsed = read_mat(Input::from_bytes("fuzz.mat", bytes), ReadOptions(), fuzz_context());
    require_valid(parsed);
    constexpr Index kSmall = 10000;  // larger data would only take time
    if (row_count(parsed.features) > kSmall || column_count(parsed.features) > kSmall) return;
    const Dataset read = dataset_of(std::move(parsed));
    if (read.taxonomy().size() > kSmall) return;
    StringSink file;
    WriteOptions options;
    options.mat73 = mat73;
    write_mat(read, options, file, fuzz_context());
    ParsedData again = read_mat(Input::from_bytes("again.mat", file.text()), ReadOptions(), fuzz_context());
    require(!difference(read, dataset_of(std::move(again))));
  });
}

}  // namespace clade
