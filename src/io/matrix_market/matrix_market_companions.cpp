#include "io/matrix_market/matrix_market_companions.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "io/lines.h"
#include "io/utf8_text.h"

namespace clade {
namespace {

namespace fs = std::filesystem;

// The path of the matrix without .mtx and a compression ending.
fs::path stem_of(const Input& matrix) {
  fs::path path(without_compression_ending(matrix.name()));
  return path.replace_extension();
}

std::vector<std::string> read_name_lines(const fs::path& path, const ReadOptions& options, Context& ctx) {
  const Input input = Input::open(path.string(), ctx);
  std::string owned;
  std::string_view text = utf8_text(input, options.encoding, owned);
  std::vector<std::string> names;
  while (!text.empty()) names.emplace_back(trim(take_line(text)));
  return names;
}

}  // namespace

std::optional<TermsAndDocuments> read_terms_and_documents(const Input& matrix, const ReadOptions& options,
                                                          Context& ctx) {
  const std::string stem = stem_of(matrix).string();
  const fs::path terms = stem + ".terms";
  const fs::path documents = stem + ".docs";
  std::error_code ignored;
  if (!fs::is_regular_file(terms, ignored) || !fs::is_regular_file(documents, ignored)) return std::nullopt;
  return TermsAndDocuments{read_name_lines(terms, options, ctx), read_name_lines(documents, options, ctx)};
}

std::optional<std::string> find_class_list(const Input& matrix) {
  const fs::path stem = stem_of(matrix);
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  const std::string matrix_name = stem.filename().string();
  std::optional<std::tuple<bool, std::string>> best;  // not disjoint, name: the smallest is wanted
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    const std::string start = name.substr(0, name.find('.'));
    if (!name.ends_with(".clist") || start.empty() || !matrix_name.starts_with(start)) continue;
    const std::tuple candidate(name.find("disjoint") == std::string::npos, name);
    if (!best || candidate < *best) best = candidate;
  }
  if (!best) return std::nullopt;
  return (folder / std::get<1>(*best)).string();
}

}  // namespace clade
