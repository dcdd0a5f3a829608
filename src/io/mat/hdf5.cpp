#include "io/mat/hdf5.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

namespace clade {
namespace {

constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
constexpr std::uint64_t kFirstUserBlock = 512;
// How much may be read in all, per byte of the file: headers are read when listing and when loading, data once.
constexpr std::uint64_t kAllowancePerByte = 4;
constexpr std::uint64_t kSmallestAllowance = 1U << 16U;
constexpr std::uint64_t kSmallestCharge = 16;

constexpr std::uint8_t kGroupTree = 0;

}  // namespace

bool looks_like_hdf5(std::string_view head) {
  return head.starts_with(kSignature) ||
         (head.size() > kFirstUserBlock && head.substr(kFirstUserBlock).starts_with(kSignature));
}

Hdf5File::Hdf5File(const Input& input)
    : input_(&input), allowance_(kAllowancePerByte * input.bytes().size() + kSmallestAllowance) {
  // The signature is at 0, 512, 1024, 2048 and so on.
  const std::string_view all = input.bytes();
  while (base_ < all.size() && !all.substr(base_).starts_with(kSignature)) {
    base_ = base_ == 0 ? kFirstUserBlock : 2 * base_;
  }
  if (base_ >= all.size()) fail("no HDF5 signature", "expected a MATLAB 7.3 file");
  bytes_ = all.substr(base_);
  read_superblock();
}

void Hdf5File::read_superblock() {
  BinaryReader reader = reader_at(kSignature.size(), "the superblock");
  const std::uint8_t version = reader.u8("the superblock");
  if (version > 3) fail(fmt::format("HDF5 superblock version {} is not read", version), "save with -v7");
  if (version < 2) reader.skip(4, "the superblock");
  const std::uint8_t address_bytes = reader.u8("the superblock");
  const std::uint8_t size_bytes = reader.u8("the superblock");
  if (address_bytes != 8 || size_bytes != 8) {
    fail(fmt::format("HDF5 addresses of {} and sizes of {} bytes are not read", address_bytes, size_bytes),
         "expected 8 and 8");
  }
  reader.skip(version < 2 ? 1 + 4 + 4 : 1, "the superblock");  // reserved, sizes of tree nodes; flags
  if (version == 1) reader.skip(4, "the superblock");
  reader.skip(8 + 8, "the superblock");  // addresses of the start, and of the free space or the extension
  const std::uint64_t end = reader.u64("the superblock");
  if (end > input_->bytes().size()) {
    fail(fmt::format("truncated: the file has {} bytes", input_->bytes().size()),
         fmt::format("expected the {} that it says it has", end));
  }
  if (version < 2) reader.skip(8 + 8, "the superblock");  // the driver's address, the root's name
  root_ = reader.u64("the superblock");
}

void Hdf5File::fail(std::string_view problem, std::string_view expected) const {
  throw input_error({.file = input_->name()}, problem, expected);
}

void Hdf5File::charge(std::uint64_t bytes) {
  const std::uint64_t cost = std::max(bytes, kSmallestCharge);
  if (cost > allowance_) {
    fail("its HDF5 structures overlap or are used again and again, more than a sound file needs",
         "expected a file as MATLAB writes it");
  }
  allowance_ -= cost;
}

BinaryReader Hdf5File::reader_at(std::uint64_t address, std::string_view what) const {
  if (address >= bytes_.size()) {
    fail(fmt::format("the address of {} is byte {} of a file of {} bytes", what,
                     address == kUndefinedAddress ? "(undefined)" : std::to_string(address), input_->bytes().size()),
         "truncated or corrupt HDF5");
  }
  return {input_->name(), bytes_.substr(static_cast<std::size_t>(address)), base_ + address};
}

std::string_view Hdf5File::bytes_at(std::uint64_t address, std::uint64_t count, std::string_view what) const {
  return reader_at(address, what).take(count, what);
}

Hdf5Object Hdf5File::object(std::uint64_t address) {
  Hdf5Object object;
  BinaryReader reader = reader_at(address, "an object header");
  if (bytes_.substr(static_cast<std::size_t>(address)).starts_with("OHDR")) {
    take_header_2(reader, object);
  } else {
    take_header_1(reader, object);
  }
  return object;
}

namespace {

constexpr std::uint16_t kContinuation = 0x10;
constexpr std::uint8_t kSharedFlag = 2;

}  // namespace

// Version 1: messages with headers of 8 bytes; a continuation message says where another block of messages is.
void Hdf5File::take_header_1(BinaryReader& reader, Hdf5Object& object) {
  if (const std::uint8_t version = reader.u8("an object header"); version != 1) {
    reader.fail(fmt::format("HDF5 object header version {}", version), "expected 1 or 2");
  }
  reader.skip(7, "an object header");
  const std::uint32_t first_bytes = reader.u32("an object header");
  reader.skip(4, "an object header");
  std::vector<BinaryReader> blocks{reader.sub_reader(first_bytes, "an object header")};
  charge(first_bytes);
  std::unordered_set<std::uint64_t> seen;
  while (!blocks.empty()) {
    BinaryReader block = std::move(blocks.back());
    blocks.pop_back();
    while (block.left() >= 8) {
      const std::uint16_t type = block.u16("a message");
      const std::uint16_t size = block.u16("a message");
      const std::uint8_t flags = block.u8("a message");
      block.skip(3, "a message");
      BinaryReader message = block.sub_reader(size, "a message");
      if (type != kContinuation) {
        take_message(message, type, (flags & kSharedFlag) != 0, object);
        continue;
      }
      const std::uint64_t address = message.u64("a continuation");
      const std::uint64_t bytes = message.u64("a continuation");
      if (!seen.insert(address).second) message.fail("an object header continues into itself");
      charge(bytes);
      blocks.push_back(reader_at(address, "a continuation").sub_reader(bytes, "a continuation"));
    }
  }
}

// Version 2: smaller message headers; blocks begin with a signature and end with a checksum.
void Hdf5File::take_header_2(BinaryReader& reader, Hdf5Object& object) {
  constexpr std::uint64_t kChecksumBytes = 4;
  reader.skip(4, "an object header");
  if (const std::uint8_t version = reader.u8("an object header"); version != 2) {
    reader.fail(fmt::format("HDF5 object header version {}", version), "expected 1 or 2");
  }
  const std::uint8_t header_flags = reader.u8("an object header");
  if ((header_flags & 0x20U) != 0) reader.skip(16, "an object header");  // times
  if ((header_flags & 0x10U) != 0) reader.skip(4, "an object header");   // limits of attribute storage
  std::uint64_t first_bytes = 0;
  for (unsigned b = 0; b < 1U << (header_flags & 3U); ++b) {
    first_bytes |= std::uint64_t{reader.u8("an object header")} << (8U * b);
  }
  const bool ordered = (header_flags & 4U) != 0;
  std::vector<BinaryReader> blocks{reader.sub_reader(first_bytes, "an object header")};
  charge(first_bytes);
  std::unordered_set<std::uint64_t> seen;
  while (!blocks.empty()) {
    BinaryReader block = std::move(blocks.back());
    blocks.pop_back();
    while (block.left() >= (ordered ? 6U : 4U)) {
      const std::uint16_t type = block.u8("a message");
      const std::uint16_t size = block.u16("a message");
      const std::uint8_t flags = block.u8("a message");
      if (ordered) block.skip(2, "a message");
      BinaryReader message = block.sub_reader(size, "a message");
      if (type != kContinuation) {
        take_message(message, type, (flags & kSharedFlag) != 0, object);
        continue;
      }
      const std::uint64_t address = message.u64("a continuation");
      const std::uint64_t bytes = message.u64("a continuation");
      if (!seen.insert(address).second) message.fail("an object header continues into itself");
      charge(bytes);
      BinaryReader more = reader_at(address, "a continuation").sub_reader(bytes, "a continuation");
      if (more.take(4, "a continuation") != "OCHK" || more.left() < kChecksumBytes) {
        more.fail("not the continuation of an object header", "expected its signature OCHK");
      }
      blocks.push_back(more.sub_reader(more.left() - kChecksumBytes, "a continuation"));
    }
  }
}

std::pair<std::uint8_t, std::uint16_t> Hdf5File::take_node_header(BinaryReader& reader, std::uint8_t type) const {
  if (reader.take(4, "a B-tree node") != "TREE") reader.fail("not a B-tree node", "expected its signature TREE");
  if (reader.u8("a B-tree node") != type) reader.fail("a B-tree node of another kind than its tree");
  const std::uint8_t level = reader.u8("a B-tree node");
  const std::uint16_t entries = reader.u16("a B-tree node");
  reader.skip(16, "a B-tree node");  // its siblings
  return {level, entries};
}

std::vector<std::uint64_t> Hdf5File::tree_leaves(std::uint64_t address, std::uint8_t type, std::uint64_t key_bytes) {
  struct Node {
    std::uint64_t address;
    int level;  // required by its parent; -1: the root, which may have any
  };
  std::vector<std::uint64_t> leaves;
  std::unordered_set<std::uint64_t> seen;
  std::vector<Node> open{{address, -1}};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    BinaryReader reader = reader_at(node.address, "a B-tree node");
    if (!seen.insert(node.address).second) reader.fail("a B-tree node is used twice", "expected a tree");
    const auto [level, entries] = take_node_header(reader, type);
    if (node.level >= 0 && level != node.level) reader.fail(fmt::format("a B-tree node of level {}", level));
    charge(entries * (key_bytes + 8));
    if (level == 0) {
      leaves.push_back(node.address);
      continue;
    }
    std::vector<Node> children;
    for (int k = 0; k < entries; ++k) {
      reader.skip(key_bytes, "a B-tree node");
      children.push_back({reader.u64("a B-tree node"), level - 1});
    }
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return leaves;
}

std::string_view Hdf5File::local_heap(std::uint64_t address) {
  BinaryReader reader = reader_at(address, "a local heap");
  if (reader.take(4, "a local heap") != "HEAP") reader.fail("not a local heap", "expected its signature HEAP");
  reader.skip(4, "a local heap");
  const std::uint64_t bytes = reader.u64("a local heap");
  reader.skip(8, "a local heap");
  return bytes_at(reader.u64("a local heap"), bytes, "a local heap's data");
}

void Hdf5File::add_symbols(std::uint64_t node, std::string_view heap, std::vector<Hdf5Link>& links) {
  BinaryReader reader = reader_at(node, "a symbol table node");
  if (reader.take(4, "a symbol table node") != "SNOD") {
    reader.fail("not a symbol table node", "expected its signature SNOD");
  }
  reader.skip(2, "a symbol table node");
  const std::uint16_t symbols = reader.u16("a symbol table node");
  constexpr std::uint32_t kSoftLink = 2;
  constexpr std::uint64_t kSymbolBytes = 40;
  for (int k = 0; k < symbols; ++k) {
    const std::uint64_t name_at = reader.u64("a symbol");
    const std::uint64_t address = reader.u64("a symbol");
    const std::uint32_t cached = reader.u32("a symbol");
    reader.skip(20, "a symbol");
    if (name_at >= heap.size()) reader.fail("a symbol's name is outside its heap");
    std::string_view name = heap.substr(static_cast<std::size_t>(name_at));
    name = name.substr(0, name.find('\0'));
    charge(kSymbolBytes + name.size());
    if (cached != kSoftLink) links.push_back({.name = std::string(name), .address = address});
  }
}

std::vector<Hdf5Link> Hdf5File::links(const Hdf5Object& group) {
  if (group.dense_links) fail("HDF5 groups with links in a fractal heap are not read", "save with -v7");
  if (!group.symbol_tree) return group.links;
  std::vector<Hdf5Link> links;
  const std::string_view heap = local_heap(group.symbol_heap);
  for (const std::uint64_t leaf : tree_leaves(*group.symbol_tree, kGroupTree, 8)) {
    BinaryReader reader = reader_at(leaf, "a B-tree node");
    const std::uint16_t entries = take_node_header(reader, kGroupTree).second;
    for (int k = 0; k < entries; ++k) {
      reader.skip(8, "a B-tree node");
      charge(8);
      add_symbols(reader.u64("a B-tree node"), heap, links);
    }
  }
  return links;
}

std::string Hdf5File::text(const Hdf5Attribute& attribute) {
  const auto until_zero = [](std::string_view bytes) { return std::string(bytes.substr(0, bytes.find('\0'))); };
  if (attribute.type.kind == Hdf5Type::Kind::kText) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(attribute.type.bytes, attribute.value.size()));
    charge(bytes);
    return until_zero(attribute.value.substr(0, bytes));
  }
  if (attribute.type.kind != Hdf5Type::Kind::kVariableText) return {};
  // Variable length: a size, and the place of the text in a global heap.
  BinaryReader place(input_->name(), attribute.value);
  const std::uint32_t size = place.u32("a text");
  const GlobalHeap& heap = global_heap(place.u64("a text"));
  const auto found = heap.find(place.u32("a text"));
  if (found == heap.end()) place.fail("a text is not in its global heap", "corrupt HDF5");
  charge(found->second.size());
  return until_zero(found->second.substr(0, size));
}

const Hdf5File::GlobalHeap& Hdf5File::global_heap(std::uint64_t address) {
  const auto [known, added] = global_heaps_.try_emplace(address);
  if (!added) return known->second;
  BinaryReader reader = reader_at(address, "a global heap");
  if (reader.take(4, "a global heap") != "GCOL") reader.fail("not a global heap", "expected its signature GCOL");
  reader.skip(4, "a global heap");
  const std::uint64_t bytes = reader.u64("a global heap");
  charge(bytes);
  constexpr std::uint64_t kObjectHeader = 16;
  while (reader.left() >= kObjectHeader && reader.position() + kObjectHeader <= bytes) {
    const std::uint16_t number = reader.u16("a global heap");
    if (number == 0) break;  // free space
    reader.skip(6, "a global heap");
    known->second.emplace(number, reader.take(reader.u64("a global heap"), "a global heap"));
    reader.align(8);
  }
  return known->second;
}

}  // namespace clade
