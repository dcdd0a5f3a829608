#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace clade {

// Cuts text into words and brings them to one form.
//
// A word is a run of letters and digits (Unicode categories L and N) with the marks (M) that follow them; everything
// else separates words, including bytes that are not UTF-8. An apostrophe (' or U+2019) between a word character and a
// letter belongs to the word. The English endings 's 'll 're 've 'd 'm are then cut off (dog's: dog); any other
// apostrophe is removed (don't: dont, O'Brien: obrien).
//
// The form of a word is its canonical composition (NFC), case-folded unless `keep_case`.
class Tokenizer {
 public:
  explicit Tokenizer(bool keep_case) : keep_case_(keep_case) {}

  // Calls visit(word) for every word of the text, in order. The view is valid only during the call.
  template <class Visit>
  void for_each_word(std::string_view text, Visit&& visit) {
    RawWord raw;
    while (next(text, raw)) visit(form(raw));
  }

  // The form of a word that was already cut out. Throws Error (kInput) if it is not UTF-8. The view is valid until the
  // next call.
  std::string_view form(std::string_view word);

 private:
  struct RawWord {
    std::string_view text;
    bool ascii = true;
    bool apostrophes = false;
  };

  // Finds the next word of `rest` and moves past it.
  static bool next(std::string_view& rest, RawWord& word);
  std::string_view form(const RawWord& raw);
  std::string_view ascii_form(std::string_view word);
  std::string_view unicode_form(std::string_view word);
  std::string_view without_apostrophes(std::string_view word);

  bool keep_case_;
  // Reused from word to word, to avoid allocating for each.
  std::vector<char> joined_;
  std::vector<char> ascii_;
  std::vector<std::int32_t> points_;
};

// The number of code points of valid UTF-8.
std::size_t character_count(std::string_view word);
// Does the word consist only of digits (category N)?
bool is_number(std::string_view word);

}  // namespace clade
