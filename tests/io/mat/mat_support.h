#pragma once

#include <clade/dataset.h>
#include <clade/io.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/array_test_support.h"
#include "io/assemble.h"
#include "io/mat/mat.h"

namespace clade::mat_testing {

// Builds MATLAB level 5 files byte by byte, in either byte order, independently of the product's writer.
class Mat5Builder {
 public:
  enum Type : std::uint32_t {
    kInt8 = 1,
    kUInt8 = 2,
    kInt16 = 3,
    kUInt16 = 4,
    kInt32 = 5,
    kUInt32 = 6,
    kSingle = 7,
    kDouble = 9,
    kInt64 = 12,
    kUInt64 = 13,
    kMatrix = 14,
    kCompressed = 15,
    kUtf8 = 16
  };
  enum Class : std::uint32_t {
    kCellClass = 1,
    kStructClass = 2,
    kCharClass = 4,
    kSparseClass = 5,
    kDoubleClass = 6,
    kUInt8Class = 9
  };

  explicit Mat5Builder(bool big_endian = false, bool packed = false) : big_endian_(big_endian), packed_(packed) {
    file_ = "MATLAB 5.0 MAT-file, made by hand";
    file_.resize(124, ' ');
    file_ += number(std::uint16_t{0x0100});
    file_ += big_endian ? "MI" : "IM";
  }

  template <class T>
  std::string number(T value) const {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (big_endian_) std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }

  // An element; up to four bytes go into the tag, as MATLAB does it.
  std::string element(std::uint32_t type, std::string content) const {
    if (!content.empty() && content.size() <= 4) {
      const auto size = static_cast<std::uint32_t>(content.size());
      content.resize(4, '\0');
      return number(size << 16U | type) + content;
    }
    std::string bytes = number(type) + number(static_cast<std::uint32_t>(content.size())) + content;
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return bytes;
  }

  template <class T>
  std::string numbers(std::uint32_t type, const std::vector<double>& values) const {
    std::string content;
    for (const double value : values) content += number(static_cast<T>(value));
    return element(type, content);
  }

  std::string header(std::string_view name, std::uint32_t array_class, const std::vector<double>& dimensions,
                     std::uint32_t flags = 0, std::uint32_t entries = 0) const {
    return element(kUInt32, number(array_class | flags) + number(entries)) + numbers<std::int32_t>(kInt32, dimensions) +
           element(kInt8, std::string(name));
  }

  // A variable from its header and data elements.
  Mat5Builder& add(const std::string& content) {
    const std::string matrix =
        number(std::uint32_t{kMatrix}) + number(static_cast<std::uint32_t>(content.size())) + content;
    if (!packed_) {
      file_ += matrix;
      return *this;
    }
    return add_raw(kCompressed, deflated(matrix));
  }
  Mat5Builder& add_raw(std::uint32_t type, const std::string& content) {
    file_ += number(type) + number(static_cast<std::uint32_t>(content.size())) + content;
    return *this;
  }

  // A double array, stored as doubles or (`type`) as MATLAB packs it. Values column after column.
  template <class T = double>
  Mat5Builder& matrix(std::string_view name, Index rows, const std::vector<double>& values,
                      std::uint32_t type = kDouble) {
    const auto columns = static_cast<double>(rows == 0 ? 0 : std::ssize(values) / rows);
    return add(header(name, kDoubleClass, {static_cast<double>(rows), columns}) + numbers<T>(type, values));
  }

  Mat5Builder& sparse(std::string_view name, double rows, const std::vector<double>& row_indices,
                      const std::vector<double>& starts, const std::vector<double>& values) {
    return add(header(name, kSparseClass, {rows, static_cast<double>(starts.size()) - 1}, 0,
                      static_cast<std::uint32_t>(values.size())) +
               numbers<std::int32_t>(kInt32, row_indices) + numbers<std::int32_t>(kInt32, starts) +
               numbers<double>(kDouble, values));
  }

  std::string text(std::string_view name, const std::u16string& text) const {
    std::string content;
    for (const char16_t code : text) content += number(static_cast<std::uint16_t>(code));
    return header(name, kCharClass, {text.empty() ? 0.0 : 1.0, static_cast<double>(text.size())}) +
           element(kUInt16, content);
  }

  Mat5Builder& cells(std::string_view name, const std::vector<std::u16string>& texts) {
    std::string content = header(name, kCellClass, {static_cast<double>(texts.size()), 1});
    for (const auto& each : texts) {
      const std::string cell = text("", each);
      content += number(std::uint32_t{kMatrix}) + number(static_cast<std::uint32_t>(cell.size())) + cell;
    }
    return add(content);
  }

  static std::string deflated(const std::string& content) {
    uLongf size = compressBound(content.size());
    std::string packed(size, '\0');
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
             content.size());
    packed.resize(size);
    return packed;
  }

  const std::string& file() const { return file_; }

 private:
  bool big_endian_;
  bool packed_;
  std::string file_;
};

// Three samples of two features over the tree 1 <- {2, 3}, 3 <- {4}: what most tests vary.
inline Mat5Builder small_tree(bool big_endian = false, bool packed = false) {
  Mat5Builder builder(big_endian, packed);
  builder.matrix("data_array", 3, {0.5, 1.5, -2.5, 10, 20, 30, 2, 4, 2});
  builder.matrix<std::uint8_t>("tree", 4, {0, 1, 1, 3, 0, 1, 1, 2}, Mat5Builder::kUInt8);
  return builder;
}

inline ParsedData parse(std::string_view bytes, const ReadOptions& options = {}, int threads = 1) {
  Context ctx({.threads = threads, .log = {}, .progress = {}, .cancel = {}});
  return read_mat(Input::from_bytes("f.mat", bytes), options, ctx);
}
inline ParsedData parse(const Mat5Builder& builder, const ReadOptions& options = {}) {
  return parse(builder.file(), options);
}

// The rest of the way from a parsed file to a data set, as read_dataset() goes it.
inline Dataset as_dataset(ParsedData parsed) {
  std::vector<std::string> notes;
  const ReadOptions options;
  return assemble(std::move(parsed), "f.mat", std::nullopt, options, notes);
}

inline std::string written(const Dataset& data, bool mat73, int threads = 1) {
  Context ctx({.threads = threads, .log = {}, .progress = {}, .cancel = {}});
  WriteOptions options;
  options.mat73 = mat73;
  StringSink sink;
  write_mat(data, options, sink, ctx);
  return sink.text();
}

// The work must throw an input Error whose text is exactly "f.mat: ..." with these pieces in it.
inline void expect_error(const std::function<void()>& work, std::initializer_list<std::string_view> pieces) {
  try {
    work();
    ADD_FAILURE() << "no error; expected one with: " << *pieces.begin();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::kInput) << text;
    EXPECT_TRUE(text.starts_with("f.mat: ")) << text;
    for (const std::string_view piece : pieces) EXPECT_NE(text.find(piece), std::string_view::npos) << text;
  }
}
inline void expect_parse_error(std::string_view bytes, std::initializer_list<std::string_view> pieces) {
  expect_error([&] { parse(bytes); }, pieces);
}
inline void expect_parse_error(const Mat5Builder& builder, std::initializer_list<std::string_view> pieces) {
  expect_parse_error(builder.file(), pieces);
}

inline std::vector<double> values_of(const FeatureMatrix& matrix) {
  std::vector<double> values;
  std::visit(
      [&](const auto& m) {
        for (Index r = 0; r < m.rows; ++r) {
          std::vector<double> row(static_cast<std::size_t>(m.columns), 0.0);
          if constexpr (requires { m.indices; }) {
            for (Index k = m.offsets[r]; k < m.offsets[r + 1]; ++k) {
              row[static_cast<std::size_t>(m.indices[k])] = static_cast<double>(m.values[k]);
            }
          } else {
            for (std::size_t c = 0; c < row.size(); ++c) row[c] = static_cast<double>(m.row(r)[c]);
          }
          values.insert(values.end(), row.begin(), row.end());
        }
      },
      matrix);
  return values;
}

using testing::labels_of;

}  // namespace clade::mat_testing
