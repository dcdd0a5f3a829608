#include "data/text/stemmer.h"

#include <clade/text.h>
#include <fmt/format.h>
#include <libstemmer.h>

#include <new>

namespace clade {

std::vector<std::string> stemming_languages() {
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  return names;
}

void Stemmer::Deleter::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

Stemmer::Stemmer(const std::string& language) {
  if (language.find('\0') == std::string::npos) stemmer_.reset(sb_stemmer_new(language.c_str(), "UTF_8"));
  if (stemmer_) return;
  throw usage_error(fmt::format("no stemmer for the language '{}'", language),
                    fmt::format("expected one of {}", fmt::join(stemming_languages(), ", ")));
}

std::string_view Stemmer::stem(std::string_view word) {
  if (word.size() > kLongestWord) return word;
  const auto* stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace clade
