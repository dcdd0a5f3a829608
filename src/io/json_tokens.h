#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/utf8_text.h"

namespace clade {

// A JSON text as a flat list of tokens, in less than ten times its bytes: enough to walk it in any order, with the
// place of each value. Parsing does not recurse.
class JsonTokens {
 public:
  enum class Kind : std::uint8_t { kObject, kArray, kKey, kString, kNumber, kNull, kOther };

  // Throws Error with line and column if the text is not well-formed JSON or is nested deeper than kDeepest.
  explicit JsonTokens(const Utf8Text& text);

  static constexpr std::size_t kDeepest = 100000;

  // Tokens are in the order of the text: a container before its content, a key before its value. 0 is the outermost.
  Kind kind(std::uint32_t token) const { return tokens_[token].kind; }
  // The token after a value and all that it contains.
  std::uint32_t after(std::uint32_t token) const { return is_container(token) ? tokens_[token].payload : token + 1; }
  bool is_container(std::uint32_t token) const { return kind(token) == Kind::kObject || kind(token) == Kind::kArray; }
  // For a key or a string.
  std::string_view text(std::uint32_t token) const;
  // For a kNumber, which is a whole number that fits; other numbers are kOther.
  std::uint32_t number(std::uint32_t token) const { return tokens_[token].payload; }
  // The position of its first byte.
  std::size_t offset(std::uint32_t token) const { return tokens_[token].offset; }

 private:
  class Handler;
  struct Token {
    Kind kind;
    std::uint32_t payload;  // the number of a text, a number, or the end of a container
    std::uint32_t offset;
  };
  std::vector<Token> tokens_;
  std::string texts_;  // all keys and strings one after the other
  std::vector<std::uint32_t> text_ends_;
};

}  // namespace clade
