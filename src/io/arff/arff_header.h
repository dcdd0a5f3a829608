#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/arff/arff_class.h"
#include "io/delimited.h"

namespace clade {

// Words of ARFF: plain, or in single or double quotes, where a backslash makes the next character plain text (\n, \r
// and \t stand for control characters).

struct ArffWord {
  std::string_view text;  // unquoted; a plain word without surrounding blanks
  bool quoted = false;
  bool closed = true;  // false: the closing quote is missing, or something other than a stop follows it
};

void skip_blanks(const char*& at, const char* end);

// Takes the word at `at`, which moves to the first of `stops` after it, or to `end`. Skips blanks before and after it.
// The text may live in `scratch`.
ArffWord take_arff_word(const char*& at, const char* end, std::string_view stops, std::string& scratch);

// Appends a word so that it reads back the same, quoted if necessary.
void append_arff_word(std::string& text, std::string_view word);
void append_arff_quoted(std::string& text, std::string_view word);

// One @attribute, what it is used for, and the data columns it becomes.
struct ArffAttribute {
  enum class Kind { kNumeric, kNominal, kText, kHierarchical };
  enum class Role { kFeature, kLabel, kSample, kIgnored };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  std::string name;
  Kind kind = Kind::kNumeric;
  Role role = Role::kFeature;
  Index line = 0;

  // Nominal: the values in their order. Two values make one column: 1 for the value `one`, 0 for the other. Any other
  // number of values makes one column each, exactly one of which is 1.
  std::vector<std::string> values;
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> number_of;
  Index one = 1;

  std::string entries;  // hierarchical: as in the file
  ArffClassForm form = ArffClassForm::kPlain;

  FeatureIndex first_column = 0;
  FeatureIndex columns = 1;

  bool is_one_hot() const { return kind == Kind::kNominal && values.size() != 2; }
  // Nominal: does the first value, which a sparse row omits, set a 1 somewhere?
  bool first_value_is_nonzero() const { return is_one_hot() || one == 0; }
};

struct ArffHeader {
  std::vector<ArffAttribute> attributes;
  FeatureIndex columns = 0;
  std::vector<std::string> feature_names;  // empty: f0, f1, ...
  Index label = -1;
  Index sample = -1;
  std::optional<ArffClass> classes;  // if the label is hierarchical
  std::size_t data_begin = 0;
  Index data_line = 1;
};

// Reads up to and including the line @data. Throws Error with the line of what is wrong.
ArffHeader read_arff_header(const DelimitedText& text, const ReadOptions& options, std::vector<std::string>& notes);

// Decides what each attribute is used for and numbers the columns of the features:
//
//   label   options.label_column (a name, a 1-based number, or "none"); else the hierarchical attribute; else the last
//           nominal or string attribute named class; else the last attribute if it is nominal
//   sample  options.sample_column; else a string attribute named sample or id
//
// Throws Error for a string or date attribute that would be a feature, and if the options name no attribute.
void assign_arff_roles(ArffHeader& header, const Input& input, const ReadOptions& options,
                       std::vector<std::string>& notes);

}  // namespace clade
