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
  if (options.word_runs < 1) throw usage_error("runs of less than one word", "expected 1 or more words");
  if (!(options.max_document_share > 0 && options.max_document_share <= 1)) {
    throw usage_error("the largest share of documents is not above 0 and at most 1", "expected a share such as 0.5");
  }
}

WordCounter::WordCounter(const TextOptions& options)
    : options_(options), tokenizer_(options.keep_case), folder_(false) {
  check_text_options(options);
  if (!options.stem.empty()) stemmer_.emplace(options.stem);
}

void WordCounter::add_text(std::string_view text) {
  if (options_.sequences) return add_symbols(text);
  before_.clear();
  tokenizer_.for_each_word(text, [&](std::string_view form) { add_form(form); });
}

void WordCounter::add_token(std::string_view word) {
  if (options_.sequences) return add_symbols(word);
  add_form(tokenizer_.form(word));
}

void WordCounter::enter_field(std::string_view column) {
  field_ = column.empty() ? std::string() : std::string(column) + ":";
  before_.clear();
}

void WordCounter::add_category(std::string_view column, std::string_view value) {
  spelling_.assign(column).append("=").append(value);
  count(intern(spelling_));
}

void WordCounter::end_document() {
  before_.clear();
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
  std::int32_t spelling = 0;
  if (field_.empty()) {
    spelling = spellings_.intern(form);
  } else {
    spelling_.assign(field_).append(form);
    spelling = spellings_.intern(spelling_);
  }
  if (static_cast<std::size_t>(spelling) == word_of_.size()) word_of_.push_back(word_of_spelling(form));
  const std::int32_t word = word_of_[static_cast<std::size_t>(spelling)];
  if (word == WordTable::kNone) return;
  count(word);
  if (options_.word_runs > 1) add_runs(word);
}

// The runs that end in this word; dropped words do not interrupt a run.
void WordCounter::add_runs(std::int32_t word) {
  std::string run(result_.words.word(word));
  for (std::size_t k = before_.size(); k > 0; --k) {
    std::string_view previous = result_.words.word(before_[k - 1]);
    std::string longer(previous);
    run = longer.append(" ").append(std::string_view(run).substr(field_.size()));
    count(intern(run));
  }
  before_.push_back(word);
  if (std::ssize(before_) >= options_.word_runs) before_.erase(before_.begin());
}

void WordCounter::count(std::int32_t word) {
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
  if (field_.empty()) return intern(stem);
  return intern(field_ + std::string(stem));
}

std::int32_t WordCounter::intern(std::string_view text) {
  const std::int32_t word = result_.words.intern(text);
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
