#include "experiment/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "experiment/results_records.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr std::array<std::string_view, 2> kDatasetNames = {"dataset", "data"};
constexpr std::array<std::string_view, 1> kMethodNames = {"method"};
constexpr std::array<std::string_view, 1> kMetricNames = {"metric"};
constexpr std::array<std::string_view, 1> kValueNames = {"value"};
constexpr std::array<std::string_view, 7> kMissing = {"", "-", "\xE2\x80\x93", "\xE2\x80\x94", "nan", "na", "?"};
// A table has a cell for every pair. Files that name many methods and data sets but hold few results are refused before
// memory is allocated for all cells.
constexpr Index kSpareCells = 100'000;

constexpr std::size_t kNone = std::string_view::npos;

// Names in order of first appearance.
class Names {
 public:
  std::size_t number(std::string_view name) {
    const auto [entry, added] = numbers_.try_emplace(std::string(name), names_.size());
    if (added) names_.emplace_back(name);
    return entry->second;
  }
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

struct Result {
  std::size_t dataset;
  std::size_t method;
  double value;
};

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMost); ++k) text += (k == 0 ? "" : ", ") + shown(names[k]);
  return names.size() > kMost ? fmt::format("{}, ... ({} in all)", text, names.size()) : text;
}

class ResultsReader {
 public:
  ResultsReader(const Input& input, std::string_view metric)
      : input_(input), records_(input), header_(records_.header()), metric_(metric) {}

  ResultsTable read() {
    const std::size_t method = column(kMethodNames);
    if (method == kNone) {
      read_wide();
    } else {
      read_long(method);
    }
    check_names();
    return table();
  }

 private:
  template <std::size_t n>
  std::size_t column(const std::array<std::string_view, n>& names) const {
    for (const std::string_view name : names) {
      for (std::size_t k = 0; k < header_.size(); ++k) {
        if (equal_ignoring_case(header_[k], name)) return k;
      }
    }
    return kNone;
  }

  Error header_error(std::string_view problem, std::string_view expected) const {
    return input_error(input_.at_line(records_.header_line()), problem, expected);
  }

  void read_wide() {
    if (header_.size() < 3) {
      throw header_error(fmt::format("the columns are {}", listed(header_)),
                         "expected dataset, method and measures, or a data set and at least two methods");
    }
    if (metric_.empty()) metric_ = "value";
    for (std::size_t k = 1; k < header_.size(); ++k) {
      if (header_[k].empty()) throw header_error(fmt::format("column {} has no name", k + 1), "expected a method");
      if (methods_.number(header_[k]) != k - 1) {
        throw header_error(fmt::format("two columns are named '{}'", shown(header_[k])), "expected different methods");
      }
    }
    for (Record record; records_.next(record);) {
      const std::size_t dataset = datasets_.number(name(record, 0, "data set"));
      for (std::size_t k = 1; k < header_.size(); ++k) add(record, dataset, k - 1, k);
    }
  }

  void read_long(std::size_t method) {
    const std::size_t dataset = column(kDatasetNames);
    if (dataset == kNone) {
      throw header_error(fmt::format("no column 'dataset' among {}", listed(header_)),
                         "expected dataset, method and measures");
    }
    const std::size_t kind = column(kMetricNames);
    const std::size_t value = column(kValueNames);
    const std::size_t measure = metric_.empty() ? kNone : measure_column(method, dataset);
    if (measure == kNone && kind != kNone && value != kNone) return read_long_long(method, dataset, kind, value);
    const std::size_t chosen = measure != kNone ? measure : only_measure(method, dataset);
    for (Record record; records_.next(record);) {
      const std::size_t d = datasets_.number(name(record, dataset, "data set"));
      add(record, d, methods_.number(name(record, method, "method")), chosen);
    }
  }

  std::size_t measure_column(std::size_t method, std::size_t dataset) const {
    std::size_t found = kNone;
    for (std::size_t k = 0; k < header_.size(); ++k) {
      if (k == method || k == dataset || header_[k] != metric_) continue;
      if (found != kNone) {
        throw header_error(fmt::format("two columns are named '{}'", shown(metric_)), "expected one");
      }
      found = k;
    }
    return found;
  }

  std::size_t only_measure(std::size_t method, std::size_t dataset) {
    std::vector<std::string> measures;
    std::size_t last = kNone;
    for (std::size_t k = 0; k < header_.size(); ++k) {
      if (k == method || k == dataset) continue;
      measures.push_back(header_[k]);
      last = k;
    }
    if (measures.empty()) throw header_error("no measure beside data set and method", "expected a column for each");
    choose_metric(measures);
    return last;
  }

  // Keeps only the requested metric, or the only one; throws Error if that is not possible.
  void choose_metric(const std::vector<std::string>& present) {
    if (metric_.empty() && present.size() > 1) {
      throw input_error({.file = input_.name()}, "several measures", "say which with `metric`: " + listed(present));
    }
    if (metric_.empty()) metric_ = present[0];
    if (std::find(present.begin(), present.end(), metric_) == present.end()) {
      throw input_error({.file = input_.name()}, fmt::format("no measure '{}'", shown(metric_)),
                        "expected one of " + listed(present));
    }
  }

  void read_long_long(std::size_t method, std::size_t dataset, std::size_t kind, std::size_t value) {
    Names metrics;
    const bool given = !metric_.empty();
    for (Record record; records_.next(record);) {
      const std::string& measure = name(record, kind, "metric");
      if (metrics.number(measure) == 0 && !given) metric_ = measure;
      const std::string& dataset_name = name(record, dataset, "data set");
      const std::string& method_name = name(record, method, "method");
      if (measure != metric_) continue;
      const std::size_t d = datasets_.number(dataset_name);
      add(record, d, methods_.number(method_name), value);
    }
    if (metrics.size() == 0) return;
    if (!given && metrics.size() > 1) metric_.clear();
    choose_metric(metrics.names());
  }

  const std::string& name(const Record& record, std::size_t column, std::string_view what) const {
    const std::string& text = record.fields[column];
    if (text.empty()) throw input_error(input_.at_line(record.line), fmt::format("no {}", what), "expected its name");
    return text;
  }

  void add(const Record& record, std::size_t dataset, std::size_t method, std::size_t column) {
    const std::string& text = record.fields[column];
    ++rows_;
    if (is_one_of_ignoring_case(text, kMissing)) {
      ++missing_rows_;
      return;
    }
    double value = 0;
    const NumberStatus status = parse_whole_number(text, value);
    if (status == NumberStatus::kOk) return results_.push_back({dataset, method, value});
    const bool infinite = status == NumberStatus::kNotFinite;
    throw input_error(input_.at_line(record.line),
                      fmt::format("'{}' in column '{}' is {}", shown(text), shown(header_[column]),
                                  infinite ? "not finite" : "no number"),
                      "expected a finite number, or an empty cell where it is missing");
  }

  void check_names() const {
    const Where file{.file = input_.name()};
    if (rows_ == 0) throw input_error(file, "a header and no results", "expected a row for each result");
    if (methods_.size() == 1) {
      throw input_error(file, fmt::format("one method, '{}'", shown(methods_.names()[0])), "expected at least two");
    }
    if (cells() > kSpareCells + rows_) {
      throw input_error(
          file, fmt::format("{} results of {} methods on {} data sets", rows_, methods_.size(), datasets_.size()),
          "expected every method on every data set");
    }
  }

  Index cells() const { return static_cast<Index>(datasets_.size() * methods_.size()); }

  ResultsTable table() {
    ResultsTable table{.file = input_.name(),
                       .metric = std::string(metric_),
                       .datasets = datasets_.names(),
                       .methods = methods_.names(),
                       .values = {},
                       .notes = {}};
    std::vector<long double> sums(static_cast<std::size_t>(cells()));  // for equal means of equal folds
    std::vector<Index> counts(sums.size());
    for (const Result& result : results_) {
      const std::size_t cell = result.dataset * methods_.size() + result.method;
      sums[cell] += result.value;
      ++counts[cell];
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      table.values.push_back(counts[k] == 0 ? std::numeric_limits<double>::quiet_NaN()
                                            : static_cast<double>(sums[k] / static_cast<long double>(counts[k])));
      if (!std::isfinite(table.values.back()) && counts[k] > 0) throw too_large();
    }
    note_averages(counts, table.notes);
    return table;
  }

  Error too_large() const {
    return input_error({.file = input_.name()}, "results too large to average", "expected numbers below 1e308");
  }

  void note_averages(const std::vector<Index>& counts, std::vector<std::string>& notes) const {
    Index fewest = std::numeric_limits<Index>::max();
    Index most = 0;
    for (const Index count : counts) {
      if (count == 0) continue;
      fewest = std::min(fewest, count);
      most = std::max(most, count);
    }
    if (most <= 1) return;
    if (fewest == most) {
      notes.push_back(fmt::format("averaged {} rows for each method on each data set", most));
    } else {
      notes.push_back(
          fmt::format("averaged {} to {} rows for each method on each data set: their numbers differ", fewest, most));
    }
    if (missing_rows_ > 0)
      notes.push_back(fmt::format("rows without a value, which are not in the averages: {}", missing_rows_));
  }

  const Input& input_;
  ResultsRecords records_;
  std::vector<std::string> header_;
  std::string metric_;
  Names datasets_;
  Names methods_;
  std::vector<Result> results_;
  Index rows_ = 0;
  Index missing_rows_ = 0;
};

}  // namespace

ResultsTable parse_results_table(const Input& input, std::string_view metric) {
  return ResultsReader(input, metric).read();
}

ResultsTable read_results_table(const std::string& path, std::string_view metric, Context& ctx) {
  return parse_results_table(Input::open(path, ctx), metric);
}

Index method_number(const ResultsTable& table, const std::string& name) {
  const auto found = std::find(table.methods.begin(), table.methods.end(), name);
  if (found != table.methods.end()) return found - table.methods.begin();
  std::vector<std::string> names;
  for (const std::string& method : table.methods) names.push_back(shown(method));
  throw usage_error(fmt::format("`control`: no method '{}'", shown(name)),
                    fmt::format("expected one of {}", fmt::join(names, ", ")));
}

}  // namespace clade
