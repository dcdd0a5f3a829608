#include "core/parallel.h"
#include "io/libsvm/libsvm.h"
#include "io/libsvm/libsvm_rows.h"
#include "io/libsvm/libsvm_scan.h"
#include "io/text/text_features.h"

namespace clade {
namespace {

// Small, because what follows a bad row is scanned again.
constexpr std::size_t kCheckedBytes = 1U << 16U;

// Checks lines by parsing them into memory that is thrown away.
template <class T>
class LibsvmCheck {
 public:
  LibsvmCheck(const Input& input, const ReadOptions& options) : input_(input), options_(options) {}

  RowCheck check(LineChunk chunk, Index line) {
    RowCheck result;
    while (chunk.begin < chunk.end) {
      try {
        result.rows += parse(chunk, line);
        break;
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::kInput || error.where().line < line) throw;
        const std::size_t begin = line_start(chunk.begin, error.where().line - line);
        const std::size_t end = line_start(begin, 1);
        result.rows += scan_libsvm(text().substr(chunk.begin, begin - chunk.begin)).rows + 1;
        result.bad.push_back(
            {.row = result.rows - 1, .line = error.where().line, .lines = 1, .reason = error.problem()});
        line = error.where().line + 1;
        chunk.begin = std::min(end, chunk.end);
      }
    }
    return result;
  }

 private:
  std::string_view text() const { return input_.bytes(); }

  // The number of rows.
  Index parse(LineChunk chunk, Index line) {
    const LibsvmShape shape = scan_libsvm(text().substr(chunk.begin, chunk.end - chunk.begin));
    row_ends_.resize(static_cast<std::size_t>(shape.rows) + 1);
    indices_.resize(static_cast<std::size_t>(shape.values) + 1);
    values_.resize(static_cast<std::size_t>(shape.values) + 1);
    const LibsvmTarget<T> target{
        .row_ends = row_ends_.data(), .indices = indices_.data(), .values = values_.data(), .first_value = 0};
    parse_libsvm_chunk(input_, chunk, line, shape.rows, options_, target);
    return shape.rows;
  }

  // Where the line begins that is `lines` after the one at `begin`.
  std::size_t line_start(std::size_t begin, Index lines) const {
    for (; lines > 0; --lines) begin = std::min(text().size(), text().find('\n', begin)) + 1;
    return std::min(begin, text().size());
  }

  const Input& input_;
  const ReadOptions& options_;
  std::vector<Index> row_ends_;
  std::vector<FeatureIndex> indices_;
  std::vector<T> values_;
};

}  // namespace

RowCheck check_libsvm_rows(const Input& input, const ReadOptions& options, Context& ctx) {
  const std::string_view text = input.bytes();
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::vector<LineChunk> chunks = line_chunks(text, begin, kCheckedBytes);
  const std::vector<Index> lines = first_lines(text, chunks, ctx);
  std::vector<RowCheck> parts(chunks.size());
  parallel_for(ctx, std::ssize(chunks), 1, [&](Index k, Index) {
    const auto c = static_cast<std::size_t>(k);
    parts[c] = options.precision == Precision::kFloat ? LibsvmCheck<float>(input, options).check(chunks[c], lines[c])
                                                      : LibsvmCheck<double>(input, options).check(chunks[c], lines[c]);
  });
  return joined_checks(std::move(parts));
}

}  // namespace clade
