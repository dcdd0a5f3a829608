#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "data/text/vectorizer_json.h"
#include "io/text/text_source.h"
#include "real_data.h"
#include "temporary_folder.h"

namespace clade {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Counts of all words, so that expectations can be read off the text.
inline ReadOptions plain_options() {
  ReadOptions options;
  options.text.weight = TermWeight::kTf;
  options.text.stop_words = StopWords::kNone;
  options.text.min_word_length = 1;
  options.text.raw_length = true;
  return options;
}

class TextSource : public ::testing::Test {
 protected:
  std::string write(const std::string& path, std::string_view content) const {
    fs::create_directories((root / path).parent_path());
    return folder.write(path, content);
  }

  TemporaryFolder folder;
  fs::path root{folder.path()};
  Context ctx{{.threads = 2}};
};

inline std::vector<std::string> labels_of(const ParsedData& data, Index sample) {
  std::vector<std::string> names;
  for (const auto label : data.labels.of(sample)) names.push_back(data.labels.names()[static_cast<std::size_t>(label)]);
  return names;
}

inline std::vector<std::string> all_labels(const ParsedData& data) {
  std::vector<std::string> names;
  for (Index s = 0; s < data.labels.samples(); ++s) {
    std::string joined;
    for (const auto& name : labels_of(data, s)) joined += (joined.empty() ? "" : ",") + name;
    names.push_back(joined);
  }
  return names;
}

// Row r as "word:value word:value".
inline std::string row_text(const ParsedData& data, Index row) {
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  std::string text;
  for (std::size_t k = 0; k < matrix.row_indices(row).size(); ++k) {
    const auto column = static_cast<std::size_t>(matrix.row_indices(row)[k]);
    const auto value = static_cast<int>(matrix.row_values(row)[k]);
    text += (text.empty() ? "" : " ") + data.feature_names[column] + ':' + std::to_string(value);
  }
  return text;
}

inline std::vector<std::string> all_rows(const ParsedData& data) {
  std::vector<std::string> rows;
  for (Index r = 0; r < row_count(data.features); ++r) rows.push_back(row_text(data, r));
  return rows;
}

inline void expect_same(const ParsedData& a, const ParsedData& b) {
  const auto& x = std::get<SparseMatrix<double>>(a.features);
  const auto& y = std::get<SparseMatrix<double>>(b.features);
  EXPECT_TRUE(std::ranges::equal(x.offsets.span(), y.offsets.span()));
  EXPECT_TRUE(std::ranges::equal(x.indices.span(), y.indices.span()));
  EXPECT_TRUE(std::ranges::equal(x.values.span(), y.values.span()));
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.sample_names, b.sample_names);
  EXPECT_EQ(a.labels.names(), b.labels.names());
  EXPECT_EQ(all_labels(a), all_labels(b));
  EXPECT_EQ(a.notes, b.notes);
}

// The message of the Error that `action` throws; it must be of the given kind.
template <class Action>
inline std::string error_of(Error::Kind kind, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace clade
