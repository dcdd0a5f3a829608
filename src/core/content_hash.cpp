#include "core/content_hash.h"

#include <clade/error.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace clade {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::size_t size_of(std::FILE* file, const std::string& path) {
  struct stat status{};
  if (::fstat(::fileno(file), &status) != 0) throw system_error(path, "cannot read", errno);
  if (!S_ISREG(status.st_mode)) {
    throw input_error({.file = path}, "is no regular file", "expected one, which several processes can read");
  }
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

void ContentHash::add_file(const std::string& path) {
  constexpr std::size_t kBlock = 1U << 20U;
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw system_error(path, "cannot open", errno);
  std::string block(kBlock, '\0');
  for (std::size_t size = 0; (size = std::fread(block.data(), 1, kBlock, file.get())) > 0;) {
    add(std::string_view(block).substr(0, size));
  }
  if (std::ferror(file.get()) != 0) throw system_error(path, "cannot read", errno);
}

std::size_t ContentHash::add_pieces_of_file(const std::string& path, std::size_t pieces) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  const File file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file && errno == ENOENT) throw input_error({.file = path}, "no such file", "expected a file to read");
  if (!file) throw system_error(path, "cannot open", errno);
  const std::size_t size = size_of(file.get(), path);
  const bool is_small = size <= kPiece * pieces;
  const std::size_t count = is_small ? (size + kPiece - 1) / kPiece : pieces;
  const std::size_t step = is_small ? kPiece : (size - kPiece) / (pieces - 1);
  std::string piece(kPiece, '\0');
  for (std::size_t k = 0; k < count; ++k) {
    if (::fseeko(file.get(), static_cast<::off_t>(step * k), SEEK_SET) != 0) {
      throw system_error(path, "cannot read", errno);
    }
    add(std::string_view(piece).substr(0, std::fread(piece.data(), 1, kPiece, file.get())));
    if (std::ferror(file.get()) != 0) throw system_error(path, "cannot read", errno);
  }
  return size;
}

std::string ContentHash::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace clade
