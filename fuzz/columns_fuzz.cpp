// Tables with columns of several kinds: CSV and JSON objects, in UTF-8 or UTF-16, with and without bad rows.
#include <clade/text.h>

#include "io/bad_rows.h"
#include "io/choose_format.h"
#include "io/columns/read_records.h"
#include "io/lines.h"
#include "table_fuzz.h"

namespace {

using namespace clade;

ReadOptions options_of(unsigned bits) {
  ReadOptions options;
  options.skip_bad = (bits & 1U) != 0;
  constexpr Missing kMissing[] = {Missing::kAuto, Missing::kKeep, Missing::kZero, Missing::kMean};
  options.missing = kMissing[bits >> 1U & 3U];
  if ((bits & 8U) != 0) options.text_columns = "1";
  if ((bits & 16U) != 0) options.label_levels = "1,2";
  if ((bits & 32U) != 0) options.text.characters = "2-3";
  if ((bits & 64U) != 0) options.text.hash_bits = 3;
  if ((bits & 128U) != 0) options.text.fields = TextFields::kSeparate;
  return options;
}

// Words and numbers fit together; NaN stands only for what is counted as missing.
void read_columns(const Input& input, const char* name, const ReadOptions& options) {
  static Context ctx({.threads = 1});
  const DataFormat& format = choose_data_format("fuzz", name, ctx);
  try {
    const GoodRows good = good_rows(input, format, options, ctx);
    if (good.are_all_bad()) return;
    require(good.rows >= std::ssize(good.bad));
    const ParsedData parsed = format.read(good.input, options, ctx);
    check_parsed(parsed);
    if (parsed.vectorizer) require(parsed.vectorizer->features() == column_count(parsed.features));
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::kInput || error.kind() == Error::Kind::kSystem);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ReadOptions options = options_of(data[0]);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_wide = is_utf16(bytes);
  const Input input = is_wide ? Input::from_bytes("fuzz", utf16_to_utf8(bytes)) : Input::from_bytes("fuzz", bytes);
  read_columns(input, "csv", options);
  read_columns(input, "json-lines", options);
  return 0;
}
