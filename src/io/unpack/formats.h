#pragma once

#include <clade/error.h>

#include <algorithm>

#include "io/unpack/unpacker.h"

// One unpacker per kind of compressed file.

namespace clade {

// gzip. Blocks of BGZF (bgzip, and what Clade writes) state their sizes and are unpacked beside each other. Of other
// files with several members, those that seem to begin further on are unpacked ahead, and used if it turns out that
// they do. zlib checks every member's CRC and length.
std::unique_ptr<Unpacker> gzip_unpacker(const std::string& name, std::string_view compressed, int threads);

// Zstandard. Frames are unpacked beside each other unless they are large.
std::unique_ptr<Unpacker> zstd_unpacker(const std::string& name, std::string_view compressed, int threads);

// xz. If the index at the end names several blocks, they are unpacked beside each other.
std::unique_ptr<Unpacker> xz_unpacker(const std::string& name, std::string_view compressed, int threads);

// xz or bzip2 in order, through libarchive, without the first `skipped` bytes of the content.
std::unique_ptr<Unpacker> archive_unpacker(const std::string& name, std::string_view compressed,
                                           std::size_t skipped = 0);

inline Error corrupt_file(const std::string& name, const std::string& reason) {
  return input_error({.file = name}, "corrupt compressed file", reason);
}

// The content that one round of several pieces gives: enough pieces for all threads.
inline std::size_t round_bytes(int threads) {
  constexpr std::size_t kPerThread = std::size_t{4} << 20U;
  return kPerThread * static_cast<std::size_t>(std::clamp(threads, 4, 16));
}
// The content of a round that one thread unpacks.
constexpr std::size_t kSerialRound = std::size_t{8} << 20U;

}  // namespace clade
