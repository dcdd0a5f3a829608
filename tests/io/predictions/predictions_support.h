#pragma once

#include <clade/dataset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"

// What the tests of files about samples share.
namespace clade::predictions_test {

// Samples without features or labels; `names` may be empty.
inline Dataset samples_of(const Taxonomy& taxonomy, Index samples, std::vector<std::string> names = {}) {
  Dataset::Parts parts;
  parts.features = DenseMatrix<double>{.rows = samples, .columns = 0, .values = {}};
  parts.labels.offsets.assign(static_cast<std::size_t>(samples) + 1, 0);
  parts.taxonomy = taxonomy;
  parts.sample_names = std::move(names);
  return Dataset(std::move(parts));
}

// Calls read(input, ctx) with 1, 2 and 3 threads; every time there must be the same Error, at that line of "in".
template <class Read>
void expect_error(Read&& read, std::string_view text, Index line, std::string_view piece) {
  std::string first;
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    try {
      read(Input::from_bytes("in", text), ctx);
      ADD_FAILURE() << "nothing was thrown for " << text.substr(0, 100);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput) << error.what();
      EXPECT_EQ(error.where().file, "in") << error.what();
      EXPECT_EQ(error.where().line, line) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(piece));
      EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
      if (first.empty()) first = error.what();
      EXPECT_EQ(error.what(), first);
    }
  }
}

}  // namespace clade::predictions_test
