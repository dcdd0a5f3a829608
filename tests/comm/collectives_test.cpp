#include "comm/collectives.h"

#include <gtest/gtest.h>

#include "comm/local_team.h"

namespace clade {
namespace {

std::string text_of(int rank) {
  return std::string(static_cast<std::size_t>(rank * 7 % 5), static_cast<char>('a' + rank));
}

TEST(Collectives, EveryProcessGetsTheRootsBytes) {
  for (int size = 1; size <= 9; ++size) {
    LocalTeam(size).run([&](Team& own) {
      Communicator& team = own.processes();
      for (int root = 0; root < size; ++root) {
        std::string bytes = team.rank() == root ? "from " + std::to_string(root) : "nothing";
        broadcast(team, root, bytes);
        EXPECT_EQ(bytes, "from " + std::to_string(root)) << size;
      }
    });
  }
}

TEST(Collectives, BytesAreGatheredInTheOrderOfProcesses) {
  for (int size = 1; size <= 9; ++size) {
    LocalTeam(size).run([&](Team& own) {
      Communicator& team = own.processes();
      std::vector<std::string> expected;
      for (int rank = 0; rank < size; ++rank) expected.push_back(text_of(rank));
      for (int root = 0; root < size; ++root) {
        const std::vector<std::string> found = gather(team, root, text_of(team.rank()));
        EXPECT_EQ(found, team.rank() == root ? expected : std::vector<std::string>()) << size << " " << root;
      }
      EXPECT_EQ(all_gather(team, text_of(team.rank())), expected) << size;
    });
  }
}

TEST(Collectives, NobodyPassesABarrierBeforeTheLastHasReachedIt) {
  for (const int size : {2, 3, 8}) {
    std::atomic<int> reached{0};
    LocalTeam(size).run([&](Team& own) {
      Communicator& team = own.processes();
      for (int time = 1; time <= 20; ++time) {
        ++reached;
        barrier(team);
        EXPECT_GE(reached.load(), time * size);
        barrier(team);
      }
    });
  }
}

TEST(Collectives, AFailureReachesThoseThatWait) {
  EXPECT_THROW(LocalTeam(4).run([](Team& own) {
    Communicator& team = own.processes();
    if (team.rank() == 2) throw std::runtime_error("no");
    barrier(team);
    ADD_FAILURE() << "nobody can pass";
  }),
               std::runtime_error);
}

}  // namespace
}  // namespace clade
