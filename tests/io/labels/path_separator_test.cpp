#include "io/labels/path_separator.h"

#include <gmock/gmock.h>

#include "io/assemble.h"

namespace clade {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

// The separator that is recognised, as it stands between names.
std::string recognised(const Names& labels, bool surely = false) {
  std::vector<std::string> notes;
  return recognise_separator(labels, surely, notes).join;
}

Names notes_of(const Names& labels) {
  std::vector<std::string> notes;
  recognise_separator(labels, false, notes);
  return notes;
}

// One sample per list of labels.
Dataset data_of(const std::vector<Names>& labels, std::vector<std::string>& notes, const ReadOptions& options = {},
                const std::string& known = {}) {
  ParsedData parsed;
  const auto rows = static_cast<Index>(labels.size());
  parsed.features = DenseMatrix<double>{rows, 0, Buffer<double>(0)};
  for (const Names& of : labels) {
    for (const std::string& label : of) parsed.labels.add(label, parsed.labels.samples() + 1);
    parsed.labels.end_sample();
  }
  parsed.path_separator = known;
  return assemble(std::move(parsed), "x.csv", {}, options, notes);
}

Names nodes_of(const Names& labels, const ReadOptions& options = {}, const std::string& known = {}) {
  std::vector<Names> one_each;
  for (const std::string& label : labels) one_each.push_back({label});
  std::vector<std::string> notes;
  const Dataset data = data_of(one_each, notes, options, known);
  Names names;
  for (NodeId node = 1; node < data.taxonomy().size(); ++node) names.push_back(data.taxonomy().name(node));
  return names;
}

TEST(PathSeparator, IsRecognisedByWhatTheLabelsShare) {
  EXPECT_EQ(recognised({"Electronics > TV/Video", "Electronics > Audio", "Home > Art/Craft"}), " > ");
  EXPECT_EQ(recognised({"a>b", "a>c", "d"}), ">");
  EXPECT_EQ(recognised({"a/b", "a/c", "d"}), "/");
  EXPECT_EQ(recognised({"a / b", "a / c/d"}), " / ");
  EXPECT_EQ(recognised({"a|b", "a|c"}), "|");
  EXPECT_EQ(recognised({"a::b", "a::c", "a"}), "::");
  EXPECT_EQ(recognised({"a\\b", "a\\c"}), "\\");
  EXPECT_EQ(recognised({"CCAT--C15--C152", "GCAT", "CCAT--C15"}), "/");  // the names of RCV1
  EXPECT_EQ(recognised({"x--y", "x--p/q"}), "--");
  EXPECT_EQ(recognised({"3.5.2.6", "3.5.1", "1.1.1.-", "2"}), ".");
  EXPECT_EQ(recognised({"a.1.1.2", "a.1.2.1", "b.1.1.1"}), ".");
  EXPECT_EQ(recognised({"a > b", "a>c", "a > d"}), ">");    // the bare one starts like the others
  EXPECT_EQ(recognised({"a > b", "a > c >", "d"}), " > ");  // the second will be refused
}

TEST(PathSeparator, NamesAreNoPaths) {
  for (const Names& labels : std::vector<Names>{{"a", "b"},
                                                {"0.0", "1.0", "2.0"},
                                                {"comp.graphics", "comp.sys.ibm.pc.hardware", "sci.med"},
                                                {">50K", "<=50K"},
                                                {"> 50K", "<= 50K"},
                                                {"Blu--ray", "Books", "Music", "Toys"},
                                                {"1.2.3", "other things"},
                                                {"TV/Video", "Books", "Music", "Toys"},
                                                {}}) {
    EXPECT_EQ(recognised(labels), "") << ::testing::PrintToString(labels);
  }
  EXPECT_EQ(recognised({"TV/Video", "Books", "Music", "Toys"}, true), "/");
  EXPECT_THAT(
      notes_of({"TV/Video", "Books", "Music", "Toys"}),
      ElementsAre("1 of 4 labels contain '/', such as 'TV/Video', but are not taken for paths (use `label-paths` "
                  "yes if they are)"));
}

TEST(PathSeparator, WhatWasTakenIsSaid) {
  EXPECT_THAT(notes_of({"a > b/x", "a > c", "a > d", "b > e"}),
              ElementsAre("labels are paths with ' > ' between their parts (use `label-paths` no if they are not)"));
  EXPECT_THAT(notes_of({"a/b", "a/c"}), IsEmpty());
  EXPECT_THAT(notes_of({"a > b/x", "a > b/y"}),
              ElementsAre(HasSubstr("' > '"), HasSubstr("2 of 2 labels contain '/', such as 'a > b/x'")));
}

TEST(PathSeparator, PartsAreTrimmed) {
  EXPECT_THAT(nodes_of({"A > B", " A  >  C", "A"}), ElementsAre("A", "A > B", "A > C"));
  EXPECT_THAT(nodes_of({"A >B", "A> B", "A>B"}), ElementsAre("A", "A>B"));
  ReadOptions options;
  options.path_separator = ">";
  EXPECT_THAT(nodes_of({"A > B", "A >C/D"}, options), ElementsAre("A", "A>B", "A>C/D"));
  options.path_separator = "/";
  EXPECT_THAT(nodes_of({"A > B/C"}, options), ElementsAre("A > B", "A > B/C"));
  options.label_paths = LabelPaths::kNo;
  EXPECT_THAT(nodes_of({"A/B", "A/C"}, options), ElementsAre("A/B", "A/C"));
  std::vector<std::string> notes;
  data_of({{"A > B"}, {"A >  B"}}, notes);
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("1 labels differ from another only by blanks")));
}

TEST(PathSeparator, LevelsInSeveralLabelsAreDoubtful) {
  std::vector<Names> levels;
  std::vector<Names> shuffled;
  for (int k = 0; k < 12; ++k) {
    const Names path = k % 3 == 0 ? Names{"A", "B"} : k % 3 == 1 ? Names{"A", "C"} : Names{"D", "E"};
    levels.push_back(path);
    shuffled.push_back(k < 6 ? path : Names{path[1], path[0]});
  }
  std::vector<std::string> notes;
  data_of(levels, notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("look like the levels of one path ('A', then 'B')")));
  notes.clear();
  data_of(shuffled, notes);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(PathSeparator, ReadersMayKnowIt) {
  EXPECT_THAT(nodes_of({"A/B > C", "D/E > F"}, {}, " > "), ElementsAre("A/B", "D/E", "A/B > C", "D/E > F"));
  EXPECT_THAT(nodes_of({"A/B", "A/C"}, {}, " > "), ElementsAre("A/B", "A/C"));
}

TEST(PathSeparator, LabelsForAModelAreSpeltAsItsClasses) {
  TaxonomyBuilder builder;
  builder.imply_root();
  builder.path("A > B", " > ");
  builder.path("A > C/D", " > ");
  builder.path("TV/Video", " > ");
  ReadOptions options;
  options.known_classes = builder.build();
  std::vector<std::string> notes;
  const auto names = [&](const Names& labels) {
    std::vector<Names> each;
    for (const std::string& label : labels) each.push_back({label});
    const Dataset data = data_of(each, notes, options);
    Names found;
    for (Index s = 0; s < data.samples(); ++s) found.push_back(data.taxonomy().name(data.labels(s)[0]));
    return found;
  };
  EXPECT_THAT(names({"A>B", "A"}), ElementsAre("A > B", "A"));
  EXPECT_THAT(names({"TV/Video"}), ElementsAre("TV/Video"));
  EXPECT_THAT(names({"A/B", "A|C/D"}), ElementsAre("A > B", "A > C/D"));
  EXPECT_THAT(names({"A > B", "A > new"}), ElementsAre("A > B", "A > new"));
  EXPECT_THAT(names({"A"}), ElementsAre("A"));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(PathSeparator, OfATaxonomy) {
  const auto of = [](const Names& paths, const std::string& separator) {
    TaxonomyBuilder builder;
    builder.imply_root();
    for (const std::string& path : paths) builder.path(path, separator);
    return path_separator_of(builder.build());
  };
  EXPECT_EQ(of({"a/b", "a/c/d"}, "/"), "/");
  EXPECT_EQ(of({"a > b/c", "a > c > d"}, " > "), " > ");
  EXPECT_EQ(of({"a.b", "c"}, "."), ".");
  EXPECT_EQ(of({"a", "b"}, "/"), "");
  TaxonomyBuilder names;
  names.edge("r", "a");
  names.edge("a", "b");
  EXPECT_EQ(path_separator_of(names.build()), "");
}

}  // namespace
}  // namespace clade
