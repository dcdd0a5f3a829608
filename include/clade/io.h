#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/taxonomy.h>
#include <clade/text.h>

#include <optional>
#include <string>
#include <vector>

namespace clade {

// kAuto: an error, except that columns of numbers beside texts take their mean.
enum class Missing { kAuto, kError, kKeep, kMean, kZero, kDropSample };
enum class Header { kAuto, kYes, kNo };
enum class LabelPaths { kAuto, kYes, kNo };
enum class EdgeOrder { kAuto, kChildParent, kParentChild };
enum class ClassFrom { kFolder, kPath };
enum class Encoding { kAuto, kUtf8, kLatin1 };

// How to read a data file. The defaults suit most files.
struct ReadOptions {
  std::string format;           // empty: recognised by the file's name and first bytes
  std::string taxonomy;         // a taxonomy file; empty: the one in the data file, or a flat one
  std::string taxonomy_format;  // empty: recognised by the file's name and content
  EdgeOrder edges = EdgeOrder::kAuto;

  Missing missing = Missing::kAuto;
  // Rows that cannot be read are left out instead of being an error (CSV, TSV, JSON lines, LIBSVM, text by lines), and
  // listed in the file `bad_rows` if it is given, which then implies skip_bad.
  bool skip_bad = false;
  std::string bad_rows;
  // kAuto: sparse if the file is, or if less than a tenth of many values are non-zero; kOfFile: as in the file.
  Storage storage = Storage::kAuto;
  Precision precision = Precision::kDouble;
  Encoding encoding = Encoding::kAuto;  // auto: UTF-8; raw text that is not valid UTF-8 is read as Latin-1, and counted

  // LIBSVM
  bool zero_based = false;
  bool sort_features = false;  // accept rows whose feature ids do not ascend
  Index features = 0;          // at least this many columns; 0: as many as the file uses

  // CSV and TSV
  std::string label_column;   // a name or a 1-based number; empty: "label", "labels" or "class", else the last
  std::string sample_column;  // a name or a 1-based number; empty: "sample" or "id" if there is one
  std::string delimiter;      // empty: guessed from the first line
  Header header = Header::kAuto;

  // Tables and JSON objects with columns of text, numbers and categories: comma-separated names or 1-based numbers.
  // What is not given is told by the values.
  std::string text_columns;
  std::string numeric_columns;
  std::string categorical_columns;
  std::string ignore_columns;
  std::string label_levels;  // the labels are paths whose levels stand in these columns
  // The features of a model that the data is read for: columns of these names are features and never labels, and other
  // columns are left out. Empty: not known.
  std::vector<std::string> known_features;

  // labels
  std::string label_separators = ";|";  // between the labels of one sample (CSV)
  // Between the parts of a label that is a path; blanks around the parts do not count. Empty: recognised from all
  // labels together, among > / | :: \ -- (with blanks around them, or without) and the dots of codes like 3.5.2.6.
  std::string path_separator;
  LabelPaths label_paths = LabelPaths::kAuto;
  bool first_label = false;  // of several labels of a sample, keep the one that the file states first
  // The classes of a model, if the data are read for it: labels that mean one of them are spelt as it is.
  std::optional<Taxonomy> known_classes;
  std::string label_map;    // a file of labels and what becomes of them: old -> new, or old -> new1,new2
  std::string labels_file;  // a separate file of labels (Matrix Market, NumPy, one document per line)

  // Matrix Market
  bool transpose = false;  // rows are features

  // raw text
  TextOptions text;
  ClassFrom class_from = ClassFrom::kFolder;
  std::string under;       // archives and folders: only documents below this folder
  std::string vocabulary;  // a .meta.json file whose vocabulary is used instead of learning one
  std::shared_ptr<const TextVectorizer> vectorizer;  // the same, already in memory
  // Raw text: keep the counted words with the data, so that vocabulary and document frequencies can be learnt again
  // whenever samples are held out (cross-validation, calibration). Takes about as much memory as the features.
  bool keep_words = true;
  std::string text_field = "text";
  std::string token_field = "doc_token";
  std::string label_field = "doc_label";
};

// What reading found, repaired or skipped: nothing is changed silently.
struct ReadReport {
  std::string format;
  Index missing_values = 0;
  Index bad_rows = 0;  // left out by ReadOptions::skip_bad
  std::vector<std::string> notes;
};

struct LoadedData {
  Dataset data;
  ReadReport report;

  operator const Dataset&() const { return data; }
};

// Reads a data file or a folder of documents. Throws Error with the place of the error.
LoadedData read_dataset(const std::string& path, const ReadOptions& options, Context& ctx);

// The same of several files of one format as if they were one: their samples one after the other, with columns, words
// and hierarchy told from all of them; folders and archives of documents are refused. Throws Error (kInput) if their
// columns or the hierarchies that they state differ. A folder with the parts of a data set counts as these files, here
// and wherever data is read.
LoadedData read_datasets(const std::vector<std::string>& paths, const ReadOptions& options, Context& ctx);

// The same where several processes work together and none can hold all data: each reads some of the rows, and has the
// labels of all samples (Dataset::row_parts). The rows of LIBSVM, CSV, TSV and ARFF are shared whatever the number of
// files; of other formats there must be a file for each process at least, and each file, or the options, must tell
// columns and hierarchy. Throws Error (kUsage) for what does not show in some of the rows.
LoadedData read_by_rows(const std::vector<std::string>& paths, const ReadOptions& options, Context& ctx);

// The parts that a folder holds (WriteOptions::parts), in their order; the path itself if it is no such folder. Throws
// Error (kInput) if parts are missing, or other files are beside them.
std::vector<std::string> data_files(const std::string& path, const ReadOptions& options);

// The options as parameters, by subject.
ParameterTable general_parameters(ReadOptions& options);
ParameterTable label_parameters(ReadOptions& options);
ParameterTable table_parameters(ReadOptions& options);
ParameterTable text_parameters(ReadOptions& options);

struct LoadedTaxonomy {
  Taxonomy taxonomy;
  ReadReport report;
};

LoadedTaxonomy read_taxonomy(const std::string& path, const ReadOptions& options, Context& ctx);

struct TextFile {
  std::string path;
  std::string text;
};

struct WriteOptions {
  std::string format;  // empty: chosen by the file's name
  bool overwrite = false;
  Index parts = 0;                  // write_dataset: as this many files; 0: as one
  std::string taxonomy_path;        // write_dataset: also write the taxonomy to this file; empty: do not
  bool mat73 = false;               // MATLAB: version 7.3 (HDF5) even if version 5 can hold the data
  bool edges_parent_child = false;  // edge lists as parent,child instead of child,parent
  std::string path_separator;       // between the parts of a label path; empty: as in the names of the nodes, or /
  std::vector<TextFile> beside;     // write_taxonomy: further files, which appear together with it
};

void describe(ParameterTable& v, WriteOptions& o);

// Writes a data file; it appears whole or not at all. What the format itself cannot hold (names, taxonomy,
// vocabulary) goes into a file beside it, PATH.meta.json, which read_dataset picks up. Parts have consecutive samples,
// the same number of them or one more, and names such as NAME.part-0001-of-0004.ENDING; each can also be read by
// itself. Returns the files written.
std::vector<std::string> write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                                       Context& ctx);
void write_taxonomy(const Taxonomy& taxonomy, const std::string& path, const WriteOptions& options, Context& ctx);

// The kind of a file, by its name and first bytes; kData unless another kind is certain.
enum class FileKind { kData, kTaxonomy, kFeatureTree, kRanking, kModel };
FileKind kind_of_file(const std::string& path, Context& ctx);

// A format of data or of taxonomies.
struct FormatInfo {
  std::string_view name;
  std::string_view help;
  std::vector<std::string> endings;
  bool writes = false;
};
std::vector<FormatInfo> data_format_infos();
std::vector<FormatInfo> taxonomy_format_infos();

// Copies some samples of a file, in the given order (numbers as in the file, from 0), without changing a byte of them:
// the rows of CSV and TSV below the header row, the lines of LIBSVM and JSON lines, or the objects of a JSON array. The
// copy appears whole or not at all, and is compressed if its name says so. copies_samples() says whether a file is of
// such a kind.
bool copies_samples(const std::string& path, const ReadOptions& options, Context& ctx);
void copy_samples(const std::string& path, const ReadOptions& options, std::span<const Index> samples,
                  const std::string& output, bool overwrite, Context& ctx);
// One cell of a column, and the line of its row.
struct ColumnCell {
  std::string text;
  Index line = 0;
};
// The texts of one column of such a file (CSV, TSV) or of one field (JSON lines), one per sample.
std::vector<ColumnCell> read_column(const std::string& path, const ReadOptions& options, const std::string& column,
                                    Context& ctx);

// Files with one line per sample, in the order of the samples; a first line that names the column is skipped. They
// throw Error (kInput) with the line of the error.
//
// Folds are whole numbers from 0 to 1,000,000; those that occur are renumbered 0, 1, ... in ascending order.
std::vector<Index> read_folds(const std::string& path, Index samples, Context& ctx);
// Weights are finite and not negative, and not all 0.
std::vector<double> read_sample_weights(const std::string& path, Index samples, Context& ctx);

// Called before long work: throws Error if a file could not be written afterwards, because it exists and `overwrite` is
// false, is one of `inputs`, or cannot be created. Empty names among the inputs are ignored.
void check_output(const std::string& path, bool overwrite, std::span<const std::string> inputs);
// The same for a taxonomy, whose format must be clear from the name.
void check_taxonomy_output(const std::string& path, bool overwrite, std::span<const std::string> inputs);
// Writes a text file; it appears whole or not at all.
void write_text_file(const std::string& text, const std::string& path, bool overwrite);

}  // namespace clade
