#include <clade/io.h>

namespace clade {
namespace {

constexpr Choice<Missing> kMissingWords[] = {{Missing::kAuto, "auto"}, {Missing::kError, "error"},
                                             {Missing::kKeep, "keep"}, {Missing::kMean, "mean"},
                                             {Missing::kZero, "zero"}, {Missing::kDropSample, "drop-sample"}};
constexpr Choice<Storage> kStorageWords[] = {
    {Storage::kAuto, "auto"}, {Storage::kDense, "dense"}, {Storage::kSparse, "sparse"}};
constexpr Choice<Precision> kPrecisionWords[] = {{Precision::kDouble, "double"}, {Precision::kFloat, "float"}};
constexpr Choice<Header> kHeaderWords[] = {{Header::kAuto, "auto"}, {Header::kYes, "yes"}, {Header::kNo, "no"}};
constexpr Choice<LabelPaths> kLabelPathsWords[] = {
    {LabelPaths::kAuto, "auto"}, {LabelPaths::kYes, "yes"}, {LabelPaths::kNo, "no"}};
constexpr Choice<EdgeOrder> kEdgeOrderWords[] = {
    {EdgeOrder::kAuto, "auto"}, {EdgeOrder::kChildParent, "child-parent"}, {EdgeOrder::kParentChild, "parent-child"}};
constexpr Choice<ClassFrom> kClassFromWords[] = {{ClassFrom::kFolder, "folder"}, {ClassFrom::kPath, "path"}};
constexpr Choice<Encoding> kEncodingWords[] = {
    {Encoding::kAuto, "auto"}, {Encoding::kUtf8, "utf-8"}, {Encoding::kLatin1, "latin-1"}};
constexpr Choice<TermWeight> kTermWeightWords[] = {
    {TermWeight::kTf, "tf"}, {TermWeight::kTfIdf, "tf-idf"}, {TermWeight::kBinary, "binary"}};
constexpr Choice<bool> kSublinearWords[] = {{true, "yes"}, {false, "no"}};  // no flag, for it is on by default
constexpr Choice<TextFields> kTextFieldsWords[] = {{TextFields::kJoined, "joined"},
                                                   {TextFields::kSeparate, "separate"}};
constexpr Choice<StopWords> kStopWordsWords[] = {{StopWords::kNone, "none"}, {StopWords::kEnglish, "english"}};

}  // namespace

ParameterTable general_parameters(ReadOptions& o) {
  ParameterTable v;
  v("format", o.format, "format of DATA (by default told from its name and first bytes)");
  v("taxonomy", o.taxonomy, "taxonomy file; by default what DATA carries or its labels imply");
  v("taxonomy-format", o.taxonomy_format, "format of the taxonomy: child-lists, json, obo, paths or edges");
  v("edges", o.edges, kEdgeOrderWords, "which end of an edge stands first in an edge list without a header");
  v("missing", o.missing, kMissingWords,
    "what to do with missing values; auto: an error, except that numbers beside texts get means, and a classifier that "
    "Clade chose gets what suits it");
  v("skip-bad", o.skip_bad,
    "CSV, TSV, JSON lines, LIBSVM, text lines: leave out rows that cannot be read, and count them");
  v("bad-rows", o.bad_rows, "the same, and list them in this CSV file: file,line,reason");
  v("storage", o.storage, kStorageWords, "dense or sparse in memory; auto: sparse if the file is or if it pays");
  v("precision", o.precision, kPrecisionWords, "precision of values in memory");
  v("encoding", o.encoding, kEncodingWords, "encoding of text; auto: UTF-8, raw text that is not is taken as Latin-1");
  return v;
}

ParameterTable label_parameters(ReadOptions& o) {
  ParameterTable v;
  v("label-column", o.label_column, "CSV, ARFF, FASTA: name or 1-based number of the label column, or none");
  v("label-separators", o.label_separators, "characters between the labels of one sample");
  v("path-separator", o.path_separator,
    "what separates the parts of a label that is a path (by default recognised from all labels: ' > ', /, ...)");
  v("label-paths", o.label_paths, kLabelPathsWords,
    "are labels paths like a/b/c? auto: if enough of them contain the separator");
  v("label-levels", o.label_levels,
    "tables: the columns with the levels of the label, from the top down: lvl1,lvl2,lvl3");
  v("label-map", o.label_map, "a file that renames labels: old -> new, old -> new1,new2, or old -> to drop it");
  v("labels-file", o.labels_file, "labels in a file of their own (Matrix Market, NumPy, FASTA, text by lines)");
  return v;
}

ParameterTable table_parameters(ReadOptions& o) {
  ParameterTable v;
  v("sample-column", o.sample_column, "CSV, ARFF: name or 1-based number of the column that names samples");
  v("delimiter", o.delimiter, "CSV: the character between fields (by default guessed)");
  v("text-columns", o.text_columns, "tables, JSON lines: columns whose words are features; others of text are ignored");
  v("numeric-columns", o.numeric_columns, "tables, JSON lines: columns of numbers");
  v("categorical-columns", o.categorical_columns, "tables, JSON lines: columns whose values are features");
  v("ignore-columns", o.ignore_columns, "tables, JSON lines: columns to leave out");
  v("header", o.header, kHeaderWords, "CSV: does the first line name the columns?");
  v("zero-based", o.zero_based, "LIBSVM: feature ids start at 0");
  v("sort-features", o.sort_features, "LIBSVM, sparse ARFF: accept rows whose feature ids do not ascend");
  v("feature-count", o.features, nonnegative(), "LIBSVM: number of features; 0: as many as the file uses");
  v("transpose", o.transpose, "Matrix Market: rows are features");
  return v;
}

ParameterTable text_parameters(ReadOptions& o) {
  ParameterTable v;
  TextOptions& t = o.text;
  v("sequences", t.sequences, "documents are strings of symbols, not words: feature j is the j-th symbol");
  v("weight", t.weight, kTermWeightWords, "value of a word: its count, count times inverse document frequency, or 1");
  v("stop-words", t.stop_words, kStopWordsWords, "drop words that carry no meaning of their own");
  v("stem", t.stem, "reduce words to stems: a Snowball language such as english");
  v("min-documents", t.min_document_frequency, nonnegative(),
    "drop words that occur in fewer documents; 0: in fewer than 2 if there are 500 or more");
  v("min-length", t.min_word_length, at_least(1), "drop words of fewer letters");
  v("drop-numbers", t.drop_numbers, "drop words of digits alone");
  v("keep-case", t.keep_case, "do not fold upper case to lower case");
  v("word-runs", t.word_runs, at_least(1), "runs of up to this many words are features too; 2: bigrams");
  v("sublinear", t.sublinear, kSublinearWords, "with `weight` tf-idf, a word that occurs n times counts 1 + ln n");
  v("max-documents", t.max_document_share, between(0, 1), "drop words that occur in a larger share of the documents");
  v("characters", t.characters, "runs of this many characters of a word are features too: 3, or 2-4");
  v("hash-bits", t.hash_bits, between(0, 24),
    "number words by a hash of this many bits instead of keeping them; 0: keep");
  v("number-weight", t.number_weight, positive(), "tables: weight of numbers beside words");
  v("text-fields", t.fields, kTextFieldsWords, "tables: text columns as one bag of words, or as separate ones");
  v("raw-length", t.raw_length, "do not scale documents to Euclidean length 1");
  v("class-from", o.class_from, kClassFromWords, "folders: the class is the folder, or its whole path a/b/c");
  v("under", o.under, "folders and archives: only documents below this folder");
  v("vocabulary", o.vocabulary, "a .meta.json whose vocabulary to use instead of learning one");
  v("text-field", o.text_field, "JSON lines: field of the text");
  v("token-field", o.token_field, "JSON lines: field of the list of words");
  v("label-field", o.label_field, "JSON lines: field of the label or labels");
  return v;
}

void describe(ParameterTable& v, WriteOptions& o) {
  v("to", o.format, "format of OUT (by default told from its name)");
  v("force", o.overwrite, "overwrite OUT if it exists");
  v("mat73", o.mat73, "MATLAB: version 7.3 (HDF5) even where version 5, which ends at 2 GB, can hold the data");
  v("parent-child", o.edges_parent_child, "edge lists as parent,child instead of child,parent");
}

}  // namespace clade
