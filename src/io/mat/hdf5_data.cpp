// The elements of HDF5 datasets: compact, contiguous and chunked.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "core/parallel.h"
#include "io/mat/hdf5.h"
#include "io/zlib_stream.h"

namespace clade {
namespace {

constexpr std::uint8_t kChunkTree = 1;
constexpr std::uint16_t kDeflate = 1;
constexpr std::uint16_t kShuffle = 2;
constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 32U;  // HDF5's own limit
// Elements that no chunk holds take the fill value; at most this many bytes of them per byte of the file.
constexpr std::uint64_t kMostFilled = 8;

std::string filter_name(std::uint16_t filter) {
  static constexpr std::array<std::string_view, 7> kNames = {"none", "deflate", "shuffle",    "fletcher32",
                                                             "szip", "nbit",    "scaleoffset"};
  return filter < kNames.size() ? std::string(kNames[filter]) : std::to_string(filter);
}

// Undoes the shuffle filter, which puts byte b of every element into plane b.
std::string unshuffled(std::string_view bytes, std::size_t element_bytes) {
  std::string result(bytes.size(), '\0');
  const std::size_t elements = bytes.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    const char* plane = bytes.data() + b * elements;
    for (std::size_t k = 0; k < elements; ++k) result[k * element_bytes + b] = plane[k];
  }
  std::memcpy(result.data() + elements * element_bytes, bytes.data() + elements * element_bytes,
              bytes.size() - elements * element_bytes);
  return result;
}

// Sets elements to the fill value, which is zero if none is stated.
void fill_elements(const Hdf5Object& dataset, char* out, std::uint64_t bytes) {
  const std::string_view value = dataset.fill_value;
  if (value.size() != dataset.type.bytes) {
    std::memset(out, 0, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::uint64_t at = 0; at < bytes; at += value.size()) std::memcpy(out + at, value.data(), value.size());
}

struct OwnedBytes {
  std::shared_ptr<GrowingBytes> owner = std::make_shared<GrowingBytes>();
  explicit OwnedBytes(std::uint64_t bytes) {
    owner->reserve(static_cast<std::size_t>(bytes));
    owner->added(static_cast<std::size_t>(bytes));
  }
};

}  // namespace

// How a dataset of one or two dimensions is divided into chunks; a one-dimensional one is a single row.
struct Hdf5File::Grid {
  std::array<std::uint64_t, 2> size{1, 1};
  std::array<std::uint64_t, 2> chunk{1, 1};
  std::uint64_t element_bytes = 0;

  std::uint64_t across(int dimension) const {
    const auto d = static_cast<std::size_t>(dimension);
    return (size[d] - 1) / chunk[d] + 1;  // no size is zero
  }
  std::uint64_t chunk_bytes() const { return chunk[0] * chunk[1] * element_bytes; }
};

struct Hdf5File::Chunk {
  std::uint64_t number;  // row by row of the grid
  std::string_view bytes;
  std::uint32_t left_out;  // filters that were not applied to it
};

Hdf5File::Elements Hdf5File::read(const Hdf5Object& dataset, std::string_view name, Context& ctx) {
  std::uint64_t bytes = dataset.type.bytes;
  for (const std::uint64_t size : dataset.dimensions) {
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes >> 62U != 0) {
      fail(fmt::format("dataset '{}' says it has more elements than can be", name), "corrupt HDF5");
    }
  }
  if (bytes == 0) return {};
  const Hdf5Layout& layout = dataset.layout;
  switch (layout.kind) {
    case Hdf5Layout::Kind::kCompact:
      if (layout.compact.size() < bytes) {
        fail(fmt::format("dataset '{}' has {} bytes", name, layout.compact.size()), fmt::format("expected {}", bytes));
      }
      return {.bytes = layout.compact.substr(0, static_cast<std::size_t>(bytes)), .owner = nullptr};
    case Hdf5Layout::Kind::kContiguous:
      if (layout.address == kUndefinedAddress) return filled(dataset, bytes, name);
      if (layout.bytes < bytes) {
        fail(fmt::format("dataset '{}' has {} bytes", name, layout.bytes), fmt::format("expected {}", bytes));
      }
      return {.bytes = bytes_at(layout.address, bytes, fmt::format("dataset '{}'", name)), .owner = nullptr};
    case Hdf5Layout::Kind::kChunked:
      return read_chunks(dataset, bytes, name, ctx);
    case Hdf5Layout::Kind::kOther:
      fail(fmt::format("dataset '{}': HDF5 {} are not read", name, layout.description), "save with -v7");
    case Hdf5Layout::Kind::kNone:
      break;
  }
  fail(fmt::format("dataset '{}' does not say where its data is", name), "corrupt HDF5");
}

Hdf5File::Elements Hdf5File::filled(const Hdf5Object& dataset, std::uint64_t bytes, std::string_view name) const {
  if (bytes > kMostFilled * input_->bytes().size()) {
    fail(fmt::format("dataset '{}' says it has {} bytes that were never written", name, bytes),
         "expected a dataset with its values");
  }
  const OwnedBytes elements(bytes);
  fill_elements(dataset, elements.owner->data(), bytes);
  return {.bytes = elements.owner->view(), .owner = elements.owner};
}

std::vector<Hdf5File::Chunk> Hdf5File::find_chunks(const Hdf5Object& dataset, const Grid& grid) {
  const Hdf5Layout& layout = dataset.layout;
  const std::size_t rank = dataset.dimensions.size();
  std::vector<Chunk> chunks;
  if (layout.address == kUndefinedAddress) return chunks;
  if (layout.single_chunk) {
    const std::uint64_t stored = dataset.filters.empty() ? grid.chunk_bytes() : layout.bytes;
    charge(stored);
    chunks.push_back(
        {.number = 0, .bytes = bytes_at(layout.address, stored, "a chunk"), .left_out = layout.single_chunk_mask});
    return chunks;
  }
  const std::uint64_t key_bytes = 8 + 8 * (rank + 1);
  for (const std::uint64_t leaf : tree_leaves(layout.address, kChunkTree, key_bytes)) {
    BinaryReader reader = reader_at(leaf, "a B-tree node");
    const std::uint16_t entries = take_node_header(reader, kChunkTree).second;
    for (int k = 0; k < entries; ++k) {
      const std::uint32_t stored = reader.u32("a chunk");
      const std::uint32_t left_out = reader.u32("a chunk");
      std::array<std::uint64_t, 2> at{0, 0};
      for (std::size_t d = 0; d < rank; ++d) {
        const std::size_t axis = d + 2 - rank;
        at[axis] = reader.u64("a chunk");
        if (at[axis] >= grid.size[axis] || at[axis] % grid.chunk[axis] != 0) reader.fail("a chunk in a wrong place");
      }
      reader.skip(8, "a chunk");
      const std::uint64_t address = reader.u64("a chunk");
      charge(stored);
      chunks.push_back({.number = at[0] / grid.chunk[0] * grid.across(1) + at[1] / grid.chunk[1],
                        .bytes = bytes_at(address, stored, "a chunk"),
                        .left_out = left_out});
    }
  }
  return chunks;
}

Hdf5File::Elements Hdf5File::read_chunks(const Hdf5Object& dataset, std::uint64_t bytes, std::string_view name,
                                         Context& ctx) {
  const std::vector<std::uint64_t>& dimensions = dataset.dimensions;
  const std::size_t rank = dimensions.size();
  for (const std::uint16_t filter : dataset.filters) {
    if (filter != kDeflate && filter != kShuffle) {
      fail(fmt::format("dataset '{}': the HDF5 filter {} is not read", name, filter_name(filter)), "save with -v7");
    }
  }
  if (rank < 1 || rank > 2 || dataset.layout.chunk.size() != rank) {
    fail(fmt::format("dataset '{}' has {} dimensions, its chunks {}", name, rank, dataset.layout.chunk.size()),
         "expected one or two, and the same");
  }
  Grid grid;
  grid.element_bytes = dataset.type.bytes;
  std::uint64_t chunk_bytes = grid.element_bytes;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t axis = d + 2 - rank;
    grid.size[axis] = dimensions[d];
    grid.chunk[axis] = dataset.layout.chunk[d];
    if (grid.chunk[axis] == 0 || __builtin_mul_overflow(chunk_bytes, grid.chunk[axis], &chunk_bytes) ||
        chunk_bytes > kLargestChunk) {
      fail(fmt::format("dataset '{}' has chunks of an impossible size", name), "corrupt HDF5");
    }
  }

  std::vector<Chunk> chunks = find_chunks(dataset, grid);
  std::uint64_t held = 0;  // the most bytes that the chunks can hold, judging by their size in the file
  for (const Chunk& chunk : chunks)
    held += std::min<std::uint64_t>(chunk_bytes, chunk.bytes.size() * kLargestInflateRatio);
  if (bytes > held && bytes - held > kMostFilled * input_->bytes().size()) {
    fail(fmt::format("dataset '{}' says it has {} bytes, its {} chunks hold at most {}", name, bytes, chunks.size(),
                     held),
         "expected a dataset with its values");
  }
  std::sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) { return a.number < b.number; });
  const auto same = [](const Chunk& a, const Chunk& b) { return a.number == b.number; };
  if (std::adjacent_find(chunks.begin(), chunks.end(), same) != chunks.end()) {
    fail(fmt::format("dataset '{}' has a chunk twice", name), "corrupt HDF5");
  }

  const OwnedBytes elements(bytes);
  char* out = elements.owner->data();
  if (chunks.size() < grid.across(0) * grid.across(1)) fill_elements(dataset, out, bytes);
  parallel_for(ctx, static_cast<Index>(chunks.size()), 1,
               [&](Index k, Index) { unpack_chunk(dataset, grid, chunks[static_cast<std::size_t>(k)], name, out); });
  return {.bytes = elements.owner->view(), .owner = elements.owner};
}

void Hdf5File::unpack_chunk(const Hdf5Object& dataset, const Grid& grid, const Chunk& chunk, std::string_view name,
                            char* elements) const {
  std::string_view content = chunk.bytes;
  GrowingBytes inflated;
  std::string reordered;
  for (std::size_t k = dataset.filters.size(); k-- > 0;) {
    if (k < 32 && (chunk.left_out >> k & 1U) != 0) continue;
    if (dataset.filters[k] == kDeflate) {
      GrowingBytes unpacked;
      const InflateStatus status = inflate_to(content, grid.chunk_bytes(), unpacked);
      if (status != InflateStatus::kWhole) {
        fail(fmt::format("dataset '{}': chunk {} is {}", name, chunk.number,
                         status == InflateStatus::kTruncated ? "truncated" : "corrupt"),
             "expected a zlib stream of the chunk's size");
      }
      inflated = std::move(unpacked);
      content = inflated.view();
    } else if (grid.element_bytes > 1) {
      reordered = unshuffled(content, static_cast<std::size_t>(grid.element_bytes));
      content = reordered;
    }
  }
  if (content.size() != grid.chunk_bytes()) {
    fail(fmt::format("dataset '{}': chunk {} has {} bytes", name, chunk.number, content.size()),
         fmt::format("expected {}", grid.chunk_bytes()));
  }
  const std::uint64_t row = chunk.number / grid.across(1) * grid.chunk[0];
  const std::uint64_t column = chunk.number % grid.across(1) * grid.chunk[1];
  const std::uint64_t rows = std::min(grid.chunk[0], grid.size[0] - row);
  const std::uint64_t row_bytes = std::min(grid.chunk[1], grid.size[1] - column) * grid.element_bytes;
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::memcpy(elements + ((row + r) * grid.size[1] + column) * grid.element_bytes,
                content.data() + r * grid.chunk[1] * grid.element_bytes, static_cast<std::size_t>(row_bytes));
  }
}

}  // namespace clade
