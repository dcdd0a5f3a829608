#include "io/predictions/sample_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "io/lines.h"

namespace clade {
namespace {

constexpr Index kNamesAtOnce = 16;

Error ambiguous(const Where& where, const Dataset& data, Index sample) {
  return input_error(where,
                     fmt::format("sample '{}' is in the data more than once, so a row of this file could mean either",
                                 shown(data.sample_name(sample))),
                     "expected samples with names of their own");
}

}  // namespace

SampleIndex::SampleIndex(const Dataset& data, const Where& where)
    : data_(data), named_(data.has_sample_names()), names_(named_ ? data.samples() : 0) {
  if (named_) {
    add_names(where);
    return;
  }
  rows_ = row_count(data.matrix());
  if (!data.is_view()) return;
  sample_of_.assign(static_cast<std::size_t>(rows_), -1);
  for (Index s = 0; s < data.samples(); ++s) {
    Index& sample = sample_of_[static_cast<std::size_t>(data.source_row(s))];
    if (sample >= 0) throw ambiguous(where, data, s);
    sample = s;
  }
}

void SampleIndex::add_names(const Where& where) {
  std::array<std::string, kNamesAtOnce> block;
  const Index samples = data_.samples();
  for (Index begin = 0; begin < samples; begin += kNamesAtOnce) {
    const Index end = std::min(samples, begin + kNamesAtOnce);
    for (Index s = begin; s < end; ++s) {
      std::string& name = block[static_cast<std::size_t>(s - begin)];
      name = data_.sample_name(s);
      names_.prefetch(name);
    }
    for (Index s = begin; s < end; ++s) {
      if (names_.add(block[static_cast<std::size_t>(s - begin)]) != s) throw ambiguous(where, data_, s);
    }
  }
}

Index SampleIndex::find_name(std::string_view text, Index before) const {
  if (before >= 0) {
    if (names_.name(before) == text) return before;
    if (before + 1 < names_.size() && names_.name(before + 1) == text) return before + 1;
  }
  return names_.find(text);
}

Index SampleIndex::find_number(std::string_view text) const {
  const Index row = parse_digits(text, rows_ - 1);
  return sample_of_.empty() || row < 0 ? row : sample_of_[static_cast<std::size_t>(row)];
}

Error SampleIndex::unknown(std::string_view text, const Where& where) const {
  return input_error(where, fmt::format("sample '{}' is not in the data", shown(text)), expected());
}

std::string SampleIndex::expected() const {
  if (data_.samples() == 0) return "expected no rows, as the data has no samples";
  if (named_)
    return fmt::format("expected the name of one of its {} samples, such as '{}'", names_.size(),
                       shown(names_.name(0)));
  if (sample_of_.empty()) {
    return fmt::format("expected a number from 0 to {}, as its samples have no names", rows_ - 1);
  }
  return fmt::format("expected the number of one of its {} samples, such as {}", data_.samples(), data_.source_row(0));
}

}  // namespace clade
