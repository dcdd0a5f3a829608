// Unpackers of compressed files: with one thread and with several they give the same bytes as the plain libraries, or
// the same error in one line.

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "array_fuzz.h"
#include "io/compress.h"
#include "io/unpack/unpacker.h"

namespace clade {
namespace {

constexpr std::size_t kMostContent = std::size_t{4} << 20U;  // of files that are compared; others only must not harm

// --- the plain libraries; nothing: damaged, or too large to compare ---

std::optional<std::string> gunzip(std::string_view packed) {
  std::string content;
  while (!packed.empty() && packed.find_first_not_of('\0') != std::string_view::npos) {
    z_stream stream{};
    require(inflateInit2(&stream, 15 + 16) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    int status = Z_OK;
    std::string block(1U << 16U, '\0');
    while (status == Z_OK && content.size() <= kMostContent) {
      stream.next_out = reinterpret_cast<Bytef*>(block.data());
      stream.avail_out = static_cast<uInt>(block.size());
      status = inflate(&stream, Z_NO_FLUSH);
      content.append(block, 0, block.size() - stream.avail_out);
    }
    packed.remove_prefix(packed.size() - stream.avail_in);
    inflateEnd(&stream);
    if (status != Z_STREAM_END) return std::nullopt;
  }
  return content;
}

std::optional<std::string> unzstd(std::string_view packed) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> stream(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::string content;
  std::string block(1U << 16U, '\0');
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  std::size_t left = 0;
  for (std::size_t written = 0; input.pos < input.size || written == block.size();) {
    ZSTD_outBuffer output{block.data(), block.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left) != 0U) return std::nullopt;
    written = output.pos;
    content.append(block, 0, written);
    if (content.size() > kMostContent) return std::nullopt;
    if (left == 0 && input.pos == input.size) break;
  }
  return left == 0 ? std::optional(content) : std::nullopt;
}

std::optional<std::string> unxz(std::string_view packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20U;
  require(lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) == LZMA_OK);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string content;
  std::string block(1U << 16U, '\0');
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && content.size() <= kMostContent) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(block.data());
    stream.avail_out = block.size();
    status = lzma_code(&stream, LZMA_FINISH);
    content.append(block, 0, block.size() - stream.avail_out);
  }
  lzma_end(&stream);
  return status == LZMA_STREAM_END ? std::optional(content) : std::nullopt;
}

std::optional<std::string> plain(std::string_view packed) {
  if (packed.starts_with("\x1f\x8b")) return gunzip(packed);
  if (packed.starts_with("\xfd\x37zXZ")) return unxz(packed);
  if (packed.starts_with("BZh")) return std::nullopt;
  return unzstd(packed);
}

// --- Clade ---

struct Outcome {
  std::string content;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(std::string_view packed, Context& ctx) {
  try {
    return {.content = std::string(unpacked("fuzz", packed, ctx).view()), .error = {}};
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::kInput);
    const std::string text = error.what();
    require(!text.empty() && text.find('\n') == std::string::npos);
    return {.content = {}, .error = text};
  }
}

void compare(std::string_view packed) {
  static Context one(Context::Options{.threads = 1});
  static Context three(Context::Options{.threads = 3});
  const Outcome alone = outcome(packed, one);
  require(outcome(packed, three) == alone);
  if (const auto expected = plain(packed)) require(alone.error.empty() && alone.content == *expected);
}

// --- whole files, made from a few bytes: two for each piece ---

struct Piece {
  std::string content;
  bool flag = false;  // BGZF or a member; a frame that states its size or not
  bool is_skipped = false;
};

std::vector<Piece> pieces_of(std::string_view plan) {
  constexpr std::array<std::size_t, 8> kSizes = {0, 1, 100, 3'000, 40'000, 65'280, 300'000, 1'100'000};
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (std::size_t k = 0; k + 1 < plan.size() && total < kMostContent / 2; k += 2) {
    const auto what = static_cast<unsigned char>(plan[k]);
    std::uint64_t state = static_cast<unsigned char>(plan[k + 1]);
    Piece piece{
        .content = std::string(kSizes[what & 7U], 'a'), .flag = (what & 8U) != 0, .is_skipped = (what & 32U) != 0};
    for (char& c : piece.content) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      c = static_cast<char>((what & 16U) != 0 ? state >> 56U : 'a' + state % 2);
    }
    total += piece.content.size();
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string gzip_member(std::string_view content) {
  std::string packed(compressBound(content.size()) + 64, '\0');
  z_stream stream{};
  require(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

std::string gzip_file(const std::vector<Piece>& pieces) {
  std::string file;
  for (const Piece& piece : pieces) {
    if (!piece.flag) {
      file += gzip_member(piece.content);
      continue;
    }
    StringSink sink;
    write_through("blocks.gz", sink, [&](Sink& target) { target.write(piece.content); });
    file += sink.text();
    if (piece.is_skipped) file += std::string(1000, '\0');  // padding, which only the end may have
  }
  return file;
}

std::string zstd_file(const std::vector<Piece>& pieces) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> stream(ZSTD_createCCtx(), ZSTD_freeCCtx);
  std::string file;
  for (const Piece& piece : pieces) {
    if (piece.is_skipped) file += std::string("\x53\x2a\x4d\x18\x03\0\0\0abc", 11);
    ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_contentSizeFlag, piece.flag ? 1 : 0);
    ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_checksumFlag, static_cast<int>(piece.content.size() % 2));
    std::string packed(ZSTD_compressBound(piece.content.size()), '\0');
    const std::size_t size =
        ZSTD_compress2(stream.get(), packed.data(), packed.size(), piece.content.data(), piece.content.size());
    require(ZSTD_isError(size) == 0U);
    file.append(packed, 0, size);
  }
  return file;
}

std::string xz_file(const std::vector<Piece>& pieces) {
  std::string file(std::size_t{3} * kMostContent, '\0');
  lzma_stream stream = LZMA_STREAM_INIT;
  require(lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC64) == LZMA_OK);
  stream.next_out = reinterpret_cast<std::uint8_t*>(file.data());
  stream.avail_out = file.size();
  for (std::size_t k = 0; k <= pieces.size(); ++k) {
    if (k < pieces.size()) {
      stream.next_in = reinterpret_cast<const std::uint8_t*>(pieces[k].content.data());
      stream.avail_in = pieces[k].content.size();
    }
    lzma_ret status = LZMA_OK;
    while (status == LZMA_OK) status = lzma_code(&stream, k < pieces.size() ? LZMA_FULL_FLUSH : LZMA_FINISH);
    require(status == LZMA_STREAM_END);
  }
  file.resize(file.size() - stream.avail_out);
  lzma_end(&stream);
  return file;
}

// A file of one kind. The first byte says whether it is damaged, cut off or whole; whole ones must be read.
void compare_made(char kind, std::string_view plan) {
  if (plan.size() < 4) return;
  const std::vector<Piece> pieces = pieces_of(plan.substr(4));
  std::string file = kind == 'g' ? gzip_file(pieces) : kind == 'z' ? zstd_file(pieces) : xz_file(pieces);
  std::uint32_t place = 0;
  std::memcpy(&place, plan.data() + 1, 3);
  if (!file.empty() && plan[0] % 3 == 1) file[place % file.size()] ^= static_cast<char>(1 << (place % 7));
  if (!file.empty() && plan[0] % 3 == 2) file.resize(place % file.size());
  if (is_compressed(file)) compare(file);
}

}  // namespace
}  // namespace clade

// The first byte says what to do with the others: a file, what stands between long members of gzip, or the plan of a
// file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'm') {
    static const std::string long_member = gzip_file(pieces_of("\x17\x01"));
    compare(long_member + std::string(bytes) + long_member + std::string(bytes));
  } else if (data[0] == 'g' || data[0] == 'z' || data[0] == 'x') {
    compare_made(static_cast<char>(data[0]), bytes);
  } else if (is_compressed(bytes)) {
    compare(bytes);
  }
  return 0;
}
