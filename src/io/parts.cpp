#include "io/parts.h"

#include <clade/error.h>
#include <clade/format_names.h>
#include <clade/io.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "io/input.h"
#include "io/lines.h"
#include "io/meta.h"

namespace clade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".part-";
constexpr std::string_view kOf = "-of-";
constexpr std::size_t kDigits = 4;

// Takes a number of digits alone from the front of the text.
std::optional<Index> take_number(std::string_view& text) {
  constexpr std::size_t kMostDigits = 9;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  Index number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return number;
}

// The files right in the folder, without hidden ones and those of names and hierarchies; nothing if there are folders.
std::optional<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  const std::string beside = meta_path("");
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (name.starts_with('.')) continue;
    if (entry->is_directory(unknown)) return std::nullopt;
    if (!name.ends_with(beside)) files.push_back(std::move(name));
  }
  if (failure) throw system_error(folder, "cannot read the folder", failure.value());
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::optional<PartName> part_name(std::string_view file_name) {
  const std::size_t at = file_name.rfind(kPart);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  std::string_view rest = file_name.substr(at + kPart.size());
  const auto number = take_number(rest);
  if (!number || !rest.starts_with(kOf)) return std::nullopt;
  rest.remove_prefix(kOf.size());
  const auto count = take_number(rest);
  if (!count || *number < 1 || *number > *count || !(rest.empty() || rest.starts_with('.'))) return std::nullopt;
  return PartName{.data_set = fmt::format("{}{}", file_name.substr(0, at), rest), .number = *number, .count = *count};
}

std::string part_path(const std::string& path, Index number, Index count) {
  const std::size_t digits = std::max(kDigits, std::to_string(count).size());
  const std::size_t name = path.rfind('/') + 1;  // 0 where there is none
  const std::size_t compressed = without_compression_ending(path).size();
  const std::size_t dot = path.substr(0, compressed).rfind('.');
  const std::size_t end = dot == std::string::npos || dot <= name ? compressed : dot;
  return fmt::format("{}{}{:0{}}{}{:0{}}{}", path.substr(0, end), kPart, number, digits, kOf, count, digits,
                     path.substr(end));
}

std::string part_of_other_count(const std::string& path, Index count) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string data_set = fs::path(path).filename().string();
  std::string first;
  std::error_code failure;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string file = entry->path().filename().string();
    const auto name = part_name(file);
    if (!name || name->data_set != data_set || name->count == count) continue;
    if (first.empty() || file < first) first = file;
  }
  return first.empty() ? first : (folder / first).string();
}

std::optional<std::vector<std::string>> parts_in(const std::string& folder) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) return std::nullopt;
  const auto files = files_in(folder);
  if (!files) return std::nullopt;
  std::map<Index, std::string> parts;
  std::optional<PartName> first;
  std::string other;
  for (const std::string& file : *files) {
    const auto name = part_name(file);
    if (!name) {
      other = file;
      continue;
    }
    if (!first) first = name;
    if (name->data_set != first->data_set || name->count != first->count) {
      throw input_error({.file = folder},
                        fmt::format("holds parts of two data sets: {} of {}, and {} of {}", shown(first->data_set),
                                    first->count, shown(name->data_set), name->count),
                        "expected the parts of one");
    }
    if (!parts.emplace(name->number, (fs::path(folder) / file).string()).second) {
      throw input_error({.file = folder}, fmt::format("holds part {} of {} twice", name->number, name->count),
                        "expected each once");
    }
  }
  if (!first) return std::nullopt;
  if (!other.empty()) {
    throw input_error({.file = folder}, fmt::format("holds {} beside parts of a data set", shown(other)),
                      "expected the parts alone; `format` text-folder reads files as documents");
  }
  std::vector<std::string> paths;
  for (auto& [number, path] : parts) {
    if (number != std::ssize(paths) + 1) break;
    paths.push_back(std::move(path));
  }
  if (std::ssize(paths) < first->count) {
    throw input_error({.file = folder}, fmt::format("part {} of {} is not there", std::ssize(paths) + 1, first->count),
                      "expected all parts of the data set");
  }
  return paths;
}

std::vector<std::string> data_files(const std::string& path, const ReadOptions& options) {
  const auto format = options.format.empty() ? std::nullopt : find_data_format(options.format);
  const bool are_documents = (format && format->name == "text-folder") || !options.under.empty();
  if (auto parts = are_documents ? std::nullopt : parts_in(path)) return *std::move(parts);
  return {path};
}

}  // namespace clade
