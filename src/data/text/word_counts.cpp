#include "data/text/word_counts.h"

#include "data/text/sequence.h"
#include "data/text/stop_words.h"

namespace clade {

void check_text_options(const TextOptions& options) {
  if (options.min_document_frequency < 0) {
    throw usage_error("the minimum document frequency is negative", "expected 0 or more documents");
  }
  if (options.min_word_length < 0)
    throw usage_error("the minimum word length is negative", "expected 0 or more characters");
  if (!options.stem.empty()) Stemmer{options.stem};
}

WordCounter::WordCounter(const TextOptions& options)
    : options_(options), tokenizer_(options.keep_case), folder_(false) {
  check_text_options(options);
  if (!options.stem.empty()) stemmer_.emplace(options.stem);
}

void WordCounter::add_text(std::string_view text) {
  if (options_.sequences) return add_symbols(text);
  tokenizer_.for_each_word(text, [&](std::string_view form) { add_form(form); });
}

void WordCounter::add_token(std::string_view word) {
  if (options_.sequences) return add_symbols(word);
  add_form(tokenizer_.form(word));
}

void WordCounter::end_document() {
  document_begin_ = result_.counts.size();
  result_.ends.push_back(document_begin_);
}

void WordCounter::add_symbols(std::string_view text) {
  symbols_.clear();
  append_symbols(text, symbols_);
  for (const char32_t symbol : symbols_) {
    result_.counts.push_back({static_cast<std::int32_t>(result_.counts.size() - document_begin_), symbol});
  }
}

void WordCounter::add_form(std::string_view form) {
  const std::int32_t spelling = spellings_.intern(form);
  if (static_cast<std::size_t>(spelling) == word_of_.size()) word_of_.push_back(word_of_spelling(form));
  const std::int32_t word = word_of_[static_cast<std::size_t>(spelling)];
  if (word == WordTable::kNone) return;

  std::size_t& latest = latest_[static_cast<std::size_t>(word)];
  if (latest > document_begin_) {
    ++result_.counts[latest - 1].count;
    return;
  }
  result_.counts.push_back({word, 1});
  latest = result_.counts.size();
  ++result_.document_frequency[static_cast<std::size_t>(word)];
}

std::int32_t WordCounter::word_of_spelling(std::string_view form) {
  if (is_dropped(form)) return WordTable::kNone;
  const std::string_view stem = stemmer_ ? stemmer_->stem(form) : form;
  if (stem.empty()) return WordTable::kNone;
  const std::int32_t word = result_.words.intern(stem);
  if (static_cast<std::size_t>(word) == latest_.size()) {
    latest_.push_back(0);
    result_.document_frequency.push_back(0);
  }
  return word;
}

bool WordCounter::is_dropped(std::string_view form) {
  if (form.empty() || static_cast<Index>(character_count(form)) < options_.min_word_length) return true;
  if (options_.drop_numbers && is_number(form)) return true;
  if (options_.stop_words == StopWords::kNone) return false;
  return is_english_stop_word(options_.keep_case ? folder_.form(form) : form);
}

}  // namespace clade
