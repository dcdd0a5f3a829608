#include "io/libsvm/libsvm.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/large_pages.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "io/libsvm/libsvm_rows.h"
#include "io/libsvm/libsvm_scan.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

// Large enough to make the overhead per chunk negligible, small enough to share a file among threads and to free memory
// early.
constexpr std::size_t kLibsvmChunkBytes = 4U << 20U;

// A chunk, and the totals of those before it.
struct PlannedChunk {
  LineChunk bytes;
  LibsvmShape shape;
  LibsvmShape before;
};

struct Plan {
  std::vector<PlannedChunk> chunks;
  LibsvmShape total;
};

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options, Context& ctx, std::size_t chunk_bytes)
      : input_(input),
        options_(options),
        ctx_(ctx),
        text_(input.bytes()),
        has_mark_(text_.starts_with(kByteOrderMark)),
        progress_(ctx, "reading " + input.base_name(), 2 * static_cast<Index>(text_.size())) {
    plan(chunk_bytes);
  }

  template <class T>
  ParsedData read() {
    SparseMatrix<T> matrix;
    matrix.rows = plan_.total.rows;
    matrix.offsets = Buffer<Index>(matrix.rows + 1);
    matrix.indices = Buffer<FeatureIndex>(plan_.total.values);
    matrix.values = Buffer<T>(plan_.total.values);
    prefer_large_pages(matrix.offsets);
    prefer_large_pages(matrix.indices);
    prefer_large_pages(matrix.values);
    matrix.offsets[0] = 0;
    std::vector<LibsvmChunk> found = parse(matrix);
    FeatureIndex largest = -1;
    for (const LibsvmChunk& chunk : found) largest = std::max(largest, chunk.largest);
    matrix.columns = std::max(options_.features, Index{largest} + 1);

    ParsedData data;
    data.features = std::move(matrix);
    collect(found, data);
    return data;
  }

 private:
  // First pass.
  void plan(std::size_t chunk_bytes) {
    for (const LineChunk& bytes : line_chunks(text_, has_mark_ ? kByteOrderMark.size() : 0, chunk_bytes)) {
      plan_.chunks.push_back({.bytes = bytes, .shape = {}, .before = {}});
    }
    for_each_chunk([&](PlannedChunk& chunk) {
      chunk.shape = scan_libsvm(text_.substr(chunk.bytes.begin, chunk.bytes.end - chunk.bytes.begin));
    });
    for (PlannedChunk& chunk : plan_.chunks) {
      chunk.before = plan_.total;
      plan_.total += chunk.shape;
    }
  }

  // Second pass.
  template <class T>
  std::vector<LibsvmChunk> parse(SparseMatrix<T>& matrix) {
    std::vector<LibsvmChunk> found(plan_.chunks.size());
    for_each_chunk([&](const PlannedChunk& chunk) {
      const LibsvmTarget<T> target{.row_ends = matrix.offsets.data() + 1 + chunk.before.rows,
                                   .indices = matrix.indices.data() + chunk.before.values,
                                   .values = matrix.values.data() + chunk.before.values,
                                   .first_value = chunk.before.values};
      LibsvmChunk& result = found[static_cast<std::size_t>(&chunk - plan_.chunks.data())];
      result = parse_libsvm_chunk(input_, chunk.bytes, chunk.before.lines + 1, chunk.shape.rows, options_, target);
      CLADE_CHECK(result.rows == chunk.shape.rows && result.values == chunk.shape.values);
    });
    return found;
  }

  template <class Body>
  void for_each_chunk(const Body& body) {
    parallel_for(ctx_, static_cast<Index>(plan_.chunks.size()), 1, [&](Index k, Index) {
      PlannedChunk& chunk = plan_.chunks[static_cast<std::size_t>(k)];
      body(chunk);
      input_.release(chunk.bytes.begin, chunk.bytes.end);
      progress_.advance(static_cast<Index>(chunk.bytes.end - chunk.bytes.begin));
    });
  }

  // Labels and notes of all chunks, in their order.
  void collect(std::vector<LibsvmChunk>& found, ParsedData& data) const {
    Index labels = 0;
    Index queries = 0;
    Index sorted_rows = 0;
    for (const LibsvmChunk& chunk : found) {
      labels += chunk.labels.total();
      queries += chunk.queries;
      sorted_rows += chunk.sorted_rows;
      if (data.missing_values == 0) data.first_missing = chunk.first_missing;
      data.missing_values += chunk.missing;
    }
    data.labels.reserve(plan_.total.rows, labels);
    for (LibsvmChunk& chunk : found) {
      data.labels.append(chunk.labels);
      chunk.labels = {};
    }
    if (has_mark_) data.notes.emplace_back("a byte order mark at the start was skipped");
    if (queries > 0) data.notes.push_back(fmt::format("{} query ids (qid) were skipped", queries));
    if (sorted_rows > 0) data.notes.push_back(fmt::format("{} rows had their features sorted", sorted_rows));
    if (plan_.total.rows == 0) throw no_data("no samples");
    if (plan_.total.values == 0 && options_.features == 0) throw no_data("not one index:value pair in the file");
  }

  Error no_data(std::string_view problem) const {
    return input_error(input_.at_line(std::max<Index>(1, plan_.total.lines)), problem,
                       "expected lines such as: label 3:0.5 17:1");
  }

  const Input& input_;
  const ReadOptions& options_;
  Context& ctx_;
  std::string_view text_;
  bool has_mark_;
  Progress progress_;
  Plan plan_;
};

}  // namespace

ParsedData read_libsvm_in_chunks(const Input& input, const ReadOptions& options, Context& ctx,
                                 std::size_t chunk_bytes) {
  if (options.features < 0 || options.features > kMaxFeatures) {
    throw usage_error(fmt::format("{} features", options.features), fmt::format("expected 0 to {}", kMaxFeatures));
  }
  Reader reader(input, options, ctx, chunk_bytes);
  return options.precision == Precision::kFloat ? reader.read<float>() : reader.read<double>();
}

ParsedData read_libsvm(const Input& input, const ReadOptions& options, Context& ctx) {
  return read_libsvm_in_chunks(input, options, ctx, kLibsvmChunkBytes);
}

DataFormat::Holds libsvm_holds(const Dataset&) {
  return {};
}

namespace {

// Rows are formatted in blocks of about this many values.
constexpr Index kBlockValues = 1 << 16;
// Blocks of text per thread that may wait to be written.
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
  // Without a label and a value the line would be blank, and without any value the file would not look like LIBSVM.
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
