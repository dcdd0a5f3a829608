#include "io/wordnet/corpus.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>

#include "io/lines.h"

namespace clade {
namespace {

constexpr std::size_t kMostAbove = 1000;      // synsets above one; real ones have about 40 at most
constexpr std::size_t kBetweenChecks = 4096;  // synsets between two looks whether to stop

// The synsets of nouns by number, and what each is a kind of.
class NounGraph {
 public:
  NounGraph(const WordNetPart& nouns, bool tree) : nouns_(nouns), meanings_(nouns.meanings()) {
    for (const WordNetPart::Meaning& meaning : meanings_) {
      std::vector<std::size_t>& kinds = kinds_.emplace_back();
      for (const std::size_t offset : meaning.kinds) {
        const std::size_t kind = number_of(offset, meaning);
        if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
        if (tree) break;
      }
    }
    seen_.assign(size(), size());
  }

  std::size_t size() const { return meanings_.size(); }
  const WordNetPart::Meaning& meaning(std::size_t synset) const { return meanings_[synset]; }

  // All synsets above one, in no particular order. Throws Error (kInput) if it is above itself.
  std::vector<std::size_t> above(std::size_t synset) {
    return found_above(synset, [](std::size_t) { return true; });
  }

  // The nearest synsets above one for which `is_kept` holds, ascending: those without another of them below. What is
  // above a kept synset must be kept, too.
  template <class Kept>
  std::vector<std::size_t> nearest_above(std::size_t synset, const Kept& is_kept) {
    std::vector<std::size_t> first = found_above(synset, [&](std::size_t other) { return !is_kept(other); });
    std::erase_if(first, [&](std::size_t other) { return !is_kept(other); });
    std::ranges::sort(first);
    if (first.size() < 2) return first;
    std::vector<std::size_t> implied;
    for (const std::size_t other : first) {
      const std::vector<std::size_t> higher = above(other);
      implied.insert(implied.end(), higher.begin(), higher.end());
    }
    std::ranges::sort(implied);
    std::erase_if(first, [&](std::size_t other) { return std::ranges::binary_search(implied, other); });
    return first;
  }

  // dog, bank#2
  std::string name(std::size_t synset) const {
    const WordNetPart::Meaning& meaning = meanings_[synset];
    const std::size_t sense = nouns_.sense_number(meaning.words[0], meaning.offset);
    std::string name = text_of(meaning.words[0]);
    if (sense > 1) name += fmt::format("#{}", sense);
    return checked(std::move(name), meaning);
  }

  // dog, domestic dog, Canis familiaris: a member of ...
  std::string document(std::size_t synset) const {
    const WordNetPart::Meaning& meaning = meanings_[synset];
    std::string text;
    for (const std::string_view word : meaning.words) text += (text.empty() ? "" : ", ") + text_of(word);
    if (!meaning.gloss.empty()) text.append(": ").append(meaning.gloss);
    return checked(std::move(text), meaning);
  }

 private:
  static std::string text_of(std::string_view word) {
    std::string text(word);
    std::ranges::replace(text, '_', ' ');
    return text;
  }

  std::string checked(std::string text, const WordNetPart::Meaning& meaning) const {
    if (first_invalid_utf8(text) == std::string::npos) return text;
    throw input_error({.file = nouns_.data().name()},
                      fmt::format("the meaning at byte {} is not UTF-8", meaning.offset), "expected ASCII or UTF-8");
  }

  std::size_t number_of(std::size_t offset, const WordNetPart::Meaning& below) const {
    const auto found = std::ranges::lower_bound(meanings_, offset, {}, &WordNetPart::Meaning::offset);
    if (found != meanings_.end() && found->offset == offset) {
      return static_cast<std::size_t>(found - meanings_.begin());
    }
    throw input_error(
        {.file = nouns_.data().name()},
        fmt::format("the meaning at byte {} is a kind of that at byte {}, where none is", below.offset, offset),
        "expected the place of a meaning");
  }

  // The synsets above one, found by going on from those for which `goes_on` holds.
  template <class GoesOn>
  std::vector<std::size_t> found_above(std::size_t synset, const GoesOn& goes_on) {
    std::vector<std::size_t> found;
    const auto visit = [&](std::size_t from) {
      for (const std::size_t kind : kinds_[from]) {
        if (kind == synset) throw fault(synset, "is a kind of itself", "expected a hierarchy without cycles");
        if (seen_[kind] == synset) continue;
        seen_[kind] = synset;
        found.push_back(kind);
      }
      if (found.size() <= kMostAbove) return;
      throw fault(synset, fmt::format("is a kind of more than {} others", kMostAbove), "expected the nouns of WordNet");
    };
    visit(synset);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (goes_on(found[k])) visit(found[k]);
    }
    for (const std::size_t other : found) seen_[other] = size();
    return found;
  }

  Error fault(std::size_t synset, std::string_view what, std::string_view expected) const {
    return input_error({.file = nouns_.data().name()},
                       fmt::format("the meaning at byte {} ({}) {}", meanings_[synset].offset,
                                   shown(meanings_[synset].words[0]), what),
                       expected);
  }

  const WordNetPart& nouns_;
  std::vector<WordNetPart::Meaning> meanings_;
  std::vector<std::vector<std::size_t>> kinds_;
  std::vector<std::size_t> seen_;  // by which search; size(): by none
};

// Which synsets have at least `min_size` others below them.
std::vector<bool> large_enough(NounGraph& graph, Index min_size, Context& ctx) {
  std::vector<Index> below(graph.size(), 0);
  for (std::size_t synset = 0; synset < graph.size(); ++synset) {
    if (synset % kBetweenChecks == 0) ctx.check_cancelled();
    for (const std::size_t other : graph.above(synset)) ++below[other];
  }
  std::vector<bool> kept(graph.size());
  for (std::size_t synset = 0; synset < graph.size(); ++synset) kept[synset] = below[synset] >= min_size;
  return kept;
}

}  // namespace

void describe(ParameterTable& v, WordNetCorpusOptions& o) {
  v("wordnet", o.folder, "folder with WordNet's files");
  v("min-size", o.min_size, at_least(1), "fewest documents below a class");
  v("tree", o.tree, "what a noun is a kind of first counts alone: classes form a tree, documents have one label");
}

WordNetCorpus wordnet_corpus(const WordNetCorpusOptions& options, Context& ctx) {
  return corpus_of(WordNetPart::open(options.folder, "noun", ctx), options, ctx);
}

WordNetCorpus corpus_of(const WordNetPart& nouns, const WordNetCorpusOptions& options, Context& ctx) {
  NounGraph graph(nouns, options.tree);
  const std::vector<bool> kept = large_enough(graph, options.min_size, ctx);
  const auto is_kept = [&](std::size_t synset) { return kept[synset]; };

  TaxonomyBuilder builder(nouns.data().name());
  std::vector<NodeId> number(graph.size(), kNoNode);  // of a class, in the builder
  for (std::size_t synset = 0; synset < graph.size(); ++synset) {
    if (synset % kBetweenChecks == 0) ctx.check_cancelled();
    if (!kept[synset]) continue;
    const std::string name = graph.name(synset);
    if (builder.find(name)) {
      throw input_error({.file = nouns.data().name()}, fmt::format("two meanings are called {}", quoted_name(name)),
                        "expected the nouns of WordNet");
    }
    number[synset] = builder.node(name);
  }
  if (builder.size() == 0) {
    throw usage_error(fmt::format("`min-size` {} leaves no class of {} documents", options.min_size, graph.size()),
                      "expected a smaller number");
  }
  for (std::size_t synset = 0; synset < graph.size(); ++synset) {
    if (synset % kBetweenChecks == 0) ctx.check_cancelled();
    if (!kept[synset]) continue;
    for (const std::size_t parent : graph.nearest_above(synset, is_kept)) builder.edge(number[parent], number[synset]);
  }
  WordNetCorpus corpus{.taxonomy = builder.build(), .labels = {}, .ids = {}, .texts = {}};

  std::vector<NodeId> node_of(graph.size(), kNoNode);
  for (std::size_t synset = 0; synset < graph.size(); ++synset) {
    if (kept[synset]) node_of[synset] = corpus.taxonomy.find(builder.name(number[synset])).value();
  }
  for (std::size_t synset = 0; synset < graph.size(); ++synset) {
    if (synset % kBetweenChecks == 0) ctx.check_cancelled();
    const std::vector<std::size_t> classes = graph.nearest_above(synset, is_kept);
    if (classes.empty()) {
      ++corpus.left_out;
      continue;
    }
    std::vector<NodeId>& nodes = corpus.labels.nodes;
    for (const std::size_t other : classes) nodes.push_back(node_of[other]);
    std::sort(nodes.end() - std::ssize(classes), nodes.end());
    corpus.labels.offsets.push_back(std::ssize(nodes));
    corpus.ids.push_back(fmt::format("n{:08}", graph.meaning(synset).offset));
    corpus.texts.push_back(graph.document(synset));
  }
  return corpus;
}

Dataset without_features(const WordNetCorpus& corpus) {
  SparseMatrix<float> empty;
  empty.rows = corpus.documents();
  empty.offsets = Buffer<Index>(corpus.documents() + 1);
  std::ranges::fill(empty.offsets.span(), 0);
  Dataset::Parts parts;
  parts.features = std::move(empty);
  parts.labels = corpus.labels;
  parts.taxonomy = corpus.taxonomy;
  return Dataset(std::move(parts));
}

}  // namespace clade
