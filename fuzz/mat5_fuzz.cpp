#include "mat_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return clade::fuzz_mat(data, size, false);
}
