#include "io/json_array.h"

#include "io/lines.h"

namespace clade {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class ArrayScanner {
 public:
  ArrayScanner(const Input& input, std::string_view text) : input_(input), text_(text) {}

  std::vector<JsonElement> scan() {
    skip_blanks();
    ++at_;  // the bracket
    std::vector<JsonElement> elements;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ']') {
      ++at_;
    } else {
      do elements.push_back(next());
      while (text_[at_++] == ',');
    }
    skip_blanks();
    if (at_ < text_.size()) throw error("text after the end of the array");
    return elements;
  }

 private:
  void skip_blanks() {
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }

  // Stops at the comma or bracket behind the element.
  JsonElement next() {
    skip_blanks();
    JsonElement element{.text = {}, .line = line_};
    const std::size_t begin = at_;
    Index depth = 0;
    for (bool quoted = false; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c == '\\') ++at_;
        if (c == '"') quoted = false;
        continue;
      }
      if (c == '"') quoted = true;
      if (c == '{' || c == '[') ++depth;
      if (depth == 0 && (c == ',' || c == ']')) break;
      if (c == '}' || c == ']') --depth;
    }
    if (at_ >= text_.size()) throw error("the array is not closed");
    element.text = trim(text_.substr(begin, at_ - begin));
    if (element.text.empty()) throw error("a comma without a value");
    return element;
  }

  Error error(std::string_view problem) const {
    return input_error(input_.at_line(line_), problem, "expected a JSON array of objects, or one object per line");
  }

  const Input& input_;
  std::string_view text_;
  std::size_t at_ = 0;
  Index line_ = 1;
};

}  // namespace

bool is_json_array(std::string_view text) {
  return trim(without_byte_order_mark(text)).starts_with('[');
}

std::vector<JsonElement> json_array_elements(const Input& input) {
  return ArrayScanner(input, without_byte_order_mark(input.bytes())).scan();
}

}  // namespace clade
