#include "io/bad_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/csv/csv_record.h"
#include "io/lines.h"

namespace clade {
namespace {

constexpr std::string_view kListHeader = "file,line,reason";
constexpr std::size_t kShownRows = 3;

}  // namespace

std::string without_lines(std::string_view text, const std::vector<BadRow>& bad, bool keeps_ends) {
  std::string result;
  result.reserve(text.size());
  auto next = bad.begin();
  for (Index line = 1; !text.empty(); ++line) {
    const std::size_t size = std::min(text.size(), text.find('\n') == text.npos ? text.size() : text.find('\n') + 1);
    while (next != bad.end() && next->line + next->lines <= line) ++next;
    const bool is_bad = next != bad.end() && next->line <= line;
    if (!is_bad) result += text.substr(0, size);
    if (is_bad && keeps_ends && text[size - 1] == '\n') result += '\n';
    text.remove_prefix(size);
  }
  return result;
}

bool skips_bad_rows(const ReadOptions& options) {
  return options.skip_bad || !options.bad_rows.empty();
}

void check_skipping(const std::string& path, const DataFormat& format, const ReadOptions& options) {
  if (!skips_bad_rows(options)) return;
  if (format.check_rows == nullptr) {
    throw usage_error(fmt::format("`skip-bad` has no effect on {}", format.name),
                      "expected csv, tsv, json-lines, libsvm or text-lines");
  }
  if (!options.labels_file.empty()) {
    throw usage_error("`skip-bad` with `labels-file`: labels would no longer fit the rows",
                      "expected labels in the data");
  }
  if (options.bad_rows.empty() || !std::filesystem::is_regular_file(options.bad_rows)) return;
  if (std::error_code ignored; std::filesystem::equivalent(options.bad_rows, path, ignored)) {
    throw input_error({.file = options.bad_rows}, "is the input", "expected another `bad-rows`");
  }
  std::string first;
  std::ifstream file(options.bad_rows);
  std::getline(file, first);
  if (first != kListHeader) {
    throw input_error({.file = options.bad_rows}, "exists and is no list of bad rows", "expected another `bad-rows`");
  }
}

GoodRows good_rows(const Input& input, const DataFormat& format, const ReadOptions& options, Context& ctx) {
  if (!skips_bad_rows(options)) return {.input = input};
  RowCheck check = format.check_rows(input, options, ctx);
  std::ranges::sort(check.bad, {}, &BadRow::row);
  GoodRows result{.input = input, .rows = check.rows, .bad = std::move(check.bad)};
  if (result.bad.empty()) return result;
  const bool empty_lines_are_rows = format.name == "text-lines";
  std::string text = without_lines(input.bytes(), result.bad, !empty_lines_are_rows);
  result.input = Input::from_bytes(input.name(), std::move(text));
  Index emptied = 0;
  for (const BadRow& row : result.bad) emptied += row.lines;
  result.input.set_emptied_lines(emptied);
  return result;
}

Error no_good_row(const std::string& file, const std::vector<BadRow>& bad) {
  return input_error({.file = file, .line = bad.front().line},
                     fmt::format("{}, and so are all {} rows bad", bad.front().reason, bad.size()),
                     "expected some rows that can be read");
}

std::string bad_rows_note(const std::string& file, const std::vector<BadRow>& bad) {
  std::string note =
      fmt::format("{} row{} left out:", bad.size(), bad.size() == 1 ? " is bad and was" : "s are bad and were");
  for (std::size_t k = 0; k < std::min(kShownRows, bad.size()); ++k) {
    note += fmt::format("{} {}:{}: {}", k == 0 ? "" : ",", file, bad[k].line, bad[k].reason);
  }
  if (bad.size() > kShownRows) note += ", ...";
  return note;
}

void write_bad_rows(const std::string& file, const std::vector<BadRow>& bad, const ReadOptions& options) {
  if (options.bad_rows.empty()) return;
  std::string text(kListHeader);
  text += '\n';
  constexpr std::string_view kSpecial = "\"\r\n,";
  for (const BadRow& row : bad) {
    append_csv_field(text, file, kSpecial);
    text += fmt::format(",{},", row.line);
    append_csv_field(text, row.reason, kSpecial);
    text += '\n';
  }
  write_text_file(text, options.bad_rows, true);
}

}  // namespace clade
