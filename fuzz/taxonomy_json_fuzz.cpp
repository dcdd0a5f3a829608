#include "taxonomy_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clade::fuzz_taxonomy(data, size, clade::read_nested_json, clade::write_nested_json);
  return 0;
}
