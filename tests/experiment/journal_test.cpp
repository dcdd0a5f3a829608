#include "experiment/journal.h"

#include <clade/error.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <thread>

#include "experiment/cell_result.h"
#include "temporary_folder.h"

namespace clade {
namespace {

TEST(Journal, KeepsWhatItWasGiven) {
  const TemporaryFolder folder;
  const Journal::Facts facts{{"seed", "1"}, {"data 'é'", "with \"quotes\"\nand lines"}};
  {
    Journal journal(folder.file("j.sqlite"));
    EXPECT_TRUE(journal.facts().empty());
    journal.begin(facts);
    journal.keep({{3, "three"}, {1, std::string("o\0ne", 4)}});
    journal.keep({{3, "three again"}});
    journal.save();
  }
  Journal journal(folder.file("j.sqlite"));
  EXPECT_EQ(journal.facts(), facts);
  EXPECT_EQ(journal.results(), (std::map<Index, std::string>{{1, std::string("o\0ne", 4)}, {3, "three again"}}));
}

TEST(Journal, ADeadProcessLosesNothingThatWasKept) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    Journal journal(folder.file("j.sqlite"));
    for (Index k = 0; k < 500; ++k) journal.keep({{k, std::string(3000, 'x') + std::to_string(k)}});
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  Journal journal(folder.file("j.sqlite"));
  const auto results = journal.results();
  ASSERT_EQ(results.size(), 500U);
  for (const auto& [cell, text] : results) EXPECT_EQ(text, std::string(3000, 'x') + std::to_string(cell));
}

TEST(Journal, ThreadsKeepAtTheSameTime) {
  const TemporaryFolder folder;
  Journal journal(folder.file("j.sqlite"));
  std::vector<std::thread> threads;
  for (Index t = 0; t < 4; ++t) {
    threads.emplace_back([&journal, t] {
      for (Index k = 0; k < 100; ++k) journal.keep({{4 * k + t, std::to_string(k)}});
    });
  }
  journal.save();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(journal.results().size(), 400U);
}

TEST(Journal, OtherFilesAndSecondUsersAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(Journal(folder.write("text", std::string(2000, 'a'))), Error);
  EXPECT_THROW(Journal(folder.file("no/such/folder")), Error);
  const Journal first(folder.file("j.sqlite"));
  EXPECT_THROW(Journal(folder.file("j.sqlite")), Error);
}

TEST(CellResult, NumbersComeBackAsTheyWere) {
  CellResult result;
  result.values = {1.0 / 3, std::nullopt, std::numeric_limits<double>::denorm_min()};
  result.folds = {{.samples = 7,
                   .values = {0.1, 1e300, std::nullopt},
                   .fit_seconds = 1.5,
                   .predict_seconds = 0.25,
                   .tuned = "c=1 \"x\""}};
  result.seconds = 2.5;
  result.memory = 123456789;
  result.predictions = "not kept";
  result.predictions_hash = "0123";
  const CellResult back = parse_cell_result(cell_result_text(result));
  EXPECT_EQ(back.values, result.values);
  ASSERT_EQ(back.folds.size(), 1U);
  EXPECT_EQ(back.folds[0].values, result.folds[0].values);
  EXPECT_EQ(back.folds[0].tuned, result.folds[0].tuned);
  EXPECT_EQ(back.folds[0].samples, 7);
  EXPECT_EQ(back.seconds, 2.5);
  EXPECT_EQ(back.memory, result.memory);
  EXPECT_EQ(back.predictions_hash, "0123");
  EXPECT_EQ(back.predictions, "");
}

}  // namespace
}  // namespace clade
