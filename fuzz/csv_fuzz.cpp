#include "io/csv/csv.h"
#include "table_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  static constexpr DataFormat kCsv{.name = "csv", .read = read_csv, .write = write_csv, .holds = csv_holds};
  static constexpr DataFormat kTsv{.name = "tsv", .read = read_tsv, .write = write_tsv, .holds = csv_holds};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz_table(bytes, kCsv, ReadOptions(), false);

  ReadOptions options;
  options.encoding = Encoding::kLatin1;
  options.precision = Precision::kFloat;
  options.label_column = "1";
  options.sample_column = "none";
  fuzz_table(bytes, kTsv, options, false);
  return 0;
}
