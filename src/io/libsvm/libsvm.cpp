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
#include "core/mapped_memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "io/libsvm/libsvm_rows.h"
#include "io/libsvm/libsvm_scan.h"
#include "io/lines.h"
#include "io/number.h"
#include "io/text_windows.h"

namespace clade {
namespace {

// Chunks are large enough to make the overhead of each negligible, and small enough to free memory early and to share
// even a small input among many threads.
constexpr std::size_t kLargestChunk = std::size_t{4} << 20U;
constexpr std::size_t kSmallestChunk = std::size_t{128} << 10U;
constexpr std::size_t kChunks = 64;  // of an input between these

std::size_t chunk_bytes_of(std::size_t input) {
  return std::clamp(input / kChunks, kSmallestChunk, kLargestChunk);
}

// A chunk, and the totals of those before it.
struct PlannedChunk {
  LineChunk bytes;
  LibsvmShape shape;
  LibsvmShape before;
};

class Reader {
 public:
  // `is_whole` is false for some of the rows of a file.
  Reader(const Input& file, const ReadOptions& options, Context& ctx, Index progress_total, bool is_whole = true)
      : file_(file),
        options_(options),
        ctx_(ctx),
        progress_(ctx, "reading " + file.base_name(), progress_total),
        is_whole_(is_whole) {}

  // Input that is there as a whole.
  template <class T>
  ParsedData read(std::size_t chunk_bytes) {
    const auto every_chunk = [&](const std::vector<PlannedChunk>& chunks, const auto& body) {
      ctx_.pool().run(std::ssize(chunks), [&](Index k) {
        ctx_.check_cancelled();
        body(k);
        const LineChunk& bytes = chunks[static_cast<std::size_t>(k)].bytes;
        file_.release(bytes.begin, bytes.end);
        progress_.advance(static_cast<Index>(bytes.end - bytes.begin));
      });
    };
    std::vector<PlannedChunk> chunks = plan(file_, chunk_bytes, every_chunk);
    SparseMatrix<T> matrix;
    matrix.offsets = Buffer<Index>(total_.rows + 1);
    matrix.indices = Buffer<FeatureIndex>(total_.values);
    matrix.values = Buffer<T>(total_.values);
    prefer_large_pages(matrix.offsets);
    prefer_large_pages(matrix.indices);
    prefer_large_pages(matrix.values);
    matrix.offsets[0] = 0;
    const Place<T> place{matrix.offsets.data(), matrix.indices.data(), matrix.values.data()};
    found_.resize(chunks.size());
    every_chunk(chunks, [&](Index k) { parse(file_, chunks[static_cast<std::size_t>(k)], place, k); });
    return finished(std::move(matrix));
  }

  // A compressed file: while the chunks of a window are parsed, the next window is unpacked.
  template <class T>
  ParsedData read_windows(TextWindows& windows) {
    GrowingArray<Index> offsets;
    GrowingArray<FeatureIndex> indices;
    GrowingArray<T> values;
    offsets.resize(1);
    do {
      const Input window = Input::from_bytes(file_.name(), windows.text());
      const std::vector<PlannedChunk> chunks = plan(window, chunk_bytes_of(window.bytes().size()),
                                                    [&](const std::vector<PlannedChunk>& planned, const auto& body) {
                                                      ctx_.pool().run(std::ssize(planned), body);
                                                    });
      offsets.resize(total_.rows + 1);
      indices.resize(total_.values);
      values.resize(total_.values);
      const Place<T> place{offsets.data(), indices.data(), values.data()};
      const Index before = std::ssize(found_);
      found_.resize(found_.size() + chunks.size());
      const std::size_t used = windows.used();
      windows.run(std::ssize(chunks),
                  [&](Index k) { parse(window, chunks[static_cast<std::size_t>(k)], place, before + k); });
      progress_.advance(static_cast<Index>(windows.used() - used));
    } while (windows.next());
    SparseMatrix<T> matrix;
    matrix.offsets = std::move(offsets).finish();
    matrix.indices = std::move(indices).finish();
    matrix.values = std::move(values).finish();
    return finished(std::move(matrix));
  }

 private:
  template <class T>
  struct Place {
    Index* offsets;
    FeatureIndex* indices;
    T* values;
  };

  // First pass.
  template <class EveryChunk>
  std::vector<PlannedChunk> plan(const Input& input, std::size_t chunk_bytes, const EveryChunk& every_chunk) {
    const std::string_view text = input.bytes();
    const bool has_mark = is_whole_ && total_.lines == 0 && text.starts_with(kByteOrderMark);
    has_mark_ = has_mark_ || has_mark;
    std::vector<PlannedChunk> chunks;
    for (const LineChunk& bytes : line_chunks(text, has_mark ? kByteOrderMark.size() : 0, chunk_bytes)) {
      chunks.push_back({.bytes = bytes, .shape = {}, .before = {}});
    }
    every_chunk(chunks, [&](Index k) {
      PlannedChunk& chunk = chunks[static_cast<std::size_t>(k)];
      chunk.shape = scan_libsvm(text.substr(chunk.bytes.begin, chunk.bytes.end - chunk.bytes.begin));
    });
    for (PlannedChunk& chunk : chunks) {
      chunk.before = total_;
      total_ += chunk.shape;
    }
    return chunks;
  }

  // Second pass.
  template <class T>
  void parse(const Input& input, const PlannedChunk& chunk, const Place<T>& place, Index number) {
    const LibsvmTarget<T> target{.row_ends = place.offsets + 1 + chunk.before.rows,
                                 .indices = place.indices + chunk.before.values,
                                 .values = place.values + chunk.before.values,
                                 .first_value = chunk.before.values};
    LibsvmChunk& result = found_[static_cast<std::size_t>(number)];
    result = parse_libsvm_chunk(input, chunk.bytes, chunk.before.lines + 1, chunk.shape.rows, options_, target);
    CLADE_CHECK(result.rows == chunk.shape.rows && result.values == chunk.shape.values);
  }

  template <class T>
  ParsedData finished(SparseMatrix<T> matrix) {
    FeatureIndex largest = -1;
    for (const LibsvmChunk& chunk : found_) largest = std::max(largest, chunk.largest);
    matrix.rows = total_.rows;
    matrix.columns = std::max(options_.features, Index{largest} + 1);
    ParsedData data;
    data.features = std::move(matrix);
    collect(data);
    return data;
  }

  // Labels and notes of all chunks, in their order.
  void collect(ParsedData& data) {
    Index labels = 0;
    Index queries = 0;
    Index sorted_rows = 0;
    for (const LibsvmChunk& chunk : found_) {
      labels += chunk.labels.total();
      queries += chunk.queries;
      sorted_rows += chunk.sorted_rows;
      if (data.missing_values == 0) data.first_missing = chunk.first_missing;
      data.missing_values += chunk.missing;
    }
    data.labels.reserve(total_.rows, labels);
    for (LibsvmChunk& chunk : found_) {
      data.labels.append(chunk.labels);
      chunk.labels = {};
    }
    if (has_mark_) data.notes.emplace_back("a byte order mark at the start was skipped");
    if (queries > 0) data.notes.push_back(fmt::format("{} query ids (qid) were skipped", queries));
    if (sorted_rows > 0) data.notes.push_back(fmt::format("{} rows had their features sorted", sorted_rows));
    if (is_whole_ && total_.rows == 0) throw no_data("no samples");
    if (is_whole_ && total_.values == 0 && options_.features == 0)
      throw no_data("not one index:value pair in the file");
  }

  Error no_data(std::string_view problem) const {
    return input_error(file_.at_line(std::max<Index>(1, total_.lines)), problem,
                       "expected lines such as: label 3:0.5 17:1");
  }

  const Input& file_;
  const ReadOptions& options_;
  Context& ctx_;
  Progress progress_;
  bool is_whole_;
  bool has_mark_ = false;
  LibsvmShape total_;
  std::vector<LibsvmChunk> found_;
};

void check_feature_count(const ReadOptions& options) {
  if (options.features >= 0 && options.features <= kMaxFeatures) return;
  throw usage_error(fmt::format("{} features", options.features), fmt::format("expected 0 to {}", kMaxFeatures));
}

}  // namespace

ParsedData read_libsvm_in_chunks(const Input& input, const ReadOptions& options, Context& ctx,
                                 std::size_t chunk_bytes) {
  check_feature_count(options);
  Reader reader(input, options, ctx, 2 * static_cast<Index>(input.bytes().size()));
  return options.precision == Precision::kFloat ? reader.read<float>(chunk_bytes) : reader.read<double>(chunk_bytes);
}

ParsedData read_libsvm(const Input& input, const ReadOptions& options, Context& ctx) {
  return read_libsvm_in_chunks(input, options, ctx, chunk_bytes_of(input.bytes().size()));
}

ParsedData read_libsvm_windows(TextWindows& windows, const ReadOptions& options, Context& ctx) {
  check_feature_count(options);
  const Input& file = windows.file();
  Reader reader(file, options, ctx, static_cast<Index>(file.bytes().size()));
  return options.precision == Precision::kFloat ? reader.read_windows<float>(windows)
                                                : reader.read_windows<double>(windows);
}

TextRows find_libsvm_rows(const Input& head, const ReadOptions& options) {
  check_feature_count(options);
  return {.begin = head.bytes().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0};
}

ParsedData read_libsvm_rows(const Input& /*head*/, const Input& rows, const ReadOptions& options, Context& ctx) {
  const std::size_t bytes = rows.bytes().size();
  Reader reader(rows, options, ctx, 2 * static_cast<Index>(bytes), false);
  return options.precision == Precision::kFloat ? reader.read<float>(chunk_bytes_of(bytes))
                                                : reader.read<double>(chunk_bytes_of(bytes));
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
