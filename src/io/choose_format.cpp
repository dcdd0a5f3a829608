#include "io/choose_format.h"

#include <clade/format_names.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/text.h"
#include "io/feature_tree/feature_tree_file.h"
#include "io/taxonomy/taxonomy_formats.h"

namespace clade {
namespace {

constexpr std::size_t kHeadBytes = 4096;

template <class Format>
std::string list_of_names(std::span<const Format> formats) {
  std::string names;
  for (const auto& format : formats) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

// What other programs call a format, beside the endings of its files.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"matlab", "mat"}, {"numpy", "npy"},          {"text", "text-lines"},    {"fa", "fasta"},
    {"svm", "libsvm"}, {"folder", "text-folder"}, {"child-parent", "edges"}, {"path", "paths"}};

// "JSON_Lines" as "jsonlines"
std::string letters_of(std::string_view name) {
  std::string letters = lower_case(name);
  std::erase_if(letters, [](char c) { return c == '-' || c == '_' || c == ' ' || c == '.'; });
  return letters;
}

// By its name, however it is joined; by an ending of its files; or by what others call it.
template <class Format>
const Format* called(std::span<const Format> formats, const std::string& name) {
  const std::string letters = letters_of(name);
  if (letters.empty()) return nullptr;
  for (const auto& format : formats) {
    if (letters_of(format.name) == letters) return &format;
  }
  for (const auto& format : formats) {
    const auto is_other = [&](const auto& other) {
      return other.second == format.name && letters_of(other.first) == letters;
    };
    const auto is_ending = [&](std::string_view ending) { return letters_of(ending) == letters; };
    if (std::ranges::any_of(kOtherNames, is_other) || std::ranges::any_of(format.endings, is_ending)) return &format;
  }
  return nullptr;
}

template <class Format>
const Format& by_name(std::span<const Format> formats, const std::string& name, const char* option) {
  if (const auto* format = called(formats, name)) return *format;
  throw usage_error(fmt::format("`{}` '{}'", option, name), fmt::format("expected one of {}", list_of_names(formats)));
}

template <class Format>
const Format* by_ending(std::span<const Format> formats, const std::string& path) {
  const std::string base = lower_case(without_compression_ending(path));
  for (const auto& format : formats) {
    for (const std::string_view ending : format.endings) {
      if (base.ends_with(ending)) return &format;
    }
  }
  return nullptr;
}

const DataFormat* by_first_bytes(std::string_view head) {
  for (const auto& format : data_formats()) {
    if (format.recognises != nullptr && format.recognises(head)) return &format;
  }
  return nullptr;
}

Error unknown_format(const std::string& path, std::string names) {
  return input_error({.file = path}, "cannot tell the format from the name", "use `format` " + std::move(names));
}

Error unknown_taxonomy_format(const std::string& path, const std::string& expected) {
  return input_error({.file = path}, "cannot tell the taxonomy format from the name", expected);
}

}  // namespace

std::optional<FormatInfo> find_data_format(std::string_view name) {
  const DataFormat* format = called(data_formats(), std::string(name));
  if (format == nullptr) return std::nullopt;
  std::vector<FormatInfo> infos = data_format_infos();
  return *std::ranges::find(infos, format->name, &FormatInfo::name);
}

const DataFormat& choose_data_format(const std::string& path, const std::string& name, Context& ctx) {
  if (!name.empty()) return by_name(data_formats(), name, "format");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return by_name(data_formats(), "text-folder", "format");
  if (const auto* format = by_ending(data_formats(), path)) return *format;
  const Input input = Input::open(path, ctx);
  if (const auto* format = by_first_bytes(input.bytes().substr(0, kHeadBytes))) return *format;
  throw unknown_format(path, list_of_names(data_formats()));
}

const DataFormat& choose_format_of_all(const std::vector<std::string>& paths, const std::string& name, Context& ctx) {
  const DataFormat& first = choose_data_format(paths.front(), name, ctx);
  for (const std::string& path : paths) {
    const DataFormat& own = choose_data_format(path, name, ctx);
    if (&own == &first) continue;
    throw input_error({.file = path}, fmt::format("this is {}, and {} is {}", own.name, paths.front(), first.name),
                      "expected files of one format");
  }
  return first;
}

bool ends_like(const std::string& path, std::string_view format_name) {
  const DataFormat* format = by_ending(data_formats(), path);
  return format != nullptr && format->name == format_name;
}

bool ends_like_data(const std::string& path) {
  return by_ending(data_formats(), path) != nullptr;
}

const DataFormat& choose_output_format(const std::string& path, const std::string& name) {
  const DataFormat* format = name.empty() ? by_ending(data_formats(), path) : called(data_formats(), name);
  if (format != nullptr && format->write != nullptr) return *format;
  std::string names;
  for (const auto& candidate : data_formats()) {
    if (candidate.write != nullptr) names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  }
  if (format != nullptr) {
    throw input_error({.file = path}, fmt::format("Clade does not write {}", format->name), "expected one of " + names);
  }
  if (!name.empty()) throw usage_error(fmt::format("`to` '{}'", name), "expected one of " + names);
  throw input_error({.file = path}, "cannot tell the format from the name", "use `to` with one of " + names);
}

const TaxonomyFormat& choose_taxonomy_format(const Input& input, const std::string& name) {
  if (!name.empty()) return by_name(taxonomy_formats(), name, "taxonomy-format");
  if (const auto* format = by_ending(taxonomy_formats(), input.name())) return *format;
  const std::string_view head = input.bytes().substr(0, kHeadBytes);
  for (const auto& format : taxonomy_formats()) {
    if (format.recognises != nullptr && format.recognises(head)) return format;
  }
  return by_name(taxonomy_formats(), "edges", "taxonomy-format");
}

const TaxonomyFormat& choose_taxonomy_output_format(const std::string& path, const std::string& name) {
  if (!name.empty()) return by_name(taxonomy_formats(), name, "to");
  if (const auto* format = by_ending(taxonomy_formats(), path)) return *format;
  throw unknown_taxonomy_format(path, "use `to` with one of " + list_of_names(taxonomy_formats()));
}

const TaxonomyFormat& choose_taxonomy_output_format(const std::string& path) {
  if (const auto* format = by_ending(taxonomy_formats(), path)) return *format;
  std::string endings;
  for (const auto& format : taxonomy_formats()) {
    for (const std::string_view ending : format.endings) endings += (endings.empty() ? "" : ", ") + std::string(ending);
  }
  throw unknown_taxonomy_format(path, "expected a name that ends in one of " + endings);
}

bool is_taxonomy_file(const std::string& path, Context& ctx) {
  if (by_ending(taxonomy_formats(), path) == nullptr) return false;
  if (by_ending(data_formats(), path) == nullptr) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  if (lower_case(without_compression_ending(path)).ends_with(".json")) {
    const Input input = Input::open(path, ctx);
    const std::string_view head = input.bytes().substr(0, kHeadBytes);
    return is_nested_json(head) && !looks_like_feature_tree(head);
  }
  std::string header(16, '\0');
  std::ifstream(path).getline(header.data(), static_cast<std::streamsize>(header.size()));
  header = lower_case(header.c_str());
  if (header.ends_with('\r')) header.pop_back();
  return header == "child,parent" || header == "parent,child" || header == "child\tparent" || header == "parent\tchild";
}

void refuse_other_format(const Input& input, const DataFormat& chosen) {
  const std::string_view head = input.bytes().substr(0, kHeadBytes);
  if (input.bytes().empty())
    throw input_error({.file = input.name()}, "empty file", fmt::format("expected {}", chosen.help));
  const DataFormat* shown = by_first_bytes(head);
  if (shown != nullptr && shown != &chosen) {
    throw input_error({.file = input.name()}, fmt::format("this is a {} file, not {}", shown->name, chosen.name),
                      fmt::format("use `format` {}", shown->name));
  }
  const bool is_text = chosen.recognises == nullptr;
  if (is_text && head.find('\0') != std::string_view::npos) {
    throw input_error({.file = input.name(), .line = input.line_of(head.find('\0'))}, "a binary file",
                      fmt::format("expected {}", chosen.help));
  }
}

}  // namespace clade
