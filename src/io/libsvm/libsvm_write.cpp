#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "io/libsvm/libsvm.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

// Rows are formatted in blocks of about this many values.
constexpr Index kBlockValues = 1 << 16;
// Text that waits to be written, in blocks per thread.
constexpr Index kBlocksPerThread = 4;

Index stored_values(const FeatureMatrix& matrix) {
  return std::visit(
      [](const auto& m) -> Index {
        if constexpr (requires { m.indices; }) {
          return m.nonzeros();
        } else {
          return m.rows * m.columns;
        }
      },
      matrix);
}

Index rows_per_block(const Dataset& data) {
  const Index rows = std::max<Index>(1, row_count(data.matrix()));
  const Index width = std::max<Index>(1, stored_values(data.matrix()) / rows);
  return std::max<Index>(1, kBlockValues / width);
}

bool is_expressible(std::string_view name) {
  const auto bad = [](char c) {
    return c == ',' || c == ':' || c == '#' || c == ' ' || c == 0x7F || static_cast<unsigned char>(c) < 0x20;
  };
  return !name.empty() && std::none_of(name.begin(), name.end(), bad) &&
         first_invalid_utf8(name) == std::string_view::npos;
}

const std::string& label_name(const Dataset& data, NodeId node) {
  return data.taxonomy().name(data.taxonomy().fold(node));
}

void check_labels(const Dataset& data) {
  if (data.samples() == 0) {
    throw usage_error("data without samples cannot be written as LIBSVM", "expected at least one, or another format");
  }
  std::vector<bool> checked(static_cast<std::size_t>(data.taxonomy().size()));
  for (Index sample = 0; sample < data.samples(); ++sample) {
    for (const NodeId node : data.labels(sample)) {
      if (checked[static_cast<std::size_t>(node)]) continue;
      checked[static_cast<std::size_t>(node)] = true;
      const std::string& name = label_name(data, node);
      if (!is_expressible(name)) {
        throw usage_error(fmt::format("label '{}' cannot be written as LIBSVM", shown(name)),
                          "expected names without blanks, commas, colons, '#' and control characters");
      }
    }
  }
}

void append_index(std::string& text, Index index) {
  std::array<char, 24> buffer{};
  text.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), index).ptr);
}

template <class T>
void append_value(std::string& text, Index sample, FeatureIndex feature, T value) {
  if (std::isinf(value)) {
    throw usage_error(fmt::format("sample {} has an infinite value at feature {}", sample + 1, Index{feature} + 1),
                      "LIBSVM holds finite numbers");
  }
  text += ' ';
  append_index(text, Index{feature} + 1);
  text += ':';
  if (std::isnan(value)) {
    text += "nan";
  } else {
    append_number(text, value);
  }
}

void append_row(std::string& text, const Dataset& data, Index sample) {
  const auto labels = data.labels(sample);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (k > 0) text += ',';
    text += label_name(data, labels[k]);
  }
  bool empty = true;
  data.for_each_value(sample, [&](FeatureIndex feature, auto value) {
    if (value == 0) return;
    append_value(text, sample, feature, value);
    empty = false;
  });
  // Without a label and a value the line would be blank, and without any value the file would look like no LIBSVM.
  if (empty && (labels.empty() || sample == 0)) text += " 1:0";
  text += '\n';
}

}  // namespace

void write_libsvm(const Dataset& data, const WriteOptions&, Sink& sink, Context& ctx) {
  if (data.features() == 0) throw usage_error("data without features", "LIBSVM holds at least one");
  check_labels(data);
  const Index grain = rows_per_block(data);
  const Index blocks = chunk_count(data.samples(), grain);
  const Index wave = kBlocksPerThread * ctx.threads();
  std::vector<std::string> texts(static_cast<std::size_t>(std::min(blocks, wave)));
  for (Index first = 0; first < blocks; first += wave) {
    const Index count = std::min(wave, blocks - first);
    parallel_for(ctx, count, 1, [&](Index k, Index) {
      std::string& text = texts[static_cast<std::size_t>(k)];
      text.clear();
      const Index end = std::min(data.samples(), (first + k + 1) * grain);
      for (Index sample = (first + k) * grain; sample < end; ++sample) append_row(text, data, sample);
    });
    for (Index k = 0; k < count; ++k) sink.write(texts[static_cast<std::size_t>(k)]);
  }
}

}  // namespace clade
