#include "core/loop_record.h"

#include <clade/context.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "temporary_folder.h"

namespace clade {
namespace {

struct Event {
  std::string what;
  std::int64_t time = 0;
  Index count = 0;
};

template <class Work>
std::vector<Event> recorded(Work&& work) {
  const TemporaryFolder folder;
  const std::string path = folder.file("record");
  record_loops();
  work();
  write_loop_record(path);
  std::vector<Event> events;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Event event;
    words >> event.what >> event.time >> event.count;
    events.push_back(event);
  }
  return events;
}

std::string outline(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    text += event.what == "loop" ? "(" + std::to_string(event.count) : event.what == "task" ? "." : "";
    if (event.what == "done") text += ")";
  }
  return text;
}

TEST(LoopRecord, ShowsWhichLoopsRunInWhichTasks) {
  Context ctx({.threads = 1});
  const auto events = recorded([&] {
    ctx.pool().run(2, [](Index) {});
    ctx.pool().run(1, [&](Index) { ctx.pool().run(3, [](Index) {}); });  // a single task is no loop
    ctx.pool().run(2, [&](Index task) {
      if (task == 1) ctx.pool().run(2, [](Index) {});
    });
  });
  EXPECT_EQ(outline(events), "(2..)(3...)(2.(2..).)");
  ASSERT_EQ(events.back().what, "all");
  for (std::size_t k = 1; k < events.size(); ++k) EXPECT_GE(events[k].time, events[k - 1].time);
}

TEST(LoopRecord, LoopsThatFailEnd) {
  Context ctx({.threads = 1});
  const auto events = recorded([&] {
    const auto fail = [](Index task) {
      if (task == 1) throw std::runtime_error("no");
    };
    EXPECT_THROW(ctx.pool().run(3, fail), std::runtime_error);
    ctx.pool().run(2, [](Index) {});
  });
  EXPECT_EQ(outline(events), "(3.)(2..)");
}

TEST(LoopRecord, OnlyOneThreadIsRecordedAndOnlyWhileAsked) {
  Context one({.threads = 1});
  Context two({.threads = 2});
  EXPECT_EQ(outline(recorded([&] { two.pool().run(5, [](Index) {}); })), "");
  one.pool().run(5, [](Index) {});  // nothing is begun
  EXPECT_EQ(outline(recorded([] {})), "");
}

}  // namespace
}  // namespace clade
