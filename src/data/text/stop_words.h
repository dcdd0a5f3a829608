#pragma once

#include <string_view>

namespace clade {

// Is this an English function word: an article, pronoun, preposition, conjunction, auxiliary or an adverb of that kind?
// `word` is in lower case and as the tokeniser gives it (don't is "dont").
bool is_english_stop_word(std::string_view word);

}  // namespace clade
