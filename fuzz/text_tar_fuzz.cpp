#include "io/text/text_source.h"
#include "text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace clade;
  const Input input = Input::from_bytes("fuzz.tar", {reinterpret_cast<const char*>(data), size});
  fuzz::survive([&] { return read_text_archive_bytes(input, fuzz::stemming_options(), fuzz::context()); });
  ReadOptions options;
  options.class_from = ClassFrom::kPath;
  options.under = "a";
  fuzz::survive([&] { return read_text_archive_bytes(input, options, fuzz::context()); });
  return 0;
}
