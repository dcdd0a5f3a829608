#include <string>
#include <vector>

#include "array_fuzz.h"
#include "io/labels/label_file.h"

// The first byte sets the number of samples; its lowest bit says whether the file is a class list.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  if (size == 0) return 0;
  const Index samples = data[0] >> 1U;
  const char* name = (data[0] & 1U) != 0 ? "fuzz.clist" : "fuzz.txt";
  std::vector<std::string> sample_names;
  for (Index s = 0; s < samples; ++s) sample_names.push_back(std::to_string(s));
  return fuzz_bytes(data + 1, size - 1, [&](std::string_view bytes) {
    std::vector<std::string> notes;
    const Input input = Input::from_bytes(name, bytes);
    require_valid(parse_labels(input, ReadOptions(), sample_names, samples, notes, fuzz_context()), samples);
  });
}
