#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <sstream>
#include <thread>

#include "classify/kernel_expansion.h"
#include "classify/train.h"
#include "data/random_data.h"
#include "model/array_file.h"
#include "model/model_check.h"
#include "model/random_model.h"
#include "taxonomy/restore.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::HasSubstr;

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(a, b);
}

template <class Variant>
bool same_variant(const Variant& a, const Variant& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&](auto values) { return same(values, std::get<decltype(values)>(b)); }, a);
}

void expect_same(const LinearOutputs& a, const LinearOutputs& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_TRUE(same(a.features, b.features));
  // No features: no offsets, or the one that they begin with.
  const auto offsets = [](const LinearOutputs& linear) {
    return linear.offsets.empty() ? std::vector<std::uint32_t>{0}
                                  : std::vector<std::uint32_t>(linear.offsets.begin(), linear.offsets.end());
  };
  EXPECT_EQ(offsets(a), offsets(b));
  EXPECT_TRUE(same(a.bias, b.bias));
  EXPECT_TRUE(same_variant(a.outputs, b.outputs));
  EXPECT_TRUE(same_variant(a.weights, b.weights));
}

void expect_same(const NodeClassifier& a, const NodeClassifier& b) {
  EXPECT_EQ(a.node, b.node);
  EXPECT_EQ(a.children, b.children);
  EXPECT_EQ(a.decision, b.decision);
  EXPECT_EQ(a.temperature, b.temperature);
  EXPECT_EQ(a.samples, b.samples);
  expect_same(a.linear, b.linear);
  ASSERT_EQ(a.calibration.size(), b.calibration.size());
  for (std::size_t k = 0; k < a.calibration.size(); ++k) {
    EXPECT_EQ(a.calibration[k].kind, b.calibration[k].kind);
    EXPECT_EQ(a.calibration[k].at, b.calibration[k].at);
    EXPECT_EQ(a.calibration[k].value, b.calibration[k].value);
  }
}

void expect_same(const TextVectorizer& a, const TextVectorizer& b) {
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.document_frequency, b.document_frequency);
  EXPECT_EQ(a.documents, b.documents);
  EXPECT_EQ(a.options.stem, b.options.stem);
  EXPECT_EQ(a.options.weight, b.options.weight);
  EXPECT_EQ(a.options.stop_words, b.options.stop_words);
  EXPECT_EQ(a.options.sequences, b.options.sequences);
}

void expect_same(const Taxonomy& a, const Taxonomy& b) {
  EXPECT_TRUE(a == b);
  for (NodeId node = 0; node < a.size(); ++node) {
    EXPECT_EQ(a.name(node), b.name(node));
    EXPECT_EQ(a.input_position(node), b.input_position(node));
    EXPECT_EQ(a.is_miscellaneous(node), b.is_miscellaneous(node));
    EXPECT_TRUE(std::ranges::equal(a.parents(node), b.parents(node)));
  }
}

void expect_same(const ClassAttributes& a, const ClassAttributes& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.value, b.value);
}

void expect_same(const KernelExpansion& a, const KernelExpansion& b) {
  KernelOptions options_a = a.options;
  KernelOptions options_b = b.options;
  const ParameterTable table_a(options_a);
  const ParameterTable table_b(options_b);
  for (std::size_t k = 0; k < table_a.parameters().size(); ++k) {
    EXPECT_EQ(table_a.parameters()[k].get(), table_b.parameters()[k].get());
  }
  ASSERT_EQ(a.support.size(), b.support.size());
  std::vector<Index> all(static_cast<std::size_t>(a.support.size()));
  std::iota(all.begin(), all.end(), Index{0});
  const KernelArrays support_a = a.support.arrays(all);
  const KernelArrays support_b = b.support.arrays(all);
  EXPECT_EQ(support_a.width, support_b.width);
  EXPECT_EQ(support_a.offsets, support_b.offsets);
  EXPECT_EQ(support_a.columns, support_b.columns);
  EXPECT_EQ(support_a.values, support_b.values);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.attributes, b.attributes);
  EXPECT_EQ(a.values, b.values);
}

void expect_same(const LearningState& a, const LearningState& b) {
  EXPECT_EQ(a.steps, b.steps);
  expect_same(a.weights, b.weights);
  expect_same(a.lagged, b.lagged);
  EXPECT_EQ(a.scale_mean, b.scale_mean);
  EXPECT_EQ(a.scale_factor, b.scale_factor);
  EXPECT_EQ(a.allowed, b.allowed);
}

void expect_same(const ModelBody& a, const ModelBody& b) {
  EXPECT_EQ(a.classifier, b.classifier);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.kind, b.kind);
  expect_same(*a.taxonomy, *b.taxonomy);
  EXPECT_EQ(a.features, b.features);
  EXPECT_EQ(a.feature_names, b.feature_names);
  ASSERT_EQ(a.vectorizer == nullptr, b.vectorizer == nullptr);
  if (a.vectorizer) expect_same(*a.vectorizer, *b.vectorizer);
  EXPECT_EQ(a.has_unit_rows, b.has_unit_rows);
  EXPECT_EQ(a.has_probabilities, b.has_probabilities);
  EXPECT_EQ(a.is_multilabel, b.is_multilabel);
  EXPECT_EQ(a.level_weights, b.level_weights);
  expect_same(a.attributes, b.attributes);
  EXPECT_EQ(a.threshold, b.threshold);
  ASSERT_EQ(a.kernel == nullptr, b.kernel == nullptr);
  if (a.kernel) expect_same(*a.kernel, *b.kernel);
  ASSERT_EQ(a.state.has_value(), b.state.has_value());
  if (a.state) expect_same(*a.state, *b.state);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(b.seconds, 0);  // files do not depend on how long training took
  EXPECT_EQ(a.summary, b.summary);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t k = 0; k < a.nodes.size(); ++k) expect_same(a.nodes[k], b.nodes[k]);
}

// Every combination of the choices that matter, each with a seed of its own.
std::vector<RandomModel> random_cases(unsigned count) {
  std::vector<RandomModel> cases;
  for (unsigned k = 0; k < count; ++k) {
    std::mt19937 random(k + 100);
    const auto coin = [&] { return random() % 2 == 0; };
    cases.push_back({.seed = k + 1,
                     .nodes = static_cast<NodeId>(2 + random() % 30),
                     .features = static_cast<Index>(1 + random() % 40),
                     .dag = coin(),
                     .miscellaneous = coin(),
                     .names = coin(),
                     .vectorizer = coin(),
                     .calibration = coin(),
                     .double_weights = coin(),
                     .wide_outputs = coin(),
                     .votes = coin(),
                     .paths = random() % 4 == 0});
    if (cases.back().paths) cases.back().votes = false;
  }
  return cases;
}

std::string bytes_of(const ModelBody& model) {
  StringSink sink;
  write_model(model, sink);
  return sink.text();
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput) << error.what();
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
  return "";
}

std::string refusal_of(const std::string& bytes) {
  return refusal([&] { parse_model(Input::from_bytes("m.clade", bytes)); });
}

ModelBody small_model() {
  return random_model(
      {.seed = 3, .nodes = 6, .features = 5, .miscellaneous = true, .vectorizer = true, .calibration = true});
}

TEST(ModelFile, ComesBackAsItWas) {
  const TemporaryFolder folder;
  for (const RandomModel& wanted : random_cases(200)) {
    SCOPED_TRACE(wanted.seed);
    const ModelBody model = random_model(wanted);
    const std::string path = folder.file("model.clade");
    write_model(model, path, true);
    EXPECT_TRUE(looks_like_model(path));
    const ModelBody again = read_model_body(path);
    expect_same(model, again);
    for (const NodeClassifier& node : again.nodes) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(node.linear.bias.data()) % 64, 0U);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(node.linear.features.data()) % 64, 0U);
      EXPECT_EQ(again.at(node.node), &node);
    }
    EXPECT_EQ(bytes_of(again), bytes_of(model));
  }
}

// Attributes, thresholds, kernels and what an online learner goes on from: models as they are trained.
TEST(ModelFile, JointModelsComeBackAsTheyWere) {
  const TemporaryFolder folder;
  struct Method {
    std::string classifier;
    Parameters parameters;
  };
  const std::vector<Method> methods = {{"hierarchical-svm", {{"learn-threshold", "yes"}}},
                                       {"flat-svm", {{"kernel", "rbf"}}},
                                       {"hierarchical-perceptron", {{"kernel", "polynomial"}, {"degree", "3"}}},
                                       {"hierarchical-perceptron", {{"bias", "1"}}},
                                       {"flat-perceptron", {{"variant", "online"}}},
                                       {"hieron", {}},
                                       {"path-svm", {}},
                                       {"top-down-logistic", {}},
                                       {"top-down-svm", {{"calibrate", "isotonic"}}}};
  Context ctx({.threads = 1});
  const Dataset data = random_dataset({.samples = 40, .nodes = 9, .seed = 3});
  for (const Method& method : methods) {
    SCOPED_TRACE(method.classifier);
    const ModelBody model = train_model(data, {.classifier = method.classifier, .parameters = method.parameters}, ctx);
    const std::string path = folder.file("model.clade");
    write_model(model, path, true);
    const ModelBody again = read_model_body(path);
    expect_same(model, again);
    EXPECT_EQ(bytes_of(again), bytes_of(model));
  }
}

TEST(ModelFile, OfSequences) {
  ModelBody model = random_model({.seed = 5, .nodes = 9});
  auto sequences = std::make_shared<TextVectorizer>();
  sequences->options.sequences = true;
  sequences->documents = 12;
  model.vectorizer = sequences;
  const ModelBody again = parse_model(Input::from_bytes("m.clade", bytes_of(model)));
  expect_same(model, again);
  EXPECT_TRUE(again.vectorizer->options.sequences);
  // Words are for models of words, one for each feature.
  auto words = std::make_shared<TextVectorizer>(*random_model({.seed = 5, .nodes = 9, .vectorizer = true}).vectorizer);
  words->options.sequences = true;
  model.vectorizer = words;
  EXPECT_THAT(refusal([&] { bytes_of(model); }), HasSubstr("words in a model of sequences"));
  auto none = std::make_shared<TextVectorizer>(*sequences);
  none->options.sequences = false;
  model.vectorizer = none;
  EXPECT_THAT(refusal([&] { bytes_of(model); }), HasSubstr("the words do not fit the features"));
}

TEST(ModelFile, NodesAreFoundById) {
  const ModelBody model = random_model({.seed = 5, .nodes = 40});
  for (NodeId node = -1; node <= model.taxonomy->size(); ++node) {
    const NodeClassifier* expected = nullptr;
    for (const NodeClassifier& other : model.nodes) {
      if (other.node == node) expected = &other;
    }
    EXPECT_EQ(model.at(node), expected);
  }
}

TEST(ModelFile, OutlivesItsFile) {
  const TemporaryFolder folder;
  const ModelBody model = small_model();
  const std::string path = folder.file("model.clade");
  write_model(model, path, false);
  const ModelBody again = read_model_body(path);
  write_model(random_model({.seed = 9}), path, true);  // replaced, not overwritten in place
  expect_same(model, again);
  std::filesystem::remove(path);
  expect_same(model, again);
}

TEST(ModelFile, SpansWithoutOffsetsAreWrittenAsNoFeatures) {
  ModelBody model = random_model({.seed = 2, .nodes = 2});
  model.nodes[0].linear = {};
  const std::string bytes = bytes_of(model);
  const ModelBody again = parse_model(Input::from_bytes("m", bytes));
  ASSERT_EQ(again.nodes[0].linear.offsets.size(), 1U);
  EXPECT_EQ(again.nodes[0].linear.offsets[0], 0);
}

TEST(ModelFile, EveryFlippedByteIsFound) {
  std::string bytes = bytes_of(small_model());
  ASSERT_EQ(refusal_of(bytes), "");
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned flip : {1U, 0x80U, 0xffU}) {
      const char old = bytes[at];
      bytes[at] = static_cast<char>(static_cast<unsigned char>(old) ^ flip);
      EXPECT_NE(refusal_of(bytes), "") << "byte " << at << " flipped by " << flip;
      bytes[at] = old;
    }
  }
}

TEST(ModelFile, EveryTruncationIsFound) {
  const std::string bytes = bytes_of(small_model());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string refused = refusal_of(bytes.substr(0, size));
    EXPECT_THAT(refused, HasSubstr(size == 0 ? "m.clade: is not a model" : "m.clade: the file is truncated"));
  }
  EXPECT_THAT(refusal_of(bytes + "x"), HasSubstr("1 bytes too many"));
}

TEST(ModelFile, SaysWhatIsWrong) {
  std::string bytes = bytes_of(small_model());
  EXPECT_EQ(refusal_of("sample,label\n"), "m.clade: is not a model; expected a file written by clade train");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  EXPECT_THAT(refusal_of(bytes), HasSubstr("m.clade: wrong checksum: a byte has changed; "));

  std::string newer = bytes_of(small_model());
  newer[12] = 3;
  EXPECT_EQ(refusal_of(newer),
            "m.clade: format version 3, written by a newer Clade; this Clade reads versions up to 2");
  std::string other_order = bytes_of(small_model());
  std::reverse(other_order.begin() + 8, other_order.begin() + 12);
  EXPECT_THAT(refusal_of(other_order), HasSubstr("another byte order"));
}

TEST(ModelFile, ExistingFilesStayWithoutTheFlag) {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.clade", "precious");
  EXPECT_THAT(refusal([&] { write_model(small_model(), path, false); }), HasSubstr("exists already"));
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), "precious");
  EXPECT_FALSE(looks_like_model(path));
  write_model(small_model(), path, true);
  EXPECT_TRUE(looks_like_model(path));
  EXPECT_FALSE(looks_like_model(folder.path()));
  EXPECT_FALSE(looks_like_model(folder.file("nothing")));
  EXPECT_THAT(refusal([&] { read_model_body(folder.file("nothing")); }), HasSubstr("no such file"));
}

TEST(ModelFile, TwoReadersAtOnce) {
  const TemporaryFolder folder;
  const ModelBody model = random_model({.seed = 8, .nodes = 40, .features = 300, .names = true});
  const std::string path = folder.file("model.clade");
  write_model(model, path, false);
  std::vector<ModelBody> read(2);
  std::thread first([&] { read[0] = read_model_body(path); });
  std::thread second([&] { read[1] = read_model_body(path); });
  first.join();
  second.join();
  expect_same(model, read[0]);
  expect_same(model, read[1]);
}

// Content that is wrong although the checksum is right: changes a model in a way that its file could say.
TEST(ModelFile, InconsistentContentIsRefused) {
  const ModelBody good = random_model({.seed = 4, .nodes = 12, .calibration = true});
  ASSERT_GT(good.nodes.size(), 2U);
  const auto refused = [&](const std::function<void(ModelBody&)>& change) {
    ModelBody model = good;
    change(model);
    return refusal([&] { check_model(model, {.file = "m"}); });
  };
  EXPECT_EQ(refused([](ModelBody&) {}), "");
  const std::vector<FeatureIndex> falling{3, 2};
  const std::vector<std::uint32_t> backwards{0, 2, 1};
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const std::vector<float> weights{odd};
    EXPECT_THAT(refused([&](ModelBody& m) { m.nodes[0].linear.weights = std::span<const float>(weights); }),
                HasSubstr("a weight that is not finite"));
  }
  EXPECT_THAT(refused([](ModelBody& m) { m.features = 3; }), HasSubstr("a feature that does not exist"));
  EXPECT_THAT(refused([](ModelBody& m) { std::swap(m.nodes[0], m.nodes[1]); }), HasSubstr("out of order"));
  EXPECT_THAT(refused([](ModelBody& m) { m.nodes[1].node = 1000; }), HasSubstr("out of order"));
  EXPECT_THAT(refused([](ModelBody& m) { m.nodes[0].children.back() = 1000; }), HasSubstr("bad children"));
  EXPECT_THAT(refused([](ModelBody& m) { m.nodes[0].linear.count = 1; }), HasSubstr("outputs for"));
  EXPECT_THAT(refused([](ModelBody& m) { m.nodes[0].temperature = 0; }), HasSubstr("temperature"));
  EXPECT_THAT(refused([](ModelBody& m) { m.nodes[0].calibration.pop_back(); }), HasSubstr("calibrations"));
  EXPECT_THAT(refused([](ModelBody& m) { m.kind = ModelKind::kPaths; }), HasSubstr("level weights"));
  EXPECT_THAT(refused([](ModelBody& m) { m.feature_names = {"a"}; }), HasSubstr("names"));
  EXPECT_THAT(refused([](ModelBody& m) { m.taxonomy.reset(); }), HasSubstr("no hierarchy"));
  EXPECT_THAT(refused([&](ModelBody& m) { m.nodes[0].linear.features = falling; }), HasSubstr("features out of order"));
  EXPECT_THAT(refused([&](ModelBody& m) { m.nodes[0].linear.offsets = backwards; }), HasSubstr("bad offsets"));
}

// Every byte of the content, changed and sealed again: read or refused, but never out of bounds (sanitizers look).
TEST(ModelFile, SealedNonsenseIsReadOrRefused) {
  const std::string good = bytes_of(small_model());
  int read = 0;
  for (std::size_t at = 24; at + 8 < good.size(); ++at) {
    for (const unsigned flip : {1U, 0xffU}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
      seal_array_file(bytes);
      if (refusal_of(bytes).empty()) ++read;
    }
  }
  EXPECT_GT(read, 100);  // weights, names and paddings may be anything
}

TEST(ModelFile, HierarchiesThatAreNoneAreRefused) {
  const TaxonomyShape good = shape_of(*random_model({.seed = 3, .nodes = 8, .miscellaneous = true}).taxonomy);
  const auto refused = [&](const std::function<void(TaxonomyShape&)>& change) {
    TaxonomyShape shape = good;
    change(shape);
    return refusal([&] { restore_taxonomy(std::move(shape), {.file = "m"}); });
  };
  EXPECT_EQ(refused([](TaxonomyShape&) {}), "");
  EXPECT_EQ(refused([](TaxonomyShape& s) { std::reverse(s.edges.begin(), s.edges.end()); }), "");
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.names[4] = s.names[2]; }), HasSubstr("two nodes are named '"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.edges.push_back(s.edges[0]); }), HasSubstr("given twice"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.edges.pop_back(); }), HasSubstr("without a parent"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.edges.emplace_back(5, 4); }), HasSubstr("cannot have one"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.edges.emplace_back(-1, 4); }), HasSubstr("cannot have one"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.edges.emplace_back(0, 4000); }), HasSubstr("cannot have one"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.input_position[1] = s.input_position[2]; }), HasSubstr("not an order"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.input_position.pop_back(); }), HasSubstr("positions"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s.first_miscellaneous = 2; }), HasSubstr("miscellaneous"));
  EXPECT_THAT(refused([](TaxonomyShape& s) { s = {}; }), HasSubstr("no node"));
}

TEST(ModelFile, OutputsAreCheckedInTheFile) {
  const ModelBody model = random_model({.seed = 4, .nodes = 4, .wide_outputs = true});
  std::string bytes = bytes_of(model);
  const auto outputs = std::get<1>(model.nodes[0].linear.outputs);
  ASSERT_GT(outputs.size(), 8U);
  const std::string pattern(reinterpret_cast<const char*>(outputs.data()), outputs.size_bytes());
  const std::size_t at = bytes.find(pattern);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = 1;
  seal_array_file(bytes);
  EXPECT_THAT(refusal_of(bytes), HasSubstr("a weight of an output that does not exist"));
}

}  // namespace
}  // namespace clade
