#include "io/assemble.h"
#include "io/text/text_support.h"

namespace clade {
namespace {

class RealText : public ::testing::Test {
 protected:
  static std::string data(const std::string& name) { return (real_data_folder() / name).string(); }
  static ReadOptions everything() {
    ReadOptions options = plain_options();
    options.text.keep_case = true;
    return options;
  }
  Context ctx{{.threads = 2}};
};

#define CLADE_NEED(path) \
  if (!fs::exists(path)) GTEST_SKIP() << "no " << (path) << "; set CLADE_DATA to the folder of data sets"

TEST_F(RealText, Newsgroups) {
  const std::string path = data("newsgroups20/20news-bydate.tar.xz");
  CLADE_NEED(path);
  ReadOptions options;
  const ParsedData all = read_text_folder(path, options, ctx);
  EXPECT_EQ(row_count(all.features), 18846);
  EXPECT_EQ(all.labels.names().size(), 20U);
  EXPECT_THAT(all.labels.names(), Contains("comp.sys.ibm.pc.hardware"));
  EXPECT_THAT(all.notes, Contains("73 documents not in UTF-8, read as Latin-1"));
  EXPECT_THAT(all.sample_names.front(), "20news-bydate-test/alt.atheism/53068");
  options.under = "20news-bydate-train";
  const ParsedData train = read_text_folder(path, options, ctx);
  EXPECT_EQ(row_count(train.features), 11314);
  options.under = "20news-bydate-test";
  EXPECT_EQ(row_count(read_text_folder(path, options, ctx).features), 7532);
}

TEST_F(RealText, BbcSport) {
  const std::string path = data("BBCSport/bbcsport.tar.xz");
  CLADE_NEED(path);
  const ParsedData all = read_text_folder(path, ReadOptions(), ctx);
  EXPECT_EQ(row_count(all.features), 737);
  EXPECT_THAT(all.labels.names(), ElementsAre("athletics", "cricket", "football", "rugby", "tennis"));
}

TEST_F(RealText, WebKb) {
  const std::string path = data("WebKB4/WebKB.clean.txt");
  CLADE_NEED(path);
  ReadOptions options = everything();
  options.labels_file = data("WebKB4/WebKB.txt");
  const ParsedData all = read_text_lines(Input::open(path, ctx), options, ctx);
  EXPECT_EQ(row_count(all.features), 4199);
  EXPECT_EQ(all.feature_names.size(), 7772U);
  EXPECT_THAT(all.labels.names(), ::testing::UnorderedElementsAre("student", "faculty", "course", "project"));
}

TEST_F(RealText, Rcv1) {
  const std::string path = data("RCV1/rcv1_dev.hierar.json");
  CLADE_NEED(path);
  ParsedData all = read_json_lines(Input::open(path, ctx), everything(), ctx);
  EXPECT_EQ(row_count(all.features), 2316);
  EXPECT_EQ(all.feature_names.size(), 32272U);
  EXPECT_EQ(all.labels.names().size(), 93U);
  EXPECT_THAT(all.labels.names(), Contains("CCAT--C15--C152"));
  std::vector<std::string> notes;
  const Taxonomy taxonomy = assemble(std::move(all), path, {}, everything(), notes).taxonomy();
  EXPECT_TRUE(taxonomy.is_ancestor(*taxonomy.find("CCAT"), *taxonomy.find("CCAT/C15/C152")));
}

}  // namespace
}  // namespace clade
