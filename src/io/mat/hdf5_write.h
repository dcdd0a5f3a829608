#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/output_file.h"

namespace clade {

// Builds an HDF5 file of the oldest form (superblock 0, object headers 1, symbol tables, version 1 B-trees), which
// every version of the HDF5 library reads. Objects are added from the inside out: data, then the dataset, then the
// group that names it. Everything is kept until write(); nothing depends on the time or the machine.
class Hdf5Writer {
 public:
  // The datatype message of an element.
  static std::string double_type();
  static std::string single_type();
  static std::string integer_type(std::uint64_t bytes, bool is_signed);
  static std::string reference_type();

  struct Attribute {
    std::string name;
    std::string type;
    std::string value;  // one element
  };
  static Attribute text_attribute(std::string_view name, std::string_view text);

  // Adds a dataset with contiguous data; returns its address.
  std::uint64_t add_dataset(const std::vector<std::uint64_t>& dimensions, const std::string& type, std::string data,
                            const std::vector<Attribute>& attributes);
  // Adds a dataset of packed (deflated) chunks, given in the order of their places, last dimension fastest.
  std::uint64_t add_chunked_dataset(const std::vector<std::uint64_t>& dimensions,
                                    const std::vector<std::uint64_t>& chunk, const std::string& type,
                                    std::uint64_t element_bytes, std::vector<std::string> chunks,
                                    const std::vector<Attribute>& attributes);

  using Members = std::vector<std::pair<std::string, std::uint64_t>>;  // names and addresses
  std::uint64_t add_group(Members members, const std::vector<Attribute>& attributes);

  // Writes `user_block` (512 bytes times a power of two) and the file with the given root group.
  void write(std::string_view user_block, std::uint64_t root, Sink& sink) const;

 private:
  std::uint64_t place(std::string block);
  std::uint64_t add_header(const std::vector<std::string>& messages, const std::vector<Attribute>& attributes);
  std::uint64_t add_chunk_tree(const std::vector<std::uint64_t>& dimensions, const std::vector<std::uint64_t>& chunk,
                               std::vector<std::string> chunks);
  // A tree over children that lie between `keys` (one more than children).
  std::uint64_t add_tree(std::uint8_t type, std::size_t most_children, std::vector<std::string> keys,
                         std::vector<std::uint64_t> children);

  std::vector<std::string> blocks_;  // one after the other, each a multiple of 8 bytes
  std::uint64_t end_ = kSuperblockBytes;
  static constexpr std::uint64_t kSuperblockBytes = 96;
};

}  // namespace clade
