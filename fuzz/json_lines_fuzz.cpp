#include "text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace clade;
  const Input input = Input::from_bytes("fuzz.json", {reinterpret_cast<const char*>(data), size});
  fuzz::survive([&] { return read_json_lines(input, ReadOptions(), fuzz::context()); });
  fuzz::survive([&] { return read_json_lines(input, fuzz::stemming_options(), fuzz::context()); });
  return 0;
}
