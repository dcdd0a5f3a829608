#pragma once

#include <clade/error.h>
#include <clade/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// The name of an array in messages: a .npy file, or a member of a .npz file.
struct ArrayPlace {
  std::string file;
  std::string member;  // empty: the file is the array

  // `expected` completes the words "expected ..."; empty: the problem says everything.
  Error error(std::string_view problem, std::string_view expected = {}) const;
};

// The header of a NumPy array: how its elements are stored, and their number in each dimension.
struct NpyHeader {
  char kind = 'f';       // 'b' truth values, 'i', 'u' and 'f' numbers, 'U' and 'S' strings
  Index item_size = 8;   // bytes of one element
  bool swapped = false;  // the bytes of an element are not in this machine's order
  bool fortran_order = false;
  std::vector<Index> shape;  // empty: a single element
  Index count = 1;           // elements
  Index data_bytes = 8;      // count * item_size
  std::size_t size = 0;      // bytes of the header itself; the elements follow

  bool is_number() const { return kind == 'b' || is_integer() || kind == 'f'; }
  bool is_integer() const { return kind == 'i' || kind == 'u'; }
  bool is_string() const { return kind == 'U' || kind == 'S'; }
  Index dimensions() const { return static_cast<Index>(shape.size()); }
  std::string shape_text() const;  // "(3, 4)"
};

// Do the bytes begin like a .npy file?
bool is_npy(std::string_view bytes);

// The size in bytes of the header at the start of `bytes`, or nothing if they are too few to tell. Throws Error if it
// is not a header of version 1 to 3.
std::optional<std::size_t> npy_header_size(std::string_view bytes, const ArrayPlace& place);

// Reads the header, a Python literal, without evaluating it: exactly the keys descr, fortran_order and shape. Throws
// Error on anything else, on element types other than numbers and strings (objects, records, complex numbers, dates),
// and on a shape whose size in bytes overflows. `bytes` may end before the elements do.
NpyHeader parse_npy_header(std::string_view bytes, const ArrayPlace& place);

// The header of a C-ordered array of version 1.0, padded as NumPy does. `descr` is as in "<f8".
std::string npy_header_text(std::string_view descr, const std::vector<Index>& shape);

}  // namespace clade
