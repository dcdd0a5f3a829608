#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "io/csv/csv.h"
#include "io/csv/csv_layout.h"
#include "io/csv/csv_record.h"
#include "io/delimited.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr double kMostValues = 2e9;             // of sparse data written densely: 4 GB of text at the least
constexpr std::string_view kSeparators = ";|";  // what a reader takes apart by default

bool takes_header_names(const Dataset& data) {
  const auto names = data.feature_names();
  if (names.empty() || are_default_names(names)) return false;
  // Without a column of sample names a reader would take the feature of that name for it.
  return data.has_sample_names() ||
         std::none_of(names.begin(), names.end(), [](const std::string& name) { return is_sample_column_name(name); });
}

class CsvWriter {
 public:
  CsvWriter(const Dataset& data, char delimiter, Sink& sink) : data_(data), delimiter_(delimiter), sink_(sink) {}

  void write(Context& ctx) {
    write_header();
    for (Index sample = 0; sample < data_.samples(); ++sample) {
      if (sample % 1024 == 0) ctx.check_cancelled();
      write_row(sample);
    }
  }

 private:
  void write_header() {
    const bool names = takes_header_names(data_);
    special_ = "\"\r\n\t,;";  // a reader guesses the delimiter from this line
    if (data_.has_sample_names()) append("sample");
    for (Index k = 0; k < data_.features(); ++k) {
      append(names ? data_.feature_names()[static_cast<std::size_t>(k)] : default_feature_name(k));
    }
    append("label");
    end_line();
    special_ = std::string("\"\r\n") + delimiter_;
  }

  void write_row(Index sample) {
    if (data_.has_sample_names()) append(data_.sample_name(sample));
    FeatureIndex next = 0;
    data_.for_each_value(sample, [&](FeatureIndex feature, auto value) {
      append_zeros(feature - next);
      next = feature + 1;
      begin_field();
      if (std::isinf(value)) refuse_infinite_value("CSV");
      if (!std::isnan(value)) append_number(line_, value);
    });
    append_zeros(static_cast<FeatureIndex>(data_.features()) - next);
    write_labels(sample);
    if (line_.empty()) line_ = "\"\"";  // an empty line would be skipped
    end_line();
  }

  void write_labels(Index sample) {
    const Taxonomy& taxonomy = data_.taxonomy();
    labels_.clear();
    for (const NodeId label : data_.labels(sample)) {
      const std::string& name = taxonomy.name(taxonomy.fold(label));
      if (name.find_first_of(kSeparators) != std::string::npos || name.empty() || trim(name).size() != name.size()) {
        throw input_error({}, fmt::format("label '{}' cannot be written as CSV", shown(name)),
                          "expected a name without ';', '|' and blanks around it");
      }
      if (!labels_.empty()) labels_ += ';';
      labels_ += name;
    }
    append(labels_);
  }

  void begin_field() {
    if (!first_) line_ += delimiter_;
    first_ = false;
  }

  void append_zeros(FeatureIndex count) {
    for (FeatureIndex k = 0; k < count; ++k) {
      begin_field();
      line_ += '0';
    }
  }

  void append(std::string_view text) {
    begin_field();
    append_csv_field(line_, text, special_);
  }

  void end_line() {
    line_ += '\n';
    sink_.write(line_);
    line_.clear();
    first_ = true;
  }

  const Dataset& data_;
  char delimiter_;
  Sink& sink_;
  std::string special_;  // characters that make a field quoted
  std::string line_;
  std::string labels_;
  bool first_ = true;
};

void write_delimited(const Dataset& data, char delimiter, Sink& sink, Context& ctx) {
  const double values = static_cast<double>(data.samples()) * static_cast<double>(data.features());
  if (is_sparse(data.matrix()) && values > kMostValues) {
    throw usage_error(fmt::format("sparse data of {} x {} is too large for CSV, which writes every zero",
                                  data.samples(), data.features()),
                      "expected at most 2e9 values; a sparse format such as LIBSVM holds it");
  }
  refuse_unwritable_names(data, "CSV");
  CsvWriter(data, delimiter, sink).write(ctx);
}

}  // namespace

void write_csv(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  write_delimited(data, ',', sink, ctx);
}

void write_tsv(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  write_delimited(data, '\t', sink, ctx);
}

DataFormat::Holds csv_holds(const Dataset& data) {
  return {.feature_names = takes_header_names(data),
          .sample_names = data.has_sample_names(),
          .taxonomy = false,
          .feature_count = true};
}

}  // namespace clade
