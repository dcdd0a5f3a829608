#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/input.h"
#include "io/mat/byte_io.h"

namespace clade {

// How numbers are stored in a file; the class of their MATLAB array can differ (whole doubles are often stored as
// bytes).
enum class NumberType { kInt8, kUInt8, kInt16, kUInt16, kInt32, kUInt32, kInt64, kUInt64, kFloat, kDouble };

std::size_t bytes_of(NumberType type);
constexpr bool is_integer(NumberType type) {
  return type != NumberType::kFloat && type != NumberType::kDouble;
}

// Numbers as stored in the file or in its unpacked content: any alignment, either byte order.
struct NumberArray {
  NumberType type = NumberType::kDouble;
  bool swapped = false;    // not in this machine's byte order
  std::string_view bytes;  // whole numbers of that type

  Index size() const { return static_cast<Index>(bytes.size() / bytes_of(type)); }
  double at(Index i) const;       // the nearest double
  Index index_at(Index i) const;  // for an integer type; negative if it does not fit
};

// Loads number i of an array whose type and byte order are known at compile time.
template <class T, bool kSwapped>
struct NumberLoad {
  using Type = T;
  std::string_view bytes;

  T operator()(Index i) const {
    using Bits =
        std::conditional_t<sizeof(T) == 8, std::uint64_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                              std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * static_cast<Index>(sizeof(T)), sizeof(T));
    if constexpr (kSwapped) bits = swap_bytes(bits);
    return std::bit_cast<T>(bits);
  }
};

// Calls visit(load) with the NumberLoad of the array's type, so that hot loops are compiled once per type.
template <class Visit>
decltype(auto) with_loader(const NumberArray& array, Visit&& visit) {
  const auto of_type = [&]<class T>(T) -> decltype(auto) {
    if (array.swapped) return visit(NumberLoad<T, true>{array.bytes});
    return visit(NumberLoad<T, false>{array.bytes});
  };
  switch (array.type) {
    case NumberType::kInt8:
      return of_type(std::int8_t{});
    case NumberType::kUInt8:
      return of_type(std::uint8_t{});
    case NumberType::kInt16:
      return of_type(std::int16_t{});
    case NumberType::kUInt16:
      return of_type(std::uint16_t{});
    case NumberType::kInt32:
      return of_type(std::int32_t{});
    case NumberType::kUInt32:
      return of_type(std::uint32_t{});
    case NumberType::kInt64:
      return of_type(std::int64_t{});
    case NumberType::kUInt64:
      return of_type(std::uint64_t{});
    case NumberType::kFloat:
      return of_type(float{});
    case NumberType::kDouble:
      break;
  }
  return of_type(double{});
}

// A MATLAB variable from either kind of file. Sizes are consistent: a numeric array has rows * columns values, a text
// one text per row, a cell array one per cell. The entries of a sparse array are as in the file.
struct MatVariable {
  enum class Kind {
    kNumbers,  // values, column after column
    kSparse,   // values, row_indices, column_starts (all 0-based)
    kText,     // texts: one per row of a character array
    kTexts,    // texts: one per cell, column after column
    kOther,    // anything else; `problem` says what
  };
  std::string name;
  Kind kind = Kind::kOther;
  std::string problem;
  Index rows = 0;
  Index columns = 0;
  NumberArray values;
  NumberArray row_indices;
  NumberArray column_starts;
  std::vector<std::string> texts;
  std::vector<std::shared_ptr<const void>> owners;  // of the bytes that the arrays refer to
};

// A file of MATLAB variables. Its list is known at once; a variable's content is unpacked on demand.
class MatFile {
 public:
  struct Entry {
    std::string name;
    std::string description;  // "108 x 12 double"
  };
  virtual ~MatFile() = default;
  virtual const std::vector<Entry>& entries() const = 0;
  // Throws Error if the bytes are inconsistent; a kind of variable that Clade does not use is kOther.
  virtual MatVariable load(std::size_t entry, Context& ctx) = 0;
};

// Text from character codes of one, two or four bytes each (Latin-1, UTF-16, UTF-32), every `stride`-th from `first`.
// False if they are not text (half a surrogate pair, a code beyond Unicode).
bool append_text(const NumberArray& codes, Index first, Index stride, Index count, std::string& text);

// The rows of a character array as texts. A one-row array keeps its blanks; MATLAB pads the rows of a larger one with
// blanks, which are dropped; an array without columns is one empty text. `codes` has rows * columns elements. Sets
// kind, and texts or problem.
void set_text(const NumberArray& codes, MatVariable& variable);

// MATLAB level 5 (what `save -v6` and `save -v7` write): a header of 128 bytes, then one element per variable, plain or
// packed by zlib, in either byte order. `input` must outlive the file.
std::unique_ptr<MatFile> open_mat5(const Input& input);

// Do the first bytes have the signature of a level 5 header?
bool looks_like_mat5(std::string_view head);

// MATLAB 7.3: an HDF5 file in which attributes say what datasets and groups are in MATLAB. `input` must outlive the
// file.
std::unique_ptr<MatFile> open_mat73(const Input& input);

}  // namespace clade
