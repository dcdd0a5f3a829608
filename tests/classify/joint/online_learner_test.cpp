#include "classify/joint/online_learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "classify/joint/joint_cases.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::FullProblem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;

using Vector = std::vector<double>;

// Learning with one long weight vector: <w, Lambda(y) (x) x> written out.
struct PlainLearner {
  explicit PlainLearner(const FullProblem& problem)
      : full(problem), w(problem.attributes[0].size() * problem.x[0].size(), 0), sum(w.size(), 0) {}

  double score(std::size_t i, std::size_t y) const {
    double total = 0;
    for (std::size_t z = 0; z < full.attributes[y].size(); ++z) {
      for (std::size_t f = 0; f < full.x[i].size(); ++f) {
        total += w[z * full.x[i].size() + f] * full.attributes[y][z] * full.x[i][f];
      }
    }
    return total;
  }
  // Ties count as such to 1e-9, so that rounding does not decide.
  struct Pair {
    std::size_t own = 0;
    std::size_t other = 0;
    double margin = 0;
  };
  Pair worst(std::size_t i) const {
    Pair pair{full.classes.size(), full.classes.size(), 0};
    for (std::size_t y = 0; y < full.classes.size(); ++y) {
      std::size_t& place = full.has(i, y) ? pair.own : pair.other;
      const double sign = full.has(i, y) ? 1 : -1;
      if (place == full.classes.size() || sign * score(i, y) < sign * score(i, place) - 1e-9) place = y;
    }
    pair.margin = score(i, pair.own) - score(i, pair.other);
    return pair;
  }
  void step(std::size_t i, std::size_t own, std::size_t other, double size) {
    for (std::size_t z = 0; z < full.attributes[own].size(); ++z) {
      for (std::size_t f = 0; f < full.x[i].size(); ++f) {
        w[z * full.x[i].size() + f] += size * (full.attributes[own][z] - full.attributes[other][z]) * full.x[i][f];
      }
    }
    ++updates;
  }
  bool is_zero(std::size_t i) const {
    return std::all_of(full.x[i].begin(), full.x[i].end(), [](double v) { return v == 0; });
  }
  void keep() {
    ++steps;
    for (std::size_t k = 0; k < w.size(); ++k) sum[k] += w[k];
  }
  Vector mean() const {
    Vector result = sum;
    for (double& v : result) v /= steps;
    return result;
  }

  const FullProblem& full;
  Vector w;
  Vector sum;
  double steps = 0;
  Index updates = 0;
};

PlainLearner plain_perceptron(const FullProblem& full, int epochs) {
  PlainLearner learner(full);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Index before = learner.updates;
    for (std::size_t i = 0; i < full.x.size(); ++i) {
      const auto pair = learner.worst(i);
      if (pair.margin <= 1e-9 && !learner.is_zero(i)) {
        learner.step(i, pair.own, pair.other, full.loss[pair.own][pair.other]);
      }
      learner.keep();
    }
    if (learner.updates == before) break;
  }
  return learner;
}

Vector placed(const AttributeWeights<double>& weights, const JointData& data, const FullProblem& full) {
  const std::size_t width = full.x[0].size();
  Vector w(full.attributes[0].size() * width, 0);
  for (Index f = 0; f < weights.features(); ++f) {
    weights.for_each(f, [&](std::int32_t z, double value) {
      const auto node = static_cast<std::size_t>(data.problem.attributes.nodes[static_cast<std::size_t>(z)]);
      w[node * width + static_cast<std::size_t>(data.rows.features[static_cast<std::size_t>(f)])] = value;
    });
  }
  return w;
}

void expect_near(const Vector& a, const Vector& b, const std::string& name) {
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9 * std::max(1.0, std::abs(b[k]))) << name;
}

// body(case, problem) says whether the two learners could be compared: where a tie is decided by rounding, two right
// programs part. That is rare.
template <class Body>
void for_each_case(int count, Body&& body) {
  int cases = 0;
  int compared = 0;
  for (int k = 0; k < count; ++k) {
    const JointCase c = joint_case(k);
    const FullProblem full = full_problem(c);
    if (!is_learnable(full)) continue;
    ++cases;
    compared += body(c, full) ? 1 : 0;
  }
  EXPECT_GT(compared, cases * 8 / 10) << "of " << cases;
}

TEST(OnlineLearner, ThePerceptronIsThatOfTheDefinition) {
  for_each_case(120, [](const JointCase& c, const FullProblem& full) -> bool {
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(c, ctx);
    LinearScores<double> scores(data.rows, data.problem.attributes.count);
    const OnlineResult result = learn_online(data.problem, scores, perceptron_rule(data.problem), 0,
                                             {.epochs = 4, .is_averaged = true, .weight = {}}, ctx);
    const PlainLearner plain = plain_perceptron(full, 4);
    EXPECT_EQ(result.updates, plain.updates) << c.name;
    EXPECT_EQ(static_cast<double>(result.steps), plain.steps);
    expect_near(placed(scores.weights(), data, full), plain.w, c.name);
    // The mean of all weights, by the lazy sum.
    Vector mean = placed(scores.weights(), data, full);
    const Vector lagged = scores.lagged() ? placed(*scores.lagged(), data, full) : Vector(mean.size(), 0);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = ((plain.steps + 1) * mean[k] - lagged[k]) / plain.steps;
    expect_near(mean, plain.mean(), c.name);
    return true;
  });
}

// Whether the weights of a feature or of an attribute lie side by side; the second goes on from a state half-way.
TEST(OnlineLearner, WeightsByAttributeAreThoseByFeature) {
  for_each_case(60, [](const JointCase& c, const FullProblem& full) -> bool {
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(c, ctx);
    const Index attributes = data.problem.attributes.count;
    LinearScores<double> by_feature(data.rows, attributes);
    const StepRule rule = perceptron_rule(data.problem);
    const OnlineResult once =
        learn_online(data.problem, by_feature, rule, 0, {.epochs = 4, .is_averaged = true, .weight = {}}, ctx);
    DenseScores<double> first(data.rows, attributes);
    const OnlineOptions half{.epochs = 2, .is_averaged = true, .weight = {}};
    const OnlineResult begun = learn_online(data.problem, first, rule, 0, half, ctx);
    if (begun.epochs < 2) return begun.updates == once.updates;
    DenseScores<double> second(data.rows, attributes);
    second.start_from(first.weights(), first.lagged());
    const OnlineResult ended = learn_online(data.problem, second, rule, begun.steps, half, ctx);
    if (begun.updates + ended.updates != once.updates) return false;
    expect_near(placed(second.weights(), data, full), placed(by_feature.weights(), data, full), c.name);
    EXPECT_EQ(second.lagged().has_value(), by_feature.lagged().has_value());
    if (!by_feature.lagged()) return true;
    expect_near(placed(*second.lagged(), data, full), placed(*by_feature.lagged(), data, full), c.name);
    return true;
  });
}

TEST(OnlineLearner, TheDualFormIsThePrimalOne) {
  for_each_case(60, [](const JointCase& c, const FullProblem& full) -> bool {
    Context ctx({.threads = 2});
    const JointData data = joint_data_of(c, ctx);
    LinearScores<double> primal(data.rows, data.problem.attributes.count);
    const OnlineOptions options{.epochs = 3, .is_averaged = false, .weight = {}};
    const OnlineResult first = learn_online(data.problem, primal, perceptron_rule(data.problem), 0, options, ctx);
    std::vector<Index> all(static_cast<std::size_t>(c.data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    const KernelOptions inner{.kind = KernelKind::kLinear, .gamma = 1};
    const KernelSamples samples(c.data, all, inner, true, ctx);
    KernelScores dual(samples, inner, data.problem.attributes.count, ctx);
    const OnlineResult second = learn_online(data.problem, dual, perceptron_rule(data.problem), 0, options, ctx);
    if (first.updates != second.updates) return false;
    LinearScores<double> weights(data.rows, data.problem.attributes.count);
    for (Index i = 0; i < data.rows.rows(); ++i) weights.add(i, dual.coefficients()[static_cast<std::size_t>(i)]);
    expect_near(placed(weights.weights(), data, full), placed(primal.weights(), data, full), c.name);
    return true;
  });
}

TEST(OnlineLearner, MinoverTakesTheWorstSampleOfAll) {
  for_each_case(80, [](const JointCase& c, const FullProblem& full) -> bool {
    Context ctx({.threads = 2});
    const JointData data = joint_data_of(c, ctx);
    std::vector<Index> all(static_cast<std::size_t>(c.data.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    const KernelOptions inner{.kind = KernelKind::kLinear, .gamma = 1};
    const KernelSamples samples(c.data, all, inner, true, ctx);
    KernelScores scores(samples, inner, data.problem.attributes.count, ctx);
    constexpr int kEpochs = 2;
    const OnlineResult result =
        learn_minover(data.problem, scores, {.epochs = kEpochs, .is_averaged = false, .weight = {}}, ctx);

    PlainLearner plain(full);
    bool is_separated = false;
    while (plain.updates < kEpochs * c.data.samples() && !is_separated) {
      std::size_t worst = full.x.size();
      bool has_zeros = false;  // not ranked rightly, whatever is learnt
      for (std::size_t i = 0; i < full.x.size(); ++i) {
        has_zeros = has_zeros || plain.is_zero(i);
        if (plain.is_zero(i)) continue;
        if (worst == full.x.size() || plain.worst(i).margin < plain.worst(worst).margin - 1e-9) worst = i;
      }
      if (worst == full.x.size() || plain.worst(worst).margin > 1e-9) {
        is_separated = !has_zeros;
        break;
      }
      const auto pair = plain.worst(worst);
      plain.step(worst, pair.own, pair.other, full.loss[pair.own][pair.other]);
    }
    EXPECT_EQ(result.is_separated, is_separated) << c.name;
    if (result.updates != plain.updates) return false;
    LinearScores<double> weights(data.rows, data.problem.attributes.count);
    for (Index i = 0; i < data.rows.rows(); ++i) weights.add(i, scores.coefficients()[static_cast<std::size_t>(i)]);
    Vector found = placed(weights.weights(), data, full);
    double difference = 0;
    for (std::size_t k = 0; k < found.size(); ++k) difference = std::max(difference, std::abs(found[k] - plain.w[k]));
    EXPECT_LT(difference, 1e-9) << c.name;
    return true;
  });
}

// Hieron's pair for a sample of a tree with one label, as published; classes.size(): no step.
PlainLearner::Pair published_pair(const PlainLearner& plain, std::size_t i, bool on_every_loss) {
  const FullProblem& full = plain.full;
  const std::size_t y = full.own[i][0];
  std::size_t best = full.classes.size();
  double height = 0;
  for (std::size_t r = 0; r < full.classes.size(); ++r) {
    if (on_every_loss && r == y) continue;
    const double here = plain.score(i, r) + (on_every_loss ? std::sqrt(full.loss[y][r]) : 0);
    if (best < full.classes.size() && here <= height + 1e-9) continue;
    best = r;
    height = here;
  }
  return {y, best == y ? full.classes.size() : best};
}

// The same for several labels and DAGs: the pair with the largest hinge, or the worst of the ranking.
PlainLearner::Pair extended_pair(const PlainLearner& plain, std::size_t i, bool on_every_loss) {
  const FullProblem& full = plain.full;
  const std::size_t none = full.classes.size();
  if (!on_every_loss) {
    const PlainLearner::Pair pair = plain.worst(i);
    const bool is_first = pair.margin > 1e-9 || (pair.margin > -1e-9 && pair.own < pair.other);
    return {pair.own, is_first ? none : pair.other};
  }
  PlainLearner::Pair pair{none, none};
  double most = 0;
  for (std::size_t y = 0; y < none; ++y) {
    for (std::size_t r = 0; r < none; ++r) {
      if (!full.has(i, y) || full.has(i, r)) continue;
      const double hinge = plain.score(i, r) - plain.score(i, y) + std::sqrt(full.loss[y][r]);
      if (hinge <= most + 1e-9) continue;
      most = hinge;
      pair = {y, r};
    }
  }
  return pair;
}

TEST(OnlineLearner, HieronIsThatOfTheDefinition) {
  int published = 0;
  int extended = 0;
  for_each_case(160, [&](const JointCase& c, const FullProblem& /*full*/) -> bool {
    const bool is_published = c.data.taxonomy().is_tree() && !has_several_labels(c.data);
    ++(is_published ? published : extended);
    for (const bool on_every_loss : {false, true}) {
      Context ctx({.threads = 1});
      JointCase own = c;
      own.hierarchy = {};
      JointData data = joint_data_of(own, ctx);
      std::ranges::fill(data.problem.attributes.value, 1.0);
      FullProblem whole = full_problem(own);
      for (std::size_t y = 0; y < whole.classes.size(); ++y) {
        const auto above = testing::with_ancestors(c.data.taxonomy(), whole.classes[y]);
        for (std::size_t z = 0; z < whole.attributes[y].size(); ++z) {
          whole.attributes[y][z] = above.contains(static_cast<NodeId>(z)) ? 1 : 0;
        }
      }
      LinearScores<double> scores(data.rows, data.problem.attributes.count);
      const OnlineResult result = learn_online(data.problem, scores, hieron_rule(data.problem, on_every_loss), 0,
                                               {.epochs = 3, .is_averaged = false, .weight = {}}, ctx);
      PlainLearner plain(whole);
      for (int epoch = 0; epoch < 3; ++epoch) {
        const Index before = plain.updates;
        for (std::size_t i = 0; i < whole.x.size(); ++i) {
          const auto pair =
              is_published ? published_pair(plain, i, on_every_loss) : extended_pair(plain, i, on_every_loss);
          if (pair.other == whole.classes.size() || plain.is_zero(i)) continue;
          const double hinge =
              plain.score(i, pair.other) - plain.score(i, pair.own) + std::sqrt(whole.loss[pair.own][pair.other]);
          if (hinge <= 1e-9) continue;
          double unshared = 0;  // |anc(y) without anc(r)| + |anc(r) without anc(y)|
          for (std::size_t z = 0; z < whole.attributes[0].size(); ++z) {
            unshared += whole.attributes[pair.own][z] != whole.attributes[pair.other][z] ? 1 : 0;
          }
          double square = 0;
          for (const double v : whole.x[i]) square += v * v;
          plain.step(i, pair.own, pair.other, hinge / (unshared * square));
        }
        if (plain.updates == before) break;
      }
      if (result.updates != plain.updates) return false;
      expect_near(placed(scores.weights(), data, whole), plain.w, c.name);
    }
    return true;
  });
  EXPECT_GT(published, 20);
  EXPECT_GT(extended, 60);
}

// A step of hieron is just long enough: afterwards the hinge loss of the sample is 0.
TEST(OnlineLearner, AStepOfHieronMeetsItsMargin) {
  const JointCase c = joint_case(11);  // a DAG, several labels
  ASSERT_TRUE(!c.data.taxonomy().is_tree() && has_several_labels(c.data));
  Context ctx({.threads = 1});
  JointData data = joint_data_of({c.data, {}, "DAG"}, ctx);
  std::ranges::fill(data.problem.attributes.value, 1.0);
  LinearScores<double> scores(data.rows, data.problem.attributes.count);
  const ClassScorer scorer(data.problem.attributes);
  Vector outputs(static_cast<std::size_t>(scores.stride()));
  Vector values(data.problem.classes.size());
  const StepRule rule = hieron_rule(data.problem, true);
  std::vector<AttributeChange> changes;
  int steps = 0;
  for (Index i = 0; i < data.rows.rows(); ++i) {
    scores.outputs(i, outputs.data());
    scorer.scores(outputs.data(), values.data());
    const OnlineStep step = rule(values, data.problem.labels.of(i), scores.square(i));
    if (step.size == 0) continue;
    ++steps;
    changes_of(data.problem.attributes, step, changes);
    scores.add(i, changes);
    scores.outputs(i, outputs.data());
    scorer.scores(outputs.data(), values.data());
    EXPECT_NEAR(values[static_cast<std::size_t>(step.own)] - values[static_cast<std::size_t>(step.other)],
                std::sqrt(data.problem.loss.of(step.own, step.other)), 1e-12);
  }
  EXPECT_GT(steps, 0);
}

// Data that some weights rank with a margin: samples are kept if they do.
struct Separable {
  JointCase c;
  double margin;  // of weights of length 1
};
Separable separable(std::uint64_t seed) {
  RandomDataOptions options{
      .samples = 200, .features = 6, .nodes = 9, .dag = seed % 2 == 1, .density = 1, .seed = seed};
  JointCase whole{random_dataset(options), {}, "seed " + std::to_string(seed)};
  const FullProblem full = full_problem(whole);
  RandomStream random(seed, {kTestStream, 9});
  PlainLearner truth(full);
  double square = 0;
  for (double& v : truth.w) {
    v = random.normal();
    square += v * v;
  }
  for (double& v : truth.w) v /= std::sqrt(square);
  LabelSets labels;
  std::vector<Index> kept;
  double least = 1e300;
  for (std::size_t i = 0; i < full.x.size() && kept.size() < 25; ++i) {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t y = 0; y < full.classes.size(); ++y) ranked.emplace_back(truth.score(i, y), y);
    std::sort(ranked.rbegin(), ranked.rend());
    const double margin = ranked[0].first - ranked[1].first;
    if (margin < 0.1) continue;
    least = std::min(least, margin);
    kept.push_back(static_cast<Index>(i));
    labels.nodes.push_back(full.classes[ranked[0].second]);
    labels.offsets.push_back(std::ssize(labels.nodes));
  }
  return {{whole.data.subset(kept).relabelled(whole.data.taxonomy(), std::move(labels)), {}, whole.name}, least};
}

// Proposition 5: at most (2 Delta_max R P / (Delta_min gamma))^2 updates on separable data.
TEST(OnlineLearner, UpdatesStayBelowTheBound) {
  int cases = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Separable s = separable(seed);
    const FullProblem full = full_problem(s.c);
    if (s.c.data.samples() < 5 || !is_learnable(full)) continue;
    ++cases;
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(s.c, ctx);
    LinearScores<double> scores(data.rows, data.problem.attributes.count);
    const OnlineResult result = learn_online(data.problem, scores, perceptron_rule(data.problem), 0,
                                             {.epochs = 100000, .is_averaged = false, .weight = {}}, ctx);
    double radius = 0;
    for (Index i = 0; i < scores.samples(); ++i) radius = std::max(radius, std::sqrt(scores.square(i)));
    double length = 0;
    for (Index y = 0; y < data.problem.loss.classes(); ++y) {
      length = std::max(length, std::sqrt(similarity(data.problem.attributes, y, y)));
    }
    const double bound =
        std::pow(2 * data.problem.loss.largest() * radius * length / (data.problem.loss.smallest() * s.margin), 2);
    EXPECT_TRUE(result.is_separated) << s.c.name;
    EXPECT_LE(static_cast<double>(result.updates), bound) << s.c.name;
  }
  EXPECT_GT(cases, 15);
}

Dataset texts(std::uint64_t seed) {
  constexpr Index kSamples = 120;
  constexpr Index kWords = 400;
  RandomStream random(seed, {kTestStream, 10});
  Dataset::Parts parts;
  parts.taxonomy = random_taxonomy(10, false, seed);
  const auto leaves = parts.taxonomy->leaves();
  DenseMatrix<double> counts{kSamples, kWords, Buffer<double>(kSamples * kWords)};
  std::fill(counts.values.begin(), counts.values.end(), 0.0);
  for (Index s = 0; s < kSamples; ++s) {
    const Index y = random.below(std::ssize(leaves));
    parts.labels.nodes.push_back(leaves[static_cast<std::size_t>(y)]);
    parts.labels.offsets.push_back(s + 1);
    for (int token = 0; token < 40; ++token) {
      const bool is_telling = random.uniform() < 0.25;
      const Index word = is_telling ? (y * 20 + random.below(20)) % kWords : random.below(kWords);
      counts.values[s * kWords + word] += 1;
    }
  }
  parts.features = std::move(counts);
  return Dataset(std::move(parts));
}

// Thesis, 7.5.1: minover comes to a solution with fewer variables that are not zero.
TEST(OnlineLearner, MinoverNeedsFewerVariablesThanOnline) {
  double online = 0;
  double minover = 0;
  // As texts are: many features, few in each sample, a few of them telling of the class.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Dataset data_set = texts(seed);
    Context ctx({.threads = 1});
    const JointData data = joint_data_of({data_set, {}, "texts"}, ctx);
    std::vector<Index> all(static_cast<std::size_t>(data_set.samples()));
    std::iota(all.begin(), all.end(), Index{0});
    const KernelOptions inner{.kind = KernelKind::kLinear, .gamma = 1};
    const KernelSamples samples(data_set, all, inner, true, ctx);
    const OnlineOptions to_the_end{.epochs = 100000, .is_averaged = false, .weight = {}};
    KernelScores first(samples, inner, data.problem.attributes.count, ctx);
    KernelScores second(samples, inner, data.problem.attributes.count, ctx);
    const OnlineResult one = learn_online(data.problem, first, perceptron_rule(data.problem), 0, to_the_end, ctx);
    const OnlineResult other = learn_minover(data.problem, second, to_the_end, ctx);
    EXPECT_TRUE(one.is_separated && other.is_separated);
    online += static_cast<double>(one.active);
    minover += static_cast<double>(other.active);
  }
  EXPECT_LT(minover, online);
}

}  // namespace
}  // namespace clade
