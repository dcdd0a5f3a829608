#include <clade/error.h>

#include <cerrno>
#include <cstring>

#include "core/check.h"

namespace clade {
namespace {

// Names in hostile input must not break the line, end it early or control the terminal.
std::string one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7F) {
      line += "\\x";
      line += kDigits[byte >> 4U];
      line += kDigits[byte & 0xFU];
    } else {
      line += c;
    }
  }
  return line;
}

std::string message(const Where& where, std::string_view problem, std::string_view expected) {
  std::string text;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line > 0) text += ":" + std::to_string(where.line);
    if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
    text += ": ";
  }
  text += problem;
  if (!expected.empty()) {
    text += "; ";
    text += expected;
  }
  return one_line(text);
}

}  // namespace

Error::Error(Kind kind, Where where, std::string_view problem, std::string_view expected)
    : std::runtime_error(message(where, problem, expected)),
      kind_(kind),
      where_(std::move(where)),
      problem_(problem),
      expected_(expected) {}

Error input_error(Where where, std::string_view problem, std::string_view expected) {
  return {Error::Kind::kInput, std::move(where), problem, expected};
}

Error usage_error(std::string_view problem, std::string_view expected) {
  return {Error::Kind::kInput, {}, problem, expected};
}

Error system_error(std::string_view file, std::string_view action, int error_number) {
  const Error::Kind kind = error_number == EPIPE ? Error::Kind::kClosed : Error::Kind::kSystem;
  return {kind, {.file = std::string(file)}, std::string(action) + ": " + std::strerror(error_number)};
}

void check_failed(const char* condition, const char* file, int line) {
  throw Error(Error::Kind::kInternal, {.file = file, .line = line}, std::string("internal check failed: ") + condition,
              "this is a fault in Clade: please report it");
}

}  // namespace clade
