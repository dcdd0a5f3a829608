#include <clade/error.h>
#include <clade/names.h>
#include <clade/parameters.h>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace clade {
namespace {

template <class Number>
bool parse_all_of(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

Error bad_value(std::string_view name, std::string_view text, std::string_view expected) {
  return usage_error(fmt::format("`{}`: '{}'", name, text), fmt::format("expected {}", expected));
}

std::string number_text(double value) {
  return std::isnan(value) ? "auto" : fmt::format("{}", value);
}

std::string expected_number(std::string_view kind, const Range& range) {
  const std::string bounds = range.text();
  return bounds.empty() ? std::string(kind) : fmt::format("{}, {}", kind, bounds);
}

}  // namespace

ParameterValue::ParameterValue(double value) : text_(fmt::format("{}", value)) {}

std::string Range::text() const {
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  if (has_low && has_high && high_open) return fmt::format("{} {}, below {}", low_open ? "above" : "from", low, high);
  if (has_low && has_high) return fmt::format("{}{} to {}", low_open ? "above " : "", low, high);
  if (has_low) return fmt::format("{} {}", low_open ? "above" : "at least", low);
  if (has_high) return fmt::format("{} {}", high_open ? "below" : "at most", high);
  return {};
}

void ParameterTable::operator()(std::string_view name, bool& field, std::string_view help) {
  parameters_.push_back({{.name = std::string(name),
                          .type = "bool",
                          .default_text = field ? "true" : "false",
                          .range = {},
                          .choices = {},
                          .help = std::string(help)},
                         [&field, label = std::string(name)](std::string_view text) {
                           if (text != "true" && text != "false") throw bad_value(label, text, "true or false");
                           field = text == "true";
                         },
                         [&field] { return std::string(field ? "true" : "false"); }});
}

void ParameterTable::operator()(std::string_view name, std::string& field, std::string_view help) {
  parameters_.push_back({{.name = std::string(name),
                          .type = "string",
                          .default_text = field,
                          .range = {},
                          .choices = {},
                          .help = std::string(help)},
                         [&field](std::string_view text) { field = text; },
                         [&field] { return field; }});
}

void ParameterTable::operator()(std::string_view name, double& field, Range range, std::string_view help) {
  parameters_.push_back(
      {{.name = std::string(name),
        .type = "float",
        .default_text = number_text(field),
        .range = range.text(),
        .choices = {},
        .help = std::string(help)},
       [&field, range, can_be_auto = std::isnan(field), label = std::string(name)](std::string_view text) {
         if (can_be_auto && text == "auto") {
           field = std::numeric_limits<double>::quiet_NaN();
           return;
         }
         double value = 0;
         if (!parse_all_of(text, value) || !std::isfinite(value) || !range.holds(value)) {
           throw bad_value(label, text, expected_number("a number", range));
         }
         field = value;
       },
       [&field] { return number_text(field); }});
}

void ParameterTable::add_integer(std::string_view name, Index initial, Range range, std::string_view help,
                                 Index largest, std::function<void(Index)> store, std::function<Index()> load) {
  auto parse = [range, largest, label = std::string(name), store = std::move(store)](std::string_view text) {
    Index value = 0;
    if (!parse_all_of(text, value) || value > largest || value < -largest || !range.holds(static_cast<double>(value))) {
      throw bad_value(label, text, expected_number("a whole number", range));
    }
    store(value);
  };
  parameters_.push_back({{.name = std::string(name),
                          .type = "int",
                          .default_text = std::to_string(initial),
                          .range = range.text(),
                          .choices = {},
                          .help = std::string(help)},
                         std::move(parse),
                         [load = std::move(load)] { return std::to_string(load()); }});
}

void ParameterTable::add_choice(std::string_view name, std::vector<std::string> words, std::string_view help,
                                std::function<void(std::size_t)> store, std::function<std::size_t()> load) {
  auto parse = [words, label = std::string(name), store = std::move(store)](std::string_view text) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] == text) return store(k);
    }
    throw bad_value(label, text, fmt::format("one of {}", fmt::join(words, ", ")));
  };
  auto word = [words, load = std::move(load)] { return words[load()]; };
  parameters_.push_back({{.name = std::string(name),
                          .type = "choice",
                          .default_text = word(),
                          .range = {},
                          .choices = words,
                          .help = std::string(help)},
                         std::move(parse),
                         word});
}

void ParameterTable::set_own(std::string_view method, const Parameters& values) {
  for (const auto& [name, value] : values) {
    if (std::ranges::find(parameters_, name, &Parameter::name) != parameters_.end()) {
      set(name, value.text());
      continue;
    }
    std::vector<std::string> names;
    std::string known;
    for (const Parameter& p : parameters_) {
      names.push_back(p.name);
      known += (known.empty() ? "`" : ", `") + p.name + "`";
    }
    const std::string near = nearest_name(name, names);
    throw usage_error(fmt::format("{} has no parameter `{}`", method, name),
                      !near.empty()   ? fmt::format("did you mean `{}`?", near)
                      : known.empty() ? "it has none"
                                      : "expected " + known);
  }
}

void ParameterTable::set(std::string_view name, std::string_view value) {
  for (const auto& parameter : parameters_) {
    if (parameter.name == name) return parameter.set(value);
  }
  throw usage_error(fmt::format("no parameter '{}'", name));
}

}  // namespace clade
