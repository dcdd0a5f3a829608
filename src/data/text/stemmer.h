#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sb_stemmer;

namespace clade {

// A Snowball stemmer (libstemmer). Not thread-safe: one per thread or chunk of work.
class Stemmer {
 public:
  // Throws Error (kInput) that lists the known languages. Two- and three-letter language codes work too.
  explicit Stemmer(const std::string& language);

  // The stem of a lower-case word in valid UTF-8; the view is valid until the next call. Words longer than kLongestWord
  // bytes are not natural words and are returned unchanged, because some algorithms take quadratic time.
  std::string_view stem(std::string_view word);

  static constexpr std::size_t kLongestWord = 512;

 private:
  struct Deleter {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Deleter> stemmer_;
};

}  // namespace clade
