#pragma once

#include <clade/types.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace clade {

// Words with a number each, as the documents of a page have them.
using WeightedWords = std::vector<std::pair<std::string, double>>;

// Four digits are enough to look at.
inline double rounded_for_page(double value) {
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}

// Words, each once, by number. When there is no room for more, new ones are left out.
class WordList {
 public:
  nlohmann::json numbered(const WeightedWords& words) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [word, weight] : words) {
      const auto found = numbers_.find(word);
      if (found == numbers_.end() && bytes_ > kMostWordBytes) continue;
      list.push_back(found == numbers_.end() ? add(word) : found->second);
      list.push_back(weight);
    }
    return list;
  }
  const nlohmann::json& words() const { return words_; }

 private:
  static constexpr Index kMostWordBytes = 400'000;  // a page has at most 3 MB

  std::size_t add(const std::string& word) {
    bytes_ += std::ssize(word);
    words_.push_back(word);
    return numbers_[word] = words_.size() - 1;
  }

  std::map<std::string, std::size_t> numbers_;
  nlohmann::json words_ = nlohmann::json::array();
  Index bytes_ = 0;
};

}  // namespace clade
