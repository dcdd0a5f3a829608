#include "taxonomy_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clade::fuzz_taxonomy(data, size, clade::read_child_lists, clade::write_child_lists);
  return 0;
}
