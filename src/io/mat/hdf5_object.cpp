#include "io/mat/hdf5_object.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace clade {
namespace {

// Types of header messages.
constexpr std::uint16_t kDataspace = 0x01;
constexpr std::uint16_t kLinkInfo = 0x02;
constexpr std::uint16_t kDatatype = 0x03;
constexpr std::uint16_t kFillValue = 0x05;
constexpr std::uint16_t kLinkMessage = 0x06;
constexpr std::uint16_t kExternalFiles = 0x07;
constexpr std::uint16_t kDataLayout = 0x08;
constexpr std::uint16_t kGroupInfo = 0x0A;
constexpr std::uint16_t kFilterPipeline = 0x0B;
constexpr std::uint16_t kAttributeMessage = 0x0C;
constexpr std::uint16_t kSymbolTable = 0x11;
constexpr std::uint16_t kAttributeInfo = 0x15;

constexpr std::uint8_t kMostDimensions = 32;  // HDF5's own limit

std::vector<std::uint64_t> take_dimensions(BinaryReader& reader) {
  const std::uint8_t version = reader.u8("a dataspace");
  const std::uint8_t rank = reader.u8("a dataspace");
  reader.u8("a dataspace");
  const std::uint8_t space_type = reader.u8("a dataspace");
  if (version == 1) reader.skip(4, "a dataspace");
  if (version != 1 && version != 2) reader.fail(fmt::format("HDF5 dataspace version {} is not read", version));
  if (rank > kMostDimensions) reader.fail(fmt::format("a dataspace of {} dimensions", rank));
  constexpr std::uint8_t kNoElements = 2;
  if (version == 2 && space_type == kNoElements) return {0};
  std::vector<std::uint64_t> dimensions;
  dimensions.reserve(rank);
  for (int k = 0; k < rank; ++k) dimensions.push_back(reader.u64("a dataspace"));
  return dimensions;
}

NumberType integer_type(std::uint64_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? NumberType::kInt8 : NumberType::kUInt8;
    case 2:
      return is_signed ? NumberType::kInt16 : NumberType::kUInt16;
    case 4:
      return is_signed ? NumberType::kInt32 : NumberType::kUInt32;
    default:
      return is_signed ? NumberType::kInt64 : NumberType::kUInt64;
  }
}

// Integers that fill their bytes and are in the processor's own format; others stay kOther.
void set_integer(BinaryReader& reader, std::uint32_t flags, Hdf5Type& type) {
  const std::uint16_t bit_offset = reader.u16("a datatype");
  const std::uint16_t precision = reader.u16("a datatype");
  type.description = "integers of an unusual size";
  const bool usual = type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8;
  if (!usual || bit_offset != 0 || precision != 8 * type.bytes) return;
  type.kind = Hdf5Type::Kind::kNumber;
  type.big_endian = (flags & 1U) != 0;
  type.number = integer_type(type.bytes, (flags & 8U) != 0);
}

void set_float(BinaryReader& reader, std::uint32_t flags, Hdf5Type& type) {
  const std::uint16_t bit_offset = reader.u16("a datatype");
  const std::uint16_t precision = reader.u16("a datatype");
  reader.u8("a datatype");
  const std::uint8_t exponent_bits = reader.u8("a datatype");
  type.description = "floating-point numbers of an unusual form";
  constexpr std::uint32_t kVaxOrder = 0x40;
  if (bit_offset != 0 || precision != 8 * type.bytes || (flags & kVaxOrder) != 0) return;
  if (!(type.bytes == 4 && exponent_bits == 8) && !(type.bytes == 8 && exponent_bits == 11)) return;
  type.kind = Hdf5Type::Kind::kNumber;
  type.big_endian = (flags & 1U) != 0;
  type.number = type.bytes == 4 ? NumberType::kFloat : NumberType::kDouble;
}

Hdf5Type take_type(BinaryReader& reader) {
  static constexpr std::array<std::string_view, 11> kClasses = {
      "integers",     "floating-point numbers", "times",           "texts",
      "bit fields",   "opaque values",          "compound values", "references",
      "enumerations", "variable-length values", "arrays"};
  Hdf5Type type;
  const std::uint32_t first = reader.u32("a datatype");
  type.bytes = reader.u32("a datatype");
  std::uint32_t type_class = first & 0xFU;
  std::uint32_t flags = first >> 8U;
  constexpr std::uint32_t kEnumeration = 8;
  if (type_class == kEnumeration) {  // its values are those of the integer type that follows (h5py's Booleans)
    const std::uint32_t base = reader.u32("a datatype");
    if ((base & 0xFU) == 0 && reader.u32("a datatype") == type.bytes) {
      type_class = 0;
      flags = base >> 8U;
    }
  }
  type.description = type_class < kClasses.size() ? kClasses[type_class] : "an unknown datatype";
  if (type_class == 0) set_integer(reader, flags, type);
  if (type_class == 1) set_float(reader, flags, type);
  if (type_class == 3) type.kind = Hdf5Type::Kind::kText;
  if (type_class == 7 && (flags & 0xFU) == 0 && type.bytes == 8) type.kind = Hdf5Type::Kind::kObjectReference;
  if (type_class == 9 && (flags & 0xFU) == 1) type.kind = Hdf5Type::Kind::kVariableText;
  return type;
}

std::string_view take_fill_value(BinaryReader& reader) {
  const std::uint8_t version = reader.u8("a fill value");
  bool defined = true;
  if (version == 3) {
    defined = (reader.u8("a fill value") & 0x20U) != 0;
  } else {
    reader.skip(2, "a fill value");
    defined = reader.u8("a fill value") != 0;
  }
  if (!defined) return {};
  return reader.take(reader.u32("a fill value"), "a fill value");
}

void take_chunk_layout_3(BinaryReader& reader, Hdf5Layout& layout) {
  layout.kind = Hdf5Layout::Kind::kChunked;
  const std::uint8_t sizes = reader.u8("a data layout");
  layout.address = reader.u64("a data layout");
  for (int k = 0; k < sizes; ++k) layout.chunk.push_back(reader.u32("a data layout"));
  if (!layout.chunk.empty()) layout.chunk.pop_back();  // the bytes of an element
}

void take_chunk_layout_4(BinaryReader& reader, Hdf5Layout& layout) {
  static constexpr std::array<std::string_view, 6> kIndexes = {"unknown",     "single-chunk",     "implicit",
                                                               "fixed-array", "extensible-array", "version 2 B-tree"};
  const std::uint8_t flags = reader.u8("a data layout");
  const std::uint8_t sizes = reader.u8("a data layout");
  const std::uint8_t size_bytes = reader.u8("a data layout");
  for (int k = 0; k < sizes; ++k) {
    std::uint64_t size = 0;
    for (int b = 0; b < size_bytes; ++b) {
      const std::uint64_t byte = reader.u8("a data layout");
      if (b < 8) size |= byte << (8U * static_cast<unsigned>(b));
    }
    layout.chunk.push_back(size);
  }
  if (!layout.chunk.empty()) layout.chunk.pop_back();
  const std::uint8_t index = reader.u8("a data layout");
  if (index != 1) {
    layout.kind = Hdf5Layout::Kind::kOther;
    layout.description = fmt::format("{} chunk indexes", kIndexes[index < kIndexes.size() ? index : 0]);
    return;
  }
  layout.kind = Hdf5Layout::Kind::kChunked;
  layout.single_chunk = true;
  if ((flags & 2U) != 0) {
    layout.bytes = reader.u64("a data layout");
    layout.single_chunk_mask = reader.u32("a data layout");
  }
  layout.address = reader.u64("a data layout");
}

Hdf5Layout take_layout(BinaryReader& reader) {
  Hdf5Layout layout;
  const std::uint8_t version = reader.u8("a data layout");
  const std::uint8_t layout_class = reader.u8("a data layout");
  if (version != 3 && version != 4) {
    layout.kind = Hdf5Layout::Kind::kOther;
    layout.description = fmt::format("data layouts of version {}", version);
  } else if (layout_class == 0) {
    layout.kind = Hdf5Layout::Kind::kCompact;
    layout.compact = reader.take(reader.u16("a data layout"), "compact data");
  } else if (layout_class == 1) {
    layout.kind = Hdf5Layout::Kind::kContiguous;
    layout.address = reader.u64("a data layout");
    layout.bytes = reader.u64("a data layout");
  } else if (layout_class == 2) {
    version == 3 ? take_chunk_layout_3(reader, layout) : take_chunk_layout_4(reader, layout);
  } else {
    layout.kind = Hdf5Layout::Kind::kOther;
    layout.description = "virtual datasets";
  }
  return layout;
}

std::vector<std::uint16_t> take_filters(BinaryReader& reader) {
  const std::uint8_t version = reader.u8("a filter pipeline");
  const std::uint8_t count = reader.u8("a filter pipeline");
  if (version != 1 && version != 2) reader.fail(fmt::format("HDF5 filter pipeline version {} is not read", version));
  if (version == 1) reader.skip(6, "a filter pipeline");
  std::vector<std::uint16_t> filters;
  constexpr std::uint16_t kFirstForeignFilter = 256;
  for (int k = 0; k < count; ++k) {
    filters.push_back(reader.u16("a filter"));
    const bool named = version == 1 || filters.back() >= kFirstForeignFilter;
    const std::uint16_t name_bytes = named ? reader.u16("a filter") : std::uint16_t{0};
    reader.u16("a filter");
    const std::uint16_t values = reader.u16("a filter");
    reader.skip(version == 1 ? (name_bytes + 7U) / 8U * 8U : name_bytes, "a filter");
    reader.skip(std::uint64_t{4} * (values + (version == 1 ? values % 2U : 0U)), "a filter");
  }
  return filters;
}

Hdf5Attribute take_attribute(BinaryReader& reader) {
  const std::uint8_t version = reader.u8("an attribute");
  const std::uint8_t flags = reader.u8("an attribute");
  if (version < 1 || version > 3) reader.fail(fmt::format("HDF5 attribute version {} is not read", version));
  const std::uint16_t name_bytes = reader.u16("an attribute");
  const std::uint16_t type_bytes = reader.u16("an attribute");
  const std::uint16_t space_bytes = reader.u16("an attribute");
  if (version == 3) reader.u8("an attribute");
  const auto padded = [version](std::uint16_t bytes) { return version == 1 ? (bytes + 7U) / 8U * 8U : bytes; };

  Hdf5Attribute attribute;
  attribute.name = reader.take(padded(name_bytes), "an attribute").substr(0, name_bytes);
  attribute.name = attribute.name.substr(0, attribute.name.find('\0'));
  BinaryReader type = reader.sub_reader(padded(type_bytes), "an attribute");
  reader.skip(padded(space_bytes), "an attribute");
  const bool shared = version > 1 && (flags & 3U) != 0;
  if (!shared) attribute.type = take_type(type);
  attribute.value = reader.take(reader.left(), "an attribute");
  return attribute;
}

void take_link(BinaryReader& reader, std::vector<Hdf5Link>& links) {
  if (reader.u8("a link") != 1) reader.fail("HDF5 link versions other than 1 are not read");
  const std::uint8_t flags = reader.u8("a link");
  const std::uint8_t link_type = (flags & 8U) != 0 ? reader.u8("a link") : std::uint8_t{0};
  if ((flags & 4U) != 0) reader.skip(8, "a link");
  if ((flags & 16U) != 0) reader.skip(1, "a link");
  std::uint64_t name_bytes = 0;
  for (unsigned b = 0; b < 1U << (flags & 3U); ++b) name_bytes |= std::uint64_t{reader.u8("a link")} << (8U * b);
  const std::string_view name = reader.take(name_bytes, "a link");
  if (link_type == 0) links.push_back({.name = std::string(name), .address = reader.u64("a link")});
}

// Both kinds of "info" message say where a fractal heap is, if there is one.
bool has_heap(BinaryReader& reader, std::uint64_t creation_index_bytes) {
  reader.u8("an info message");
  const std::uint8_t flags = reader.u8("an info message");
  if ((flags & 1U) != 0) reader.skip(creation_index_bytes, "an info message");
  return reader.u64("an info message") != kUndefinedAddress;
}

}  // namespace

const Hdf5Attribute* Hdf5Object::attribute(std::string_view name) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [name](const auto& each) { return each.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

void take_message(BinaryReader reader, std::uint16_t type, bool shared, Hdf5Object& object) {
  if (shared) {
    if (type == kDatatype) {
      object.has_type = true;
      object.type.description = "values of a committed datatype";
    }
    return;
  }
  switch (type) {
    case kDataspace:
      object.has_dimensions = true;
      object.dimensions = take_dimensions(reader);
      break;
    case kDatatype:
      object.has_type = true;
      object.type = take_type(reader);
      break;
    case kFillValue:
      object.fill_value = take_fill_value(reader);
      break;
    case kExternalFiles:
      object.layout.kind = Hdf5Layout::Kind::kOther;
      object.layout.description = "data in external files";
      break;
    case kDataLayout:
      if (object.layout.kind == Hdf5Layout::Kind::kNone) object.layout = take_layout(reader);
      break;
    case kFilterPipeline:
      object.filters = take_filters(reader);
      break;
    case kAttributeMessage:
      object.attributes.push_back(take_attribute(reader));
      break;
    case kSymbolTable:
      object.is_group = true;
      object.symbol_tree = reader.u64("a symbol table");
      object.symbol_heap = reader.u64("a symbol table");
      break;
    case kLinkInfo:
      object.is_group = true;
      object.dense_links = has_heap(reader, 8);
      break;
    case kGroupInfo:
      object.is_group = true;
      break;
    case kLinkMessage:
      object.is_group = true;
      take_link(reader, object.links);
      break;
    case kAttributeInfo:
      object.dense_attributes = has_heap(reader, 2);
      break;
    default:
      break;
  }
}

}  // namespace clade
