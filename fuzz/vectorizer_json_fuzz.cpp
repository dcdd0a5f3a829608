#include <nlohmann/json.hpp>

#include "data/text/vectorizer_json.h"
#include "io/json_input.h"
#include "text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace clade;
  const Input input = Input::from_bytes("fuzz.meta.json", {reinterpret_cast<const char*>(data), size});
  try {
    const TextVectorizer vectorizer = vectorizer_from_json(parse_json(input), {.file = input.name()});
    const auto row = vectorizer.transform("The cats' 9 lives: running, caf\xC3\xA9s");
    fuzz::require(row.columns.size() == row.values.size());
    for (const double value : row.values) fuzz::require(std::isfinite(value));
    const nlohmann::json written = vectorizer_to_json(vectorizer);
    const TextVectorizer again = vectorizer_from_json(written, {.file = input.name()});
    fuzz::require(again.words == vectorizer.words && vectorizer_to_json(again) == written);
  } catch (const Error& error) {
    fuzz::require(error.kind() == Error::Kind::kInput);
  }
  return 0;
}
