#include "io/numpy/npy_header.h"

#include <fmt/format.h>

#include <bit>

namespace clade {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written in the order of this machine");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1'000'000;  // only records need more than a hundred bytes
constexpr std::size_t kMaxDimensions = 32;     // NumPy's own limit

// A cursor over the literal. Every take_ function fails with the position of the unexpected byte.
class Literal {
 public:
  Literal(std::string_view text, const ArrayPlace& place) : text_(text), place_(place) {}

  [[noreturn]] void fail(std::string_view expected) const {
    throw place_.error(fmt::format("unexpected text at byte {} of the array's header", at_), expected);
  }

  bool take_if(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void take(char c) {
    if (!take_if(c)) fail(fmt::format("'{}'", c));
  }

  char peek() {
    skip_blanks();
    return at_ == text_.size() ? '\0' : text_[at_];
  }

  std::string_view take_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted string");
    const std::size_t close = text_.find(quote, at_ + 1);
    if (close == std::string_view::npos) fail("a closing quote");
    const std::string_view content = text_.substr(at_ + 1, close - at_ - 1);
    if (content.find('\\') != std::string_view::npos) fail("a string without a backslash");
    at_ = close + 1;
    return content;
  }

  bool take_truth() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail("True or False");
  }

  Index take_length() {
    const char first = peek();
    if (first < '0' || first > '9') fail("a length");
    Index value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        throw place_.error("a length in the array's shape is beyond 2^63");
      }
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
    return value;
  }

  void take_end() {
    skip_blanks();
    if (at_ != text_.size()) fail("the end of the header");
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  const ArrayPlace& place_;
  std::size_t at_ = 0;
};

std::vector<Index> take_shape(Literal& literal, const ArrayPlace& place) {
  std::vector<Index> shape;
  literal.take('(');
  while (!literal.take_if(')')) {
    shape.push_back(literal.take_length());
    if (shape.size() > kMaxDimensions) throw place.error("the array has more than 32 dimensions");
    if (!literal.take_if(',')) {
      if (shape.size() == 1) literal.fail("',' after the only length");
      literal.take(')');
      break;
    }
  }
  return shape;
}

bool is_supported(char kind, Index size) {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8;
    default:
      return (kind == 'U' || kind == 'S') && size > 0;  // elements without bytes would cost nothing to claim
  }
}

Index parse_item_size(std::string_view digits, std::string_view descr, const ArrayPlace& place) {
  Index size = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || size > 100'000'000) {
      throw place.error(fmt::format("unknown element type '{}'", descr), "a type such as '<f8'");
    }
    size = size * 10 + (c - '0');
  }
  return size;
}

void set_type(NpyHeader& header, std::string_view descr, const ArrayPlace& place) {
  constexpr std::string_view kExpected = "real numbers, truth values or strings";
  if (descr.size() < 2 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) {
    throw place.error(fmt::format("unknown element type '{}'", descr), "a type such as '<f8'");
  }
  header.kind = descr[1];
  if (header.kind == 'O') {
    throw place.error("the array holds Python objects (a pickle), which are never loaded", kExpected);
  }
  header.item_size = parse_item_size(descr.substr(2), descr, place);
  if (header.kind == 'U') header.item_size *= 4;
  if (!is_supported(header.kind, header.item_size)) {
    throw place.error(fmt::format("elements of type '{}' cannot be read", descr), kExpected);
  }
  const bool multi_byte = header.item_size > 1 && header.kind != 'S';
  if (multi_byte && descr[0] == '|') {
    throw place.error(fmt::format("element type '{}' states no byte order", descr), "'<' or '>'");
  }
  header.swapped = multi_byte && descr[0] == '>';
}

void count_bytes(NpyHeader& header, const ArrayPlace& place) {
  // A length of zero does not excuse other lengths whose product overflows.
  Index product = 1;
  bool empty = false;
  for (const Index length : header.shape) {
    empty = empty || length == 0;
    if (__builtin_mul_overflow(product, length == 0 ? 1 : length, &product)) {
      throw place.error(fmt::format("the shape {} is too large", header.shape_text()));
    }
  }
  header.count = empty ? 0 : product;
  if (__builtin_mul_overflow(header.count, header.item_size, &header.data_bytes)) {
    throw place.error(fmt::format("the shape {} is too large", header.shape_text()));
  }
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[k]);
  return value;
}

std::size_t length_field_size(std::string_view bytes) {
  return bytes[kMagic.size()] == 1 ? 2 : 4;
}

}  // namespace

Error ArrayPlace::error(std::string_view problem, std::string_view expected) const {
  const std::string what = member.empty() ? std::string(problem) : fmt::format("array {}: {}", member, problem);
  return input_error({.file = file}, what, expected.empty() ? std::string() : fmt::format("expected {}", expected));
}

std::string NpyHeader::shape_text() const {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) text += fmt::format("{}{}", k == 0 ? "" : ", ", shape[k]);
  text += shape.size() == 1 ? ",)" : ")";
  return text;
}

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::optional<std::size_t> npy_header_size(std::string_view bytes, const ArrayPlace& place) {
  const std::string_view start = bytes.substr(0, kMagic.size());
  if (!kMagic.starts_with(start)) {
    const bool pickle = bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] <= 5;
    throw place.error(pickle ? "a Python pickle, which is never loaded" : "not a NumPy array",
                      "a file that starts with \\x93NUMPY");
  }
  if (bytes.size() < kMagic.size() + 2) return std::nullopt;
  const int major = static_cast<unsigned char>(bytes[kMagic.size()]);
  const int minor = static_cast<unsigned char>(bytes[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw place.error(fmt::format("NumPy format version {}.{}", major, minor), "version 1.0, 2.0 or 3.0");
  }
  const std::size_t fixed = kMagic.size() + 2 + length_field_size(bytes);
  if (bytes.size() < fixed) return std::nullopt;
  const std::size_t length = little_endian(bytes.substr(kMagic.size() + 2, length_field_size(bytes)));
  if (length > kMaxHeader) throw place.error(fmt::format("a header of {} bytes", length), "at most a megabyte");
  return fixed + length;
}

NpyHeader parse_npy_header(std::string_view bytes, const ArrayPlace& place) {
  const auto size = npy_header_size(bytes, place);
  if (!size || *size > bytes.size()) {
    throw place.error("the file ends inside the array's header",
                      size ? fmt::format("{} bytes", *size) : std::string("at least 10 bytes"));
  }
  NpyHeader header;
  header.size = *size;
  const std::size_t fixed = kMagic.size() + 2 + length_field_size(bytes);
  Literal literal(bytes.substr(fixed, *size - fixed), place);
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<Index>> shape;
  literal.take('{');
  while (!literal.take_if('}')) {
    const std::string_view key = literal.take_string();
    literal.take(':');
    if (key == "descr" && !descr) {
      if (literal.peek() == '[') throw place.error("the array holds records", "a plain array of numbers or strings");
      descr = literal.take_string();
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = literal.take_truth();
    } else if (key == "shape" && !shape) {
      shape = take_shape(literal, place);
    } else {
      literal.fail("the keys descr, fortran_order and shape, once each");
    }
    if (!literal.take_if(',')) {
      literal.take('}');
      break;
    }
  }
  literal.take_end();
  if (!descr || !fortran_order || !shape) literal.fail("the keys descr, fortran_order and shape");
  header.fortran_order = *fortran_order;
  header.shape = std::move(*shape);
  set_type(header, *descr, place);
  count_bytes(header, place);
  return header;
}

std::string npy_header_text(std::string_view descr, const std::vector<Index>& shape) {
  constexpr std::size_t kAlignment = 64;  // elements start at a multiple of it
  NpyHeader header;
  header.shape = shape;
  std::string literal =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, header.shape_text());
  const std::size_t fixed = kMagic.size() + 4;
  literal.append((kAlignment - (fixed + literal.size() + 1) % kAlignment) % kAlignment, ' ');
  literal += '\n';
  std::string text(kMagic);
  text += '\x01';
  text += '\0';
  text += static_cast<char>(literal.size() & 0xFFU);
  text += static_cast<char>(literal.size() >> 8U);
  return text + literal;
}

}  // namespace clade
