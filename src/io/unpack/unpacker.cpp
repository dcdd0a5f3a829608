#include "io/unpack/unpacker.h"

#include "core/thread_pool.h"
#include "io/input.h"
#include "io/unpack/formats.h"

namespace clade {
namespace {

constexpr std::string_view kGzip("\x1f\x8b", 2);
constexpr std::string_view kXz("\xfd\x37zXZ\0", 6);
constexpr std::string_view kZstd("\x28\xb5\x2f\xfd", 4);

// Some programs begin with a frame of twelve bytes that holds the size of the next one, and is to be skipped.
bool is_zstd(std::string_view head) {
  constexpr std::size_t kSkippedFrame = 12;
  const bool skipped = head.size() >= kSkippedFrame + kZstd.size() && (head[0] & 0xF0) == 0x50 &&
                       head.substr(1, 7) == std::string_view("\x2a\x4d\x18\x04\0\0\0", 7);
  return head.starts_with(kZstd) || (skipped && head.substr(kSkippedFrame).starts_with(kZstd));
}

}  // namespace

bool is_compressed(std::string_view head) {
  const bool bzip2 = head.starts_with("BZh") && head.size() > 3 && head[3] >= '1' && head[3] <= '9';
  return bzip2 || head.starts_with(kGzip) || head.starts_with(kXz) || is_zstd(head);
}

std::unique_ptr<Unpacker> make_unpacker(const std::string& name, std::string_view compressed, int threads) {
  if (compressed.starts_with(kGzip)) return gzip_unpacker(name, compressed, threads);
  if (compressed.starts_with(kXz)) return xz_unpacker(name, compressed, threads);
  if (is_zstd(compressed)) return zstd_unpacker(name, compressed, threads);
  return archive_unpacker(name, compressed);
}

void unpack_round(Unpacker& unpacker, Index tasks, GrowingBytes& bytes, Context& ctx) {
  char* out = bytes.reserve(unpacker.room());
  ctx.pool().run(tasks, [&](Index task) {
    ctx.check_cancelled();
    unpacker.unpack(task, out);
  });
  unpacker.end_round(bytes);
}

GrowingBytes unpacked(const std::string& name, std::string_view compressed, Context& ctx) {
  const auto unpacker = make_unpacker(name, compressed, ctx.threads());
  GrowingBytes bytes;
  while (const Index tasks = unpacker->begin_round()) {
    unpack_round(*unpacker, tasks, bytes, ctx);
    check_unpacked_size(name, bytes.size());
  }
  return bytes;
}

void check_unpacks(const std::string& name, std::string_view compressed, Context& ctx) {
  const auto unpacker = make_unpacker(name, compressed, ctx.threads());
  GrowingBytes bytes;
  while (const Index tasks = unpacker->begin_round()) {
    unpack_round(*unpacker, tasks, bytes, ctx);
    bytes.clear();
  }
}

void check_unpacked_size(const std::string& name, std::size_t bytes) {
  if (bytes <= largest_decompressed_size()) return;
  throw input_error({.file = name}, "the content is larger than half of this machine's memory",
                    "put it into a plain file first; those are not loaded whole");
}

}  // namespace clade
