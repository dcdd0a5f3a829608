// Dendrograms: what is accepted joins every part once.

#include <clade/error.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "induce/dendrogram_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Dendrogram dendrogram = parse_dendrogram(Input::from_bytes("fuzz.json", bytes)).dendrogram;
    const std::size_t classes = dendrogram.classes.size();
    std::vector<int> joined(classes + dendrogram.merges.size(), 0);
    for (const Merge& merge : dendrogram.merges) {
      ++joined[static_cast<std::size_t>(merge.first)];
      ++joined[static_cast<std::size_t>(merge.second)];
    }
    // Only the last part is part of nothing.
    for (std::size_t part = 0; part < joined.size(); ++part) {
      if (joined[part] != (part + 1 < joined.size() ? 1 : 0)) std::abort();
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInput) std::abort();
  }
  return 0;
}
