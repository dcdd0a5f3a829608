#include "io/arff/arff_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "io/arff/arff_roles.h"
#include "io/arff/arff_text.h"
#include "io/lines.h"

namespace clade {
namespace {

using Kind = ArffAttribute::Kind;

constexpr std::array<std::string_view, 3> kNumericTypes = {"numeric", "real", "integer"};
constexpr std::array<std::string_view, 2> kTextTypes = {"string", "date"};

// Reads the lines of a header one by one.
class HeaderReader {
 public:
  explicit HeaderReader(const DelimitedText& text) : text_(text) {}

  ArffHeader read() {
    std::string_view rest = text_.text;
    for (Index line = 1; !rest.empty(); ++line) {
      line_ = line;
      const std::string_view raw = take_line(rest);
      if (const char* bad = text_.first_bad_byte(raw); bad != raw.data() + raw.size()) {
        text_.refuse_byte(bad, raw.data(), line);
      }
      std::string scratch;
      if (read_line(trim(text_.decoded(raw, scratch)))) {
        if (header_.attributes.empty()) throw error("no attribute before @data", "expected @attribute NAME TYPE");
        header_.data_begin = text_.text.size() - rest.size();
        header_.data_line = line + 1;
        return std::move(header_);
      }
    }
    throw error("the file ends before @data", "expected @data and then the rows");
  }

 private:
  // Returns whether the line is @data.
  bool read_line(std::string_view line) {
    if (line.empty()) return false;
    if (line[0] == '%') {
      read_comment(trim(line.substr(1)));
      return false;
    }
    const std::string_view keyword = line.substr(0, line.find_first_of(" \t"));
    const std::string_view rest = trim(line.substr(keyword.size()));
    if (equal_ignoring_case(keyword, "@relation")) return false;
    if (equal_ignoring_case(keyword, "@data")) return true;
    if (!equal_ignoring_case(keyword, "@attribute")) {
      throw error(fmt::format("'{}' in the header", shown(keyword)), "expected @relation, @attribute, @data or %");
    }
    read_attribute(rest);
    return false;
  }

  void read_comment(std::string_view comment) {
    if (comment == kMarkedEdges) form_ = ArffClassForm::kMarked;
    if (comment == kMarkedRootImplied) form_ = ArffClassForm::kMarkedRootImplied;
  }

  void read_attribute(std::string_view rest) {
    if (rest.empty()) throw error("an attribute without a name", "expected @attribute NAME TYPE");
    const std::size_t behind_name = end_of_name(rest);
    const char* at = rest.data();
    std::string scratch;
    const ArffWord name = take_arff_word(at, at + behind_name, {}, scratch);
    if (!name.closed) throw error("a quote that is not closed", "expected @attribute 'NAME' TYPE");
    ArffAttribute attribute{.name = std::string(name.text), .line = line_, .form = form_};
    read_type(trim(rest.substr(behind_name)), attribute);
    header_.attributes.push_back(std::move(attribute));
  }

  void read_type(std::string_view type, ArffAttribute& attribute) {
    if (type.starts_with('{')) return read_values(type, attribute);
    const std::string_view word = type.substr(0, type.find_first_of(" \t["));
    const std::string_view rest = trim(type.substr(word.size()));
    if (is_one_of_ignoring_case(word, kNumericTypes)) {
      if (!rest.empty() && rest[0] != '[' && rest[0] != '%') throw unknown_type(type, attribute);
    } else if (is_one_of_ignoring_case(word, kTextTypes)) {
      attribute.kind = Kind::kText;
    } else if (equal_ignoring_case(word, "hierarchical")) {
      attribute.kind = Kind::kHierarchical;
      attribute.entries = rest;
    } else {
      throw unknown_type(type, attribute);
    }
  }

  void read_values(std::string_view type, ArffAttribute& attribute) {
    attribute.kind = Kind::kNominal;
    const char* at = type.data() + 1;
    const char* end = type.data() + type.size();
    std::string scratch;
    for (bool more = true; more;) {
      const ArffWord word = take_arff_word(at, end, ",}", scratch);
      if (!word.closed || at == end) {
        throw error(fmt::format("the values of '{}' are not closed", shown(attribute.name)), "expected {a, b, c}");
      }
      if (word.text.empty() && !word.quoted) {
        throw error(fmt::format("an empty value of '{}'", shown(attribute.name)), "expected {a, b, c}");
      }
      const auto number = static_cast<Index>(attribute.values.size());
      if (!attribute.number_of.emplace(word.text, number).second) {
        throw error(fmt::format("value '{}' of '{}' is given twice", shown(word.text), shown(attribute.name)),
                    "expected each value once");
      }
      attribute.values.emplace_back(word.text);
      more = *at++ == ',';
    }
    skip_blanks(at, end);
    if (at != end && *at != '%') throw unknown_type({at, static_cast<std::size_t>(end - at)}, attribute);
    // 0 and 1 mean themselves, whichever comes first.
    if (attribute.values.size() == 2 && attribute.values[0] == "1" && attribute.values[1] == "0") attribute.one = 0;
  }

  static std::size_t end_of_name(std::string_view rest) {
    if (rest[0] != '\'' && rest[0] != '"') return std::min(rest.size(), rest.find_first_of(" \t{"));
    std::size_t at = 1;
    while (at < rest.size() && rest[at] != rest[0]) at += rest[at] == '\\' ? 2 : 1;
    return std::min(rest.size(), at + 1);
  }

  Error unknown_type(std::string_view type, const ArffAttribute& attribute) const {
    return error(fmt::format("type '{}' of attribute '{}'", shown(type), shown(attribute.name)),
                 "expected numeric, real, integer, {a, b, c}, string, date or hierarchical");
  }
  Error error(std::string_view problem, std::string_view expected) const {
    return input_error(text_.input.at_line(line_), problem, expected);
  }

  const DelimitedText& text_;
  Index line_ = 1;
  ArffClassForm form_ = ArffClassForm::kPlain;
  ArffHeader header_;
};

}  // namespace

ArffHeader read_arff_header(const DelimitedText& text, const ReadOptions& options, std::vector<std::string>& notes) {
  ArffHeader header = HeaderReader(text).read();
  assign_arff_roles(header, text.input, options, notes);
  return header;
}

}  // namespace clade
