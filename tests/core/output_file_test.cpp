#include "core/output_file.h"

#include <clade/error.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "temporary_folder.h"

namespace clade {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t files_in(const std::string& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(OutputFile, AppearsOnlyOnCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  OutputFile file(path, false);
  file.write("hello ");
  file.write("world");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(content(path), "hello world");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder.file("a.txt"), false);
    file.write(std::string(5'000'000, 'x'));
  }
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(OutputFile, KeepsTheOldFileUntilTheNewOneIsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  EXPECT_THROW(OutputFile(path, false), Error);
  {
    OutputFile abandoned(path, true);
    abandoned.write("half");
  }
  EXPECT_EQ(content(path), "old");
  OutputFile file(path, true);
  file.write("new");
  EXPECT_EQ(content(path), "old");
  file.commit();
  EXPECT_EQ(content(path), "new");
}

TEST(OutputFile, DoesNotReplaceAFileThatAppearedMeanwhile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  OutputFile file(path, false);
  file.write("mine");
  folder.write("a.txt", "theirs");
  EXPECT_THROW(file.commit(), Error);
  EXPECT_EQ(content(path), "theirs");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, RefusesADirectoryAndAMissingFolder) {
  const TemporaryFolder folder;
  try {
    OutputFile file(folder.path(), true);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
  }
  try {
    OutputFile file(folder.file("none/a.txt"), true);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kSystem);
  }
}

TEST(OutputFile, RefusesABrokenLink) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("nowhere", folder.file("link"));
  EXPECT_THROW(OutputFile(folder.file("link"), true), Error);
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, AFullDeviceIsASystemError) {
  OutputFile file("/dev/full", true);
  file.write("x");
  try {
    file.commit();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kSystem);
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos);
  }
}

// A file-size limit makes write() fail part of the way, as a full disk does.
TEST(OutputFile, AWriteThatFailsPartOfTheWayLeavesNothing) {
  const TemporaryFolder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1'500'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  bool failed = false;
  try {
    OutputFile file(folder.file("a.txt"), false);
    for (int k = 0; k < 4; ++k) file.write(std::string(1'000'000, 'x'));
    file.commit();
  } catch (const Error& error) {
    failed = error.kind() == Error::Kind::kSystem;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(failed);
  EXPECT_EQ(files_in(folder.path()), 0U);
}

// Standard output that the shell has sent to a file: /dev/stdout is then a regular file, and must stay a link.
TEST(OutputFile, WritesThroughADeviceThatIsAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  std::FILE* opened = std::fopen(path.c_str(), "w");
  ASSERT_NE(opened, nullptr);
  const std::string device = "/proc/self/fd/" + std::to_string(::fileno(opened));
  {
    OutputFile file(device, true);
    file.write("through");
    file.commit();
  }
  std::fclose(opened);
  EXPECT_EQ(content(path), "through");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

}  // namespace
}  // namespace clade
