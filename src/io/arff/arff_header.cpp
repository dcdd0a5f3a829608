#include "io/arff/arff_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

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

// The closing quote of the word that begins at `open`, or `end`.
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
    // 0 and 1 stand for themselves, whichever comes first.
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

namespace {

using Kind = ArffAttribute::Kind;
using Role = ArffAttribute::Role;

class RoleAssigner {
 public:
  RoleAssigner(ArffHeader& header, const Input& input, const ReadOptions& options, std::vector<std::string>& notes)
      : header_(header), input_(input), options_(options), notes_(notes) {}

  void assign() {
    header_.label = find_label();
    header_.sample = find_sample();
    if (header_.label >= 0 && header_.label == header_.sample) {
      throw usage_error("one attribute is asked for as labels and as sample names", "expected two attributes");
    }
    if (header_.label >= 0) attribute(header_.label).role = Role::kLabel;
    if (header_.sample >= 0) attribute(header_.sample).role = Role::kSample;
    for (ArffAttribute& each : header_.attributes) {
      if (each.role == Role::kFeature) number_columns(each);
    }
    if (are_default_names(header_.feature_names)) header_.feature_names.clear();
    if (nominal_ > 0) {
      notes_.push_back(fmt::format("{} nominal attribute{} became {} columns of 0 and 1", nominal_,
                                   nominal_ == 1 ? "" : "s", nominal_columns_));
    }
    note_odd_names(header_.feature_names, notes_);
    read_classes();
  }

 private:
  ArffAttribute& attribute(Index k) { return header_.attributes[static_cast<std::size_t>(k)]; }
  Index count() const { return static_cast<Index>(header_.attributes.size()); }

  Index find_label() {
    if (options_.label_column == "none") return -1;
    if (!options_.label_column.empty()) return named_by("`label-column`", options_.label_column);
    if (const Index found = hierarchical_attribute(); found >= 0) return found;
    for (Index k = count() - 1; k >= 0; --k) {
      const bool words = attribute(k).kind == Kind::kNominal || attribute(k).kind == Kind::kText;
      if (words && equal_ignoring_case(attribute(k).name, "class")) return k;
    }
    if (count() > 0 && attribute(count() - 1).kind == Kind::kNominal) {
      notes_.push_back(fmt::format("the last attribute, '{}', is taken as the label", attribute(count() - 1).name));
      return count() - 1;
    }
    notes_.emplace_back("no class attribute: the samples have no labels");
    return -1;
  }

  Index hierarchical_attribute() {
    Index found = -1;
    for (Index k = 0; k < count(); ++k) {
      if (attribute(k).kind != Kind::kHierarchical) continue;
      if (found >= 0) {
        throw input_error(input_.at_line(attribute(k).line), "a second hierarchical attribute",
                          "say which one is the label with `label-column`");
      }
      found = k;
    }
    return found;
  }

  Index find_sample() {
    if (options_.sample_column == "none") return -1;
    if (!options_.sample_column.empty()) return named_by("`sample-column`", options_.sample_column);
    for (Index k = 0; k < count(); ++k) {
      const std::string& name = attribute(k).name;
      const bool named = equal_ignoring_case(name, "sample") || equal_ignoring_case(name, "id");
      if (named && k != header_.label && attribute(k).kind == Kind::kText) return k;
    }
    return -1;
  }

  Index named_by(std::string_view option, const std::string& wanted) {
    Index found = -1;
    for (Index k = 0; k < count(); ++k) {
      if (attribute(k).name != wanted) continue;
      if (found >= 0) {
        throw input_error(input_.at_line(attribute(k).line), fmt::format("several attributes are named '{}'", wanted),
                          fmt::format("give {} a number", option));
      }
      found = k;
    }
    if (found < 0) found = column_number(wanted) - 1;
    if (found >= 0 && found < count()) return found;
    throw input_error({.file = input_.name()}, fmt::format("there is no attribute '{}'", shown(wanted)),
                      fmt::format("{} takes a name, a number from 1 to {}, or none", option, count()));
  }

  void number_columns(ArffAttribute& each) {
    each.first_column = header_.columns;
    switch (each.kind) {
      case Kind::kNumeric:
        header_.feature_names.push_back(each.name);
        break;
      case Kind::kNominal:
        name_nominal_columns(each);
        break;
      case Kind::kText:
        throw input_error(input_.at_line(each.line), fmt::format("attribute '{}' is text", shown(each.name)),
                          "expected numeric or nominal features; `sample-column` takes it as the samples' names");
      case Kind::kHierarchical:
        each.role = Role::kIgnored;
        each.columns = 0;
        notes_.push_back(fmt::format("attribute '{}' is ignored: another one is the label", each.name));
        break;
    }
    header_.columns += each.columns;
  }

  void name_nominal_columns(ArffAttribute& each) {
    ++nominal_;
    if (each.is_one_hot()) {
      each.columns = static_cast<FeatureIndex>(each.values.size());
      for (const std::string& value : each.values) {
        name_bytes_ += each.name.size() + 1 + value.size();
        if (name_bytes_ > kSpareBytes + 10 * input_.bytes().size()) {
          throw input_error(input_.at_line(each.line),
                            fmt::format("the {} values of attribute '{}' make too many long column names",
                                        each.values.size(), shown(each.name)),
                            "expected a shorter name of the attribute");
        }
        header_.feature_names.push_back(each.name + "=" + value);
      }
    } else {
      const std::string& one = each.values[static_cast<std::size_t>(each.one)];
      const std::string& other = each.values[static_cast<std::size_t>(1 - each.one)];
      header_.feature_names.push_back(one == "1" && other == "0" ? each.name : each.name + "=" + one);
    }
    nominal_columns_ += each.columns;
  }

  void read_classes() {
    if (header_.label < 0 || attribute(header_.label).kind != Kind::kHierarchical) return;
    const ArffAttribute& label = attribute(header_.label);
    header_.classes = read_arff_class(label.entries, label.form, input_, label.line, notes_);
  }

  ArffHeader& header_;
  const Input& input_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  Index nominal_ = 0;
  Index nominal_columns_ = 0;
  std::size_t name_bytes_ = 0;
};

}  // namespace

void assign_arff_roles(ArffHeader& header, const Input& input, const ReadOptions& options,
                       std::vector<std::string>& notes) {
  RoleAssigner(header, input, options, notes).assign();
}

}  // namespace clade
