#include "core/output_file.h"

#include <clade/error.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

// Runs in a process of its own that dies without a chance to clean up.
void die_while_writing(const std::string& path) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    OutputFile file(path, true);
    file.write(std::string(3'000'000, 'x'));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(OutputFile, RemovesWhatAKilledProcessHasLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  for (int k = 0; k < 3; ++k) die_while_writing(folder.file("b.txt"));
  EXPECT_EQ(files_in(folder.path()), 2U) << "each removes the one before it";
  die_while_writing(path);
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files_in(folder.path()), 3U);
  OutputFile file(path, true);
  EXPECT_EQ(files_in(folder.path()), 3U) << "the new one instead of the old one";
  file.write("new");
  file.commit();
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(files_in(folder.path()), 2U) << "that of b.txt is none of ours";
}

TEST(OutputFile, AFolderIsClearedOnceForManyFiles) {
  const TemporaryFolder folder;
  die_while_writing(folder.file("a.txt"));
  die_while_writing(folder.file("b.txt"));
  OutputFile living(folder.file("b.txt"), true, Leftovers::kStay);
  living.write("b");
  folder.write("c.txt.tmp.0123456789abcdeX", "precious");
  EXPECT_EQ(files_in(folder.path()), 4U);
  remove_leftovers(folder.path());
  EXPECT_EQ(files_in(folder.path()), 2U);
  living.commit();
  EXPECT_EQ(content(folder.file("b.txt")), "b");
}

TEST(OutputFile, KeepsWhatLivingProcessesWriteAndWhatOnlyLooksAlike) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  for (const char* name :
       {"a.txt.tmp.123", "a.txt.tmp.0123456789abcdeX", "a.txt.tmp.0123456789abcdef0", "a.txt.tmp."}) {
    folder.write(name, "precious");
  }
  OutputFile first(path, true);
  first.write("first");
  OutputFile second(path, true);
  second.write("second");
  EXPECT_EQ(files_in(folder.path()), 6U);
  first.finish();
  OutputFile third(path, true);
  first.commit();
  EXPECT_EQ(content(path), "first");
  second.commit();
  EXPECT_EQ(content(path), "second");
  EXPECT_EQ(files_in(folder.path()), 6U) << "four alike, the file, and the one that is still being written";
}

TEST(OutputFile, TakesTheLongestNames) {
  const TemporaryFolder folder;
  const std::string path = folder.file(std::string(255, 'n'));
  OutputFile file(path, false);
  file.write("x");
  file.commit();
  EXPECT_EQ(content(path), "x");
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

// As before an end without cleaning up. What is in place already stays.
TEST(OutputFile, TemporaryFilesCanBeRemovedAllAtOnce) {
  const TemporaryFolder folder;
  {
    OutputFile done(folder.file("done"), false);
    done.commit();
    OutputFile dropped(folder.file("dropped"), false);
  }
  OutputFile first(folder.file("first"), false);
  OutputFile second(folder.file("second"), false);
  first.write("half");
  EXPECT_EQ(files_in(folder.path()), 3U);
  remove_temporary_files();
  EXPECT_EQ(files_in(folder.path()), 1U);
  EXPECT_THROW(first.commit(), Error);
  EXPECT_EQ(files_in(folder.path()), 1U);
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
