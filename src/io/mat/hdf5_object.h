#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/mat/byte_io.h"
#include "io/mat/mat_arrays.h"

namespace clade {

// What an HDF5 object header says, message by message. The views refer to the file.

constexpr std::uint64_t kUndefinedAddress = ~std::uint64_t{0};

struct Hdf5Type {
  enum class Kind { kNumber, kText, kVariableText, kObjectReference, kOther };
  Kind kind = Kind::kOther;
  std::uint64_t bytes = 0;  // of one element
  NumberType number = NumberType::kDouble;
  bool big_endian = false;
  std::string description;  // of kOther
};

struct Hdf5Attribute {
  std::string_view name;
  Hdf5Type type;
  std::string_view value;
};

struct Hdf5Layout {
  enum class Kind { kNone, kCompact, kContiguous, kChunked, kOther };
  Kind kind = Kind::kNone;
  std::string_view compact;             // kCompact: the data
  std::uint64_t address = 0;            // kContiguous: of the data; kChunked: of the B-tree or of the one chunk
  std::uint64_t bytes = 0;              // kContiguous: of the data; kChunked: of the one chunk as stored, if filtered
  std::vector<std::uint64_t> chunk;     // kChunked: elements of a chunk in each dimension
  bool single_chunk = false;            // kChunked
  std::uint32_t single_chunk_mask = 0;  // filters that were not applied to it
  std::string description;              // of kOther
};

struct Hdf5Link {
  std::string name;
  std::uint64_t address = 0;
};

struct Hdf5Object {
  // Of a dataset.
  bool has_type = false;
  Hdf5Type type;
  bool has_dimensions = false;
  std::vector<std::uint64_t> dimensions;
  Hdf5Layout layout;
  std::vector<std::uint16_t> filters;  // in the order in which they were applied
  std::string_view fill_value;         // empty: zero
  // Of a group.
  bool is_group = false;
  std::optional<std::uint64_t> symbol_tree;  // the B-tree of a symbol table
  std::uint64_t symbol_heap = 0;
  std::vector<Hdf5Link> links;
  bool dense_links = false;  // the links are in a fractal heap
  // Of both.
  std::vector<Hdf5Attribute> attributes;
  bool dense_attributes = false;  // the attributes are in a fractal heap

  bool is_dataset() const { return has_type && has_dimensions; }
  const Hdf5Attribute* attribute(std::string_view name) const;
};

// Takes one header message of the given type; irrelevant messages are ignored. `shared`: the message is stored
// elsewhere, and the reader holds only a reference.
void take_message(BinaryReader reader, std::uint16_t type, bool shared, Hdf5Object& object);

}  // namespace clade
