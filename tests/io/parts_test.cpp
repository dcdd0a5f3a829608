#include "io/parts.h"

#include <clade/io.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "data/random_data.h"
#include "temporary_folder.h"

namespace clade {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PartName, IsInFrontOfTheEndings) {
  EXPECT_EQ(part_path("a/out.svm.gz", 1, 4), "a/out.part-0001-of-0004.svm.gz");
  EXPECT_EQ(part_path("out.csv", 12, 12345), "out.part-00012-of-12345.csv");
  EXPECT_EQ(part_path("a.b/out", 2, 3), "a.b/out.part-0002-of-0003");
  EXPECT_EQ(part_path("a.b/.hidden.zst", 2, 3), "a.b/.hidden.part-0002-of-0003.zst");
  EXPECT_EQ(part_path("one.two.npz", 2, 3), "one.two.part-0002-of-0003.npz");
}

TEST(PartName, IsUnderstood) {
  for (const std::string path : {"out.svm.gz", "out", "one.two.npz"}) {
    const auto name = part_name(part_path(path, 7, 11));
    ASSERT_TRUE(name);
    EXPECT_EQ(name->data_set, path);
    EXPECT_EQ(name->number, 7);
    EXPECT_EQ(name->count, 11);
  }
  EXPECT_EQ(part_name("x.part-1-of-2.svm")->number, 1);
  for (const char* const other :
       {"x.svm", "x.part-0-of-2.svm", "x.part-3-of-2.svm", "x.part--of-2.svm", "x.part-1-of-.svm", "x.part-1-of-2svm",
        ".part-1-of-2.svm", "x.part-1-of-9999999999.svm"}) {
    EXPECT_FALSE(part_name(other)) << other;
  }
}

class Parts : public ::testing::Test {
 protected:
  // A new folder with the data in parts; gives the files of data in it.
  std::vector<std::string> write(const Dataset& data, const std::string& name, Index parts) {
    const std::string folder = folder_.file(fmt::format("{}", ++folders_));
    fs::create_directory(folder);
    last_ = folder;
    WriteOptions options;
    options.parts = parts;
    std::vector<std::string> written = write_dataset(data, folder + "/" + name, options, ctx_);
    std::erase_if(written, [](const std::string& file) { return file.ends_with(".meta.json"); });
    return written;
  }

  TemporaryFolder folder_;
  std::string last_;
  int folders_ = 0;
  Context ctx_{Context::Options{.threads = 2}};
};

std::vector<RandomDataOptions> cases() {
  RandomDataOptions plain;
  RandomDataOptions dag{.samples = 31, .features = 7, .nodes = 25, .dag = true, .several_labels = true, .seed = 2};
  RandomDataOptions names{
      .samples = 13, .features = 4, .several_labels = true, .inner_labels = true, .names = true, .seed = 3};
  RandomDataOptions sparse{.samples = 40, .features = 300, .nodes = 60, .sparse = true, .density = 0.01, .seed = 4};
  return {plain, dag, names, sparse};
}

TEST_F(Parts, AreTogetherTheDataSet) {
  for (const char* const name :
       {"d.svm", "d.csv", "d.tsv", "d.arff", "d.mat", "d.npz", "d.npy", "d.mtx", "d.svm.gz", "d.csv.zst"}) {
    for (const RandomDataOptions& options : cases()) {
      const Dataset data = random_dataset(options);
      for (const Index parts : {Index{1}, Index{3}, options.samples}) {
        SCOPED_TRACE(fmt::format("{}, seed {}, {} parts", name, options.seed, parts));
        const std::vector<std::string> files = write(data, name, parts);
        ASSERT_EQ(std::ssize(files), parts);
        EXPECT_EQ(data_files(last_, {}), files);
        EXPECT_EQ(difference(data, read_dataset(last_, {}, ctx_).data), std::nullopt);
        EXPECT_EQ(difference(data, read_datasets(files, {}, ctx_).data), std::nullopt);
        // Each by itself is its share of the samples.
        Index first = 0;
        for (const std::string& file : files) {
          const Dataset part = read_dataset(file, {}, ctx_).data;
          EXPECT_LE(std::abs(part.samples() - data.samples() / parts), 1);
          std::vector<Index> rows(static_cast<std::size_t>(part.samples()));
          for (Index& row : rows) row = first++;
          EXPECT_EQ(difference(data.subset(rows), part), std::nullopt) << file;
        }
        EXPECT_EQ(first, data.samples());
      }
    }
  }
}

TEST_F(Parts, AreReadAsOneFileIs) {
  RandomDataOptions options;
  options.samples = 50;
  options.missing = true;
  options.several_labels = true;
  const Dataset data = random_dataset(options);
  for (const char* const name : {"d.csv", "d.arff", "d.npz"}) {
    write_dataset(data, folder_.file(name), {}, ctx_);
    write(data, name, 7);
    for (const Missing missing : {Missing::kKeep, Missing::kMean, Missing::kZero, Missing::kDropSample}) {
      ReadOptions reading;
      reading.missing = missing;
      reading.storage = Storage::kSparse;
      reading.precision = Precision::kFloat;
      const Dataset one = read_dataset(folder_.file(name), reading, ctx_).data;
      EXPECT_EQ(difference(one, read_dataset(last_, reading, ctx_).data), std::nullopt) << name;
    }
    EXPECT_THAT(failure([&] { read_dataset(last_, {}, ctx_); }), HasSubstr("part-0001-of-0007"));
  }
}

TEST_F(Parts, MoreThanSamplesAreRefusedAndLeaveNothing) {
  const Dataset data = random_dataset({.samples = 5});
  EXPECT_THAT(failure([&] { write(data, "d.svm", 6); }), HasSubstr("`parts` 6 of 5 samples"));
  EXPECT_TRUE(fs::is_empty(last_));
  WriteOptions options;
  options.parts = 2;
  options.format = "libsvm";
  EXPECT_THAT(failure([&] { write_dataset(data, "/dev/null", options, ctx_); }), HasSubstr("cannot be in parts"));
}

TEST_F(Parts, AFileThatIsThereStopsAllOfThem) {
  const Dataset data = random_dataset({.samples = 5});
  const std::vector<std::string> files = write(data, "d.svm", 5);
  for (const std::string& kept : {files[3], files[3] + ".meta.json"}) {
    for (const auto& entry : fs::directory_iterator(last_)) {
      if (entry.path() != kept) fs::remove(entry.path());
    }
    WriteOptions options;
    options.parts = 5;
    EXPECT_THAT(failure([&] { write_dataset(data, last_ + "/d.svm", options, ctx_); }), HasSubstr("exists already"));
    EXPECT_EQ(std::distance(fs::directory_iterator(last_), {}), 1);
    options.overwrite = true;
    write_dataset(data, last_ + "/d.svm", options, ctx_);
    EXPECT_EQ(difference(data, read_dataset(last_, {}, ctx_).data), std::nullopt);
  }
}

TEST_F(Parts, AFolderHoldsTheWholeOfOneDataSet) {
  const Dataset data = random_dataset({.samples = 9});
  const auto problem = [&] { return failure([&] { read_dataset(last_, {}, ctx_); }); };
  std::vector<std::string> files = write(data, "d.npz", 4);
  fs::rename(files[2], folder_.file("away"));
  EXPECT_THAT(problem(), HasSubstr("part 3 of 4 is not there"));
  fs::rename(folder_.file("away"), files[2]);
  fs::copy_file(files[2], last_ + "/d.part-3-of-4.npz");
  EXPECT_THAT(problem(), HasSubstr("holds part 3 of 4 twice"));
  fs::rename(last_ + "/d.part-3-of-4.npz", last_ + "/d.part-3-of-5.npz");
  EXPECT_THAT(problem(), HasSubstr("holds parts of two data sets: d.npz of 4, and d.npz of 5"));
  fs::rename(last_ + "/d.part-3-of-5.npz", last_ + "/readme");
  EXPECT_THAT(problem(), HasSubstr("holds readme beside parts of a data set"));
  fs::remove(last_ + "/readme");
  EXPECT_EQ(difference(data, read_dataset(last_, {}, ctx_).data), std::nullopt);
  // Below a folder of classes, such names are names of documents.
  fs::create_directory(last_ + "/class");
  EXPECT_EQ(data_files(last_, {}), std::vector<std::string>{last_});
}

TEST_F(Parts, OfOtherDataAreRefused) {
  const Dataset data = random_dataset({.samples = 9, .names = true});
  for (const RandomDataOptions& other :
       {RandomDataOptions{.samples = 9, .features = 6, .names = true},
        RandomDataOptions{.samples = 9, .nodes = 11, .names = true}, RandomDataOptions{.samples = 9}}) {
    for (const char* const name : {"d.npz", "d.svm"}) {
      const std::vector<std::string> files = write(data, name, 2);
      const std::vector<std::string> others = write(random_dataset(other), name, 2);
      EXPECT_THAT(failure([&] { read_datasets({files[0], others[1]}, {}, ctx_); }), HasSubstr("of one data set"));
    }
  }
  const std::vector<std::string> files = write(data, "d.svm", 2);
  fs::remove(files[1] + ".meta.json");
  EXPECT_THAT(failure([&] { read_dataset(last_, {}, ctx_); }), HasSubstr("part-0002-of-0002.svm: has no"));
}

}  // namespace
}  // namespace clade
