#include "array_fuzz.h"
#include "io/numpy/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  return fuzz_bytes(data, size, [](std::string_view bytes) {
    require_valid(read_npy(Input::from_bytes("fuzz.npy", bytes), ReadOptions(), fuzz_context()));
  });
}
