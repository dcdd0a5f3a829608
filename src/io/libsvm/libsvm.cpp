#include "io/libsvm/libsvm.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "core/check.h"
#include "core/large_pages.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "io/libsvm/libsvm_rows.h"
#include "io/libsvm/libsvm_scan.h"
#include "io/lines.h"

namespace clade {
namespace {

// Large enough that what a chunk costs besides its bytes is lost in them, small enough to share a file among threads
// and to give memory back early.
constexpr std::size_t kChunkBytes = 4U << 20U;

// A chunk and what stands in front of it.
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
  return read_libsvm_in_chunks(input, options, ctx, kChunkBytes);
}

DataFormat::Holds libsvm_holds(const Dataset&) {
  return {};
}

}  // namespace clade
