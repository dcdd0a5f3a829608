#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clade {

// Words in the description of a model file, shared by writer and reader.

// Where feature names are found.
constexpr std::string_view kNoNames = "none";
constexpr std::string_view kOwnNames = "own";
constexpr std::string_view kWordNames = "words";  // they are the words of the vectorizer

// How missing values are treated.
constexpr std::string_view kMissingIsError = "error";
constexpr std::string_view kMissingIsZero = "zero";
constexpr std::string_view kMissingIsMean = "mean";  // of the training samples, in the array missing_means

using Pairs = std::vector<std::pair<std::string, std::string>>;

}  // namespace clade
