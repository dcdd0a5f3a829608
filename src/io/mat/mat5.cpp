#include <fmt/core.h>

#include <array>
#include <optional>

#include "io/lines.h"
#include "io/mat/mat_arrays.h"
#include "io/zlib_stream.h"

namespace clade {
namespace {

constexpr std::size_t kFileHeaderBytes = 128;
constexpr std::size_t kEndianMark = 126;
constexpr std::size_t kTagBytes = 8;
// Enough unpacked bytes to hold a variable's flags, dimensions and name.
constexpr std::uint64_t kHeadBytes = 2048;

// Types of data elements.
enum DataType : std::uint32_t { kInt8 = 1, kUInt8 = 2, kUInt16 = 4, kInt32 = 5, kUInt32 = 6 };
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr std::uint32_t kUtf8 = 16;
constexpr std::uint32_t kUtf16 = 17;
constexpr std::uint32_t kUtf32 = 18;

// Classes of arrays.
constexpr std::uint8_t kCellClass = 1;
constexpr std::uint8_t kCharClass = 4;
constexpr std::uint8_t kSparseClass = 5;
constexpr std::uint8_t kFirstNumericClass = 6;
constexpr std::uint8_t kLastNumericClass = 15;
constexpr std::uint8_t kOpaqueClass = 17;
constexpr std::array<std::string_view, 18> kClassNames = {
    "unknown", "cell",  "struct", "object", "char",   "sparse", "double", "single",          "int8",
    "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function handle", "opaque object"};

struct DataElement {
  std::uint32_t type = 0;
  std::string_view bytes;
};

struct ArrayHeader {
  std::uint8_t array_class = 0;
  bool complex = false;
  std::vector<Index> dimensions;
  std::string name;

  std::string_view class_name() const { return kClassNames[array_class < kClassNames.size() ? array_class : 0]; }
  bool is_numeric() const { return array_class >= kFirstNumericClass && array_class <= kLastNumericClass; }
};

std::optional<NumberType> number_type(std::uint32_t type) {
  switch (type) {
    case kInt8:
      return NumberType::kInt8;
    case kUInt8:
      return NumberType::kUInt8;
    case 3:
      return NumberType::kInt16;
    case kUInt16:
      return NumberType::kUInt16;
    case kInt32:
      return NumberType::kInt32;
    case kUInt32:
      return NumberType::kUInt32;
    case 7:
      return NumberType::kFloat;
    case 9:
      return NumberType::kDouble;
    case 12:
      return NumberType::kInt64;
    case 13:
      return NumberType::kUInt64;
    default:
      return std::nullopt;
  }
}

// An element of at most four bytes has its size in the upper half of the type, and its data in the tag.
DataElement take_element(BinaryReader& reader, std::string_view what) {
  DataElement element;
  const std::uint32_t first = reader.u32(what);
  if (const std::uint32_t small_size = first >> 16U; small_size != 0) {
    if (small_size > 4) reader.fail(fmt::format("a small element of {} bytes", small_size), "expected at most 4");
    element.type = first & 0xFFFFU;
    element.bytes = reader.take(4, what).substr(0, small_size);
    return element;
  }
  element.type = first;
  const std::uint32_t size = reader.u32(what);
  element.bytes = reader.take(size, what);
  reader.align(kTagBytes);
  return element;
}

NumberArray take_numbers(BinaryReader& reader, std::string_view what) {
  const DataElement element = take_element(reader, what);
  const auto type = number_type(element.type);
  if (!type) reader.fail(fmt::format("{} of data type {}", what, element.type), "expected numbers");
  if (element.bytes.size() % bytes_of(*type) != 0) reader.fail(fmt::format("{} end inside a number", what));
  return {.type = *type, .swapped = reader.big_endian(), .bytes = element.bytes};
}

std::vector<Index> take_dimensions(BinaryReader& reader) {
  const NumberArray stored = take_numbers(reader, "the dimensions of a variable");
  if (stored.type != NumberType::kInt32 || stored.size() < 2) {
    reader.fail("not the dimensions of a variable", "expected two or more 32-bit numbers");
  }
  std::vector<Index> dimensions;
  Index product = 1;
  for (Index k = 0; k < stored.size(); ++k) {
    dimensions.push_back(stored.index_at(k));
    if (dimensions.back() < 0 || __builtin_mul_overflow(product, dimensions.back(), &product)) {
      reader.fail(fmt::format("dimension {} of a variable is {}", k + 1, dimensions.back()), "expected a sane number");
    }
  }
  return dimensions;
}

ArrayHeader take_header(BinaryReader& reader) {
  ArrayHeader header;
  const NumberArray flags = take_numbers(reader, "the flags of a variable");
  if (flags.type != NumberType::kUInt32 || flags.size() != 2) {
    reader.fail("not the flags of a variable", "expected two 32-bit numbers");
  }
  const auto word = static_cast<std::uint32_t>(flags.index_at(0));
  header.array_class = static_cast<std::uint8_t>(word & 0xFFU);
  header.complex = (word & 0x800U) != 0;
  if (header.array_class == kOpaqueClass) return header;  // has no dimensions, and its name is elsewhere
  header.dimensions = take_dimensions(reader);
  header.name = take_element(reader, "the name of a variable").bytes;
  return header;
}

std::string description(const ArrayHeader& header) {
  std::string text;
  for (const Index size : header.dimensions) text += fmt::format("{}{}", text.empty() ? "" : " x ", size);
  return fmt::format("{}{}{}", text, text.empty() ? "" : " ", header.class_name());
}

// Sets the shape of the variable; false if it is not a matrix.
bool set_shape(const ArrayHeader& header, MatVariable& variable) {
  variable.rows = header.dimensions[0];
  variable.columns = header.dimensions[1];
  for (std::size_t k = 2; k < header.dimensions.size(); ++k) {
    if (header.dimensions[k] != 1) return false;
  }
  return true;
}

void load_numbers(BinaryReader& reader, MatVariable& variable) {
  variable.values = take_numbers(reader, "the numbers of a variable");
  if (variable.values.size() != variable.rows * variable.columns) {
    reader.fail(fmt::format("variable '{}' has {} numbers", variable.name, variable.values.size()),
                fmt::format("expected {} x {}", variable.rows, variable.columns));
  }
  variable.kind = MatVariable::Kind::kNumbers;
}

void load_sparse(BinaryReader& reader, MatVariable& variable) {
  variable.row_indices = take_numbers(reader, "the row numbers of a sparse variable");
  variable.column_starts = take_numbers(reader, "the column starts of a sparse variable");
  variable.values = take_numbers(reader, "the numbers of a sparse variable");
  variable.kind = MatVariable::Kind::kSparse;
}

// UTF-8 text is a single row, because its bytes cannot be split into rows.
void set_utf8_text(std::string_view bytes, MatVariable& variable) {
  if (first_invalid_utf8(bytes) != std::string_view::npos) {
    variable.problem = "text that is not valid UTF-8";
    return;
  }
  variable.kind = MatVariable::Kind::kText;
  variable.texts.emplace_back(bytes);
}

void load_text(BinaryReader& reader, MatVariable& variable) {
  const DataElement element = take_element(reader, "the text of a variable");
  if (element.type == kUtf8 && variable.rows <= 1) return set_utf8_text(element.bytes, variable);
  NumberArray codes{.type = NumberType::kUInt8, .swapped = reader.big_endian(), .bytes = element.bytes};
  if (element.type == kUInt16 || element.type == kUtf16) codes.type = NumberType::kUInt16;
  if (element.type == kUInt32 || element.type == kUtf32) codes.type = NumberType::kUInt32;
  const bool known =
      codes.type != NumberType::kUInt8 || element.type == kInt8 || element.type == kUInt8 || element.type == kUtf8;
  if (!known || element.bytes.size() % bytes_of(codes.type) != 0) {
    reader.fail(fmt::format("text of data type {}", element.type), "expected characters");
  }
  if (codes.size() != variable.rows * variable.columns) {
    reader.fail(fmt::format("text '{}' has {} characters", variable.name, codes.size()),
                fmt::format("expected {} x {}", variable.rows, variable.columns));
  }
  set_text(codes, variable);
}

// The text of one cell, or nothing if it holds something else. An empty array of any class counts as an empty text.
std::optional<std::string> take_cell_text(BinaryReader& reader) {
  const std::uint32_t type = reader.u32("a cell");
  const std::uint32_t size = reader.u32("a cell");
  if (type != kMatrix) reader.fail(fmt::format("a cell of data type {}", type), "expected an array");
  if (size == 0) return std::string();
  if (size > reader.left()) reader.fail("a cell is larger than its array", "expected a whole file");
  const std::size_t behind = reader.left() - size;
  const ArrayHeader header = take_header(reader);
  MatVariable cell;
  if (header.array_class == kOpaqueClass || !set_shape(header, cell)) return std::nullopt;
  if (cell.rows == 0 || cell.columns == 0) {
    cell.texts.emplace_back();
  } else if (header.array_class == kCharClass && cell.rows == 1) {
    load_text(reader, cell);
  }
  if (cell.texts.size() != 1) return std::nullopt;
  if (reader.left() < behind) reader.fail("a cell's content is larger than the cell");
  reader.skip(reader.left() - behind, "a cell");
  return std::move(cell.texts[0]);
}

void load_cells(BinaryReader& reader, MatVariable& variable) {
  const Index cells = variable.rows * variable.columns;
  if (cells > static_cast<Index>(reader.left() / kTagBytes)) {
    reader.fail(fmt::format("cell array '{}' says it has {} cells", variable.name, cells), "expected a whole file");
  }
  variable.texts.reserve(static_cast<std::size_t>(cells));
  for (Index k = 0; k < cells; ++k) {
    auto text = take_cell_text(reader);
    if (!text) {
      variable.texts.clear();
      variable.problem = "cells that are not text";
      return;
    }
    variable.texts.push_back(std::move(*text));
  }
  variable.kind = MatVariable::Kind::kTexts;
}

// `reader` is past the tag of the variable's element.
MatVariable take_variable(BinaryReader& reader) {
  const ArrayHeader header = take_header(reader);
  MatVariable variable;
  variable.name = header.name;
  variable.problem = header.complex ? "complex numbers" : description(header);
  if (header.array_class == kOpaqueClass || !set_shape(header, variable) || header.complex) return variable;
  if (header.is_numeric()) {
    load_numbers(reader, variable);
  } else if (header.array_class == kSparseClass) {
    load_sparse(reader, variable);
  } else if (header.array_class == kCharClass) {
    load_text(reader, variable);
  } else if (header.array_class == kCellClass) {
    load_cells(reader, variable);
  }
  return variable;
}

class Mat5File final : public MatFile {
 public:
  explicit Mat5File(const Input& input) : input_(&input) {
    BinaryReader reader = file_reader();
    reader.skip(kFileHeaderBytes, "the file header");
    while (reader.left() > 0) add_element(reader);
  }

  const std::vector<Entry>& entries() const override { return entries_; }

  MatVariable load(std::size_t entry, Context& ctx) override {
    ctx.check_cancelled();
    const Element& element = elements_[entry];
    if (!element.packed) {
      BinaryReader reader = element_reader(element, element.bytes);
      return take_variable(reader);
    }
    const auto content = unpack(element, element.unpacked_bytes);
    BinaryReader reader = element_reader(element, content->view());
    const std::uint64_t size = take_matrix_tag(reader);
    if (size > reader.left()) {
      reader.fail(fmt::format("variable '{}' unpacks to {} bytes", entries_[entry].name, reader.left()),
                  fmt::format("expected the {} that it says it has", size));
    }
    MatVariable variable = take_variable(reader);
    variable.owners.push_back(content);
    return variable;
  }

 private:
  struct Element {
    std::size_t offset;      // of its tag in the file
    std::string_view bytes;  // after its tag
    bool packed;
    std::uint64_t unpacked_bytes = 0;  // what its variable says it has, including the tag
  };

  BinaryReader file_reader() const {
    BinaryReader reader(input_->name(), input_->bytes());
    reader.set_big_endian(input_->bytes().substr(kEndianMark, 2) == "MI");
    return reader;
  }

  BinaryReader element_reader(const Element& element, std::string_view bytes) const {
    const std::string inside = element.packed ? fmt::format(" of the unpacked element at byte {}", element.offset) : "";
    BinaryReader reader(input_->name(), bytes, element.packed ? 0 : element.offset + kTagBytes, inside);
    reader.set_big_endian(file_reader().big_endian());
    return reader;
  }

  // Unpacks at most `limit` bytes of a packed element.
  std::shared_ptr<GrowingBytes> unpack(const Element& element, std::uint64_t limit) const {
    auto content = std::make_shared<GrowingBytes>();
    const InflateStatus status = inflate_to(element.bytes, limit, *content);
    if (status == InflateStatus::kCorrupt || status == InflateStatus::kTruncated) {
      throw input_error({.file = input_->name()},
                        fmt::format("byte {}: the compressed element that begins here is {}", element.offset,
                                    status == InflateStatus::kCorrupt ? "corrupt" : "truncated"),
                        "expected a whole zlib stream");
    }
    return content;
  }

  static std::uint64_t take_matrix_tag(BinaryReader& reader) {
    const std::uint32_t type = reader.u32("a variable");
    if (type != kMatrix) reader.fail(fmt::format("a compressed element of data type {}", type), "expected a variable");
    return reader.u32("a variable");
  }

  void add_element(BinaryReader& reader) {
    const std::size_t offset = reader.position();
    const std::uint32_t type = reader.u32("an element");
    const std::uint32_t size = reader.u32("an element");
    if (type != kMatrix && type != kCompressed) {
      reader.fail(fmt::format("an element of data type {}", type), "expected a variable (14) or compressed data (15)");
    }
    Element element{.offset = offset, .bytes = reader.take(size, "an element"), .packed = type == kCompressed};
    if (size == 0) return;
    const ArrayHeader header = look_into(element);
    if (header.name.empty() && header.array_class != kOpaqueClass) return;  // MATLAB's own notes on objects
    elements_.push_back(element);
    entries_.push_back({.name = header.name, .description = description(header)});
  }

  ArrayHeader look_into(Element& element) const {
    if (!element.packed) {
      BinaryReader reader = element_reader(element, element.bytes);
      return take_header(reader);
    }
    const auto head = unpack(element, kHeadBytes);
    BinaryReader reader = element_reader(element, head->view());
    element.unpacked_bytes = kTagBytes + take_matrix_tag(reader);
    return take_header(reader);
  }

  const Input* input_;
  std::vector<Element> elements_;
  std::vector<Entry> entries_;
};

}  // namespace

bool looks_like_mat5(std::string_view head) {
  if (head.size() < kFileHeaderBytes) return false;
  const std::string_view version = head.substr(kEndianMark - 2, 4);
  return version == std::string_view("\x00\x01IM", 4) || version == std::string_view("\x01\x00MI", 4);
}

std::unique_ptr<MatFile> open_mat5(const Input& input) {
  return std::make_unique<Mat5File>(input);
}

}  // namespace clade
