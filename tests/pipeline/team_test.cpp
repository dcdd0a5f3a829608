// Work that several processes share has the same bytes as the work of one.

#include <clade/error.h>
#include <clade/model.h>
#include <clade/select.h>
#include <clade/team.h>
#include <clade/train.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include "classify/trained_models.h"
#include "comm/local_team.h"
#include "data/row_exchange.h"
#include "select/selector.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using testing::Method;
using testing::random_training_options;
using Work = std::function<std::string(Context&)>;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What every process got.
std::vector<std::string> shared(int size, const Work& work, const std::string& folder = {}) {
  std::vector<std::string> found(static_cast<std::size_t>(size));
  LocalTeam(size).run([&](Team& team) {
    if (!folder.empty()) team.keep_work(std::make_unique<WorkFolder>(folder, true, WorkFolder::Facts{}, team.leads()));
    Context ctx({.threads = 1 + team.rank() % 2, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
    found[static_cast<std::size_t>(team.rank())] = work(ctx);
  });
  return found;
}

std::string alone(const Work& work) {
  Context ctx({.threads = 2});
  return work(ctx);
}

// Every process that gets the model writes it to a file of its own.
Work training(const Dataset& data, const Method& method, ResultsFor whom = ResultsFor::kAll) {
  return [&data, method, whom](Context& ctx) {
    Recipe recipe;
    recipe.classifier = method.name;
    recipe.parameters = method.parameters;
    const TemporaryFolder folder;
    const std::string path = folder.file("model.clade");
    const Model model = train(data, recipe, {}, ctx, whom);
    if (whom == ResultsFor::kLeader && !leads(ctx)) return std::string();
    write_model(model, path, false);
    return bytes_of_file(path);
  };
}

std::vector<Method> shared_methods() {
  std::vector<Method> methods = testing::top_down_methods();
  methods.push_back({"top-down-svm", {{"label-tree", "4"}}});
  methods.push_back({"top-down-svm", {{"scale", "standard"}, {"calibrate", "sigmoid"}}});
  methods.push_back({"path-svm", {}});
  methods.push_back({"path-svm", {{"loss", "hinge"}, {"scale", "unit"}}});
  return methods;
}

TEST(Team, TrainsTheModelOfOneProcess) {
  for (const Method& method : shared_methods()) {
    for (const int k : {0, 3, 5, 10, 12}) {
      SCOPED_TRACE(method.name + " on data " + std::to_string(k));
      const Dataset data = random_dataset(random_training_options(k));
      if (method.parameters.contains("scale") && is_sparse(data.matrix())) continue;  // would become dense
      const Work work = training(data, method);
      const std::string expected = alone(work);
      for (const int size : {3, 7}) {
        for (const std::string& found : shared(size, work)) EXPECT_TRUE(found == expected) << size << " processes";
      }
      const Work for_leader = training(data, method, ResultsFor::kLeader);
      EXPECT_TRUE(shared(2, for_leader).front() == expected);
    }
  }
}

// Of several thousand samples, dealt out in parts; held-out scores, fold by fold.
TEST(Team, TrainsLargeNodes) {
  for (const bool is_sparse : {false, true}) {
    RandomDataOptions options = random_training_options(0);
    options.samples = 9000;
    options.features = 12;
    options.nodes = 60;
    options.sparse = is_sparse;
    const Dataset data = random_dataset(options);
    for (const std::string calibrate : {"none", "sigmoid"}) {
      const Method method{"top-down-svm",
                          {{"calibrate", calibrate}, {"scale", is_sparse ? "unit" : "standard"}, {"iterations", "20"}}};
      const Work work = training(data, method);
      const std::string expected = alone(work);
      const TemporaryFolder folder;
      for (const int size : {3, 7, 2}) {
        const std::string work_folder = size == 3 ? folder.path() : "";
        for (const std::string& found : shared(size, work, work_folder)) EXPECT_TRUE(found == expected) << size;
      }
      const Work for_leader = training(data, method, ResultsFor::kLeader);
      EXPECT_TRUE(shared(3, for_leader).front() == expected);
    }
  }
}

// Outputs are dealt out in blocks.
TEST(Team, TrainsManyOutputs) {
  for (const bool is_sparse : {false, true}) {
    RandomDataOptions options = random_training_options(0);
    options.samples = 300;
    options.features = 30;
    options.nodes = 150;
    options.sparse = is_sparse;
    const Dataset data = random_dataset(options);
    for (const std::string loss : {"hinge", "squared-hinge"}) {
      const Method method{"path-svm", {{"loss", loss}, {"scale", "unit"}, {"c", "1"}}};
      const Work work = training(data, method);
      const std::string expected = alone(work);
      for (const std::string& found : shared(4, work)) EXPECT_TRUE(found == expected) << loss;
      EXPECT_TRUE(shared(3, training(data, method, ResultsFor::kLeader)).front() == expected) << loss;
    }
  }
}

Work selecting(const Dataset& data, const Method& method, const ParameterValue& top = {}) {
  return [&data, method, top](Context& ctx) {
    SelectOptions options;
    options.method = method.name;
    options.parameters = method.parameters;
    options.allow_zero_weights = true;
    options.top = top;
    FeatureRanking ranking = select(data, options, ctx);
    ranking.seconds = 0;
    const TemporaryFolder folder;
    const std::string path = folder.file("ranking.json");
    write_ranking(ranking, data, path, false);
    return bytes_of_file(path);
  };
}

TEST(Team, SelectsTheFeaturesOfOneProcess) {
  std::vector<Method> methods;
  for (const MethodInfo& method : selectors()) {
    if (selector_table().make(method.name, {})->needs_labels()) methods.push_back({std::string(method.name), {}});
  }
  methods.push_back({"hier-fs", {{"tolerance", "0.01"}, {"lambda", "0.1"}}});
  methods.push_back({"hier-fs", {{"solver", "exact"}}});
  methods.push_back({"hier-fs", {{"select-lambda", "cv"}, {"path", "5"}}});
  methods.push_back({"hirr-fam", {{"loss", "logistic"}}});
  methods.push_back({"hirr-fam", {{"as-published", "true"}}});
  methods.push_back({"hirr-fam", {{"alpha", "3"}, {"beta", "5"}, {"start", "random"}}});
  methods.push_back({"hirr-sib", {{"beta", "100"}, {"lambda", "0.01"}}});
  for (const Method& method : methods) {
    for (const int k : {0, 4, 9}) {
      SCOPED_TRACE(method.name + " on data " + std::to_string(k));
      RandomDataOptions options = random_training_options(k);
      options.samples = 60;
      options.features = k == 4 ? 200 : 12;  // wide nodes, or tall ones and wide ones
      options.several_labels = false;
      const Dataset data = random_dataset(options);
      const Work work = selecting(data, method);
      const std::string expected = alone(work);
      for (const int size : {2, 7}) {
        for (const std::string& found : shared(size, work)) EXPECT_TRUE(found == expected) << size << " processes";
      }
    }
  }
}

// Every process has some of the samples, as many as it likes.
Dataset part_of(const Dataset& data, Context& ctx) {
  Team& team = *ctx.team();
  const auto begin_of = [&](int rank) {
    const double share = static_cast<double>(rank) / team.size();
    return static_cast<Index>(share * share * static_cast<double>(data.samples()));
  };
  std::vector<Index> rows;
  for (Index s = begin_of(team.rank()); s < begin_of(team.rank() + 1); ++s) rows.push_back(s);
  return with_labels_of_others(data.subset(rows), Storage::kOfFile, team, ctx);
}

TEST(Team, SelectsWhereEveryProcessHasSomeRows) {
  const std::vector<Method> methods{{"hier-fs", {}},
                                    {"hirr-par", {}},
                                    {"hirr-fam", {{"alpha", "3"}, {"beta", "5"}}},
                                    {"hfsgr", {}},
                                    {"fs-base", {{"iterations", "3"}}}};
  for (const Method& method : methods) {
    for (int k = 0; k < 16; ++k) {
      SCOPED_TRACE(method.name + " on data " + std::to_string(k));
      RandomDataOptions options = random_training_options(k);
      options.samples = 70;
      options.features = k % 3 == 0 ? 200 : 12;  // wide nodes, or tall ones and wide ones
      const Dataset data = random_dataset(options);
      const std::string expected = alone(selecting(data, method));
      for (const int size : {2, 5}) {
        const Work by_rows = [&](Context& ctx) { return selecting(part_of(data, ctx), method)(ctx); };
        for (const std::string& found : shared(size, by_rows)) EXPECT_TRUE(found == expected) << size << " processes";
      }
    }
  }
}

// Large nodes are ranked by columns, small ones by one process each.
TEST(Team, FiltersWhereEveryProcessHasSomeRows) {
  for (const std::string name : {"fisher", "hier-fisher", "mrmr", "hier-mrmr"}) {
    for (const bool is_large : {false, true}) {
      for (const bool is_sparse : {false, true}) {
        SCOPED_TRACE(name + (is_large ? " large" : " small") + (is_sparse ? " sparse" : " dense"));
        RandomDataOptions options = random_training_options(2);
        options.samples = is_large ? 1050 : 70;
        options.features = is_large ? 2000 : 30;
        options.sparse = is_sparse;
        const Dataset data = random_dataset(options);
        const Method method{name, {}};
        constexpr Index kTop = 6;
        const std::string expected = alone(selecting(data, method, kTop));
        for (const int size : {1, 2, 5}) {
          const Work by_rows = [&](Context& ctx) { return selecting(part_of(data, ctx), method, kTop)(ctx); };
          for (const std::string& found : shared(size, by_rows)) EXPECT_TRUE(found == expected) << size << " processes";
        }
      }
    }
  }
}

std::vector<Method> methods_by_rows() {
  return {{"top-down-logistic", {{"scale", "unit"}}},
          {"top-down-logistic", {{"scale", "none"}, {"c", "3"}}},
          {"top-down-svm", {{"scale", "unit"}, {"loss", "squared-hinge"}}},
          {"top-down-svm", {{"scale", "none"}, {"loss", "squared-hinge"}, {"bias", "0"}}},
          {"top-down-svm", {{"scale", "unit"}, {"loss", "squared-hinge"}, {"label-tree", "4"}}}};
}

// With any number of processes, one included.
TEST(Team, TrainsWhereEveryProcessHasSomeRows) {
  for (const Method& method : methods_by_rows()) {
    for (int k = 0; k < 6; ++k) {
      SCOPED_TRACE(method.name + " on data " + std::to_string(k));
      RandomDataOptions options = random_training_options(k);
      options.samples = 150;
      const Dataset data = random_dataset(options);
      const Work by_rows = [&](Context& ctx) { return training(part_of(data, ctx), method)(ctx); };
      const std::string expected = shared(1, by_rows).front();
      for (const int size : {2, 3, 7}) {
        for (const std::string& found : shared(size, by_rows)) EXPECT_TRUE(found == expected) << size << " processes";
      }
      const Work for_leader = [&](Context& ctx) {
        return training(part_of(data, ctx), method, ResultsFor::kLeader)(ctx);
      };
      EXPECT_TRUE(shared(4, for_leader).front() == expected);
    }
  }
}

// What the leader alone needs is not sent to the others.
TEST(Team, SendsTheModelToThoseThatNeedIt) {
  RandomDataOptions options = random_training_options(0);
  options.samples = 400;
  options.features = 60;
  options.nodes = 100;
  options.sparse = true;
  const Dataset data = random_dataset(options);
  for (const Method& method :
       {Method{"top-down-svm", {}}, Method{"dnc-svm", {}}, Method{"path-svm", {{"loss", "hinge"}}}}) {
    const auto sent_by_leader = [&](ResultsFor whom) {
      double sent = 0;
      LocalTeam(4).run([&](Team& team) {
        Context ctx({.team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
        training(data, method, whom)(ctx);
        if (team.leads()) sent = bytes_sent(team);
      });
      return sent;
    };
    EXPECT_LT(10 * sent_by_leader(ResultsFor::kLeader), sent_by_leader(ResultsFor::kAll)) << method.name;
  }
}

TEST(Team, RefusesClassifiersThatNeedAllRows) {
  const Dataset data = random_dataset(random_training_options(0));
  for (const Method& method : std::vector<Method>{{"hierarchical-svm", {}},
                                                  {"path-svm", {}},
                                                  {"top-down-svm", {{"loss", "hinge"}, {"scale", "unit"}}},
                                                  {"top-down-svm", {{"calibrate", "sigmoid"}, {"scale", "unit"}}},
                                                  {"top-down-logistic", {{"scale", "standard"}}}}) {
    const Work by_rows = [&](Context& ctx) { return training(part_of(data, ctx), method)(ctx); };
    EXPECT_THROW(shared(2, by_rows), Error) << method.name;
  }
}

TEST(Team, RefusesSelectorsThatNeedAllRows) {
  const Dataset data = random_dataset(random_training_options(0));
  for (const Method& method : std::vector<Method>{{"hier-fsnm", {}}, {"fs-mgkc", {}}, {"hier-fs", {{"path", "5"}}}}) {
    const Work by_rows = [&](Context& ctx) { return selecting(part_of(data, ctx), method)(ctx); };
    EXPECT_THROW(shared(2, by_rows), Error) << method.name;
  }
}

void goes_on(const Work& work, const std::string& expected) {
  const TemporaryFolder folder;
  EXPECT_TRUE(shared(3, work, folder.path()).front() == expected);
  // Some pieces are lost, and some damaged.
  int piece = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".piece") continue;
    if (++piece % 3 == 0) std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
    if (piece % 3 == 1) std::filesystem::remove(entry.path());
  }
  EXPECT_TRUE(shared(2, work, folder.path()).front() == expected);
  EXPECT_TRUE(shared(1, work, folder.path()).front() == expected);
}

TEST(Team, GoesOnWithAnotherNumberOfProcesses) {
  const Dataset data = random_dataset(random_training_options(0));
  for (const Method& method : shared_methods()) {
    SCOPED_TRACE(method.name);
    goes_on(training(data, method), alone(training(data, method)));
  }
  const std::vector<Method> selectors{{"hier-fs", {}},
                                      {"hier-fs", {{"tolerance", "0.01"}}},
                                      {"hirr-sib", {{"beta", "2"}}},
                                      {"hirr-fam", {{"as-published", "true"}, {"start", "random"}}}};
  for (const Method& method : selectors) {
    SCOPED_TRACE(method.name);
    goes_on(selecting(data, method), alone(selecting(data, method)));
  }
}

TEST(Team, GoesOnWhereEveryProcessHasSomeRows) {
  const Dataset data = random_dataset(random_training_options(0));
  const auto goes_on_by_rows = [&](const auto& work_on) {
    const Work by_rows = [&](Context& ctx) { return work_on(part_of(data, ctx))(ctx); };
    goes_on(by_rows, shared(1, by_rows).front());
  };
  for (const Method& method : methods_by_rows()) {
    SCOPED_TRACE(method.name);
    goes_on_by_rows([&](const Dataset& own) { return training(own, method); });
  }
  for (const std::string name : {"hier-fisher", "hier-mrmr"}) {
    SCOPED_TRACE(name);
    goes_on_by_rows([&](const Dataset& own) { return selecting(own, {name, {}}, 4); });
  }
}

}  // namespace
}  // namespace clade
