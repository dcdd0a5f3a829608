#include <filesystem>

#include "io/lines.h"
#include "io/taxonomy/taxonomy_support.h"

namespace clade::testing {
namespace {

struct Format {
  const char* name;
  Reader reader;
  Writer writer;
  WriteOptions options;
  bool keeps_positions;  // the input's whole order, beyond what the ids show
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"edges", read_edge_list, write_edge_list, {}, true},
      {"edges, parent first", read_edge_list, write_edge_list, parents_first(), true},
      {"child lists", read_child_lists, write_child_lists, {}, true},
      {"json", read_nested_json, write_nested_json, {}, false},
      {"obo", read_obo, write_obo, {}, true},
  };
  return all;
}

// Child lists have no quotes, and OBO none for the rarest blanks.
std::string without_blanks_at_ends(std::string name, std::string_view format) {
  if (format == "child lists") {
    std::ranges::replace(name, '\t', ' ');
    std::ranges::replace(name, '\n', ' ');
  }
  if (format == "child lists" || format == "obo") name = trim(name);
  return name;
}

void expect_round_trip(const Format& format, const Taxonomy& taxonomy, std::string_view what) {
  const std::string text = write_text(format.writer, taxonomy, format.options);
  const Taxonomy again = read_text(format.reader, text).taxonomy;
  ASSERT_TRUE(again == taxonomy) << format.name << ", " << what << "\n"
                                 << outline(taxonomy) << "\n"
                                 << outline(again) << "\n"
                                 << text;
  if (!format.keeps_positions) return;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    ASSERT_EQ(again.input_position(node), taxonomy.input_position(node)) << format.name << ", " << what << "\n" << text;
  }
  ASSERT_EQ(write_text(format.writer, again, format.options), text);
}

TEST(TaxonomyRoundTrip, RandomTreesForestsAndDagsWithHardNames) {
  for (const Format& format : formats()) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
      RandomStream random(seed, {kTestStream, 2});
      const RandomShape shape{.nodes = 1 + static_cast<NodeId>(random.below(40)),
                              .most_parents = 1 + static_cast<int>(seed % 5),
                              .root_share = seed % 3 == 0 ? 0.2 : 0};
      const Taxonomy taxonomy = random_taxonomy(random, shape, [&](NodeId k) {
        const std::string name = seed % 2 == 0 ? plain_name(k) : hard_name(random, k);
        return without_blanks_at_ends(name, format.name);
      });
      expect_round_trip(format, taxonomy, "seed " + std::to_string(seed));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(TaxonomyRoundTrip, OneNode) {
  TaxonomyBuilder builder;
  builder.node("only one");
  const Taxonomy taxonomy = builder.build();
  for (const Format& format : formats()) expect_round_trip(format, taxonomy, "one node");
}

TEST(TaxonomyRoundTrip, AVirtualRootWithOneChildOrNone) {
  const std::vector<std::string> one = {"a"};
  TaxonomyBuilder implied;
  implied.imply_root();
  implied.edge("a", "b");
  implied.edge("a", "c");
  for (const Format& format : formats()) {
    expect_round_trip(format, flat_taxonomy(one), "one class");
    expect_round_trip(format, flat_taxonomy({}), "no class");
  }
  const Taxonomy taxonomy = implied.build();
  for (const Format& format : formats()) expect_round_trip(format, taxonomy, "one child");
}

TEST(TaxonomyRoundTrip, ANodeWithTheNameOfTheVirtualRoot) {
  TaxonomyBuilder several;
  several.edge("(root)", "a");
  several.node("b");
  const Taxonomy taxonomy = several.build();
  EXPECT_EQ(outline(taxonomy), "(root)'*; (root)<(root)'; b<(root)'; a<(root)");
  for (const Format& format : formats()) expect_round_trip(format, taxonomy, "name taken");
  TaxonomyBuilder one;
  one.imply_root();
  one.edge("a", "(root)");
  const Taxonomy hidden = one.build();
  for (const Format& format : formats()) {
    expect_not_written(format.writer, hidden, "cannot hold this virtual root", format.options);
  }
}

TEST(TaxonomyRoundTrip, MiscellaneousLeavesAreNotWritten) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream random(seed, {kTestStream, 3});
    const Taxonomy plain = random_taxonomy(random, {.nodes = 12, .most_parents = 2, .root_share = 0.2}, plain_name);
    const std::vector<NodeId> labelled(plain.internal_nodes().begin(), plain.internal_nodes().end());
    const Taxonomy learning = plain.with_miscellaneous_leaves(labelled);
    for (const Format& format : formats()) {
      EXPECT_EQ(write_text(format.writer, learning, format.options), write_text(format.writer, plain, format.options));
    }
  }
}

TEST(TaxonomyRoundTrip, LabelPathsInAnyOrder) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomStream random(seed, {kTestStream, 4});
    std::vector<std::pair<std::string, std::string>> edges;
    std::vector<std::string> names;
    const Index count = 1 + random.below(30);
    for (Index k = 0; k < count; ++k) {
      const std::string part(trim(hard_name(random, static_cast<NodeId>(k))));
      std::string name;
      for (const char c : part) name += c == '/' || c == '\n' || c == '\r' || c == '\t' ? '_' : c;
      if (k > 0 && random.below(4) > 0) {
        const std::string& above = names[static_cast<std::size_t>(random.below(k))];
        name.insert(0, above + "/");
        edges.emplace_back(above, name);
      }
      names.push_back(name);
    }
    TaxonomyBuilder builder;
    builder.imply_root();
    std::vector<std::string> mentions = names;
    if (seed % 2 == 0) random.shuffle(std::span<std::string>(mentions));
    for (const auto& name : mentions) builder.node(name);
    for (const auto& [parent, child] : edges) builder.edge(parent, child);
    const Format format{"paths", read_label_paths, write_label_paths, {}, seed % 2 == 1};
    expect_round_trip(format, builder.build(), "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST(TaxonomyRoundTrip, RefusesNamesNoFileCanHold) {
  for (const char* name : {"", "\xFF", "a\xC3"}) {
    TaxonomyBuilder builder;
    builder.edge("r", name);
    const Taxonomy taxonomy = builder.build();
    for (const Format& format : formats()) {
      expect_not_written(format.writer, taxonomy, *name == '\0' ? "without a name" : "not UTF-8", format.options);
    }
  }
}

TEST(TaxonomyRoundTrip, ADirectoryIsAnError) {
  Context ctx;
  try {
    Input::open(std::filesystem::temp_directory_path().string(), ctx);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    EXPECT_NE(std::string_view(error.what()).find("is a directory"), std::string_view::npos);
  }
}

TEST(TaxonomyRoundTrip, MessagesCutLongNames) {
  TaxonomyBuilder builder;
  builder.edge("r", many(1'000'000, 'x') + "\t");
  try {
    write_text(write_child_lists, builder.build());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 300U);
  }
}

}  // namespace
}  // namespace clade::testing
