#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "io/mat/hdf5.h"
#include "io/mat/mat_arrays.h"

namespace clade {
namespace {

constexpr std::array<std::string_view, 11> kNumericClasses = {"double", "single", "int8",  "uint8",  "int16",  "uint16",
                                                              "int32",  "uint32", "int64", "uint64", "logical"};
constexpr std::uint64_t kLargestDimension = std::uint64_t{1} << 53U;

class Mat73File final : public MatFile {
 public:
  explicit Mat73File(const Input& input)
      : file_(input), from_matlab_(input.bytes().starts_with("MATLAB")), hdf5_(input) {
    for (const Hdf5Link& link : hdf5_.links(hdf5_.object(hdf5_.root()))) {
      if (link.name.starts_with('#')) continue;  // what cells refer to, and MATLAB's own notes on objects
      const Hdf5Object object = hdf5_.object(link.address);
      addresses_.push_back(link.address);
      entries_.push_back({.name = link.name, .description = description(object)});
    }
  }

  const std::vector<Entry>& entries() const override { return entries_; }

  MatVariable load(std::size_t entry, Context& ctx) override {
    const Hdf5Object object = hdf5_.object(addresses_[entry]);
    MatVariable variable;
    variable.name = entries_[entry].name;
    variable.problem = entries_[entry].description;
    if (object.dense_attributes) hdf5_.fail("HDF5 attributes in a fractal heap are not read", "save with -v7");
    if (object.is_group) {
      if (object.attribute("MATLAB_sparse") != nullptr) load_sparse(object, variable, ctx);
      return variable;
    }
    const std::string matlab_class = class_of(object);
    if (!object.is_dataset() || matlab_class.empty() || !set_shape(object, variable, ctx)) return variable;
    if (matlab_class == "char") {
      load_text(object, variable, ctx);
    } else if (matlab_class == "cell") {
      load_cells(object, variable, ctx);
    } else if (std::find(kNumericClasses.begin(), kNumericClasses.end(), matlab_class) != kNumericClasses.end()) {
      load_numbers(object, variable, ctx);
    }
    return variable;
  }

 private:
  // The MATLAB class; for numbers in a MATLAB file that lack MATLAB's attribute, double.
  std::string class_of(const Hdf5Object& object) {
    if (const Hdf5Attribute* attribute = object.attribute("MATLAB_class")) return hdf5_.text(*attribute);
    if (from_matlab_ && object.has_type && object.type.kind == Hdf5Type::Kind::kNumber) return "double";
    return {};
  }

  std::string description(const Hdf5Object& object) {
    const std::string matlab_class = class_of(object);
    std::string sizes;
    if (!object.is_group) {
      for (std::size_t k = object.dimensions.size(); k-- > 0;) {
        sizes += fmt::format("{}{}", sizes.empty() ? "" : " x ", object.dimensions[k]);
      }
    }
    if (object.attribute("MATLAB_sparse") != nullptr) return "sparse " + matlab_class;
    if (matlab_class.empty()) return object.is_group ? "HDF5 group" : "HDF5 dataset without MATLAB_class";
    return sizes.empty() ? matlab_class : sizes + " " + matlab_class;
  }

  static bool is_empty(const Hdf5Object& object) {
    const Hdf5Attribute* mark = object.attribute("MATLAB_empty");
    return mark != nullptr && mark->value.find_first_not_of('\0') != std::string_view::npos;
  }

  // MATLAB's rows vary fastest, as does HDF5's last dimension, so the shapes are each other's reverse. The data of an
  // empty array are its sizes. False if it is not a matrix.
  bool set_shape(const Hdf5Object& object, MatVariable& variable, Context& ctx) {
    if (is_empty(object)) return set_empty_shape(object, variable, ctx);
    const std::vector<std::uint64_t>& sizes = object.dimensions;
    if (sizes.size() > 2) return false;
    if (std::any_of(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size > kLargestDimension; })) {
      hdf5_.fail(fmt::format("variable '{}' says it is {}", variable.name, variable.problem), "corrupt HDF5");
    }
    variable.rows = sizes.empty() ? 1 : static_cast<Index>(sizes.back());
    variable.columns = sizes.size() < 2 ? 1 : static_cast<Index>(sizes.front());
    return true;
  }

  bool set_empty_shape(const Hdf5Object& object, MatVariable& variable, Context& ctx) {
    const auto sizes = numbers(object, variable, ctx);
    if (!sizes || !is_integer(sizes->type) || sizes->size() != 2) return false;
    variable.rows = sizes->index_at(0);
    variable.columns = sizes->index_at(1);
    const auto sane = [](Index size) { return size >= 0 && size <= static_cast<Index>(kLargestDimension); };
    return sane(variable.rows) && sane(variable.columns) && (variable.rows == 0 || variable.columns == 0);
  }

  // The numbers of a dataset, kept alive by the variable; nothing if it does not hold numbers.
  std::optional<NumberArray> numbers(const Hdf5Object& object, MatVariable& variable, Context& ctx) {
    if (!object.is_dataset() || object.type.kind != Hdf5Type::Kind::kNumber) return std::nullopt;
    const Hdf5File::Elements elements = hdf5_.read(object, variable.name, ctx);
    if (elements.owner) variable.owners.push_back(elements.owner);
    return NumberArray{.type = object.type.number, .swapped = object.type.big_endian, .bytes = elements.bytes};
  }

  void load_numbers(const Hdf5Object& object, MatVariable& variable, Context& ctx) {
    if (is_empty(object)) {
      variable.kind = MatVariable::Kind::kNumbers;
      return;
    }
    if (const auto values = numbers(object, variable, ctx)) {
      variable.kind = MatVariable::Kind::kNumbers;
      variable.values = *values;
    } else if (object.has_type) {
      variable.problem = object.type.description;
    }
  }

  // A group with values, 0-based rows and column starts as datasets; values and rows are absent if there are none.
  void load_sparse(const Hdf5Object& group, MatVariable& variable, Context& ctx) {
    const Hdf5Attribute& rows = *group.attribute("MATLAB_sparse");
    if (rows.type.kind != Hdf5Type::Kind::kNumber || !is_integer(rows.type.number) ||
        rows.value.size() < rows.type.bytes) {
      hdf5_.fail(fmt::format("sparse variable '{}' does not say how many rows it has", variable.name));
    }
    variable.rows =
        NumberArray{.type = rows.type.number, .swapped = rows.type.big_endian, .bytes = rows.value}.index_at(0);
    bool complete = true;
    bool has_columns = false;
    for (const Hdf5Link& link : hdf5_.links(group)) {
      NumberArray* part = nullptr;
      if (link.name == "data") part = &variable.values;
      if (link.name == "ir") part = &variable.row_indices;
      if (link.name == "jc") part = &variable.column_starts;
      if (part == nullptr) continue;
      const Hdf5Object object = hdf5_.object(link.address);
      if (is_empty(object)) continue;
      const auto values = numbers(object, variable, ctx);
      if (values) *part = *values;
      complete = complete && values;
      has_columns = has_columns || (values && link.name == "jc");
    }
    if (variable.rows < 0 || !complete || !has_columns || variable.column_starts.size() == 0) {
      hdf5_.fail(fmt::format("sparse variable '{}' is not whole", variable.name),
                 "expected real numbers in data, ir and jc");
    }
    variable.columns = variable.column_starts.size() - 1;
    variable.kind = MatVariable::Kind::kSparse;
  }

  void load_text(const Hdf5Object& object, MatVariable& variable, Context& ctx) {
    if (is_empty(object)) variable.columns = 0;
    NumberArray codes;
    if (variable.columns > 0) {
      const auto stored = numbers(object, variable, ctx);
      if (!stored || !is_integer(stored->type) || bytes_of(stored->type) > 4) return;
      codes = *stored;
      hdf5_.charge(codes.bytes.size());
    }
    set_text(codes, variable);
  }

  // The text of one cell, or nothing if it holds something else. An empty array of any class counts as an empty text.
  std::optional<std::string> cell_text(std::uint64_t address, Context& ctx) {
    const Hdf5Object object = hdf5_.object(address);
    if (is_empty(object)) return std::string();
    MatVariable cell;
    if (class_of(object) != "char" || !object.is_dataset() || !set_shape(object, cell, ctx)) return std::nullopt;
    if (cell.rows > 1) return std::nullopt;
    load_text(object, cell, ctx);
    if (cell.texts.size() != 1) return std::nullopt;
    return std::move(cell.texts[0]);
  }

  void load_cells(const Hdf5Object& object, MatVariable& variable, Context& ctx) {
    if (!is_empty(object)) {
      if (object.type.kind != Hdf5Type::Kind::kObjectReference) {
        hdf5_.fail(fmt::format("cell array '{}' has no references", variable.name), "corrupt HDF5");
      }
      const Hdf5File::Elements elements = hdf5_.read(object, variable.name, ctx);
      BinaryReader references(file_.name(), elements.bytes);
      std::unordered_map<std::uint64_t, std::size_t> known;  // cells may share their content
      while (references.left() > 0) {
        const std::uint64_t address = references.u64("a reference");
        const auto [found, added] = known.emplace(address, variable.texts.size());
        auto text = added ? cell_text(address, ctx) : variable.texts[found->second];
        if (!text) {
          variable.texts.clear();
          variable.problem = "cells that are not text";
          return;
        }
        if (!text->empty()) hdf5_.charge(text->size());
        variable.texts.push_back(std::move(*text));
      }
    }
    variable.kind = MatVariable::Kind::kTexts;
  }

  const Input& file_;
  bool from_matlab_;
  Hdf5File hdf5_;
  std::vector<std::uint64_t> addresses_;
  std::vector<Entry> entries_;
};

}  // namespace

std::unique_ptr<MatFile> open_mat73(const Input& input) {
  return std::make_unique<Mat73File>(input);
}

}  // namespace clade
