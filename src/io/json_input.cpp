#include "io/json_input.h"

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "io/json_events.h"
#include "io/json_tokens.h"

namespace clade {

nlohmann::json parse_json(const Input& input) {
  const std::string_view text = input.bytes();
  try {
    return parse_json(text);
  } catch (const nlohmann::json::parse_error& fault) {
    const std::size_t at = fault.byte == 0 ? 0 : std::min(fault.byte - 1, text.size());
    const std::size_t line_start = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t column = line_start == std::string_view::npos || line_start >= at ? at : at - line_start - 1;
    throw input_error(input.at_line(input.line_of(at), static_cast<Index>(column) + 1), "not well-formed JSON",
                      "expected one JSON document");
  } catch (const nlohmann::json::out_of_range&) {
    throw input_error({.file = input.name()}, "a number in the JSON is too large",
                      "expected numbers a double can hold");
  }
}

namespace {

// An input iterator over bytes that records how far the parser has come.
class WatchedBytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedBytes(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  WatchedBytes& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  bool operator==(const WatchedBytes& other) const { return at_ == other.at_; }
  bool operator!=(const WatchedBytes& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

// The parser says "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - unexpected
// end of input; expected ...; last read: ...". We state the place ourselves and drop the prefix.
std::string reason_of(std::string_view what) {
  const std::size_t dash = what.find(" - ");
  const std::size_t bracket = what.find("] ");
  if (dash != std::string_view::npos) {
    what.remove_prefix(dash + 3);
  } else if (bracket != std::string_view::npos) {
    what.remove_prefix(bracket + 2);
  }
  return std::string(what.substr(0, std::min(what.find("; last read"), std::size_t{100})));
}

}  // namespace

// Receives the parser's events, whose names it prescribes.
class JsonTokens::Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(JsonTokens& target, const Utf8Text& text, const char* const& seen)
      : target_(target), text_(text), seen_(seen), previous_end_(text.text().data()) {}

  bool null() override { return add(Kind::kNull); }
  bool boolean(bool /*value*/) override { return add(Kind::kOther); }
  bool number_integer(number_integer_t /*value*/) override { return add(Kind::kOther); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kLargest = std::numeric_limits<std::uint32_t>::max();
    return value > kLargest ? add(Kind::kOther) : add(Kind::kNumber, static_cast<std::uint32_t>(value));
  }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return add(Kind::kOther); }
  bool string(string_t& value) override { return add_text(Kind::kString, value); }
  bool binary(binary_t& /*value*/) override { return add(Kind::kOther); }
  bool key(string_t& value) override { return add_text(Kind::kKey, value); }
  bool start_object(std::size_t /*size*/) override { return open(Kind::kObject); }
  bool start_array(std::size_t /*size*/) override { return open(Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& fault) override {
    throw input_error(text_.at(position == 0 ? 0 : position - 1), "not well-formed JSON", reason_of(fault.what()));
  }

 private:
  bool add(Kind kind, std::uint32_t payload = 0) {
    target_.tokens_.push_back({kind, payload, token_start()});
    previous_end_ = seen_;
    return true;
  }

  bool add_text(Kind kind, const std::string& value) {
    target_.texts_ += value;
    target_.text_ends_.push_back(static_cast<std::uint32_t>(target_.texts_.size()));
    return add(kind, static_cast<std::uint32_t>(target_.text_ends_.size() - 1));
  }

  bool open(Kind kind) {
    open_.push_back(static_cast<std::uint32_t>(target_.tokens_.size()));
    add(kind);
    if (open_.size() > kDeepest) {
      throw input_error(text_.at(target_.tokens_.back().offset), "JSON nested too deeply",
                        "expected at most " + std::to_string(kDeepest) + " levels");
    }
    return true;
  }

  bool close() {
    target_.tokens_[open_.back()].payload = static_cast<std::uint32_t>(target_.tokens_.size());
    open_.pop_back();
    previous_end_ = seen_;
    return true;
  }

  // The parser tells where a token ends; it begins after the blanks and punctuation that follow the previous one.
  std::uint32_t token_start() const {
    const char* at = previous_end_;
    while (at < seen_ && std::string_view(" \t\r\n,:").find(*at) != std::string_view::npos) ++at;
    return static_cast<std::uint32_t>(at - text_.text().data());
  }

  JsonTokens& target_;
  const Utf8Text& text_;
  const char* const& seen_;
  const char* previous_end_;
  std::vector<std::uint32_t> open_;
};

JsonTokens::JsonTokens(const Utf8Text& text) {
  const std::string_view bytes = text.text();
  if (bytes.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw input_error(text.at(std::size_t{0}), "a JSON file of 4 GiB or more", "use an edge list");
  }
  const char* const first = bytes.data();
  const char* seen = first;
  Handler handler(*this, text, seen);
  const WatchedBytes begin(first, &seen);
  const WatchedBytes end(first + bytes.size(), &seen);
  read_json_events(begin, end, handler);
}

std::string_view JsonTokens::text(std::uint32_t token) const {
  const std::uint32_t number = tokens_[token].payload;
  const std::uint32_t begin = number == 0 ? 0 : text_ends_[number - 1];
  return std::string_view(texts_).substr(begin, text_ends_[number] - begin);
}

}  // namespace clade
