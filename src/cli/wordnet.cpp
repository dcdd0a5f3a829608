#include <clade/wordnet.h>
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/share.h"
#include "report/json_text.h"

namespace clade::cli {
namespace {

class WordNetCommand : public Command {
 public:
  std::string_view name() const override { return "wordnet"; }
  std::string_view help() const override { return "make a corpus of text over a hierarchy out of WordNet"; }

  void declare(Arguments& arguments) override {
    arguments.output("-o,--output", "PATH", output_,
                     "folder for train.jsonl, test.jsonl and taxonomy.csv; or a .jsonl file for all documents", true);
    arguments.option("--test", "SHARE", test_, "share of the documents in the test part, 20% unless given: 10% or 0.1");
    arguments.output("--taxonomy-out", "FILE", write_.taxonomy_path, "write the taxonomy here");
    arguments.flag("--force", write_.overwrite, "overwrite files that exist");
    arguments.parameters("Corpus", ParameterTable(options_));
    arguments.often("--output --test --min-size --tree --wordnet --taxonomy-out --force");
    arguments.examples(
        "  clade wordnet -o corpus\n"
        "  clade wordnet -o corpus --min-size 500 --tree --test 10% --seed 7\n"
        "  clade wordnet -o all.jsonl.gz --taxonomy-out tree.csv\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (output_ == "-") {
      throw usage_error("-o - names no folder", "expected a folder, a file that ends in .jsonl, or /dev/stdout");
    }
    std::optional<double> share;
    if (!test_.empty()) share = share_of("--test", test_);
    const WordNetCorpus corpus = timed(ctx, "reading WordNet", [&] { return wordnet_corpus(options_, ctx); });
    const WrittenCorpus written =
        timed(ctx, "writing", [&] { return write_wordnet_corpus(corpus, output_, share, write_, ctx); });
    std::vector<std::string> notes;
    if (corpus.left_out > 0) {
      notes.push_back(
          corpus.left_out == 1
              ? "1 noun synset left out: nothing that it is a kind of is a class"
              : fmt::format("{} noun synsets left out: nothing that they are kinds of is a class", corpus.left_out));
    }
    for (const std::string& note : notes) ctx.info(note);
    const Taxonomy& taxonomy = corpus.taxonomy;
    const double labels = static_cast<double>(corpus.labels.nodes.size()) / static_cast<double>(corpus.documents());
    if (common.json) {
      return print_json(json_object({{"documents", corpus.documents()},
                                     {"train_documents", written.train},
                                     {"test_documents", written.test},
                                     {"left_out", corpus.left_out},
                                     {"nodes", taxonomy.size()},
                                     {"leaves", std::ssize(taxonomy.leaves())},
                                     {"height", taxonomy.levels()},
                                     {"kind", std::string(taxonomy.is_tree() ? "tree" : "dag")},
                                     {"labels_per_document", labels},
                                     {"files", written.files},
                                     {"notes", notes}}));
    }
    if (output_.starts_with("/dev/")) return;  // data on standard output must not be followed by a message
    std::string text =
        fmt::format("{} documents over {} classes: a {} of {} levels, {:.2f} labels per document", corpus.documents(),
                    taxonomy.size(), taxonomy.is_tree() ? "tree" : "DAG", taxonomy.levels(), labels);
    if (written.train > 0) text += fmt::format("; {} to train on, {} to test on", written.train, written.test);
    for (const std::string& file : written.files) text += "\n  " + file;
    print(text + "\n");
  }

 private:
  std::string output_;
  std::string test_;
  WordNetCorpusOptions options_;
  WriteOptions write_;
};

}  // namespace

std::unique_ptr<Command> make_wordnet_command() {
  return std::make_unique<WordNetCommand>();
}

}  // namespace clade::cli
