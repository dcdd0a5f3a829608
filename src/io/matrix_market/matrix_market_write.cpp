#include <fmt/format.h>

#include "io/matrix_market/matrix_market.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr std::size_t kBufferBytes = 1U << 16U;

// Lines that go to the sink in large pieces.
class Lines {
 public:
  Lines(Sink& sink, Context& ctx) : sink_(sink), ctx_(ctx) {}

  std::string& text() { return text_; }
  void end_line() {
    text_ += '\n';
    if (text_.size() >= kBufferBytes) flush();
  }
  void flush() {
    ctx_.check_cancelled();
    sink_.write(text_);
    text_.clear();
  }

 private:
  Sink& sink_;
  Context& ctx_;
  std::string text_;
};

template <class T>
void write_matrix(const Dataset& data, const SparseMatrix<T>& matrix, Lines& lines) {
  Index entries = 0;
  for (Index s = 0; s < data.samples(); ++s) entries += std::ssize(matrix.row_indices(data.source_row(s)));
  lines.text() +=
      fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}", data.samples(), matrix.columns, entries);
  lines.end_line();
  for (Index s = 0; s < data.samples(); ++s) {
    const std::string row = fmt::format("{} ", s + 1);
    const auto columns = matrix.row_indices(data.source_row(s));
    const auto values = matrix.row_values(data.source_row(s));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      lines.text() += row;
      fmt::format_to(std::back_inserter(lines.text()), "{} ", Index{columns[k]} + 1);
      append_number(lines.text(), values[k]);
      lines.end_line();
    }
  }
}

template <class T>
void write_matrix(const Dataset& data, const DenseMatrix<T>& matrix, Lines& lines) {
  lines.text() += fmt::format("%%MatrixMarket matrix array real general\n{} {}", data.samples(), matrix.columns);
  lines.end_line();
  for (Index column = 0; column < matrix.columns; ++column) {
    for (Index s = 0; s < data.samples(); ++s) {
      append_number(lines.text(), matrix.values[data.source_row(s) * matrix.columns + column]);
      lines.end_line();
    }
  }
}

}  // namespace

void write_matrix_market(const Dataset& data, const WriteOptions& /*options*/, Sink& sink, Context& ctx) {
  Lines lines(sink, ctx);
  std::visit([&](const auto& matrix) { write_matrix(data, matrix, lines); }, data.matrix());
  lines.flush();
}

DataFormat::Holds matrix_market_holds(const Dataset& /*data*/) {
  return {.feature_count = true, .labels = false};
}

}  // namespace clade
