#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "io/compress.h"
#include "io/text_windows.h"
#include "io/unpack/unpacker.h"

namespace clade {
namespace {

using ::testing::HasSubstr;

// Lines of numbers of several lengths.
std::string lines(std::size_t bytes, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream});
  std::string text;
  while (text.size() < bytes) {
    text += std::to_string(random.below(1'000'000));
    text += random.below(12) == 0 ? '\n' : ' ';
  }
  return text;
}

std::string random_bytes(std::size_t bytes, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 1});
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random.below(256));
  return text;
}

std::string gzip_member(std::string_view content, int level) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

// Members of about the given size.
std::string gzip_members(std::string_view content, std::size_t size, int level) {
  std::string packed;
  for (std::size_t at = 0; at < content.size(); at += size) packed += gzip_member(content.substr(at, size), level);
  return packed;
}

std::string zstd_frame(std::string_view content, bool states_size) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> coder(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(coder.get(), ZSTD_c_contentSizeFlag, states_size ? 1 : 0);
  ZSTD_CCtx_setParameter(coder.get(), ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(ZSTD_compress2(coder.get(), packed.data(), packed.size(), content.data(), content.size()));
  return packed;
}

const std::string kSkippedFrame("\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);

std::string zstd_frames(std::string_view content, std::size_t size, bool state_size, bool with_skipped = false) {
  std::string packed;
  for (std::size_t at = 0; at < content.size(); at += size) {
    if (with_skipped) packed += kSkippedFrame;
    packed += zstd_frame(content.substr(at, size), state_size);
  }
  return packed;
}

std::string xz_stream(std::string_view content, std::size_t block_size) {
  lzma_mt options{};
  options.threads = 1;
  options.block_size = block_size;
  options.preset = 0;
  options.check = LZMA_CHECK_CRC32;
  lzma_stream stream = LZMA_STREAM_INIT;
  EXPECT_EQ(lzma_stream_encoder_mt(&stream, &options), LZMA_OK);
  std::string packed(2 * content.size() + 100'000, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(content.data());
  stream.avail_in = content.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = packed.size();
  EXPECT_EQ(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  lzma_end(&stream);
  return packed;
}

std::string packed_by_clade(std::string_view content, const std::string& ending, Context* ctx = nullptr) {
  StringSink packed;
  const auto sink = compressing_sink("x" + ending, packed, ctx);
  for (std::size_t at = 0; at < content.size(); at += 100'000) sink->write(content.substr(at, 100'000));
  sink->finish();
  return packed.text();
}

// What one thread that unpacks byte after byte finds; nothing if the file is damaged.
std::optional<std::string> plainly_gunzipped(std::string_view packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string content;
  std::string piece(1 << 16, '\0');
  bool is_whole = false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    content.append(piece, 0, piece.size() - stream.avail_out);
    if (status == Z_STREAM_END) {
      const std::string_view rest = packed.substr(packed.size() - stream.avail_in);
      is_whole = rest.find_first_not_of('\0') == std::string_view::npos;
      if (is_whole) break;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      break;
    }
  }
  inflateEnd(&stream);
  return is_whole ? std::optional(content) : std::nullopt;
}

struct Outcome {
  std::string content;
  std::string error;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome(const std::function<std::string()>& work) {
  try {
    return {.content = work(), .error = {}};
  } catch (const Error& error) {
    return {.content = {}, .error = error.what()};
  }
}

std::unique_ptr<Context> with_threads(int threads) {
  Context::Options options;
  options.threads = threads;
  return std::make_unique<Context>(options);
}

Outcome unpacked_by(int threads, const std::string& packed) {
  const auto ctx = with_threads(threads);
  return outcome([&] { return std::string(unpacked("file", packed, *ctx).view()); });
}

Outcome joined_windows(int threads, const std::string& packed) {
  const auto ctx = with_threads(threads);
  return outcome([&] {
    std::string all;
    TextWindows windows(Input::from_bytes("file", std::string_view(packed)), *ctx);
    while (windows.next()) {
      std::vector<std::string> parts(3);
      const std::string_view text = windows.text();
      EXPECT_TRUE(all.empty() || all.back() == '\n');
      const std::size_t third = text.size() / 3;
      windows.run(3, [&](Index k) {
        const auto part = static_cast<std::size_t>(k);
        parts[part] = text.substr(part * third, part == 2 ? std::string_view::npos : third);
      });
      for (const std::string& part : parts) all += part;
    }
    return all;
  });
}

void expect_content(const std::string& packed, const std::string& content, const char* kind) {
  for (const int threads : {1, 3}) {
    const Outcome whole = unpacked_by(threads, packed);
    EXPECT_EQ(whole.error, "") << kind;
    EXPECT_TRUE(whole.content == content)
        << kind << ", " << threads << " threads: " << whole.content.size() << " bytes";
  }
  EXPECT_TRUE(joined_windows(2, packed).content == content) << kind << " in windows";
}

TEST(Unpack, EveryKindOfFileGivesItsContent) {
  const std::string text = lines(10'000'000, 1);
  expect_content(gzip_member(text, 1), text, "gzip");
  expect_content(gzip_members(text, 700'000, 1) + std::string(100, '\0'), text, "gzip members");
  expect_content(packed_by_clade(text, ".gz"), text, "BGZF");
  expect_content(zstd_frame(text, true), text, "zstd");
  expect_content(zstd_frames(text, 300'000, true), text, "zstd frames");
  expect_content(zstd_frames(text, 3'000'000, false), text, "zstd frames without sizes");
  expect_content(zstd_frames(text, 3'000'000, false, true), text, "zstd frames as pzstd writes them");
  expect_content(zstd_frames(text, 300'000, true, true), text, "zstd frames and skipped ones");
  expect_content(packed_by_clade(text, ".zst"), text, "zstd by Clade");
  const std::string shorter = text.substr(0, 2'000'000);
  expect_content(xz_stream(shorter, 300'000), shorter, "xz blocks");
  expect_content(xz_stream(shorter, 8'000'000), shorter, "xz");
  expect_content(xz_stream(shorter, 300'000) + xz_stream(shorter, 500'000), shorter + shorter, "xz streams");
  expect_content(packed_by_clade(shorter, ".bz2"), shorter, "bzip2");
  expect_content(packed_by_clade(shorter, ".xz"), shorter, "xz by Clade");
}

TEST(Unpack, MixedPiecesAndSizesAtTheirLimits) {
  const std::string text = lines(3'000'000, 2);
  const std::string packed = packed_by_clade(text, ".gz");
  expect_content(packed + gzip_member(text, 1) + packed, text + text + text, "BGZF, a member, BGZF");
  const std::string noise = random_bytes(3'000'000, 3);  // packs to more bytes than it has
  expect_content(packed_by_clade(noise, ".gz"), noise, "noise");
  expect_content(packed_by_clade(noise, ".zst"), noise, "noise");
  expect_content(zstd_frame(text, true) + zstd_frame(text, false) + zstd_frame(text, true), text + text + text, "zstd");
  // Frames above and below what is unpacked beside each other.
  const std::string zeros(20'000'000, '0');
  expect_content(zstd_frame(zeros, true) + zstd_frame(text, true) + zstd_frame(zeros, false), zeros + text + zeros,
                 "large zstd frames");
  for (const char* ending : {".gz", ".zst", ".xz", ".bz2"}) {
    const std::string nothing = packed_by_clade("", ending);
    expect_content(nothing, "", "nothing");
    expect_content(nothing + nothing, "", "nothing twice");
    expect_content(nothing + packed_by_clade("a", ending), "a", "nothing before a byte");
    EXPECT_NE(unpacked_by(1, nothing.substr(0, nothing.size() - 1)).error, "") << ending;
  }
  for (const char* ending : {".gz", ".zst", ".xz", ".bz2"}) expect_content(packed_by_clade("a", ending), "a", "a byte");
}

// Content that is a gzip file itself, stored as it is, looks like members where none begin.
TEST(Unpack, WhatLooksLikeAMemberIsNotTakenForOne) {
  const std::string inner = gzip_members(lines(3'000'000, 4), 200'000, 1);
  std::string content = inner;
  while (content.size() < 12'000'000) content += inner;
  expect_content(gzip_member(content, 0), content, "gzip in gzip");
  expect_content(gzip_members(content, 5'000'000, 0), content, "gzip in gzip members");
}

TEST(Unpack, WrongSizesOfBlocksDoNotMatter) {
  const std::string text = lines(2'000'000, 5);
  std::string packed = packed_by_clade(text, ".gz");
  packed[16] ^= 1;  // BSIZE of the first block
  expect_content(packed, text, "BGZF with a wrong size");
}

TEST(Unpack, CladeWritesTheSameBytesForAnyNumberOfThreads) {
  const std::string once = lines(60'000, 6);
  for (const auto& [ending, size] : {std::pair(".gz", 17'000'000), std::pair(".zst", 34'000'000)}) {
    std::string content;  // more than is packed at once
    while (std::ssize(content) < size) content += once;
    const std::string packed = packed_by_clade(content, ending);
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(packed_by_clade(content, ending, with_threads(threads).get()) == packed) << ending;
    }
  }
}

TEST(Unpack, GzipIsReadAsZlibReadsIt) {
  const std::string text = lines(400'000, 7);
  const std::vector<std::string> files{gzip_members(text, 30'000, 6), packed_by_clade(text, ".gz"),
                                       gzip_member(text, 6)};
  RandomStream random(8, {kTestStream});
  for (const std::string& file : files) {
    for (int repeat = 0; repeat < 60; ++repeat) {
      std::string damaged = file;
      if (repeat % 3 == 0) damaged.resize(1 + static_cast<std::size_t>(random.below(std::ssize(damaged))));
      const auto at = static_cast<std::size_t>(random.below(std::ssize(damaged)));
      if (repeat % 3 == 1) damaged[at] = static_cast<char>(random.below(256));
      if (repeat % 3 == 2) damaged.erase(at, static_cast<std::size_t>(random.below(5000)));
      if (!is_compressed(damaged)) continue;
      const auto expected = plainly_gunzipped(damaged);
      for (const int threads : {1, 2, 3}) {
        const Outcome found = unpacked_by(threads, damaged);
        EXPECT_EQ(found.error.empty(), expected.has_value()) << repeat << ": " << found.error;
        if (expected) {
          EXPECT_TRUE(found.content == *expected) << repeat;
        } else {
          EXPECT_THAT(found.error, HasSubstr("corrupt compressed file")) << repeat;
        }
      }
    }
  }
}

TEST(Unpack, DamageIsTheSameForAnyNumberOfThreads) {
  const std::string text = lines(400'000, 9);
  const std::vector<std::string> files{zstd_frames(text, 30'000, true), zstd_frames(text, 30'000, false, true),
                                       xz_stream(text, 50'000), gzip_members(text, 30'000, 1)};
  RandomStream random(10, {kTestStream});
  for (const std::string& file : files) {
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::string damaged = file;
      const auto at = static_cast<std::size_t>(random.below(std::ssize(damaged)));
      if (repeat % 2 == 0) {
        damaged.resize(at + 1);
      } else {
        damaged[at] ^= static_cast<char>(1 + random.below(255));
      }
      if (!is_compressed(damaged)) continue;
      const Outcome one = unpacked_by(1, damaged);
      EXPECT_TRUE(one.error.empty() ? one.content == text || repeat % 2 == 0 : one.content.empty()) << repeat;
      for (const int threads : {2, 3}) {
        EXPECT_EQ(unpacked_by(threads, damaged), one) << repeat;
        EXPECT_EQ(joined_windows(threads, damaged), one) << repeat;
      }
    }
  }
}

}  // namespace
}  // namespace clade
