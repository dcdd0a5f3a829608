#include "io/fasta/fasta.h"
#include "text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace clade;
  const Input input = Input::from_bytes("fuzz.fasta", {reinterpret_cast<const char*>(data), size});
  fuzz::survive_sequences([&] { return read_fasta(input, ReadOptions(), fuzz::context()); });
  fuzz::survive_sequences([&] { return read_fasta(input, {.label_column = "2"}, fuzz::context()); });
  ReadOptions lines;
  lines.text.sequences = true;
  fuzz::survive_sequences([&] { return read_text_lines(input, lines, fuzz::context()); });
  return 0;
}
