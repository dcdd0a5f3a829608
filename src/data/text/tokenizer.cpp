#include "data/text/tokenizer.h"

#include <clade/error.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace clade {
namespace {

enum class Kind : std::uint8_t { kOther, kLetter, kDigit, kMark, kApostrophe, kHigh };

constexpr std::array<Kind, 256> kKindOfByte = [] {
  std::array<Kind, 256> kinds{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds[c] = Kind::kLetter;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) kinds[c] = Kind::kLetter;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds[c] = Kind::kDigit;
  kinds['\''] = Kind::kApostrophe;
  for (std::size_t c = 0x80; c < 0x100; ++c) kinds[c] = Kind::kHigh;
  return kinds;
}();

constexpr std::array<char, 256> kLowerCase = [] {
  std::array<char, 256> lower{};
  for (std::size_t c = 0; c < 256; ++c) lower[c] = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return lower;
}();

constexpr std::string_view kTypographicApostrophe = "\xE2\x80\x99";
constexpr utf8proc_int32_t kTypographicApostrophePoint = 0x2019;

Kind kind_of(utf8proc_int32_t point) {
  switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Kind::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::kDigit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Kind::kMark;
    default:
      return point == kTypographicApostrophePoint ? Kind::kApostrophe : Kind::kOther;
  }
}

struct Character {
  Kind kind = Kind::kOther;
  std::size_t bytes = 1;
};

// The character at the start of a non-empty text; a byte that is not UTF-8 is a character of no kind.
Character first_character(std::string_view text) {
  const Kind kind = kKindOfByte[static_cast<unsigned char>(text[0])];
  if (kind != Kind::kHigh) return {kind, 1};
  utf8proc_int32_t point = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &point);
  if (bytes <= 0) return {};
  return {kind_of(point), static_cast<std::size_t>(bytes)};
}

bool begins_with_letter(std::string_view text) {
  return !text.empty() && first_character(text).kind == Kind::kLetter;
}

bool is_ascii_word_byte(char c) {
  const Kind kind = kKindOfByte[static_cast<unsigned char>(c)];
  return kind == Kind::kLetter || kind == Kind::kDigit;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// Offset of the first letter or digit, or the size of the text.
std::size_t find_word(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character c = first_character(text.substr(at));
    if (c.kind == Kind::kLetter || c.kind == Kind::kDigit) return at;
    at += c.bytes;
  }
  return at;
}

bool is_english_ending(std::string_view text) {
  std::array<char, 2> lower{};
  if (text.size() > lower.size()) return false;
  std::ranges::transform(text, lower.begin(), [](char c) { return kLowerCase[static_cast<unsigned char>(c)]; });
  constexpr std::array<std::string_view, 6> kEndings = {"s", "ll", "re", "ve", "d", "m"};
  return std::ranges::find(kEndings, std::string_view(lower.data(), text.size())) != kEndings.end();
}

// The bytes of the apostrophe that ends a text, or 0.
std::size_t trailing_apostrophe(std::string_view text) {
  if (text.ends_with('\'')) return 1;
  return text.ends_with(kTypographicApostrophe) ? kTypographicApostrophe.size() : 0;
}

// The word without one ending such as 's, or the word itself.
std::string_view cut_ending(std::string_view word) {
  for (std::size_t size = 1; size <= 2 && size < word.size(); ++size) {
    const std::string_view before = word.substr(0, word.size() - size);
    const std::size_t apostrophe = trailing_apostrophe(before);
    if (apostrophe == 0) continue;
    return is_english_ending(word.substr(before.size())) ? before.substr(0, before.size() - apostrophe) : word;
  }
  return word;
}

}  // namespace

bool Tokenizer::next(std::string_view& rest, RawWord& word) {
  rest.remove_prefix(find_word(rest));
  if (rest.empty()) return false;
  word = {};
  std::size_t end = 0;
  for (;;) {
    while (end < rest.size() && is_ascii_word_byte(rest[end])) ++end;
    if (end == rest.size()) break;
    const Character c = first_character(rest.substr(end));
    if (c.kind == Kind::kOther) break;
    if (c.kind == Kind::kApostrophe) {
      if (!begins_with_letter(rest.substr(end + c.bytes))) break;
      word.apostrophes = true;
    } else {
      word.ascii = false;
    }
    end += c.bytes;
  }
  word.text = rest.substr(0, end);
  rest.remove_prefix(end);
  return true;
}

std::string_view Tokenizer::form(const RawWord& raw) {
  const std::string_view word = raw.apostrophes ? without_apostrophes(raw.text) : raw.text;
  return raw.ascii ? ascii_form(word) : unicode_form(word);
}

std::string_view Tokenizer::form(std::string_view word) {
  return is_ascii(word) ? ascii_form(word) : unicode_form(word);
}

std::string_view Tokenizer::without_apostrophes(std::string_view word) {
  for (std::string_view shorter = cut_ending(word); shorter.size() < word.size(); shorter = cut_ending(word)) {
    word = shorter;
  }
  joined_.clear();
  while (!word.empty()) {
    const bool curled = word.starts_with(kTypographicApostrophe);
    if (!curled && word[0] != '\'') joined_.push_back(word[0]);
    word.remove_prefix(curled ? kTypographicApostrophe.size() : 1);
  }
  return {joined_.data(), joined_.size()};
}

std::string_view Tokenizer::ascii_form(std::string_view word) {
  if (keep_case_) return word;
  if (ascii_.size() < word.size()) ascii_.resize(word.size());
  for (std::size_t k = 0; k < word.size(); ++k) ascii_[k] = kLowerCase[static_cast<unsigned char>(word[k])];
  return {ascii_.data(), word.size()};
}

std::string_view Tokenizer::unicode_form(std::string_view word) {
  const int folding = keep_case_ ? 0 : UTF8PROC_CASEFOLD;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | folding);
  const auto decompose = [&] {
    return utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(word.data()),
                              static_cast<utf8proc_ssize_t>(word.size()), points_.data(),
                              static_cast<utf8proc_ssize_t>(points_.size()), options);
  };
  utf8proc_ssize_t count = decompose();
  // Needs one more place than there are code points, because the bytes end in a 0.
  if (count >= static_cast<utf8proc_ssize_t>(points_.size())) {
    points_.resize(static_cast<std::size_t>(count) + 1);
    count = decompose();
  }
  if (count < 0) throw usage_error("a word is not UTF-8");
  const utf8proc_ssize_t bytes = utf8proc_reencode(points_.data(), count, options);
  if (bytes < 0) throw usage_error("a word is not UTF-8");
  return {reinterpret_cast<const char*>(points_.data()), static_cast<std::size_t>(bytes)};
}

std::size_t character_count(std::string_view word) {
  return static_cast<std::size_t>(
      std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_number(std::string_view word) {
  if (word.empty()) return false;
  while (!word.empty()) {
    const Character c = first_character(word);
    if (c.kind != Kind::kDigit) return false;
    word.remove_prefix(c.bytes);
  }
  return true;
}

}  // namespace clade
