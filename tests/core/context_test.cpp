#include <clade/context.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clade {
namespace {

TEST(Context, ALogMayPassMessagesOnToAnotherContext) {
  std::vector<std::string> messages;
  const Context outer(
      Context::Options{.log = [&](LogLevel, std::string_view message) { messages.emplace_back(message); }});
  const Context inner(
      Context::Options{.log = [&](LogLevel level, std::string_view message) { outer.log(level, message); }});
  inner.info("one");
  outer.info("two");
  EXPECT_EQ(messages, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace clade
