#include "io/lines.h"
#include "text_fuzz.h"

namespace {

// Transforming a document of the collection must give exactly the row that learning gave it.
void compare_with_transform(std::string_view text) {
  using namespace clade;
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_line(text));
  const VectorizedText learnt = learn_vectorizer(lines, fuzz::stemming_options().text, fuzz::context());
  fuzz::check(learnt.rows);
  for (std::size_t d = 0; d < lines.size(); ++d) {
    const auto row = learnt.vectorizer->transform(lines[d]);
    const auto columns = learnt.rows.row_indices(static_cast<Index>(d));
    const auto values = learnt.rows.row_values(static_cast<Index>(d));
    fuzz::require(std::ranges::equal(row.columns, columns) && std::ranges::equal(row.values, values));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace clade;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Input input = Input::from_bytes("fuzz.txt", text);
  fuzz::survive([&] { return read_text_lines(input, ReadOptions(), fuzz::context()); });
  fuzz::survive([&] { return read_text_lines(input, fuzz::stemming_options(), fuzz::context()); });
  compare_with_transform(text);
  return 0;
}
