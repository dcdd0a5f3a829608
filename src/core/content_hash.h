#pragma once

#include <xxhash.h>

#include <string>
#include <string_view>

namespace clade {

// XXH3, 128 bits, of bytes that come piece by piece.
class ContentHash {
 public:
  ContentHash() { XXH3_128bits_reset(&state_); }

  void add(std::string_view bytes) { XXH3_128bits_update(&state_, bytes.data(), bytes.size()); }
  // Throws Error (kSystem).
  void add_file(const std::string& path);
  // So many pieces of 64 KiB, from its beginning to its end, at least two; of a smaller file all. Gives its size.
  // Throws Error (kInput) where there is no file, and kSystem.
  std::size_t add_pieces_of_file(const std::string& path, std::size_t pieces);
  // In hexadecimal.
  std::string text() const;

 private:
  XXH3_state_t state_;
};

}  // namespace clade
