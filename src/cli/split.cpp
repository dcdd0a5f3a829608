#include <clade/format_names.h>
#include <clade/io.h>
#include <clade/split.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/share.h"
#include "report/json_text.h"

namespace clade::cli {
namespace {

// The places of texts in their order: of numbers if all are numbers, else of bytes, which suits dates like 2024-05-01.
std::vector<Index> order_of(const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) break;
    numbers.push_back(value);
  }
  const auto places = [](const auto& values) {
    using Value = std::decay_t<decltype(values[0])>;
    std::map<Value, Index> place;
    for (const auto& value : values) place.emplace(value, 0);
    Index next = 0;
    for (auto& entry : place) entry.second = next++;
    std::vector<Index> result;
    for (const auto& value : values) result.push_back(place[value]);
    return result;
  };
  return numbers.size() == texts.size() ? places(numbers) : places(texts);
}

std::vector<std::string> texts_of(const std::vector<ColumnCell>& cells) {
  std::vector<std::string> texts;
  for (const ColumnCell& cell : cells) texts.push_back(cell.text);
  return texts;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && std::isfinite(value);
}

// 2024-05, 2024-05-31 or 2024/05/31, and what may follow after a T or a blank.
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  for (std::size_t k = 0; k < std::min(text.size(), kForm.size()); ++k) {
    const bool is_digit = text[k] >= '0' && text[k] <= '9';
    if (kForm[k] == 'd' ? !is_digit : text[k] != '-' && text[k] != '/') return false;
  }
  if (text.size() > kForm.size()) return text[kForm.size()] == 'T' || text[kForm.size()] == ' ';
  return text.size() == kForm.size() || text.size() == 7;
}

// Numbers as they are, or dates in one spelling, whose bytes are in the order of time.
std::vector<std::string> times_of(const std::vector<ColumnCell>& cells, const std::string& path,
                                  const std::string& column) {
  const bool are_numbers = std::ranges::all_of(cells, [](const ColumnCell& cell) { return is_number(cell.text); });
  std::vector<std::string> texts = texts_of(cells);
  for (std::size_t k = 0; !are_numbers && k < texts.size(); ++k) {
    if (!is_date(texts[k])) {
      throw input_error(
          {.file = path, .line = cells[k].line},
          fmt::format("'{}' in the column '{}' of --time-column is not a time", texts[k].substr(0, 40), column),
          "expected numbers in all rows, or dates such as 2024-05-31 in all rows");
    }
    std::ranges::replace(texts[k], '/', '-');
    std::ranges::replace(texts[k], ' ', 'T');
  }
  return texts;
}

std::set<NodeId> classes_of(const Dataset& data) {
  std::set<NodeId> classes;
  for (Index s = 0; s < data.samples(); ++s) classes.insert(data.labels(s).begin(), data.labels(s).end());
  return classes;
}

class SplitCommand : public Command {
 public:
  std::string_view name() const override { return "split"; }
  std::string_view help() const override { return "divide data into a training and a test part, or keep some of it"; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data file or folder of documents");
    arguments.output("-o,--output", "PATH", output_,
                     "folder for the parts train and test; without --test and --per-class, the file to write", true);
    arguments.option("--test", "SHARE", test_, "share of the samples in the test part: 20% or 0.2");
    arguments.option("--group-column", "NAME", group_column_,
                     "column (CSV) or field (JSON lines) whose samples of one value stay together");
    arguments.option("--group-file", "FILE", group_file_, "the same as whole numbers in a file, one line per sample");
    arguments.option("--time-column", "NAME", time_column_,
                     "column or field of the time: the latest samples are the test part");
    arguments.parameters("Samples", sample_parameters());
    arguments.parameters("Writing", ParameterTable(write_));
    arguments.often("--output --test --per-class --group-column --time-column --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade split products.csv -o parts --test 20%\n"
        "  clade split products.jsonl -o parts --test 20% --group-column seller\n"
        "  clade split news.jsonl -o parts --test 10% --time-column date\n"
        "  clade split train.svm -o parts --per-class 5\n"
        "  clade split products.csv -o toys.csv --subtree Toys --without-duplicates\n"
        "  clade split products.csv -o merged.csv --merge-below 10\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    check();
    const bool parts = is_split();
    if (!parts) check_output(output_, write_.overwrite, read_.inputs({path_}));
    ReadOptions options = read_.options;
    const std::string& column = group_column_.empty() ? time_column_ : group_column_;
    if (!column.empty()) {
      const std::vector<ColumnCell> cells = read_column(path_, options, column, ctx);
      value_of_row_ = order_of(time_column_.empty() ? texts_of(cells) : times_of(cells, path_, column));
      // What samples are divided by is no feature, and may be text.
      if (options.sample_column.empty()) options.sample_column = column;
    }
    const LoadedData loaded = read_dataset(path_, options, ctx);
    notes_ = loaded.report.notes;
    const PreparedData prepared = prepare(loaded.data, keep_, ctx);
    notes_.insert(notes_.end(), prepared.notes.begin(), prepared.notes.end());
    copies_ = write_.format.empty() && !prepared.labels_changed && !options.first_label && options.label_map.empty() &&
              copies_samples(path_, options, ctx) && has_same_ending();
    if (parts) return write_parts(prepared.data, options, common, ctx);

    const Part whole = write_part(prepared.data, output_, options, ctx);
    show_notes(ctx);
    if (common.json) {
      return print_json(json_object({{"samples", whole.samples},
                                     {"classes", whole.classes},
                                     {"files", whole.files},
                                     {"copied", copies_},
                                     {"notes", notes_}}));
    }
    print(fmt::format("{} samples of {} classes -> {}\n", whole.samples, whole.classes, fmt::join(whole.files, ", ")));
  }

 private:
  struct Part {
    Index samples = 0;
    Index classes = 0;
    std::vector<std::string> files;
  };

  ParameterTable sample_parameters() {
    ParameterTable v;
    v("per-class", per_class_, nonnegative(),
      "training samples of every class, drawn at random; the rest are the test part");
    v("subtree", keep_.subtree, "only samples at or below this node");
    v("first-label", read_.options.first_label, "of several labels of a sample, keep the first");
    v("single-labels", keep_.single_labels, "only samples with exactly one label");
    v("without-duplicates", keep_.without_duplicates, "of samples with the same features, keep the first");
    v("merge-below", keep_.merge_below, nonnegative(), "classes with fewer samples become part of their parents");
    return v;
  }

  bool is_split() const { return !test_.empty() || per_class_ > 0; }

  void check() const {
    if (!test_.empty()) share_of("--test", test_);
    if (!test_.empty() && per_class_ > 0) throw usage_error("--test and --per-class", "expected one of them");
    const int by = (group_column_.empty() ? 0 : 1) + (group_file_.empty() ? 0 : 1) + (time_column_.empty() ? 0 : 1);
    if (by > 1) throw usage_error("several of --group-column, --group-file and --time-column", "expected one of them");
    if (by > 0 && test_.empty())
      throw usage_error("groups and times concern --test", "expected --test SHARE with them");
    const bool keeps = !keep_.subtree.empty() || keep_.single_labels || keep_.without_duplicates ||
                       keep_.merge_below > 0 || read_.options.first_label || !read_.options.label_map.empty() ||
                       read_.options.skip_bad || !read_.options.bad_rows.empty();
    if (!is_split() && !keeps) {
      throw usage_error("nothing to do", "expected --test 20%, --per-class K, or an option that keeps some samples");
    }
  }

  // For each sample of `data`, the value of its row in the file.
  static std::vector<Index> of_samples(const Dataset& data, const std::vector<Index>& of_rows) {
    std::vector<Index> result;
    for (Index s = 0; s < data.samples(); ++s) {
      const auto row = static_cast<std::size_t>(data.source_row(s));
      if (row >= of_rows.size()) throw usage_error("fewer values than samples", "expected one for each");
      result.push_back(of_rows[row]);
    }
    return result;
  }

  Split divide(const Dataset& data, Context& ctx) const {
    if (per_class_ > 0) {
      Split split{.train = subsample_per_class(data, per_class_, ctx.seed()), .test = {}};
      for (Index s = 0; s < data.samples(); ++s) {
        if (!std::ranges::binary_search(split.train, s)) split.test.push_back(s);
      }
      if (split.test.empty())
        throw usage_error("--per-class leaves no sample for the test", "expected a smaller number");
      return split;
    }
    const double share = share_of("--test", test_);
    if (!group_file_.empty()) {
      const Index rows = row_count(data.matrix());
      return group_split(of_samples(data, read_folds(group_file_, rows, ctx)), share, ctx.seed());
    }
    if (!group_column_.empty()) return group_split(of_samples(data, value_of_row_), share, ctx.seed());
    if (!time_column_.empty()) return time_split(of_samples(data, value_of_row_), share);
    return train_test_split(data, share, ctx.seed());
  }

  // What follows the name: .csv.gz of data.csv.gz.
  static std::string endings_of(const std::string& path) {
    const std::string file = std::filesystem::path(path).filename().string();
    const std::size_t dot = file.find('.', 1);
    return dot == std::string::npos ? "" : file.substr(dot);
  }

  // Rows are copied only into a file of the same format.
  bool has_same_ending() const {
    if (is_split()) return true;
    const std::string ending = std::filesystem::path(endings_of(output_)).extension().string();
    return ending == std::filesystem::path(endings_of(path_)).extension().string();
  }

  std::string ending_of_parts() const {
    const std::string own = endings_of(path_);
    if (copies_) return own;
    if (!write_.format.empty()) {
      const auto asked = find_data_format(write_.format);
      return asked ? asked->endings.front() : ".npz";
    }
    const auto infos = data_format_infos();
    const bool is_writable = std::ranges::any_of(infos, [&](const FormatInfo& info) {
      return info.writes && std::ranges::any_of(info.endings, [&](const std::string& ending) {
               return own == ending || own.starts_with(ending + ".") || own.ends_with(ending);
             });
    });
    return is_writable ? own : ".npz";
  }

  // The hierarchy of text is copied with it.
  static std::vector<std::string> copied_files(const std::string& file) {
    std::vector<std::string> files{file};
    if (std::filesystem::exists(file + ".meta.json")) files.push_back(file + ".meta.json");
    return files;
  }

  Part write_part(const Dataset& data, const std::string& file, const ReadOptions& options, Context& ctx) {
    if (copies_) {
      std::vector<Index> rows;
      for (Index s = 0; s < data.samples(); ++s) rows.push_back(data.source_row(s));
      copy_samples(path_, options, rows, file, write_.overwrite, ctx);
    }
    return {.samples = data.samples(),
            .classes = std::ssize(classes_of(data)),
            .files = copies_ ? copied_files(file) : write_dataset(data, file, write_, ctx)};
  }

  void write_parts(const Dataset& data, const ReadOptions& options, const CommonOptions& common, Context& ctx) {
    const Split split = divide(data, ctx);
    const Dataset train = data.subset(split.train);
    const Dataset test = data.subset(split.test);
    std::error_code failed;
    std::filesystem::create_directories(output_, failed);
    if (failed) throw system_error(output_, "cannot create the folder", failed.value());
    const std::string ending = ending_of_parts();
    const std::string train_file = (std::filesystem::path(output_) / ("train" + ending)).string();
    const std::string test_file = (std::filesystem::path(output_) / ("test" + ending)).string();
    for (const std::string& file : {train_file, test_file}) {
      check_output(file, write_.overwrite, read_.inputs({path_, group_file_}));
    }
    const Part first = write_part(train, train_file, options, ctx);
    const Part second = write_part(test, test_file, options, ctx);
    std::vector<std::string> files = first.files;
    files.insert(files.end(), second.files.begin(), second.files.end());
    note_unseen(train, test);
    show_notes(ctx);
    if (common.json) {
      return print_json(json_object({{"train_samples", first.samples},
                                     {"train_classes", first.classes},
                                     {"test_samples", second.samples},
                                     {"test_classes", second.classes},
                                     {"files", files},
                                     {"copied", copies_},
                                     {"notes", notes_}}));
    }
    for (const Part& part : {first, second}) {
      print(fmt::format("{} samples of {} classes -> {}\n", part.samples, part.classes, fmt::join(part.files, ", ")));
    }
  }

  void note_unseen(const Dataset& train, const Dataset& test) {
    const std::set<NodeId> seen = classes_of(train);
    const std::set<NodeId> tested = classes_of(test);
    const auto unseen = std::ranges::count_if(tested, [&](NodeId node) { return !seen.contains(node); });
    if (unseen > 0) notes_.push_back(fmt::format("{} classes have samples in the test part alone", unseen));
  }

  void show_notes(Context& ctx) {
    notes_ = with_flags(std::move(notes_));
    for (const auto& note : notes_) ctx.info(note);
  }

  std::string path_;
  std::string output_;
  std::string test_;
  std::string group_column_;
  std::string group_file_;
  std::string time_column_;
  Index per_class_ = 0;
  PrepareOptions keep_;
  WriteOptions write_;
  ReadArguments read_{Missing::kKeep};
  std::vector<Index> value_of_row_;  // the group or the time
  std::vector<std::string> notes_;
  bool copies_ = false;  // rows are copied as they are
};

}  // namespace

std::unique_ptr<Command> make_split_command() {
  return std::make_unique<SplitCommand>();
}

}  // namespace clade::cli
