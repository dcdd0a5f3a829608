#include <clade/error.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "core/check.h"

namespace clade {
namespace {

TEST(Error, SaysWhereWhatAndWhatWasExpected) {
  const Error error = input_error({.file = "a.svm", .line = 17, .column = 3}, "index 0", "indices start at 1");
  EXPECT_STREQ(error.what(), "a.svm:17:3: index 0; indices start at 1");
  EXPECT_EQ(error.kind(), Error::Kind::kInput);
  EXPECT_EQ(error.where().line, 17);
}

TEST(Error, LeavesOutWhatIsUnknown) {
  EXPECT_STREQ(input_error({.file = "a"}, "empty file").what(), "a: empty file");
  EXPECT_STREQ(input_error({.file = "a", .line = 2}, "bad").what(), "a:2: bad");
  EXPECT_STREQ(usage_error("no command", "expected one").what(), "no command; expected one");
  EXPECT_STREQ(input_error({.file = "a", .line = 0, .column = 5}, "x").what(), "a: x");
}

TEST(Error, IsAlwaysOneLine) {
  const Error error = input_error({.file = "two\nlines"}, "a\r\nb", "c\nd");
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  EXPECT_EQ(std::string(error.what()).find('\r'), std::string::npos);
}

TEST(Error, ControlCharactersAreShownNotSent) {
  const std::string name("a\0b\x1b[31m", 8);
  EXPECT_STREQ(usage_error("bad '" + name + "'", "expected text").what(), "bad 'a\\x00b\\x1b[31m'; expected text");
}

TEST(Error, NamesTheSystemsReason) {
  const Error error = system_error("out.csv", "cannot write", ENOSPC);
  EXPECT_STREQ(error.what(), "out.csv: cannot write: No space left on device");
  EXPECT_EQ(error.kind(), Error::Kind::kSystem);
  EXPECT_EQ(system_error("/dev/stdout", "cannot write", EPIPE).kind(), Error::Kind::kClosed);
}

TEST(Check, FailureIsAnInternalErrorThatNamesTheCondition) {
  EXPECT_NO_THROW(CLADE_CHECK(1 + 1 == 2));
  try {
    CLADE_CHECK(1 + 1 == 3);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInternal);
    EXPECT_NE(std::string(error.what()).find("1 + 1 == 3"), std::string::npos);
  }
}

}  // namespace
}  // namespace clade
