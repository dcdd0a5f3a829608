#include "io/numpy/npy_array.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/check.h"
#include "core/large_memory.h"
#include "core/parallel.h"
#include "io/lines.h"
#include "io/matrix_checks.h"
#include "io/number.h"

namespace clade {
namespace {

// A 16-bit number: sign, 5 bits of exponent, 10 bits of fraction (IEEE 754).
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = (bits >> 10U) & 0x1F;
    const int fraction = bits & 0x3FF;
    if (exponent == 0x1F) {
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    }
    return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
  }
};

template <std::size_t size>
using Bits = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

template <class Word>
Word swap_bytes(Word word) {
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
  return word;
}

// The stored element at a position; elements need not be aligned.
template <class Element>
struct Elements {
  std::string_view bytes;
  bool swapped;

  Element operator[](Index position) const {
    Bits<sizeof(Element)> bits;
    std::memcpy(&bits, bytes.data() + position * static_cast<Index>(sizeof(Element)), sizeof bits);
    return std::bit_cast<Element>(swapped ? swap_bytes(bits) : bits);
  }
};

template <class Element>
Elements<Element> elements_of(const NpyArray& array) {
  return {array.elements, array.header.swapped};
}

// Calls visit with the integers of the array in their own type.
template <class Visit>
void visit_integers(const NpyArray& array, Visit&& visit) {
  const bool is_signed = array.header.kind == 'i';
  switch (array.header.item_size) {
    case 1:
      return is_signed ? visit(elements_of<std::int8_t>(array)) : visit(elements_of<std::uint8_t>(array));
    case 2:
      return is_signed ? visit(elements_of<std::int16_t>(array)) : visit(elements_of<std::uint16_t>(array));
    case 4:
      return is_signed ? visit(elements_of<std::int32_t>(array)) : visit(elements_of<std::uint32_t>(array));
    default:
      return is_signed ? visit(elements_of<std::int64_t>(array)) : visit(elements_of<std::uint64_t>(array));
  }
}

template <class Visit>
void visit_numbers(const NpyArray& array, Visit&& visit) {
  if (array.header.kind != 'f') return visit_integers(array, visit);
  switch (array.header.item_size) {
    case 2:
      return visit(elements_of<Half>(array));
    case 4:
      return visit(elements_of<float>(array));
    default:
      return visit(elements_of<double>(array));
  }
}

void append_code_point(std::string& text, std::uint32_t point, const NpyArray& array) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto code = static_cast<utf8proc_int32_t>(std::min<std::uint32_t>(point, 0x7FFFFFFF));
  const utf8proc_ssize_t size = utf8proc_codepoint_valid(code) ? utf8proc_encode_char(code, bytes.data()) : 0;
  if (size <= 0) throw array.place.error(fmt::format("{:#x} is no Unicode character", point));
  text.append(bytes.begin(), bytes.begin() + size);
}

void require_vector(const NpyArray& array, bool right_type, std::string_view expected) {
  if (array.header.dimensions() != 1 || !right_type) {
    throw array.place.error(
        fmt::format("an array of shape {} and kind '{}'", array.header.shape_text(), array.header.kind), expected);
  }
}

// Gathers rows of a column-major array in blocks, so that each column is read in runs.
template <class T>
void copy_columns(const NpyArray& array, Index first_row, Index last_row, DenseMatrix<T>& matrix) {
  std::vector<T> run(static_cast<std::size_t>(last_row - first_row));
  for (Index c = 0; c < matrix.columns; ++c) {
    copy_numbers(array, c * matrix.rows + first_row, last_row - first_row, run.data());
    T* out = matrix.values.data() + first_row * matrix.columns + c;
    for (const T value : run) {
      *out = value;
      out += matrix.columns;
    }
  }
}

}  // namespace

NpyArray npy_array(std::string_view bytes, ArrayPlace place) {
  NpyHeader header = parse_npy_header(bytes, place);
  const std::string_view elements = bytes.substr(header.size);
  const auto stored = static_cast<Index>(elements.size());
  if (stored != header.data_bytes) {
    throw place.error(fmt::format("{} bytes of elements", stored),
                      fmt::format("{} bytes for the shape {}", header.data_bytes, header.shape_text()));
  }
  return {std::move(place), std::move(header), elements, nullptr};
}

template <class T>
void copy_numbers(const NpyArray& array, Index begin, Index count, T* out) {
  visit_numbers(array, [&](const auto& elements) {
    for (Index k = 0; k < count; ++k) out[k] = static_cast<T>(static_cast<double>(elements[begin + k]));
  });
}
template void copy_numbers(const NpyArray&, Index, Index, double*);
template void copy_numbers(const NpyArray&, Index, Index, float*);

Index count_inexact(const NpyArray& array) {
  if (!array.header.is_integer() || array.header.item_size < 8) return 0;
  Index inexact = 0;
  visit_integers(array, [&](const auto& elements) {
    for (Index k = 0; k < array.header.count; ++k) {
      const auto value = elements[k];
      const auto magnitude = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
      if (!is_exact_in_double(magnitude)) ++inexact;
    }
  });
  return inexact;
}

void copy_integers(const NpyArray& array, Index begin, Index count, Index* out) {
  CLADE_CHECK(array.header.is_integer() || array.header.kind == 'b');
  visit_integers(array, [&](const auto& elements) {
    for (Index k = 0; k < count; ++k) {
      const auto value = elements[begin + k];
      if (!std::in_range<Index>(value))
        throw array.place.error(fmt::format("{} is too large", value), "less than 2^63");
      out[k] = static_cast<Index>(+value);
    }
  });
}

std::vector<Index> integer_vector(const NpyArray& array) {
  require_vector(array, array.header.is_integer(), "integers in one dimension");
  std::vector<Index> integers(static_cast<std::size_t>(array.header.count));
  copy_integers(array, 0, array.header.count, integers.data());
  return integers;
}

std::string string_at(const NpyArray& array, Index position) {
  const std::string_view bytes = array.elements.substr(static_cast<std::size_t>(position * array.header.item_size),
                                                       static_cast<std::size_t>(array.header.item_size));
  if (array.header.kind == 'S') {
    const std::size_t last = bytes.find_last_not_of('\0');
    std::string text(bytes.substr(0, last == std::string_view::npos ? 0 : last + 1));
    if (first_invalid_utf8(text) != std::string::npos) {
      throw array.place.error(fmt::format("string {} is not UTF-8", position + 1));
    }
    return text;
  }
  const Elements<std::uint32_t> points{bytes, array.header.swapped};
  Index length = array.header.item_size / 4;
  while (length > 0 && points[length - 1] == 0) --length;
  std::string text;
  for (Index k = 0; k < length; ++k) append_code_point(text, points[k], array);
  return text;
}

std::vector<std::string> string_vector(const NpyArray& array) {
  require_vector(array, array.header.is_string(), "strings in one dimension");
  std::vector<std::string> strings;
  strings.reserve(static_cast<std::size_t>(array.header.count));
  for (Index k = 0; k < array.header.count; ++k) strings.push_back(string_at(array, k));
  return strings;
}

namespace {

// A matrix without values yet. Throws Error as dense_matrix() does.
template <class T>
DenseMatrix<T> shape_of(const NpyArray& array) {
  const NpyHeader& header = array.header;
  if (!header.is_number()) throw array.place.error("the array holds strings", "numbers");
  if (header.dimensions() != 2) {
    throw array.place.error(fmt::format("the array has the shape {}", header.shape_text()),
                            "two dimensions, samples x features");
  }
  DenseMatrix<T> matrix{.rows = header.shape[0], .columns = header.shape[1], .values = {}};
  if (matrix.columns > kMaxFeatures)
    throw array.place.error(fmt::format("{} columns", matrix.columns), "less than 2^31");
  if (header.count == 0) check_row_limit(matrix.rows, header.size, {.file = array.place.file});
  return matrix;
}

}  // namespace

template <class T>
std::optional<DenseMatrix<T>> dense_matrix_in_file(const NpyArray& array) {
  DenseMatrix<T> matrix = shape_of<T>(array);
  const NpyHeader& header = array.header;
  const bool is_same = header.kind == 'f' && header.item_size == sizeof(T) && !header.swapped && !header.fortran_order;
  const char* const begin = array.elements.data();
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(begin) % alignof(T) == 0;
  if (!array.file || !is_same || !is_aligned || !is_beyond_limit(array.elements.size())) return std::nullopt;
  matrix.values = Buffer<T>::borrowed(reinterpret_cast<const T*>(begin), header.count, array.file);
  return matrix;
}
template std::optional<DenseMatrix<double>> dense_matrix_in_file(const NpyArray&);
template std::optional<DenseMatrix<float>> dense_matrix_in_file(const NpyArray&);

template <class T>
DenseMatrix<T> dense_matrix(const NpyArray& array, Context& ctx) {
  DenseMatrix<T> matrix = shape_of<T>(array);
  matrix.values = Buffer<T>(array.header.count);
  constexpr Index kBlock = 64;  // rows; their part of a column fills whole cache lines
  parallel_for(ctx, matrix.rows, kBlock, [&](Index first, Index last) {
    if (array.header.fortran_order) {
      copy_columns(array, first, last, matrix);
    } else {
      copy_numbers(array, first * matrix.columns, (last - first) * matrix.columns,
                   matrix.values.data() + first * matrix.columns);
    }
  });
  return matrix;
}
template DenseMatrix<double> dense_matrix(const NpyArray&, Context&);
template DenseMatrix<float> dense_matrix(const NpyArray&, Context&);

}  // namespace clade
