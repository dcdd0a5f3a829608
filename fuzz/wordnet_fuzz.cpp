// The files of WordNet: index, data and exceptions of one part of speech, separated by lines that start with '='.

#include <clade/error.h>

#include <cstdint>
#include <cstdlib>

#include "io/wordnet/corpus.h"

namespace {

// Returns the bytes before the next line "=...\n"; the rest stays in `bytes`.
std::string_view take_file(std::string_view& bytes) {
  const std::size_t mark = bytes.find("\n=");
  const std::string_view file = bytes.substr(0, mark == std::string_view::npos ? mark : mark + 1);
  bytes.remove_prefix(file.size());
  bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size()));
  if (!bytes.empty()) bytes.remove_prefix(1);
  return file;
}

// A corpus of whatever the bytes say holds together: names are unique, and every document has a label.
void check_corpus(const clade::WordNetPart& nouns, bool tree) {
  using namespace clade;
  Context ctx;
  const WordNetCorpus corpus = corpus_of(nouns, {.folder = "", .min_size = 2, .tree = tree}, ctx);
  if (corpus.labels.samples() != corpus.documents() || std::ssize(corpus.ids) != corpus.documents()) std::abort();
  if (tree && !corpus.taxonomy.is_tree()) std::abort();
  for (Index d = 0; d < corpus.documents(); ++d) {
    if (corpus.labels.of(d).empty() || (tree && corpus.labels.of(d).size() != 1)) std::abort();
    for (const NodeId a : corpus.labels.of(d)) {
      for (const NodeId b : corpus.labels.of(d)) {
        if (corpus.taxonomy.is_ancestor(a, b)) std::abort();
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const Input index = Input::from_bytes("index", take_file(rest));
  const Input meanings = Input::from_bytes("data", take_file(rest));
  const Input exceptions = Input::from_bytes("exc", rest);
  for (const bool tree : {false, true}) {
    try {
      check_corpus(WordNetPart({index, meanings, exceptions}, 'n'), tree);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) std::abort();
    }
  }
  try {
    const WordNet wordnet(WordNetPart({index, meanings, exceptions}, 'n'),
                          WordNetPart({index, meanings, exceptions}, 'n'));
    for (const char* word : {"dog", "dogs", "geese", "Boxes ful", "", "x"}) {
      for (const std::size_t number : {0, 1, 2, 1000}) {
        const auto meaning = wordnet.noun_sense(word, number);
        if (meaning) wordnet.kinds(*meaning);
      }
      const auto sense = wordnet.first_sense(word);
      if (!sense) continue;
      const auto kinds = wordnet.kinds(*sense);
      if (kinds.empty() || kinds.front() != *sense || kinds.size() > 200) std::abort();
      for (const WordNet::Synset kind : kinds) {
        if (wordnet.name(kind).size() < 5) std::abort();
      }
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kInput) std::abort();
  }
  return 0;
}
