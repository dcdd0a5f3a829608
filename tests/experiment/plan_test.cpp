#include <clade/error.h>
#include <clade/io.h>
#include <clade/plan.h>
#include <clade/synthetic.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "comm/collectives.h"
#include "comm/local_team.h"
#include "experiment/sharing_plan.h"
#include "temporary_folder.h"

namespace clade {
namespace {

Dataset some_data(bool is_wide = false) {
  Context ctx({.threads = 1});
  return synthetic_data({.depth = 2, .fanout = 5, .features = is_wide ? 150 : 60, .samples = 600, .single_label = true},
                        ctx);
}

PlannedMethod method_of(const std::string& name, const Parameters& parameters = {}) {
  const std::vector<MethodInfo> trained = classifiers();
  if (std::ranges::find(trained, name, &MethodInfo::name) != trained.end()) {
    Recipe recipe;
    recipe.classifier = name;
    recipe.parameters = parameters;
    return recipe;
  }
  SelectOptions select;
  select.method = name;
  select.parameters = parameters;
  return select;
}

void work(const Dataset& data, const PlannedMethod& method, Context& ctx) {
  if (const auto* const recipe = std::get_if<Recipe>(&method)) {
    train(data, *recipe, {}, ctx);
  } else {
    select(data, std::get<SelectOptions>(method), ctx);
  }
}

Plan plan_of(const Dataset& data, const PlannedMethod& method, int ranks) {
  const TemporaryFolder folder;
  Context ctx({.threads = 2});
  write_dataset(data, folder.file("data.npz"), {}, ctx);
  return plan(folder.file("data.npz"), {}, method, {.ranks = ranks, .budget = 30}, ctx);
}

TEST(Plan, CountsTheMessagesOfCollectives) {
  for (const int size : {1, 2, 3, 4, 5, 8, 13}) {
    const std::string bytes(100'000, 'x');
    std::vector<double> broadcasts(static_cast<std::size_t>(size));
    std::vector<double> gathers(static_cast<std::size_t>(size));
    LocalTeam(size).run([&](Team& team) {
      const auto rank = static_cast<std::size_t>(team.rank());
      std::string all = team.leads() ? bytes : "";
      broadcast(team.processes(), 0, all);
      broadcasts[rank] = team.processes().bytes_sent();
      gather(team.processes(), 0, bytes);
      gathers[rank] = team.processes().bytes_sent() - broadcasts[rank];
    });
    for (int rank = 0; rank < size; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      EXPECT_NEAR(broadcasts[at] / 1e5, sends_of_broadcast(rank, size), 0.01) << rank << " of " << size;
      EXPECT_NEAR(gathers[at] / 1e5, gathered_by(rank, size), 0.01) << rank << " of " << size;
    }
  }
}

// What a team of threads really sends if all get the results.
TEST(Plan, TrafficIsThatOfATeam) {
  for (const bool is_wide : {false, true}) {
    const Dataset data = some_data(is_wide);
    for (const std::string name : {"top-down-svm", "top-down-logistic", "dnc-svm", "path-svm", "hier-fs", "hirr-fam"}) {
      const PlannedMethod method = method_of(name);
      const Plan planned = plan_of(data, method, 5);
      ASSERT_EQ(planned.rows.size(), 4U);
      EXPECT_EQ(planned.rows[0].sent_by_all, 0);
      // A plan is that of clade train, whose leader alone needs the model; but how path-svm goes on, all must know
      // here.
      const bool is_for_all = planned.selects || name == "path-svm";
      for (std::size_t row = 1; row < planned.rows.size(); ++row) {
        const int size = planned.rows[row].processes;
        SCOPED_TRACE(name + " on " + std::to_string(size));
        std::vector<double> sent(static_cast<std::size_t>(size));
        LocalTeam(size).run([&](Team& team) {
          Context ctx({.threads = 1, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
          work(data, method, ctx);
          sent[static_cast<std::size_t>(team.rank())] = team.processes().bytes_sent();
        });
        const double all = std::accumulate(sent.begin(), sent.end(), 0.0);
        // Who does which tasks is a matter of time, and so is what goes to the leader: between nothing and all results.
        if (is_for_all) {
          EXPECT_NEAR(planned.rows[row].sent_by_all / all, 1, planned.selects ? 0.05 : 0.55);
          EXPECT_NEAR(planned.rows[row].sent_by_most / std::ranges::max(sent), 1, 0.05);
        } else {
          const double results = planned.rows[row].sent_by_most * size;
          EXPECT_NEAR(planned.rows[row].sent_by_all, results * (size - 1) / size, 1);
          EXPECT_GT(results, 0.95 * all / size);
          EXPECT_LT(results, 1.05 * all / (size - 1));
        }
      }
    }
  }
}

TEST(Plan, HasARowForPowersOfTwoAndTheNumberAskedFor) {
  const Plan planned = plan_of(some_data(), method_of("top-down-svm"), 11);
  std::vector<int> processes;
  for (const PlanRow& row : planned.rows) processes.push_back(row.processes);
  EXPECT_THAT(processes, testing::ElementsAre(1, 2, 4, 8, 11));
  EXPECT_EQ(planned.samples, 600);
  EXPECT_EQ(planned.features, 60);
  EXPECT_FALSE(planned.selects);
  EXPECT_GT(planned.shared, 0);
  EXPECT_LE(planned.shared, 1);
  ASSERT_GE(planned.trials.size(), 2U);
  for (std::size_t k = 1; k < planned.trials.size(); ++k) {
    EXPECT_GT(planned.trials[k].samples, planned.trials[k - 1].samples);
  }
}

TEST(Plan, NothingIsSharedOfOtherMethods) {
  for (const std::string name : {"fisher", "flat-perceptron"}) {
    const Plan planned = plan_of(some_data(), method_of(name), 4);
    EXPECT_EQ(planned.shared, 0);
    for (const PlanRow& row : planned.rows) {
      EXPECT_EQ(row.sent_by_all, 0);
      EXPECT_GE(row.seconds, planned.rows[0].seconds);
    }
    EXPECT_EQ(worthwhile_processes(planned), 1);
  }
}

TEST(Plan, SaysWhereItStopsPaying) {
  Plan planned;
  for (const double seconds : {100, 50, 40, 39, 39}) {
    planned.rows.push_back({.processes = 1 << planned.rows.size(), .seconds = seconds});
  }
  EXPECT_EQ(worthwhile_processes(planned), 4);
  planned.rows.resize(3);
  EXPECT_EQ(worthwhile_processes(planned), 0);
}

// A wave takes as long as the process with most of it.
TEST(Plan, NodesWaitForTheirWave) {
  const Dataset data = some_data();
  SelectOptions options;
  options.method = "hier-fs";
  const NodePlan nodes(data, options);
  SharedWork::Nodes seen;
  for (std::size_t i = 0; i < 6; ++i) seen.cost.push_back(1);
  seen.waves = {{0, 1, 2, 3, 4, 5}};
  const double together = nodes.load(seen, 3).longest;
  seen.waves = {{0}, {1}, {2}, {3}, {4}, {5}};
  EXPECT_NEAR(nodes.load(seen, 3).longest, 1, 1e-12);
  EXPECT_GE(together, 1.0 / 3 - 1e-12);
  EXPECT_LT(together, 1);
  EXPECT_LT(nodes.memory(3, 1), nodes.memory(1, 1));
}

TEST(Plan, RefusesWhatTheWorkWould) {
  Context ctx({.threads = 1});
  EXPECT_THROW(plan("no-such.npz", {}, method_of("fisher"), {}, ctx), Error);
  EXPECT_THROW(plan_of(some_data(), method_of("no-such"), 2), Error);
}

}  // namespace
}  // namespace clade
