#include "io/mat/hdf5_write.h"

#include <algorithm>

#include "core/check.h"
#include "io/mat/byte_io.h"

namespace clade {
namespace {

constexpr std::uint64_t kUndefined = ~std::uint64_t{0};

// Half of the most children of a tree node, as the superblock states or implies it.
constexpr std::size_t kGroupLeafK = 4;
constexpr std::size_t kGroupTreeK = 16;
constexpr std::size_t kChunkTreeK = 32;

constexpr std::uint64_t kAllocateLate = 2;
constexpr std::uint64_t kAllocateAsNeeded = 3;

std::string message(std::uint16_t type, const std::string& content, std::uint8_t flags) {
  const std::size_t padded = (content.size() + 7) / 8 * 8;
  CLADE_CHECK(padded <= 0xFFFF);
  return std::move(BinaryWriter().u16(type).u16(padded).u8(flags).zeros(3).bytes(content).pad(8).text());
}

std::string space_message(const std::vector<std::uint64_t>& dimensions) {
  BinaryWriter out;
  out.u8(1).u8(dimensions.size()).zeros(6);
  for (const std::uint64_t size : dimensions) out.u64(size);
  return message(0x01, out.text(), 0);
}

std::string fill_message(std::uint64_t allocation) {
  return message(0x05, BinaryWriter().u8(2).u8(allocation).u8(2).u8(1).u32(0).text(), 1);
}

std::string deflate_message() {
  constexpr std::uint64_t kDeflateFilter = 1;
  constexpr std::uint64_t kLevel = 4;
  BinaryWriter out;
  out.u8(1).u8(1).zeros(6);
  out.u16(kDeflateFilter).u16(8).u16(1).u16(1).bytes(std::string_view("deflate\0", 8)).u32(kLevel).u32(0);
  return message(0x0B, out.text(), 1);
}

std::string attribute_message(const Hdf5Writer::Attribute& attribute) {
  const std::string scalar_space = BinaryWriter().u8(1).zeros(7).text();
  BinaryWriter out;
  out.u8(1).u8(0).u16(attribute.name.size() + 1).u16(attribute.type.size()).u16(scalar_space.size());
  out.bytes(attribute.name).zeros(1).pad(8).bytes(attribute.type).pad(8).bytes(scalar_space).bytes(attribute.value);
  return message(0x0C, out.text(), 0);
}

}  // namespace

std::string Hdf5Writer::double_type() {
  return BinaryWriter()
      .u8(0x11)
      .u8(0x20)
      .u8(63)
      .u8(0)
      .u32(8)
      .u16(0)
      .u16(64)
      .u8(52)
      .u8(11)
      .u8(0)
      .u8(52)
      .u32(1023)
      .text();
}

std::string Hdf5Writer::single_type() {
  return BinaryWriter().u8(0x11).u8(0x20).u8(31).u8(0).u32(4).u16(0).u16(32).u8(23).u8(8).u8(0).u8(23).u32(127).text();
}

std::string Hdf5Writer::integer_type(std::uint64_t bytes, bool is_signed) {
  return BinaryWriter().u8(0x10).u8(is_signed ? 8 : 0).u16(0).u32(bytes).u16(0).u16(8 * bytes).text();
}

std::string Hdf5Writer::reference_type() {
  return BinaryWriter().u8(0x17).zeros(3).u32(8).text();
}

Hdf5Writer::Attribute Hdf5Writer::text_attribute(std::string_view name, std::string_view text) {
  return {.name = std::string(name),
          .type = BinaryWriter().u8(0x13).zeros(3).u32(text.size()).text(),
          .value = std::string(text)};
}

std::uint64_t Hdf5Writer::place(std::string block) {
  const std::uint64_t address = end_;
  block.resize((block.size() + 7) / 8 * 8, '\0');
  end_ += block.size();
  blocks_.push_back(std::move(block));
  return address;
}

std::uint64_t Hdf5Writer::add_header(const std::vector<std::string>& messages,
                                     const std::vector<Attribute>& attributes) {
  BinaryWriter body;
  for (const std::string& each : messages) body.bytes(each);
  for (const Attribute& attribute : attributes) body.bytes(attribute_message(attribute));
  BinaryWriter header;
  header.u8(1).u8(0).u16(messages.size() + attributes.size()).u32(1).u32(body.size()).u32(0).bytes(body.text());
  return place(std::move(header.text()));
}

std::uint64_t Hdf5Writer::add_dataset(const std::vector<std::uint64_t>& dimensions, const std::string& type,
                                      std::string data, const std::vector<Attribute>& attributes) {
  const std::uint64_t bytes = data.size();
  const std::uint64_t address = bytes == 0 ? kUndefined : place(std::move(data));
  const std::string layout = BinaryWriter().u8(3).u8(1).u64(address).u64(bytes).text();
  return add_header(
      {space_message(dimensions), message(0x03, type, 1), fill_message(kAllocateLate), message(0x08, layout, 0)},
      attributes);
}

std::uint64_t Hdf5Writer::add_chunked_dataset(const std::vector<std::uint64_t>& dimensions,
                                              const std::vector<std::uint64_t>& chunk, const std::string& type,
                                              std::uint64_t element_bytes, std::vector<std::string> chunks,
                                              const std::vector<Attribute>& attributes) {
  BinaryWriter layout;
  layout.u8(3).u8(2).u8(dimensions.size() + 1).u64(add_chunk_tree(dimensions, chunk, std::move(chunks)));
  for (const std::uint64_t size : chunk) layout.u32(size);
  layout.u32(element_bytes);
  return add_header({space_message(dimensions), message(0x03, type, 1), fill_message(kAllocateAsNeeded),
                     deflate_message(), message(0x08, layout.text(), 0)},
                    attributes);
}

std::uint64_t Hdf5Writer::add_chunk_tree(const std::vector<std::uint64_t>& dimensions,
                                         const std::vector<std::uint64_t>& chunk, std::vector<std::string> chunks) {
  const std::size_t rank = dimensions.size();
  const auto key = [rank](std::uint64_t bytes, const std::vector<std::uint64_t>& at) {
    BinaryWriter out;
    out.u32(bytes).u32(0);
    for (std::size_t d = 0; d < rank; ++d) out.u64(at[d]);
    return std::move(out.u64(0).text());
  };
  std::vector<std::string> keys;
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint64_t> at(rank, 0);
  for (std::string& each : chunks) {
    keys.push_back(key(each.size(), at));
    addresses.push_back(place(std::move(each)));
    for (std::size_t d = rank; d-- > 0;) {  // on to the next place, the last dimension first
      at[d] += chunk[d];
      if (at[d] < dimensions[d] || d == 0) break;
      at[d] = 0;
    }
  }
  CLADE_CHECK(at[0] >= dimensions[0]);
  keys.push_back(key(0, at));
  return add_tree(1, 2 * kChunkTreeK, std::move(keys), std::move(addresses));
}

std::uint64_t Hdf5Writer::add_tree(std::uint8_t type, std::size_t most_children, std::vector<std::string> keys,
                                   std::vector<std::uint64_t> children) {
  const std::size_t key_bytes = keys[0].size();
  const std::size_t node_bytes = 24 + most_children * (key_bytes + 8) + key_bytes;
  for (std::uint8_t level = 0;; ++level) {
    const std::size_t nodes = std::max<std::size_t>(1, (children.size() + most_children - 1) / most_children);
    const std::uint64_t first = end_;
    const std::size_t stride = (node_bytes + 7) / 8 * 8;
    std::vector<std::string> upper_keys;
    std::vector<std::uint64_t> upper;
    for (std::size_t node = 0; node < nodes; ++node) {
      const std::size_t begin = node * most_children;
      const std::size_t end = std::min(children.size(), begin + most_children);
      BinaryWriter out;
      out.bytes("TREE").u8(type).u8(level).u16(end - begin);
      out.u64(node == 0 ? kUndefined : first + (node - 1) * stride);
      out.u64(node + 1 == nodes ? kUndefined : first + (node + 1) * stride);
      for (std::size_t k = begin; k < end; ++k) out.bytes(keys[k]).u64(children[k]);
      out.bytes(keys[end]);
      out.zeros(node_bytes - out.size());
      upper_keys.push_back(keys[begin]);
      upper.push_back(place(std::move(out.text())));
    }
    if (nodes == 1) return upper[0];
    upper_keys.push_back(keys.back());
    keys = std::move(upper_keys);
    children = std::move(upper);
  }
}

std::uint64_t Hdf5Writer::add_group(Members members, const std::vector<Attribute>& attributes) {
  std::sort(members.begin(), members.end());
  BinaryWriter names;
  names.zeros(8);  // the empty name, which is the first key
  std::vector<std::string> keys{BinaryWriter().u64(0).text()};
  std::vector<std::uint64_t> nodes;
  constexpr std::size_t kSymbols = 2 * kGroupLeafK;
  constexpr std::size_t kSymbolBytes = 40;
  for (std::size_t begin = 0; begin < members.size(); begin += kSymbols) {
    const std::size_t end = std::min(members.size(), begin + kSymbols);
    BinaryWriter out;
    out.bytes("SNOD").u8(1).u8(0).u16(end - begin);
    std::uint64_t last_name = 0;
    for (std::size_t k = begin; k < end; ++k) {
      last_name = names.size();
      names.bytes(members[k].first).zeros(1).pad(8);
      out.u64(last_name).u64(members[k].second).u32(0).zeros(20);
    }
    out.zeros((kSymbols - (end - begin)) * kSymbolBytes);
    keys.push_back(BinaryWriter().u64(last_name).text());
    nodes.push_back(place(std::move(out.text())));
  }
  constexpr std::uint64_t kNoFreeSpace = 1;
  const std::uint64_t name_bytes = names.size();
  const std::uint64_t name_data = place(std::move(names.text()));
  const std::uint64_t heap =
      place(BinaryWriter().bytes("HEAP").zeros(4).u64(name_bytes).u64(kNoFreeSpace).u64(name_data).text());
  const std::uint64_t tree = add_tree(0, 2 * kGroupTreeK, std::move(keys), std::move(nodes));
  return add_header({message(0x11, BinaryWriter().u64(tree).u64(heap).text(), 0)}, attributes);
}

void Hdf5Writer::write(std::string_view user_block, std::uint64_t root, Sink& sink) const {
  BinaryWriter superblock;
  superblock.bytes(std::string_view("\x89HDF\r\n\x1a\n", 8)).zeros(5).u8(8).u8(8).u8(0);
  superblock.u16(kGroupLeafK).u16(kGroupTreeK).u32(0);
  superblock.u64(user_block.size()).u64(kUndefined).u64(user_block.size() + end_).u64(kUndefined);
  superblock.u64(0).u64(root).zeros(24);
  CLADE_CHECK(superblock.size() == kSuperblockBytes);
  sink.write(user_block);
  sink.write(superblock.text());
  for (const std::string& block : blocks_) sink.write(block);
}

}  // namespace clade
