#include "array_fuzz.h"
#include "io/numpy/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  return fuzz_bytes(data, size, [](std::string_view bytes) {
    ParsedData parsed = read_npz(Input::from_bytes("fuzz.npz", bytes), ReadOptions(), fuzz_context());
    require_valid(parsed);
    if (parsed.hierarchy) parsed.hierarchy->build();
  });
}
