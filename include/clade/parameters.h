#pragma once

#include <clade/types.h>

#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// The value of a parameter: a number, a truth value or a word, kept as the text that a user would write.
class ParameterValue {
 public:
  ParameterValue() = default;
  ParameterValue(std::string text) : text_(std::move(text)) {}
  ParameterValue(std::string_view text) : text_(text) {}
  ParameterValue(const char* text) : text_(text) {}
  ParameterValue(bool value) : text_(value ? "true" : "false") {}
  ParameterValue(double value);  // the shortest text that reads back as the same number
  template <std::integral Int>
  ParameterValue(Int value) : text_(std::to_string(value)) {}

  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }
  bool empty() const { return text_.empty(); }
  friend bool operator==(const ParameterValue&, const ParameterValue&) = default;

 private:
  std::string text_;
};

// Parameters of a method by name: {{"lambda", 10}, {"start", "random"}}.
using Parameters = std::map<std::string, ParameterValue>;

// The parameters of a method or of a piece of work are declared once, beside the struct that holds them:
//
//   struct SynthOptions { int depth = 3; double decay = 0.5; };
//   void describe(ParameterTable& v, SynthOptions& o) {
//     v("depth", o.depth, at_least(1), "levels of classes below the root");
//     v("decay", o.decay, between(0, 1), "variance of a level relative to the one above");
//   }
//
// Command-line flags, their help, the reference pages, experiment files and bindings are all made from `describe`
// through a ParameterTable, so nothing is written twice. Messages and help texts of the library write a parameter as
// `name`; the command line shows it as its flag.

// The values a number may take.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;  // low itself is excluded
  bool high_open = false;

  bool holds(double value) const {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
  std::string text() const;  // "at least 1", "above 0", "0 to 1"; empty if everything is allowed
};
inline Range anything() {
  return {};
}
inline Range positive() {
  return {.low = 0, .low_open = true};
}
inline Range nonnegative() {
  return {.low = 0};
}
inline Range at_least(double low) {
  return {.low = low};
}
inline Range between(double low, double high) {
  return {.low = low, .high = high};
}
inline Range inside(double low, double high) {
  return {.low = low, .high = high, .low_open = true, .high_open = true};
}

// A word for a value of an enumeration; next to each enumeration stands a constexpr array of these.
template <class Enum>
struct Choice {
  Enum value;
  std::string_view word;
};

// A parameter without its value.
struct ParameterInfo {
  std::string name;  // words joined by dashes: "min-document-frequency"
  std::string type;  // "bool", "int", "float", "string" or "choice"
  std::string default_text;
  std::string range;                 // for people; empty if everything is allowed
  std::vector<std::string> choices;  // for "choice"
  std::string help;

  bool is_flag() const { return type == "bool"; }
};

// A parameter bound to an options object, which must be kept alive.
struct Parameter : ParameterInfo {
  // Reads a value from text. Throws Error (kInput) that names the parameter and its valid values.
  std::function<void(std::string_view)> set;
  std::function<std::string()> get;
};

// Collects the parameters declared by describe(). The table refers to the options it was made from: keep them alive.
class ParameterTable {
 public:
  ParameterTable() = default;
  template <class Options>
  explicit ParameterTable(Options& options) {
    describe(*this, options);
  }

  void operator()(std::string_view name, bool& field, std::string_view help);
  void operator()(std::string_view name, std::string& field, std::string_view help);
  // A default of NaN means that the data decides; it is shown as auto.
  void operator()(std::string_view name, double& field, Range range, std::string_view help);
  template <std::signed_integral Int>
  void operator()(std::string_view name, Int& field, Range range, std::string_view help) {
    add_integer(
        name, field, range, help, std::numeric_limits<Int>::max(),
        [&field](Index value) { field = static_cast<Int>(value); }, [&field] { return static_cast<Index>(field); });
  }
  template <class Enum, std::size_t n>
  void operator()(std::string_view name, Enum& field, const Choice<Enum> (&choices)[n], std::string_view help) {
    std::vector<std::string> words;
    for (const auto& choice : choices) words.emplace_back(choice.word);
    const std::span<const Choice<Enum>> table(choices);
    add_choice(
        name, std::move(words), help, [&field, table](std::size_t k) { field = table[k].value; },
        [&field, table] {
          std::size_t k = 0;
          while (table[k].value != field) ++k;
          return k;
        });
  }

  void add(Parameter parameter) { parameters_.push_back(std::move(parameter)); }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // Throws Error (kInput) if there is no such parameter or the value is not valid.
  void set(std::string_view name, std::string_view value);
  // Sets the parameters of a method. Throws like set(); the error lists the parameters that the method has.
  void set_own(std::string_view method, const Parameters& values);

 private:
  void add_integer(std::string_view name, Index initial, Range range, std::string_view help, Index largest,
                   std::function<void(Index)> store, std::function<Index()> load);
  void add_choice(std::string_view name, std::vector<std::string> words, std::string_view help,
                  std::function<void(std::size_t)> store, std::function<std::size_t()> load);

  std::vector<Parameter> parameters_;
};

}  // namespace clade
