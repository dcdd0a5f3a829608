#pragma once

#include <clade/context.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/input.h"
#include "io/mat/hdf5_object.h"

namespace clade {

// Reads the part of HDF5 that MATLAB, matio and h5py write by default: superblocks 0 to 3, object headers 1 and 2,
// groups as symbol tables or as compact links, datasets that are compact, contiguous or chunked (version 1 B-tree, or a
// single chunk), and the filters deflate and shuffle. Anything else is an Error that names it.
//
// Addresses count from the start of the HDF5 part (MATLAB puts 512 bytes of its own before it). Every file is treated
// as hostile: no structure is trusted or followed twice, and work and memory stay linear in the file's size.
class Hdf5File {
 public:
  // Throws Error if there is no HDF5 in the file. `input` must outlive the file.
  explicit Hdf5File(const Input& input);

  std::uint64_t root() const { return root_; }

  // The group or dataset whose header is at an address.
  Hdf5Object object(std::uint64_t address);
  // The members of a group (hard links only).
  std::vector<Hdf5Link> links(const Hdf5Object& group);

  // A dataset's elements, with the last dimension varying fastest, in the file's byte order: a view of the file if they
  // are stored there plainly, else of `owner`. `name` is for messages.
  struct Elements {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };
  Elements read(const Hdf5Object& dataset, std::string_view name, Context& ctx);

  // The text of a string attribute, of fixed or variable length; empty for any other kind.
  std::string text(const Hdf5Attribute& attribute);

  // Counts work against a budget proportional to the file's size, so that structures that overlap or are referred to
  // repeatedly cannot multiply it. Throws Error when the budget is spent.
  void charge(std::uint64_t bytes);

  [[noreturn]] void fail(std::string_view problem, std::string_view expected = {}) const;

 private:
  struct Chunk;
  struct Grid;

  void read_superblock();
  // Reads from an address to the end of the file.
  BinaryReader reader_at(std::uint64_t address, std::string_view what) const;
  std::string_view bytes_at(std::uint64_t address, std::uint64_t count, std::string_view what) const;

  void take_header_1(BinaryReader& reader, Hdf5Object& object);
  void take_header_2(BinaryReader& reader, Hdf5Object& object);

  // The nodes at level 0 of a version 1 B-tree, in order.
  std::vector<std::uint64_t> tree_leaves(std::uint64_t address, std::uint8_t type, std::uint64_t key_bytes);
  // Takes a tree node's header; returns its level and its number of entries.
  std::pair<std::uint8_t, std::uint16_t> take_node_header(BinaryReader& reader, std::uint8_t type) const;
  std::string_view local_heap(std::uint64_t address);
  using GlobalHeap = std::unordered_map<std::uint32_t, std::string_view>;  // objects by number
  const GlobalHeap& global_heap(std::uint64_t address);
  void add_symbols(std::uint64_t node, std::string_view heap, std::vector<Hdf5Link>& links);

  Elements filled(const Hdf5Object& dataset, std::uint64_t bytes, std::string_view name) const;
  std::vector<Chunk> find_chunks(const Hdf5Object& dataset, const Grid& grid);
  Elements read_chunks(const Hdf5Object& dataset, std::uint64_t bytes, std::string_view name, Context& ctx);
  void unpack_chunk(const Hdf5Object& dataset, const Grid& grid, const Chunk& chunk, std::string_view name,
                    char* elements) const;

  const Input* input_;
  std::uint64_t base_ = 0;  // of the HDF5 part in the file
  std::string_view bytes_;  // from there on
  std::uint64_t root_ = 0;
  std::uint64_t allowance_ = 0;
  std::unordered_map<std::uint64_t, GlobalHeap> global_heaps_;  // those read so far
};

bool looks_like_hdf5(std::string_view head);

}  // namespace clade
