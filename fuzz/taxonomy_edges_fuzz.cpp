#include "taxonomy_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clade::fuzz_taxonomy(data, size, clade::read_edge_list, clade::write_edge_list);
  return 0;
}
