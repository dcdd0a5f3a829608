#include <clade/synthetic.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kDocumentsPerChunk = 1024;
constexpr Index kMostNodes = 10'000'000;
constexpr Index kMostWords = 100'000'000;  // in the vocabulary
constexpr double kMostText = 4e9;          // words in all documents
constexpr double kMostTopicWords = 1e9;    // in all nodes
constexpr std::size_t kMostLevels = 30;

// Streams are {kSynthStream, one of these, number}; synthetic_data uses 0 and 1.
constexpr std::uint64_t kTree = 2;
constexpr std::uint64_t kTopics = 3;
constexpr std::uint64_t kClassOrder = 4;
constexpr std::uint64_t kDocuments = 5;

std::size_t at(Index k) {
  return static_cast<std::size_t>(k);
}

// Draws k with probability proportional to weight k in O(1), from two candidates per cell (Walker 1977, Vose 1991).
class AliasTable {
 public:
  explicit AliasTable(const std::vector<double>& weights)
      : share_(weights.size(), 1.0), other_(weights.size()), size_(static_cast<double>(weights.size())) {
    std::iota(other_.begin(), other_.end(), 0);
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / size_;
    std::vector<double> left;
    std::vector<std::size_t> small;
    std::vector<std::size_t> large;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      left.push_back(weights[k] / mean);
      (left[k] < 1 ? small : large).push_back(k);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t k = small.back();
      const std::size_t from = large.back();
      small.pop_back();
      share_[k] = left[k];
      other_[k] = static_cast<Index>(from);
      left[from] -= 1 - left[k];
      if (left[from] >= 1) continue;
      large.pop_back();
      small.push_back(from);
    }
  }

  Index draw(RandomStream& random) const {
    const double u = random.uniform() * size_;
    const auto cell = std::min(static_cast<std::size_t>(u), share_.size() - 1);
    return u - static_cast<double>(cell) < share_[cell] ? static_cast<Index>(cell) : other_[cell];
  }

 private:
  std::vector<double> share_;
  std::vector<Index> other_;
  double size_;
};

// Weights (k + shift)^-power: few are frequent, most are rare.
AliasTable zipf(Index count, double shift, double power) {
  std::vector<double> weights(at(count));
  for (Index k = 0; k < count; ++k) weights[at(k)] = std::pow(static_cast<double>(k) + shift, -power);
  return AliasTable(weights);
}

// Nodes by level. Node k of level d has the children [first_child[d][k], first_child[d][k + 1]) at level d + 1, and
// possibly others of which it is the second parent.
struct Levels {
  std::vector<std::vector<Index>> parent;
  std::vector<std::vector<Index>> second_parent;  // -1: none
  std::vector<std::vector<Index>> first_child;

  Index depth() const { return std::ssize(parent); }
  Index size(Index level) const { return std::ssize(parent[at(level)]); }
};

// Where the children of each of `parents` nodes begin. Some have more than others; each has at least two if possible.
std::vector<Index> spread(Index parents, Index children, RandomStream& random) {
  const Index least = std::min<Index>(2, children / parents);
  std::vector<double> weight_before{0};
  for (Index k = 0; k < parents; ++k) weight_before.push_back(weight_before.back() + 0.4 + random.uniform());
  std::vector<Index> first;
  const auto rest = static_cast<double>(children - least * parents);
  for (Index k = 0; k <= parents; ++k) {
    first.push_back(least * k + static_cast<Index>(rest * weight_before[at(k)] / weight_before.back()));
  }
  return first;
}

Levels make_levels(const SyntheticTextOptions& options, std::uint64_t seed) {
  Levels levels;
  for (Index d = 0; d < std::ssize(options.levels); ++d) {
    const Index size = options.levels[at(d)];
    levels.parent.emplace_back(at(size), 0);
    levels.second_parent.emplace_back(at(size), -1);
    if (d == 0) continue;
    RandomStream random(seed, {kSynthStream, kTree, static_cast<std::uint64_t>(d)});
    const Index above = levels.size(d - 1);
    levels.first_child.push_back(spread(above, size, random));
    const auto& first = levels.first_child.back();
    for (Index k = 0; k < above; ++k) {
      std::fill(levels.parent[at(d)].begin() + first[at(k)], levels.parent[at(d)].begin() + first[at(k + 1)], k);
    }
    for (Index k = 0; k < size && above > 1; ++k) {
      const bool has_two = random.uniform() < options.dag;
      const Index other = random.below(above - 1);
      if (has_two) levels.second_parent[at(d)][at(k)] = other + (other >= levels.parent[at(d)][at(k)] ? 1 : 0);
    }
  }
  return levels;
}

std::vector<std::vector<std::string>> node_names(const Levels& levels) {
  std::vector<std::vector<std::string>> names(at(levels.depth()));
  for (Index k = 0; k < levels.size(0); ++k) names[0].push_back(fmt::format("{}", k + 1));
  for (Index d = 1; d < levels.depth(); ++d) {
    for (Index k = 0; k < levels.size(d); ++k) {
      const Index parent = levels.parent[at(d)][at(k)];
      const Index place = k - levels.first_child[at(d - 1)][at(parent)];
      names[at(d)].push_back(fmt::format("{}/{}", names[at(d - 1)][at(parent)], place + 1));
    }
  }
  return names;
}

Taxonomy taxonomy_of(const Levels& levels, const std::vector<std::vector<std::string>>& names) {
  TaxonomyBuilder builder;
  builder.imply_root();
  for (const auto& level : names) {
    for (const auto& name : level) builder.node(name);
  }
  for (Index d = 1; d < levels.depth(); ++d) {
    for (Index k = 0; k < levels.size(d); ++k) {
      const auto& above = names[at(d - 1)];
      const auto& name = names[at(d)][at(k)];
      builder.edge(above[at(levels.parent[at(d)][at(k)])], name);
      const Index second = levels.second_parent[at(d)][at(k)];
      if (second >= 0) builder.edge(above[at(second)], name);
    }
  }
  return builder.build();
}

Index topic_size(const Levels& levels, Index level) {
  return 70 * (1 + 3 * (levels.depth() - 1 - level));
}

// The words that each node favours: for every level, the words of its nodes one after the other.
std::vector<std::vector<FeatureIndex>> make_topics(const Levels& levels, Index words, std::uint64_t seed) {
  const Index common = std::min<Index>(300, words / 4);  // words that belong to no node
  const auto rest = static_cast<double>(words - common);
  std::vector<std::vector<FeatureIndex>> topics;
  for (Index d = 0; d < levels.depth(); ++d) {
    RandomStream random(seed, {kSynthStream, kTopics, static_cast<std::uint64_t>(d)});
    const Index size = topic_size(levels, d);
    std::vector<FeatureIndex> topic(at(levels.size(d) * size));
    for (Index k = 0; k < levels.size(d); ++k) {
      const bool has_sibling = k > 0 && levels.parent[at(d)][at(k - 1)] == levels.parent[at(d)][at(k)];
      for (Index j = k * size; j < (k + 1) * size; ++j) {
        const bool borrows = random.uniform() < 0.4;
        const double place = rest * std::pow(random.uniform(), 1.6);
        topic[at(j)] = borrows && has_sibling ? topic[at(j - size)]
                                              : static_cast<FeatureIndex>(common + static_cast<Index>(place));
      }
    }
    topics.push_back(std::move(topic));
  }
  return topics;
}

// Pronounceable, and no English function word. A syllable has one of 16 consonants and one of 4 vowels; words of two
// syllables come first, then those of three, and so on.
std::string word_of(Index number) {
  constexpr std::string_view kConsonants = "bdfghjklmnprstvz";
  constexpr std::string_view kVowels = "aiou";
  int syllables = 2;
  Index words = 64 * 64;
  while (number >= words) {
    number -= words;
    words *= 64;
    ++syllables;
  }
  // Neighbouring numbers should not be neighbours in the alphabet; multiplying by an odd factor is a permutation.
  constexpr Index kScatter = 40503;
  Index code = number * kScatter % words;
  std::string word;
  for (int k = 0; k < syllables; ++k, code /= 64) {
    word += kConsonants[at(code % 16)];
    word += kVowels[at(code / 16 % 4)];
  }
  return word;
}

// Everything that documents have in common.
class TextModel {
 public:
  TextModel(const SyntheticTextOptions& options, std::uint64_t seed)
      : options_(options),
        seed_(seed),
        levels_(make_levels(options, seed)),
        topics_(make_topics(levels_, options.words, seed)),
        background_(zipf(options.words, 8, 1.05)),
        class_rank_(zipf(classes(), 12, 0.75)),
        class_of_rank_(at(classes())) {
    for (Index d = 0; d < levels_.depth(); ++d) topic_rank_.push_back(zipf(topic_size(levels_, d), 2, 0.75));
    std::iota(class_of_rank_.begin(), class_of_rank_.end(), 0);
    RandomStream random(seed, {kSynthStream, kClassOrder});
    random.shuffle(std::span(class_of_rank_));
  }

  const Levels& levels() const { return levels_; }

  // A node by level and position.
  struct Node {
    Index level;
    Index place;
  };

  // Appends the words of a document and returns its labels, all at one level, possibly one twice.
  std::vector<Node> document(Index number, std::vector<FeatureIndex>& words) const {
    RandomStream random(seed_, {kSynthStream, kDocuments, static_cast<std::uint64_t>(number)});
    const std::vector<Index> about = draw_classes(random);
    const std::vector<Node> stated = state_labels(about, random);
    constexpr double kSigma = 0.45;
    const double log_length = std::log(options_.length) + kSigma * (random.normal() - kSigma / 2);
    const auto length = std::max<Index>(8, std::llround(std::exp(log_length)));
    const double topical = options_.topic * (0.2 + 0.8 * random.uniform());
    for (Index k = 0; k < length; ++k) {
      words.push_back(random.uniform() < topical ? topic_word(about, random)
                                                 : static_cast<FeatureIndex>(background_.draw(random)));
    }
    return stated;
  }

 private:
  Index classes() const { return options_.levels.back(); }

  std::vector<Index> draw_classes(RandomStream& random) const {
    const Index count = 1 + static_cast<Index>(std::pow(random.uniform(), 1.7) * static_cast<double>(options_.labels));
    std::vector<Index> drawn{class_of_rank_[at(class_rank_.draw(random))]};
    for (Index k = 1; k < count; ++k) {
      const bool near = random.uniform() < 0.5 && levels_.depth() > 1;
      const Index candidate = near ? sibling(drawn[0], random) : class_of_rank_[at(class_rank_.draw(random))];
      if (std::ranges::find(drawn, candidate) == drawn.end()) drawn.push_back(candidate);
    }
    return drawn;
  }

  Index sibling(Index of_class, RandomStream& random) const {
    const auto& first = levels_.first_child.back();
    const Index parent = levels_.parent.back()[at(of_class)];
    return first[at(parent)] + random.below(first[at(parent + 1)] - first[at(parent)]);
  }

  // What a document is said to be about. Always draws as many random numbers, so that words do not change.
  std::vector<Node> state_labels(const std::vector<Index>& about, RandomStream& random) const {
    const bool is_wrong = random.uniform() < options_.noise;
    const Index wrong = random.below(classes());
    const bool is_inner = random.uniform() < options_.inner;
    const Index up = random.uniform() < 0.3 ? 2 : 1;
    const Index bottom = levels_.depth() - 1;
    if (is_wrong) return {{bottom, wrong}};
    std::vector<Node> stated;
    for (const Index place : about) {
      Node node{bottom, place};
      for (Index k = 0; is_inner && k < up && node.level > 0; ++k) {
        node = {node.level - 1, levels_.parent[at(node.level)][at(node.place)]};
      }
      stated.push_back(node);
    }
    return stated;
  }

  FeatureIndex topic_word(const std::vector<Index>& about, RandomStream& random) const {
    Index place = about.size() == 1 ? about[0] : about[at(random.below(std::ssize(about)))];
    const Index level = random.below(levels_.depth());
    for (Index d = levels_.depth() - 1; d > level; --d) {
      const Index second = levels_.second_parent[at(d)][at(place)];
      place = second >= 0 && random.below(2) == 1 ? second : levels_.parent[at(d)][at(place)];
    }
    return topics_[at(level)][at(place * topic_size(levels_, level) + topic_rank_[at(level)].draw(random))];
  }

  const SyntheticTextOptions& options_;
  std::uint64_t seed_;
  Levels levels_;
  std::vector<std::vector<FeatureIndex>> topics_;
  AliasTable background_;
  AliasTable class_rank_;
  std::vector<Index> class_of_rank_;
  std::vector<AliasTable> topic_rank_;
};

std::string levels_text(const std::vector<Index>& levels) {
  return fmt::format("{}", fmt::join(levels, ","));
}

void check(const SyntheticTextOptions& o) {
  const std::string shown = "`levels` " + levels_text(o.levels);
  const bool ascends = std::ranges::is_sorted(o.levels) && !o.levels.empty() && o.levels.front() >= 1;
  if (!ascends || o.levels.size() > kMostLevels) {
    throw usage_error(
        shown, fmt::format("expected 1 to {} levels, each with as many nodes as the one above, or more", kMostLevels));
  }
  double nodes = 0;
  double topic_words = 0;
  for (std::size_t d = 0; d < o.levels.size(); ++d) {
    nodes += static_cast<double>(o.levels[d]);
    topic_words += static_cast<double>(o.levels[d]) * 70 * (1 + 3 * static_cast<double>(o.levels.size() - 1 - d));
  }
  if (o.levels.back() < 2 || nodes > static_cast<double>(kMostNodes) || topic_words > kMostTopicWords) {
    throw usage_error(shown,
                      fmt::format("expected at least 2 classes, and at most {} nodes with {:.0e} words of their own",
                                  kMostNodes, kMostTopicWords));
  }
  if (static_cast<double>(o.documents) * o.length > kMostText) {
    throw usage_error(fmt::format("{} documents of {} words", o.documents, o.length),
                      fmt::format("expected at most {:.0e} words", kMostText));
  }
}

std::vector<Index> parse_levels(std::string_view text) {
  const auto wrong = [&] {
    return usage_error(fmt::format("`levels`: '{}'", text),
                       "expected numbers of nodes from the top, such as 10,80,500");
  };
  std::vector<Index> levels;
  const char* from = text.data();
  const char* end = text.data() + text.size();
  while (true) {
    Index value = 0;
    const auto [next, error] = std::from_chars(from, end, value);
    if (error != std::errc() || value < 1) throw wrong();
    levels.push_back(value);
    if (next == end) return levels;
    if (*next != ',') throw wrong();
    from = next + 1;
  }
}

// The documents of a chunk.
struct Part {
  std::vector<FeatureIndex> words;
  std::vector<Index> lengths;
  LabelSets labels;
};

SyntheticText joined(std::vector<Part> parts, SyntheticText text, Context& ctx) {
  std::vector<Index> begin;
  text.offsets.assign(1, 0);
  for (const Part& part : parts) {
    begin.push_back(text.offsets.back());
    for (const Index length : part.lengths) text.offsets.push_back(text.offsets.back() + length);
    const Index before = std::ssize(text.labels.nodes);
    text.labels.nodes.insert(text.labels.nodes.end(), part.labels.nodes.begin(), part.labels.nodes.end());
    for (Index d = 1; d <= part.labels.samples(); ++d)
      text.labels.offsets.push_back(before + part.labels.offsets[at(d)]);
  }
  text.words.resize(at(text.offsets.back()));
  parallel_for(ctx, std::ssize(parts), 1, [&](Index k, Index) {
    std::ranges::copy(parts[at(k)].words, text.words.begin() + begin[at(k)]);
    parts[at(k)] = {};
  });
  return text;
}

}  // namespace

void describe(ParameterTable& v, SyntheticTextOptions& o) {
  v("documents", o.documents, at_least(1), "number of documents");
  v("first", o.first, nonnegative(), "number of the first document; others of the same seed, to test on");
  v.add({{.name = "levels",
          .type = "string",
          .default_text = levels_text(o.levels),
          .range = {},
          .choices = {},
          .help = "nodes at each depth below the root; the last are the classes"},
         [&o](std::string_view text) { o.levels = parse_levels(text); },
         [&o] { return levels_text(o.levels); }});
  v("words", o.words, between(1, static_cast<double>(kMostWords)), "size of the vocabulary");
  v("length", o.length, between(1, 1e6), "words of a document, on average");
  v("topic", o.topic, between(0, 1),
    "largest share of a document's words that speak of its classes and the nodes above");
  v("labels", o.labels, between(1, 1000), "most labels of a document");
  v("inner", o.inner, between(0, 1), "share of documents labelled above the classes");
  v("noise", o.noise, between(0, 1), "share of documents with a wrong label");
  v("dag", o.dag, between(0, 1), "share of nodes below the first level with two parents");
}

SyntheticText synthetic_text(const SyntheticTextOptions& options, Context& ctx) {
  check(options);
  const TextModel model(options, ctx.seed());
  const auto names = node_names(model.levels());
  SyntheticText text{
      .taxonomy = taxonomy_of(model.levels(), names), .vocabulary = {}, .labels = {}, .offsets = {}, .words = {}};
  for (Index w = 0; w < options.words; ++w) text.vocabulary.push_back(word_of(w));
  std::vector<std::vector<NodeId>> node(names.size());
  for (std::size_t d = 0; d < names.size(); ++d) {
    for (const auto& name : names[d]) node[d].push_back(*text.taxonomy.find(name));
  }

  std::vector<Part> parts(at(chunk_count(options.documents, kDocumentsPerChunk)));
  Progress progress(ctx, "drawing documents", options.documents);
  parallel_for(ctx, options.documents, kDocumentsPerChunk, [&](Index begin, Index end) {
    Part& part = parts[at(begin / kDocumentsPerChunk)];
    for (Index d = begin; d < end; ++d) {
      const Index before = std::ssize(part.words);
      std::vector<NodeId> labels;
      for (const auto& label : model.document(options.first + d, part.words)) {
        labels.push_back(node[at(label.level)][at(label.place)]);
      }
      std::ranges::sort(labels);
      labels.erase(std::unique(labels.begin(), labels.end()), labels.end());  // two may lie below one stated node
      part.lengths.push_back(std::ssize(part.words) - before);
      part.labels.nodes.insert(part.labels.nodes.end(), labels.begin(), labels.end());
      part.labels.offsets.push_back(std::ssize(part.labels.nodes));
    }
    progress.advance(end - begin);
  });
  return joined(std::move(parts), std::move(text), ctx);
}

Dataset word_counts(const SyntheticText& text, Context& ctx) {
  const Index documents = text.documents();
  SparseMatrix<double> counts{.rows = documents,
                              .columns = std::ssize(text.vocabulary),
                              .offsets = Buffer<Index>(documents + 1),
                              .indices = {},
                              .values = {}};
  std::vector<FeatureIndex> sorted = text.words;
  const auto words_of = [&](Index d) {
    return std::span(sorted.data() + text.offsets[at(d)], text.words_of(d).size());
  };
  parallel_for(ctx, documents, kDocumentsPerChunk, [&](Index begin, Index end) {
    for (Index d = begin; d < end; ++d) {
      const auto words = words_of(d);
      std::ranges::sort(words);
      Index distinct = 0;
      for (std::size_t k = 0; k < words.size(); ++k) distinct += k == 0 || words[k] != words[k - 1] ? 1 : 0;
      counts.offsets[d + 1] = distinct;
    }
  });
  counts.offsets[0] = 0;
  for (Index d = 0; d < documents; ++d) counts.offsets[d + 1] += counts.offsets[d];
  counts.indices = Buffer<FeatureIndex>(counts.offsets[documents]);
  counts.values = Buffer<double>(counts.offsets[documents]);
  parallel_for(ctx, documents, kDocumentsPerChunk, [&](Index begin, Index end) {
    for (Index d = begin; d < end; ++d) {
      Index next = counts.offsets[d] - 1;
      const auto words = words_of(d);
      for (std::size_t k = 0; k < words.size(); ++k) {
        if (k == 0 || words[k] != words[k - 1]) {
          counts.indices[++next] = words[k];
          counts.values[next] = 0;
        }
        counts.values[next] += 1;
      }
    }
  });
  return Dataset({.features = std::move(counts),
                  .labels = text.labels,
                  .taxonomy = text.taxonomy,
                  .feature_names = text.vocabulary,
                  .sample_names = {},
                  .row_numbers = {},
                  .vectorizer = nullptr});
}

}  // namespace clade
