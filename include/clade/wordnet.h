#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/io.h>
#include <clade/parameters.h>
#include <clade/split.h>
#include <clade/taxonomy.h>

#include <optional>
#include <string>
#include <vector>

namespace clade {

// A corpus out of WordNet (Miller 1995): documents that explain nouns, over the hierarchy of what these are kinds of.
//
// A document is a noun synset, a meaning: its words, and its gloss with the examples. Above it stand the synsets that
// it is a kind or an instance of (its hypernyms), all of those above these, and so on: H(d). The classes are
//
//   C = { c : |{ d : c in H(d) }| >= min_size }
//
// where every d counts once, by however many ways it leads to c. Whatever stands above a class is a class, too. The
// labels of a document are the classes in H(d) that have no other class of H(d) below them; the parents of a class are
// its labels as a document. So there is no edge from a class to one that another of its parents stands below.
struct WordNetCorpusOptions {
  std::string folder = "/usr/share/wordnet";  // where Debian's package wordnet-base installs it
  Index min_size = 50;                        // fewest documents below a class
  bool tree =
      false;  // only the first hypernym of a synset counts: the classes form a tree, and documents have one label
};

void describe(ParameterTable& v, WordNetCorpusOptions& o);

struct WordNetCorpus {
  // A class is named by the first word of its synset, and by the number of that word's meaning unless it is the first:
  // dog, bank#2. Nodes stand in the order of WordNet's file. If there are several synsets without hypernyms (WordNet
  // 3.0 has one, entity), those that are classes stand below a virtual root.
  Taxonomy taxonomy;
  LabelSets labels;
  std::vector<std::string> ids;    // n02084071: the place of the synset in data.noun, as in ImageNet
  std::vector<std::string> texts;  // word, word: gloss; "example"
  Index left_out = 0;              // synsets without a class above them, such as entity

  Index documents() const { return static_cast<Index>(texts.size()); }
};

// Throws Error (kInput) if the folder has no WordNet, a file is not one of WordNet's, or no class has min_size
// documents. Cost: O(bytes + synsets above each synset).
WordNetCorpus wordnet_corpus(const WordNetCorpusOptions& options, Context& ctx);

// The documents as samples without features, for the functions of clade/split.h.
Dataset without_features(const WordNetCorpus& corpus);

struct WrittenCorpus {
  std::vector<std::string> files;
  Index train = 0;  // documents in the parts; 0 if there is one file
  Index test = 0;
};

// Writes JSON lines with the fields id, doc_label (a list) and text, and beside them FILE.meta.json with the hierarchy,
// which read_dataset picks up. If `path` ends like JSON lines (.jsonl, .ndjson, .json, compressed or not), that file
// gets all documents. Otherwise `path` is a folder, and gets train.jsonl, test.jsonl (train_test_split with
// `test_share`, 0.2 unless it is given, and the seed of `ctx`) and taxonomy.csv. Of the options, `overwrite` and
// `taxonomy_path` count: the latter is another file for the taxonomy. All files appear whole or not at all. Throws
// Error (kInput) for a path that ends like another format, and for a share of one file.
WrittenCorpus write_wordnet_corpus(const WordNetCorpus& corpus, const std::string& path,
                                   std::optional<double> test_share, const WriteOptions& options, Context& ctx);

}  // namespace clade
