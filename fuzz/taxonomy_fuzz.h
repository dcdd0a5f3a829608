#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/output_file.h"
#include "io/taxonomy/taxonomy_formats.h"

namespace clade {

// One run of a taxonomy reader on arbitrary bytes. What it accepts is a taxonomy: ids are topological, edges agree in
// both directions, and where its writer can write it, it reads back the same. Aborts where that fails.
template <class Read, class Write>
void fuzz_taxonomy(const std::uint8_t* data, std::size_t size, Read read, Write write) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const auto taxonomy_of = [&](std::string_view bytes) {
    std::vector<std::string> notes;
    const Input input = Input::from_bytes("fuzz", bytes);
    TaxonomyBuilder builder = read(input, ReadOptions(), notes);
    return builder.build();
  };
  std::string text;
  try {
    const Taxonomy taxonomy = taxonomy_of({reinterpret_cast<const char*>(data), size});
    Index edges = 0;
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      require(taxonomy.find(taxonomy.name(node)) == node);
      require((node == 0) == taxonomy.parents(node).empty());
      edges += static_cast<Index>(taxonomy.parents(node).size());
      for (const NodeId parent : taxonomy.parents(node)) require(parent >= 0 && parent < node);
      for (const NodeId child : taxonomy.children(node)) require(child > node && child < taxonomy.size());
    }
    require(edges == taxonomy.edges());
    StringSink sink;
    write(taxonomy, WriteOptions(), sink);
    text = sink.text();
    require(taxonomy_of(text) == taxonomy);
  } catch (const Error& error) {
    // What was written must be readable; before that, bad input may be refused.
    require(text.empty());
    require(error.kind() == Error::Kind::kInput || error.kind() == Error::Kind::kSystem);
  }
}

}  // namespace clade
