#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

struct WriteOptions;  // clade/io.h

// Multi-label data over a perfect tree in which nearby classes are alike (Cai, thesis, 7.1.1).
//
// Every node z below the root, at depth d, has a weight vector w_z with normal components of variance decay^(d - 1). A
// class's vector W_y is the sum along its path, so siblings share most of it. A sample x is standard normal; its labels
// are the classes y with <W_y, x> > 0. It is kept if it has at least one label and fewer than sqrt(classes).
//
// With `single_label` the label of x is the class with the largest cosine <W_y, x> / |W_y|, or the first of several. If
// samples with exactly one positive class are common enough (single_label_share() >= 1e-4), only those are kept; that
// class then also has the largest cosine. Otherwise every x is kept. If none of a sample's 100,000 draws has exactly
// one positive class, which is likely with few features, the last draw is kept.
struct SyntheticOptions {
  int depth = 3;   // levels below the root
  int fanout = 3;  // children per node
  Index features = 20;
  Index samples = 200;
  double decay = 0.5;         // variance of a level relative to the one above
  bool single_label = false;  // one label per sample
};

void describe(ParameterTable& v, SyntheticOptions& o);

// Sample s depends on (seed, s) alone. Throws Error (kInput) if samples with few enough labels are too rare to find,
// which cannot happen with `single_label`. With `single_label`, if every x is kept, the cost is O(samples * classes *
// features).
Dataset synthetic_data(const SyntheticOptions& options, Context& ctx);

// The probability, over samples and weights, that exactly one class y has <W_y, x> > 0. Given x, the products form a
// random walk that branches along the tree, with steps of variance decay^(d - 1) |x|^2 to depth d; the length of x
// changes no sign. So with Z standard normal, sigma_d^2 = decay^(d - 1) and k = fanout,
//
//   none_depth(s) = [s <= 0]                            one_depth(s) = [s > 0]
//   none_d(s) = (E none_(d+1)(s + sigma_(d+1) Z))^k     one_d(s) = k (E none_(d+1)(...))^(k-1) E one_(d+1)(...)
//
// The answer is one_0(0), computed on a grid to a few digits. It depends on depth, fanout and decay alone.
double single_label_share(const SyntheticOptions& options);

// Text over a hierarchy of classes, for trying out methods on data of any size. It is difficult in the way that real
// text is: siblings get confused, some classes have few documents, and some labels are wrong.
//
// Hierarchy. `levels` gives the number of nodes at each depth. Children are spread unevenly over the nodes above, and
// with `dag` a share of the nodes below the first level has a second parent. A node is named by the path of its (first)
// parents: 3/2/7.
//
// Topics. A node h levels above the classes prefers 70 (1 + 3 h) words, the k-th of them (from 0) with a probability
// proportional to (k + 2)^-0.75. Two fifths of them are words of the preceding sibling; the others are words r + (words
// - r) u^1.6, u uniform, r = min(300, words / 4), so that the most frequent words belong to no topic.
//
// Documents. The class of a document is the k-th of a random order with a probability proportional to (k + 12)^-0.75.
// With `labels` = m it has 1 + floor(u^1.7 m) labels, or fewer if a class is drawn twice; half of those after the first
// are siblings of the first. It has about `length` words (log-normal, sigma 0.45, at least 8). Each word comes from a
// topic with probability t = `topic` (0.2 + 0.8 u), u drawn per document: the topic of one of its labels or of a node
// above it, every level equally likely, through any of the parents if there are several. Otherwise it is word k of the
// vocabulary with a probability proportional to (k + 8)^-1.05. Finally, a share `inner` of the documents is labelled
// with nodes above its labels instead (three in ten of them with nodes two levels above), and a share `noise` with a
// random class.
struct SyntheticTextOptions {
  Index documents = 20'000;
  Index first = 0;                         // number of the first document
  std::vector<Index> levels{10, 80, 500};  // nodes at each depth below the root; the last are the classes
  Index words = 50'000;                    // size of the vocabulary
  double length = 64;                      // words of a document, on average
  double topic = 0.34;  // largest share of words that come from the topics of a document's classes and their ancestors
  Index labels = 1;     // largest number of labels per document
  double inner = 0;     // share of documents labelled above the classes
  double noise = 0.02;  // share of documents with a wrong label
  double dag = 0;       // share of nodes below the first level with two parents
};

void describe(ParameterTable& v, SyntheticTextOptions& o);

struct SyntheticText {
  Taxonomy taxonomy;
  std::vector<std::string> vocabulary;  // by word number
  LabelSets labels;
  std::vector<Index> offsets;       // documents + 1
  std::vector<FeatureIndex> words;  // word numbers in the order of the text

  Index documents() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const FeatureIndex> words_of(Index document) const {
    const auto d = static_cast<std::size_t>(document);
    return {words.data() + offsets[d], static_cast<std::size_t>(offsets[d + 1] - offsets[d])};
  }
};

// Document d depends only on d, the seed, and the options other than `documents` and `first`: two calls can make
// documents 0 to 19,999 to train on and 20,000 to 24,999 to test on. `inner` and `noise` change no words. Throws Error
// (kInput) if a level has fewer nodes than the level above. Cost: O(words of all documents + nodes).
SyntheticText synthetic_text(const SyntheticTextOptions& options, Context& ctx);

// How often each word of the vocabulary occurs in each document.
Dataset word_counts(const SyntheticText& text, Context& ctx);

// Writes JSON lines with the fields doc_label (a list) and text if the name (.jsonl, .ndjson, .json, compressed or not)
// or options.format says so, and otherwise word counts in any format of write_dataset. Labels are paths, so JSON lines
// of a tree need no separate taxonomy. Those of a DAG do: without options.taxonomy_path they are refused (Error
// kInput). Returns the files written; they appear whole or not at all.
std::vector<std::string> write_synthetic_text(const SyntheticText& text, const std::string& path,
                                              const WriteOptions& options, Context& ctx);

}  // namespace clade
