#include "io/arff/arff_text.h"

#include <algorithm>

#include "io/lines.h"

namespace clade {
namespace {

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

// The closing quote of the word that `open` begins, or `end`.
const char* closing_quote(const char* open, const char* end, bool& escapes) {
  const char* at = open + 1;
  for (; at != end && *at != *open; ++at) {
    if (*at != '\\') continue;
    escapes = true;
    if (++at == end) break;
  }
  return at;
}

std::string_view unescape(std::string_view raw, std::string& scratch) {
  scratch.clear();
  for (std::size_t k = 0; k < raw.size(); ++k) {
    const bool escape = raw[k] == '\\' && k + 1 < raw.size();
    scratch += escape ? unescaped(raw[++k]) : raw[k];
  }
  return scratch;
}

}  // namespace

void skip_blanks(const char*& at, const char* end) {
  while (at != end && (*at == ' ' || *at == '\t')) ++at;
}

ArffWord take_arff_word(const char*& at, const char* end, std::string_view stops, std::string& scratch) {
  skip_blanks(at, end);
  const auto next_stop = [&](const char* from) { return std::find_first_of(from, end, stops.begin(), stops.end()); };
  if (at == end || (*at != '\'' && *at != '"')) {
    const char* begin = at;
    at = next_stop(at);
    return {.text = trim({begin, static_cast<std::size_t>(at - begin)})};
  }
  bool escapes = false;
  const char* begin = at + 1;
  const char* close = closing_quote(at, end, escapes);
  ArffWord word{.text = {begin, static_cast<std::size_t>(close - begin)}, .quoted = true, .closed = close != end};
  if (escapes) word.text = unescape(word.text, scratch);
  at = word.closed ? close + 1 : end;
  skip_blanks(at, end);
  const char* stop = next_stop(at);
  if (stop != at) word.closed = false;
  at = stop;
  return word;
}

void append_arff_quoted(std::string& text, std::string_view word) {
  text += '\'';
  for (const char c : word) {
    switch (c) {
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      case '\\':
      case '\'':
        text += '\\';
        [[fallthrough]];
      default:
        text += c;
    }
  }
  text += '\'';
}

void append_arff_word(std::string& text, std::string_view word) {
  constexpr std::string_view kSpecial = " \t\r\n\f\v,{}%@'\"\\?";
  if (word.empty() || word.find_first_of(kSpecial) != std::string_view::npos) {
    append_arff_quoted(text, word);
  } else {
    text += word;
  }
}

}  // namespace clade
