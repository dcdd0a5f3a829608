#include "io/text/text_layout.h"

#include <algorithm>
#include <map>
#include <set>

#include "io/lines.h"
#include "io/text/text_features.h"

namespace clade {
namespace {

// Calls visit(part) for the significant parts of a path.
template <class Visit>
void for_each_part(std::string_view path, Visit&& visit) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (!part.empty() && part != ".") visit(part);
  }
}

std::string join_parts(std::string_view path, std::string_view separator) {
  std::string joined;
  for_each_part(path, [&](std::string_view part) {
    if (!joined.empty()) joined += separator;
    joined += part;
  });
  return joined;
}

bool is_hidden(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

// Folders within folders may be meant as a hierarchy: at least two of them hold classes, and not all the same ones, as
// those of a training and a test part.
bool are_nested(const std::vector<std::string>& names) {
  std::map<std::string_view, std::set<std::string_view>> classes;
  for (const std::string& name : names) {
    const std::string_view folder = std::string_view(name).substr(0, std::min(name.rfind('/'), name.size()));
    const std::size_t last = folder.rfind('/');
    if (last == std::string_view::npos || folder.size() == name.size()) continue;
    classes[folder.substr(0, last)].insert(folder.substr(last + 1));
  }
  if (classes.size() < 2) return false;
  const auto& first = classes.begin()->second;
  const auto is_same = [&](const auto& one) { return one.second == first; };
  const auto has_several = [](const auto& one) { return one.second.size() > 1; };
  return std::ranges::any_of(classes, has_several) && !std::ranges::all_of(classes, is_same);
}

}  // namespace

TextLayout::TextLayout(const ReadOptions& options) : options_(options), under_(join_parts(options.under, "/")) {
  if (!under_.empty()) under_ += '/';
}

std::optional<std::string> TextLayout::accept(std::string_view path) {
  std::string normal = join_parts(path, "/");
  if (!normal.starts_with(under_)) return std::nullopt;
  // A folder that the user named is not hidden.
  if (is_hidden(std::string_view(normal).substr(under_.size()))) {
    ++hidden_;
    return std::nullopt;
  }
  return normal;
}

bool TextLayout::enters(std::string_view folder) {
  const std::string normal = join_parts(folder, "/") + '/';
  if (under_.starts_with(normal)) return true;  // on the way down to options.under
  return accept(folder).has_value();
}

// The folders that make up the class of a document: all of them below options.under, or the last one.
std::string_view TextLayout::class_path(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view folder = path.substr(0, slash);
  if (options_.class_from == ClassFrom::kPath) {
    return folder.size() < under_.size() ? std::string_view() : folder.substr(under_.size());
  }
  const std::size_t last = folder.rfind('/');
  return last == std::string_view::npos ? folder : folder.substr(last + 1);
}

std::string TextLayout::separator() const {
  return options_.path_separator.empty() ? "/" : options_.path_separator;
}

std::string TextLayout::label_of(std::string_view path) const {
  return join_parts(class_path(path), separator());
}

void TextLayout::finish(const std::vector<std::string>& paths, ParsedData& data) const {
  if (options_.class_from == ClassFrom::kPath) data.path_separator = separator();
  Index renamed = 0;
  Index without_class = 0;
  for (const std::string& raw : paths) {
    const bool utf8 = first_invalid_utf8(raw) == std::string_view::npos;
    if (!utf8) ++renamed;
    data.sample_names.push_back(utf8 ? raw : latin1_to_utf8(raw));
    const std::string label = label_of(data.sample_names.back());
    if (!label.empty()) data.labels.add(label);
    if (label.empty()) ++without_class;
    data.labels.end_sample();
  }
  if (options_.class_from == ClassFrom::kFolder && !options_.vectorizer && are_nested(data.sample_names)) {
    data.notes.emplace_back(
        "classes are named by the folder of a document alone; `class-from` path makes a hierarchy of all folders "
        "above");
  }
  const auto note = [&](Index count, std::string_view noun, std::string_view what) {
    if (count > 0) data.notes.push_back(counted(count, noun) + std::string(what));
  };
  note(hidden_, "hidden name", " skipped");
  note(links_, "link", " skipped: links to folders and links inside archives are not followed");
  note(specials_, "special file", " skipped");
  note(renamed, "file name", " not in UTF-8, read as Latin-1");
  note(without_class, "document", " outside any class folder: no label");
}

}  // namespace clade
