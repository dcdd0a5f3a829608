#include <algorithm>
#include <cstring>
#include <limits>

#include "core/check.h"
#include "io/mat/byte_io.h"
#include "io/mat/mat_output.h"
#include "io/zlib_stream.h"

namespace clade {
namespace {

// Data types and array classes of MATLAB level 5.
constexpr std::uint32_t kInt8Type = 1;
constexpr std::uint32_t kInt32Type = 5;
constexpr std::uint32_t kUInt32Type = 6;
constexpr std::uint32_t kSingleType = 7;
constexpr std::uint32_t kDoubleType = 9;
constexpr std::uint32_t kMatrixType = 14;
constexpr std::uint32_t kCompressedType = 15;
constexpr std::uint32_t kUtf8Type = 16;
constexpr std::uint32_t kCellClass = 1;
constexpr std::uint32_t kCharClass = 4;
constexpr std::uint32_t kSparseClass = 5;
constexpr std::uint32_t kDoubleClass = 6;
constexpr std::uint32_t kSingleClass = 7;

constexpr Index kMostBytes = std::numeric_limits<std::int32_t>::max();  // per variable; MATLAB's own limit
constexpr std::size_t kMostTextHead = 72;  // per cell with a text: tags, flags, dimensions, padding

std::string file_header() {
  constexpr std::size_t kTextBytes = 116;
  std::string text = "MATLAB 5.0 MAT-file, written by Clade";
  text.resize(kTextBytes, ' ');
  return std::move(BinaryWriter().bytes(text).zeros(8).u16(0x0100).bytes("IM").text());
}

void add_element(BinaryWriter& out, std::uint32_t type, std::string_view content) {
  out.u32(type).u32(content.size()).bytes(content).pad(8);
}

// Flags, dimensions and name; `out` must be at a multiple of 8.
void add_array_header(BinaryWriter& out, std::uint32_t array_class, Index entries, Index rows, Index columns,
                      std::string_view name) {
  out.u32(kUInt32Type).u32(8).u32(array_class).u32(static_cast<std::uint64_t>(entries));
  out.u32(kInt32Type).u32(8).u32(static_cast<std::uint64_t>(rows)).u32(static_cast<std::uint64_t>(columns));
  if (name.size() <= 4) {
    out.u16(kInt8Type).u16(name.size()).bytes(name).pad(8);
  } else {
    add_element(out, kInt8Type, name);
  }
}

// The content of a variable's element, without the dense values that follow it.
std::string variable_head(const MatOutput& variable, std::uint32_t array_class, Index data_bytes) {
  BinaryWriter body;
  add_array_header(body, array_class, 0, variable.rows, variable.columns, variable.name);
  body.u32(variable.kind == MatOutput::Kind::kSingle ? kSingleType : kDoubleType);
  body.u32(static_cast<std::uint64_t>(data_bytes));
  const std::size_t total = body.size() + static_cast<std::size_t>((data_bytes + 7) / 8 * 8);
  return std::move(BinaryWriter().u32(kMatrixType).u32(total).bytes(body.text()).text());
}

// Numbers [begin, end) of a matrix read column after column.
void fill_range(const MatOutput& variable, Index begin, Index end, char* out) {
  const auto bytes = static_cast<Index>(variable.value_bytes());
  while (begin < end) {
    const Index column = begin / variable.rows;
    const Index row = begin % variable.rows;
    if (row == 0 && end - begin >= variable.rows) {
      const Index columns = (end - begin) / variable.rows;
      variable.fill(0, variable.rows, column, column + columns, out);
      out += columns * variable.rows * bytes;
      begin += columns * variable.rows;
    } else {
      const Index row_end = std::min(variable.rows, row + end - begin);
      variable.fill(row, row_end, column, column + 1, out);
      out += (row_end - row) * bytes;
      begin += row_end - row;
    }
  }
}

std::string packed_dense(const MatOutput& variable, Context& ctx) {
  const auto value_bytes = static_cast<Index>(variable.value_bytes());
  const Index data_bytes = variable.rows * variable.columns * value_bytes;
  const bool single = variable.kind == MatOutput::Kind::kSingle;
  const std::string head = variable_head(variable, single ? kSingleClass : kDoubleClass, data_bytes);
  const auto head_bytes = static_cast<Index>(head.size());
  const Index total = head_bytes + (data_bytes + 7) / 8 * 8;
  // Blocks begin at multiples of 8, and so does the data after the head: no number is split.
  const auto fill = [&](Index begin, Index end, char* out) {
    if (begin < head_bytes) {
      const Index copied = std::min(end, head_bytes) - begin;
      std::memcpy(out, head.data() + begin, static_cast<std::size_t>(copied));
      begin += copied;
      out += copied;
    }
    const Index first = (begin - head_bytes) / value_bytes;
    const Index last = std::min(end - head_bytes, data_bytes) / value_bytes;
    if (first < last) fill_range(variable, first, last, out);
  };
  return deflate_blocks(total, fill, ctx);
}

std::string sparse_content(const MatOutput& variable) {
  BinaryWriter body;
  const auto entries = std::ssize(variable.values);
  add_array_header(body, kSparseClass, std::max<Index>(1, entries), variable.rows, variable.columns, variable.name);
  std::vector<std::int32_t> starts;
  starts.reserve(variable.column_starts.size());
  for (const Index start : variable.column_starts) starts.push_back(static_cast<std::int32_t>(start));
  const auto add = [&body](std::uint32_t type, const auto& numbers) {
    body.u32(type).u32(numbers.size() * sizeof numbers[0]).raw(numbers.data(), numbers.size() * sizeof numbers[0]);
    body.pad(8);
  };
  add(kInt32Type, variable.row_indices);
  add(kInt32Type, starts);
  add(kDoubleType, variable.values);
  return std::move(body.text());
}

// As UTF-8, like MATLAB and SciPy: by default SciPy cuts the alternative, 16-bit codes, to 8 bits.
std::string text_content(std::string_view text) {
  const auto characters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; });
  BinaryWriter body;
  add_array_header(body, kCharClass, 0, text.empty() ? 0 : 1, characters, "");
  add_element(body, kUtf8Type, text);
  return std::move(body.text());
}

std::string cell_content(const MatOutput& variable) {
  BinaryWriter body;
  add_array_header(body, kCellClass, 0, variable.rows, variable.columns, variable.name);
  for (const std::string& text : variable.texts) {
    const std::string cell = text_content(text);
    body.u32(kMatrixType).u32(cell.size()).bytes(cell);
  }
  return std::move(body.text());
}

std::string packed(const std::string& content, Context& ctx) {
  const std::string whole = std::move(BinaryWriter().u32(kMatrixType).u32(content.size()).text()) + content;
  const auto copy = [&](Index begin, Index end, char* out) {
    std::memcpy(out, whole.data() + begin, static_cast<std::size_t>(end - begin));
  };
  return deflate_blocks(std::ssize(whole), copy, ctx);
}

std::string packed_variable(const MatOutput& variable, Context& ctx) {
  switch (variable.kind) {
    case MatOutput::Kind::kDouble:
    case MatOutput::Kind::kSingle:
      return packed_dense(variable, ctx);
    case MatOutput::Kind::kSparse:
      return packed(sparse_content(variable), ctx);
    case MatOutput::Kind::kTexts:
      break;
  }
  return packed(cell_content(variable), ctx);
}

}  // namespace

bool fits_mat5(const MatOutput& variable) {
  double bytes = 0;
  switch (variable.kind) {
    case MatOutput::Kind::kDouble:
    case MatOutput::Kind::kSingle:
      bytes = static_cast<double>(variable.rows) * static_cast<double>(variable.columns) *
              static_cast<double>(variable.value_bytes());
      break;
    case MatOutput::Kind::kSparse:
      bytes = 12.0 * static_cast<double>(variable.values.size()) + 4.0 * static_cast<double>(variable.columns);
      break;
    case MatOutput::Kind::kTexts:
      for (const std::string& text : variable.texts) bytes += static_cast<double>(text.size() + kMostTextHead);
      break;
  }
  constexpr double kMostHead = 1024;  // flags, dimensions and name
  return bytes + kMostHead < static_cast<double>(kMostBytes) && std::max(variable.rows, variable.columns) < kMostBytes;
}

void write_mat5(const std::vector<MatOutput>& variables, Sink& sink, Context& ctx) {
  sink.write(file_header());
  for (const MatOutput& variable : variables) {
    CLADE_CHECK(fits_mat5(variable));
    const std::string element = packed_variable(variable, ctx);
    CLADE_CHECK(element.size() <= std::numeric_limits<std::uint32_t>::max());
    sink.write(BinaryWriter().u32(kCompressedType).u32(element.size()).text());
    sink.write(element);
  }
}

}  // namespace clade
