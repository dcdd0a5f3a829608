#include "data/text/word_counts.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>

#include "data/text/hashing.h"
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
  character_runs(options.characters);
  if (options.hash_bits < 0 || options.hash_bits > kMostHashBits) {
    throw usage_error(fmt::format("a hash of {} bits", options.hash_bits),
                      fmt::format("expected 1 to {}, or 0 for none", kMostHashBits));
  }
  if (!(options.number_weight > 0 && options.number_weight <= 1e6)) {
    throw usage_error("the weight of numbers is not above 0 and at most 1000000", "expected a number such as 0.3");
  }
}

WordCounter::WordCounter(const TextOptions& options)
    : options_(options), tokenizer_(options.keep_case), folder_(false) {
  check_text_options(options);
  if (!options.stem.empty()) stemmer_.emplace(options.stem);
  characters_ = character_runs(options.characters);
}

WordCounts WordCounter::take() && {
  if (options_.hash_bits > 0 && !options_.sequences) return hashed(result_, options_.hash_bits);
  return std::move(result_);
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

// A column named a=b is told from the value b=... of a column a by a backslash before its first =.
void WordCounter::add_category(std::string_view column, std::string_view value) {
  const std::size_t equals = column.find('=');
  const bool is_ambiguous =
      equals != std::string_view::npos && std::ranges::any_of(options_.columns, [&](const DataColumn& other) {
        return other.kind == ColumnKind::kCategory && column.size() > other.name.size() &&
               column.starts_with(other.name) && column[other.name.size()] == '=';
      });
  spelling_.assign(column);
  if (is_ambiguous) spelling_.insert(equals, 1, '\\');
  spelling_.append("=").append(value);
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
  const auto s = static_cast<std::size_t>(spelling);
  if (s == word_of_.size()) {
    word_of_.push_back(word_of_spelling(form));
    if (characters_.most > 0) find_character_runs(form, word_of_.back());
  }
  const std::int32_t word = word_of_[s];
  if (word == WordTable::kNone) return;
  count(word);
  if (characters_.most > 0) {
    for (std::size_t k = s == 0 ? 0 : part_ends_[s - 1]; k < part_ends_[s]; ++k) count(parts_[k]);
  }
  if (options_.word_runs > 1) add_runs(word);
}

// Those of a word that is not dropped, before it is stemmed.
void WordCounter::find_character_runs(std::string_view form, std::int32_t word) {
  if (word != WordTable::kNone) {
    for_each_character_run(form, characters_,
                           [&](std::string_view run) { parts_.push_back(intern(field_ + std::string(run))); });
  }
  part_ends_.push_back(parts_.size());
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
