#include "io/numpy/npy_labels.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "io/labels/label_set.h"

namespace clade {
namespace {

// Whole numbers beyond this are not told apart by a double.
constexpr double kMaxWhole = 9007199254740992.0;

Error label_error(const NpyArray& array, Index sample, std::string_view problem, std::string_view expected) {
  return array.place.error(fmt::format("row {}: {}", sample + 1, problem), expected);
}

void add_number(LabelNames& labels, Index number) {
  std::array<char, 24> text{};
  const auto end = fmt::format_to(text.data(), "{}", number);
  labels.add({text.data(), static_cast<std::size_t>(end - text.data())});
  labels.end_sample();
}

LabelNames integer_labels(const NpyArray& array) {
  LabelNames labels;
  for (Index s = 0; s < array.header.count; ++s) {
    Index number = 0;
    copy_integers(array, s, 1, &number);
    add_number(labels, number);
  }
  return labels;
}

LabelNames whole_number_labels(const NpyArray& array) {
  LabelNames labels;
  for (Index s = 0; s < array.header.count; ++s) {
    double number = 0;
    copy_numbers(array, s, 1, &number);
    if (!(std::abs(number) <= kMaxWhole) || number != std::trunc(number)) {
      throw label_error(array, s, fmt::format("label {}", number), "whole numbers or strings as labels");
    }
    add_number(labels, static_cast<Index>(number));
  }
  return labels;
}

LabelNames string_labels(const NpyArray& array, const ReadOptions& options) {
  LabelNames labels;
  for (Index s = 0; s < array.header.count; ++s) {
    if (!add_label_set(labels, string_at(array, s), options.label_separators, 0)) {
      throw label_error(array, s, "an empty label between separators", "a label");
    }
    labels.end_sample();
  }
  return labels;
}

LabelNames indicator_labels(const NpyArray& array) {
  const Index rows = array.header.shape[0];
  const Index columns = array.header.shape[1];
  LabelNames labels;
  if (rows > 0) {  // so that every class costs at least a byte of the file
    for (Index c = 0; c < columns; ++c) labels.intern(std::to_string(c));
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      double value = 0;
      copy_numbers(array, array.header.fortran_order ? c * rows + r : r * columns + c, 1, &value);
      if (value != 0 && value != 1) {
        throw label_error(array, r, fmt::format("value {} in column {}", value, c + 1), "a matrix of 0 and 1");
      }
      if (value == 1) labels.add(static_cast<std::int32_t>(c));
    }
    labels.end_sample();
  }
  return labels;
}

}  // namespace

LabelNames labels_from_array(const NpyArray& array, Index samples, const ReadOptions& options) {
  const NpyHeader& header = array.header;
  const bool column = header.dimensions() == 2 && header.shape[1] == 1;
  const bool matrix = header.dimensions() == 2 && header.is_number();
  if (header.dimensions() != 1 && !column && !matrix) {
    throw array.place.error(fmt::format("labels of shape {}", header.shape_text()),
                            "one label per sample, or a 0/1 matrix with one row per sample");
  }
  if (header.shape[0] != samples) {
    throw array.place.error(fmt::format("labels for {} samples", header.shape[0]),
                            fmt::format("{}, as many as there are samples", samples));
  }
  if (matrix && !column) return indicator_labels(array);
  if (header.is_string()) return string_labels(array, options);
  return header.kind == 'f' ? whole_number_labels(array) : integer_labels(array);
}

}  // namespace clade
