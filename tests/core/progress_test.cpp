#include "core/progress.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/parallel.h"

namespace clade {
namespace {

class Recorder : public ProgressSink {
 public:
  void update(std::string_view task, std::int64_t done, std::int64_t total) override {
    EXPECT_EQ(task, "work");
    EXPECT_EQ(total, 1000);
    last = done;
    ++calls;
  }
  std::int64_t last = -1;
  int calls = 0;
};

TEST(Progress, EndsAtTheTotalAndReportsSeldom) {
  const auto sink = std::make_shared<Recorder>();
  Context ctx(Context::Options{.threads = 2, .progress = sink});
  {
    Progress progress(ctx, "work", 1000);
    EXPECT_EQ(sink->last, 0);
    parallel_for(ctx, 1000, 1, [&](Index, Index) { progress.advance(); });
  }
  EXPECT_EQ(sink->last, 1000);
  EXPECT_LT(sink->calls, 500);
}

TEST(Progress, WorkThatFailedDoesNotClaimToBeDone) {
  const auto sink = std::make_shared<Recorder>();
  Context ctx(Context::Options{.progress = sink});
  try {
    Progress progress(ctx, "work", 1000);
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(sink->last, 0);
}

TEST(Progress, WithoutASinkNothingHappens) {
  const Context ctx;
  Progress progress(ctx, "work", 3);
  EXPECT_NO_THROW(progress.advance(3));
}

}  // namespace
}  // namespace clade
