#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "io/mat/byte_io.h"
#include "io/mat/hdf5_write.h"
#include "io/mat/mat_output.h"
#include "io/zlib_stream.h"

namespace clade {
namespace {

constexpr std::uint64_t kSmallArray = 4096;  // bytes up to which chunks do not pay off
constexpr Index kChunkRows = 1024;
constexpr Index kChunkElements = 65536;  // half a megabyte of doubles

std::string user_block() {
  constexpr std::size_t kTextBytes = 116;
  constexpr std::size_t kBytes = 512;
  std::string text = "MATLAB 7.3 MAT-file, written by Clade HDF5 schema 1.00 .";
  text.resize(kTextBytes, ' ');
  BinaryWriter out;
  out.bytes(text).zeros(8).u16(0x0200).bytes("IM");
  return std::move(out.zeros(kBytes - out.size()).text());
}

// Well-formed UTF-8 as the codes that MATLAB stores.
std::u16string utf16(std::string_view utf8) {
  std::u16string codes;
  codes.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[at++]);
    const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    std::uint32_t code = more == 0 ? first : first & (0x3FU >> static_cast<unsigned>(more));
    for (int k = 0; k < more; ++k) code = code << 6U | (static_cast<unsigned char>(utf8[at++]) & 0x3FU);
    if (code < 0x10000) {
      codes += static_cast<char16_t>(code);
    } else {
      codes += static_cast<char16_t>(0xD800U | (code - 0x10000U) >> 10U);
      codes += static_cast<char16_t>(0xDC00U | (code & 0x3FFU));
    }
  }
  return codes;
}

Hdf5Writer::Attribute class_attribute(std::string_view matlab_class) {
  return Hdf5Writer::text_attribute("MATLAB_class", matlab_class);
}

Hdf5Writer::Attribute number_attribute(std::string_view name, std::uint64_t bytes, bool is_signed,
                                       std::uint64_t value) {
  std::string content = BinaryWriter().u64(value).text();
  content.resize(static_cast<std::size_t>(bytes));
  return {.name = std::string(name), .type = Hdf5Writer::integer_type(bytes, is_signed), .value = std::move(content)};
}

// Translates variables into datasets and groups.
class Mat73Writer {
 public:
  explicit Mat73Writer(Context& ctx) : ctx_(ctx) {}

  void add(const MatOutput& variable) { root_.emplace_back(variable.name, object_of(variable)); }

  void write(Sink& sink) {
    if (!references_.empty()) root_.emplace_back("#refs#", file_.add_group(std::move(references_), {}));
    const std::uint64_t root = file_.add_group(std::move(root_), {});
    file_.write(user_block(), root, sink);
  }

 private:
  std::uint64_t object_of(const MatOutput& variable) {
    switch (variable.kind) {
      case MatOutput::Kind::kDouble:
        return dense(variable, "double", Hdf5Writer::double_type());
      case MatOutput::Kind::kSingle:
        return dense(variable, "single", Hdf5Writer::single_type());
      case MatOutput::Kind::kSparse:
        return sparse(variable);
      case MatOutput::Kind::kTexts:
        break;
    }
    return cells(variable);
  }

  // MATLAB writes an empty array's sizes as its data.
  std::uint64_t empty(Index rows, Index columns, std::vector<Hdf5Writer::Attribute> attributes) {
    attributes.push_back(number_attribute("MATLAB_empty", 1, false, 1));
    return file_.add_dataset(
        {2}, Hdf5Writer::integer_type(8, false),
        BinaryWriter().u64(static_cast<std::uint64_t>(rows)).u64(static_cast<std::uint64_t>(columns)).text(),
        attributes);
  }

  std::uint64_t dense(const MatOutput& variable, std::string_view matlab_class, const std::string& type) {
    const Index rows = variable.rows;
    const Index columns = variable.columns;
    if (rows == 0 || columns == 0) return empty(rows, columns, {class_attribute(matlab_class)});
    const auto fill = [&variable](Index column, Index column_end, Index row, Index row_end, char* out) {
      variable.fill(row, row_end, column, column_end, out);
    };
    return array(columns, rows, type, variable.value_bytes(), fill, {class_attribute(matlab_class)});
  }

  // Numbers of a one-dimensional dataset.
  template <class T>
  std::uint64_t list(const std::vector<T>& numbers, const std::string& type) {
    const auto fill = [&numbers](Index, Index, Index begin, Index end, char* out) {
      std::memcpy(out, numbers.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
    };
    return array(0, std::ssize(numbers), type, sizeof(T), fill, {});
  }

  // A dataset of outer x inner elements (or just inner, if outer is 0). fill(o, o_end, i, i_end, out) writes a part of
  // it.
  template <class Fill>
  std::uint64_t array(Index outer, Index inner, const std::string& type, std::size_t element_bytes, const Fill& fill,
                      const std::vector<Hdf5Writer::Attribute>& attributes) {
    const Index outer_size = std::max<Index>(1, outer);
    const std::size_t bytes = static_cast<std::size_t>(outer_size * inner) * element_bytes;
    std::vector<std::uint64_t> dimensions{static_cast<std::uint64_t>(inner)};
    if (outer > 0) dimensions.insert(dimensions.begin(), static_cast<std::uint64_t>(outer));
    if (bytes <= kSmallArray) {
      std::string data(bytes, '\0');
      fill(0, outer_size, 0, inner, data.data());
      return file_.add_dataset(dimensions, type, std::move(data), attributes);
    }
    const Index chunk_inner = std::min(inner, outer > 0 ? kChunkRows : kChunkElements);
    const Index chunk_outer = std::min(outer_size, std::max<Index>(1, kChunkElements / chunk_inner));
    const Index across = chunk_count(inner, chunk_inner);
    std::vector<std::string> chunks(static_cast<std::size_t>(chunk_count(outer_size, chunk_outer) * across));
    parallel_for(ctx_, std::ssize(chunks), 1, [&](Index k, Index) {
      const Index o = k / across * chunk_outer;
      const Index i = k % across * chunk_inner;
      chunks[static_cast<std::size_t>(k)] =
          packed_chunk(o, std::min(outer_size, o + chunk_outer), i, std::min(inner, i + chunk_inner), chunk_outer,
                       chunk_inner, element_bytes, fill);
    });
    std::vector<std::uint64_t> chunk{static_cast<std::uint64_t>(chunk_inner)};
    if (outer > 0) chunk.insert(chunk.begin(), static_cast<std::uint64_t>(chunk_outer));
    return file_.add_chunked_dataset(dimensions, chunk, type, element_bytes, std::move(chunks), attributes);
  }

  // Chunks at the edge are stored whole, padded with zeros.
  template <class Fill>
  static std::string packed_chunk(Index o, Index o_end, Index i, Index i_end, Index chunk_outer, Index chunk_inner,
                                  std::size_t element_bytes, const Fill& fill) {
    std::string content(static_cast<std::size_t>(chunk_outer * chunk_inner) * element_bytes, '\0');
    if (i_end - i == chunk_inner) {
      fill(o, o_end, i, i_end, content.data());
    } else {
      for (Index k = o; k < o_end; ++k) {
        fill(k, k + 1, i, i_end, content.data() + static_cast<std::size_t>((k - o) * chunk_inner) * element_bytes);
      }
    }
    return deflate_whole(content);
  }

  std::uint64_t sparse(const MatOutput& variable) {
    std::vector<std::uint64_t> starts(variable.column_starts.begin(), variable.column_starts.end());
    Hdf5Writer::Members parts{{"jc", list(starts, Hdf5Writer::integer_type(8, false))}};
    if (!variable.values.empty()) {
      const std::vector<std::uint64_t> rows(variable.row_indices.begin(), variable.row_indices.end());
      parts.emplace_back("ir", list(rows, Hdf5Writer::integer_type(8, false)));
      parts.emplace_back("data", list(variable.values, Hdf5Writer::double_type()));
    }
    return file_.add_group(std::move(parts),
                           {class_attribute("double"),
                            number_attribute("MATLAB_sparse", 8, false, static_cast<std::uint64_t>(variable.rows))});
  }

  std::uint64_t cells(const MatOutput& variable) {
    if (variable.texts.empty()) return empty(variable.rows, variable.columns, {class_attribute("cell")});
    std::vector<std::uint64_t> references;
    for (const std::string& text : variable.texts) {
      references.push_back(text_object(text));
      references_.emplace_back(std::to_string(references_.size()), references.back());
    }
    const auto fill = [&references](Index o, Index, Index begin, Index end, char* out) {
      std::memcpy(out, references.data() + o + begin, static_cast<std::size_t>(end - begin) * 8);
    };
    return array(variable.columns, variable.rows, Hdf5Writer::reference_type(), 8, fill, {class_attribute("cell")});
  }

  std::uint64_t text_object(std::string_view text) {
    const std::vector<Hdf5Writer::Attribute> attributes{class_attribute("char"),
                                                        number_attribute("MATLAB_int_decode", 4, true, 2)};
    const std::u16string codes = utf16(text);
    if (codes.empty()) return empty(0, 0, attributes);
    std::string data = BinaryWriter().raw(codes.data(), 2 * codes.size()).text();
    return file_.add_dataset({codes.size(), 1}, Hdf5Writer::integer_type(2, false), std::move(data), attributes);
  }

  Context& ctx_;
  Hdf5Writer file_;
  Hdf5Writer::Members root_;
  Hdf5Writer::Members references_;
};

}  // namespace

void write_mat73(const std::vector<MatOutput>& variables, Sink& sink, Context& ctx) {
  Mat73Writer writer(ctx);
  for (const MatOutput& variable : variables) writer.add(variable);
  writer.write(sink);
}

}  // namespace clade
