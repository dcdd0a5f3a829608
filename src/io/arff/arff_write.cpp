#include <algorithm>
#include <cmath>

#include "io/arff/arff.h"
#include "io/arff/arff_class.h"
#include "io/arff/arff_text.h"
#include "io/delimited.h"
#include "io/number.h"

namespace clade {
namespace {

class ArffWriter {
 public:
  ArffWriter(const Dataset& data, Sink& sink) : data_(data), classes_(data.taxonomy()), sink_(sink) {}

  void write(Context& ctx) {
    write_header();
    const bool sparse = is_sparse(data_.matrix());
    for (Index sample = 0; sample < data_.samples(); ++sample) {
      if (sample % 1024 == 0) ctx.check_cancelled();
      sparse ? write_sparse_row(sample) : write_dense_row(sample);
    }
  }

 private:
  void write_header() {
    line_ = "@relation data\n\n";
    if (data_.has_sample_names()) line_ += "@attribute sample string\n";
    for (Index k = 0; k < data_.features(); ++k) {
      line_ += "@attribute ";
      append_arff_word(line_, data_.has_feature_names() ? data_.feature_names()[static_cast<std::size_t>(k)]
                                                        : default_feature_name(k));
      line_ += " numeric\n";
    }
    if (!classes_.mark().empty()) line_.append("% ").append(classes_.mark()) += '\n';
    line_ += "@attribute class hierarchical ";
    classes_.append_entries(line_);
    line_ += "\n\n@data\n";
    end_line();
  }

  void write_dense_row(Index sample) {
    if (data_.has_sample_names()) {
      append_arff_word(line_, data_.sample_name(sample));
      line_ += ',';
    }
    data_.for_each_value(sample, [&](FeatureIndex, auto value) {
      append_value(value);
      line_ += ',';
    });
    append_labels(sample);
    line_ += '\n';
    end_line();
  }

  void write_sparse_row(Index sample) {
    line_ = '{';
    Index shift = 0;
    if (data_.has_sample_names()) {
      line_ += "0 ";
      append_arff_word(line_, data_.sample_name(sample));
      shift = 1;
    }
    data_.for_each_value(sample, [&](FeatureIndex feature, auto value) {
      begin_entry(feature + shift);
      append_value(value);
    });
    begin_entry(data_.features() + shift);
    append_labels(sample);
    line_ += "}\n";
    end_line();
  }

  void begin_entry(Index index) {
    if (line_.size() > 1) line_ += ',';
    line_ += std::to_string(index);
    line_ += ' ';
  }

  template <class T>
  void append_value(T value) {
    if (std::isinf(value)) refuse_infinite_value("ARFF");
    std::isnan(value) ? static_cast<void>(line_ += '?') : append_number(line_, value);
  }

  void append_labels(Index sample) {
    const auto labels = data_.labels(sample);
    if (labels.empty()) line_ += '?';
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (k > 0) line_ += '@';
      classes_.append_label(line_, labels[k]);
    }
  }

  void end_line() {
    sink_.write(line_);
    line_.clear();
  }

  const Dataset& data_;
  ArffClassWriter classes_;
  Sink& sink_;
  std::string line_;
};

}  // namespace

void write_arff(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  refuse_unwritable_names(data, "ARFF");
  ArffWriter(data, sink).write(ctx);
}

DataFormat::Holds arff_holds(const Dataset& data) {
  const auto names = data.feature_names();
  return {.feature_names = !names.empty() && !are_default_names(names),
          .sample_names = data.has_sample_names(),
          .taxonomy = true,
          .feature_count = true};
}

}  // namespace clade
