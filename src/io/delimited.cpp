#include "io/delimited.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <unordered_set>

#include "io/lines.h"

namespace clade {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

DelimitedText DelimitedText::of(const Input& input, const ReadOptions& options, std::string_view expected,
                                std::vector<std::string>& notes) {
  DelimitedText result{.input = input, .text = input.bytes(), .latin1 = options.encoding == Encoding::kLatin1};
  if (result.text.starts_with(kByteOrderMark)) {
    result.text.remove_prefix(kByteOrderMark.size());
    notes.emplace_back("skipped a byte order mark");
  }
  if (trim(result.text).empty()) throw input_error(input.at_line(1), "empty file", expected);
  return result;
}

std::string_view DelimitedText::decoded(std::string_view raw, std::string& scratch) const {
  if (!latin1 || is_ascii(raw)) return raw;
  scratch = latin1_to_utf8(raw);
  return scratch;
}

const char* DelimitedText::first_bad_byte(std::string_view part) const {
  const std::size_t at = latin1 ? std::string_view::npos : first_invalid_utf8(part);
  return part.data() + std::min(at, part.size());
}

void DelimitedText::refuse_byte(const char* at, const char* from, Index line) const {
  throw input_error(place(from, line, at), fmt::format("byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(*at)),
                    "expected UTF-8 text, or `encoding` latin-1");
}

Where DelimitedText::place(const char* from, Index line, const char* at) const {
  const std::string_view before(from, static_cast<std::size_t>(at - from));
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return input.at_line(line + static_cast<Index>(std::count(before.begin(), before.end(), '\n')),
                       static_cast<Index>(before.size() - line_start) + 1);
}

void DelimitedText::refuse_bare_returns(std::string_view rest, Index line) const {
  if (rest.find('\n') == std::string_view::npos &&
      rest.substr(0, rest.size() - 1).find('\r') != std::string_view::npos) {
    throw input_error(input.at_line(line), "carriage returns alone as line ends", "expected LF or CRLF line ends");
  }
}

void DelimitedText::release(const RowChunk& chunk) const {
  const std::size_t skipped = input.bytes().size() - text.size();
  input.release(chunk.begin + skipped, chunk.end + skipped);
}

bool is_ascii(std::string_view text) {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + sizeof(seen) <= text.size(); at += sizeof(seen)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    seen |= word;
  }
  for (; at < text.size(); ++at) seen |= static_cast<unsigned char>(text[at]);
  return (seen & 0x8080808080808080ULL) == 0;
}

void collect_findings(std::span<const ChunkFindings> findings, ParsedData& parsed) {
  Index empty_labels = 0;
  for (const ChunkFindings& found : findings) {
    parsed.labels.append(found.labels);
    if (parsed.missing_values == 0 && found.missing > 0) parsed.first_missing = found.first_missing;
    parsed.missing_values += found.missing;
    empty_labels += found.empty_labels;
  }
  if (empty_labels > 0) parsed.notes.push_back(fmt::format("skipped {} empty labels between separators", empty_labels));
}

bool equal_ignoring_case(std::string_view a, std::string_view lower_case) {
  return std::equal(a.begin(), a.end(), lower_case.begin(), lower_case.end(),
                    [](char x, char y) { return lower(x) == y; });
}

bool is_one_of_ignoring_case(std::string_view text, std::span<const std::string_view> lower_case) {
  return std::any_of(lower_case.begin(), lower_case.end(),
                     [text](std::string_view word) { return equal_ignoring_case(text, word); });
}

std::string default_feature_name(Index feature) {
  return "f" + std::to_string(feature);
}

bool are_default_names(std::span<const std::string> names) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] != default_feature_name(static_cast<Index>(k))) return false;
  }
  return true;
}

void note_odd_names(std::span<const std::string> names, std::vector<std::string>& notes) {
  std::unordered_set<std::string_view> seen;
  Index repeated = 0;
  Index empty = 0;
  std::string_view first;
  for (const std::string& name : names) {
    if (name.empty()) {
      ++empty;
    } else if (!seen.insert(name).second && repeated++ == 0) {
      first = name;
    }
  }
  if (repeated > 0) {
    notes.push_back(fmt::format("{} feature name{} repeated (first: '{}')", repeated, repeated == 1 ? " is" : "s are",
                                shown(first)));
  }
  if (empty > 0) notes.push_back(fmt::format("{} feature{} no name", empty, empty == 1 ? " has" : "s have"));
}

void refuse_unwritable_names(const Dataset& data, std::string_view format) {
  const auto check = [&](std::string_view name) {
    if (first_invalid_utf8(name) == std::string_view::npos && name.find('\0') == std::string_view::npos) return;
    throw input_error({}, fmt::format("name '{}' cannot be written as {}", shown(name), format),
                      "expected UTF-8 text without zero bytes");
  };
  for (const std::string& name : data.feature_names()) check(name);
  for (NodeId node = 0; node < data.taxonomy().size(); ++node) check(data.taxonomy().name(node));
  for (Index sample = 0; data.has_sample_names() && sample < data.samples(); ++sample) check(data.sample_name(sample));
}

void refuse_infinite_value(std::string_view format) {
  throw input_error({}, fmt::format("an infinite value cannot be written as {}", format), "expected finite values");
}

Index column_number(std::string_view text) {
  Index number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() && number > 0 ? number : 0;
}

}  // namespace clade
