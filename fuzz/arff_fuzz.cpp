#include "io/arff/arff.h"
#include "table_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  static constexpr DataFormat kArff{.name = "arff", .read = read_arff, .write = write_arff, .holds = arff_holds};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz_table(bytes, kArff, ReadOptions(), true);

  ReadOptions options;
  options.encoding = Encoding::kLatin1;
  options.precision = Precision::kFloat;
  options.sort_features = true;
  options.label_column = "1";
  fuzz_table(bytes, kArff, options, true);
  return 0;
}
