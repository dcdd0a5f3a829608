#include "io/arff/arff_roles.h"

#include <fmt/core.h>

#include <algorithm>

namespace clade {
namespace {

using Kind = ArffAttribute::Kind;
using Role = ArffAttribute::Role;

class RoleAssigner {
 public:
  RoleAssigner(ArffHeader& header, const Input& input, const ReadOptions& options, std::vector<std::string>& notes)
      : header_(header), input_(input), options_(options), notes_(notes) {}

  void assign() {
    header_.label = find_label();
    header_.sample = find_sample();
    if (header_.label >= 0 && header_.label == header_.sample) {
      throw usage_error("one attribute is asked for as labels and as sample names", "expected two attributes");
    }
    if (header_.label >= 0) attribute(header_.label).role = Role::kLabel;
    if (header_.sample >= 0) attribute(header_.sample).role = Role::kSample;
    for (ArffAttribute& each : header_.attributes) {
      if (each.role == Role::kFeature) number_columns(each);
    }
    if (are_default_names(header_.feature_names)) header_.feature_names.clear();
    if (nominal_ > 0) {
      notes_.push_back(fmt::format("{} nominal attribute{} became {} columns of 0 and 1", nominal_,
                                   nominal_ == 1 ? "" : "s", nominal_columns_));
    }
    note_odd_names(header_.feature_names, notes_);
    read_classes();
  }

 private:
  ArffAttribute& attribute(Index k) { return header_.attributes[static_cast<std::size_t>(k)]; }
  Index count() const { return static_cast<Index>(header_.attributes.size()); }

  Index find_label() {
    if (options_.label_column == "none") return -1;
    if (!options_.label_column.empty()) return named_by("`label-column`", options_.label_column);
    if (const Index found = hierarchical_attribute(); found >= 0) return found;
    for (Index k = count() - 1; k >= 0; --k) {
      const bool words = attribute(k).kind == Kind::kNominal || attribute(k).kind == Kind::kText;
      if (words && equal_ignoring_case(attribute(k).name, "class")) return k;
    }
    if (count() > 0 && attribute(count() - 1).kind == Kind::kNominal) {
      notes_.push_back(fmt::format("the last attribute, '{}', is taken as the label", attribute(count() - 1).name));
      return count() - 1;
    }
    notes_.emplace_back("no class attribute: the samples have no labels");
    return -1;
  }

  Index hierarchical_attribute() {
    Index found = -1;
    for (Index k = 0; k < count(); ++k) {
      if (attribute(k).kind != Kind::kHierarchical) continue;
      if (found >= 0) {
        throw input_error(input_.at_line(attribute(k).line), "a second hierarchical attribute",
                          "say which one is the label with `label-column`");
      }
      found = k;
    }
    return found;
  }

  Index find_sample() {
    if (options_.sample_column == "none") return -1;
    if (!options_.sample_column.empty()) return named_by("`sample-column`", options_.sample_column);
    for (Index k = 0; k < count(); ++k) {
      const std::string& name = attribute(k).name;
      const bool named = equal_ignoring_case(name, "sample") || equal_ignoring_case(name, "id");
      if (named && k != header_.label && attribute(k).kind == Kind::kText) return k;
    }
    return -1;
  }

  Index named_by(std::string_view option, const std::string& wanted) {
    Index found = -1;
    for (Index k = 0; k < count(); ++k) {
      if (attribute(k).name != wanted) continue;
      if (found >= 0) {
        throw input_error(input_.at_line(attribute(k).line), fmt::format("several attributes are named '{}'", wanted),
                          fmt::format("give {} a number", option));
      }
      found = k;
    }
    if (found < 0) found = column_number(wanted) - 1;
    if (found >= 0 && found < count()) return found;
    throw input_error({.file = input_.name()}, fmt::format("there is no attribute '{}'", shown(wanted)),
                      fmt::format("{} takes a name, a number from 1 to {}, or none", option, count()));
  }

  void number_columns(ArffAttribute& each) {
    each.first_column = header_.columns;
    switch (each.kind) {
      case Kind::kNumeric:
        header_.feature_names.push_back(each.name);
        break;
      case Kind::kNominal:
        name_nominal_columns(each);
        break;
      case Kind::kText:
        throw input_error(input_.at_line(each.line), fmt::format("attribute '{}' is text", shown(each.name)),
                          "expected numeric or nominal features; `sample-column` takes it as the samples' names");
      case Kind::kHierarchical:
        each.role = Role::kIgnored;
        each.columns = 0;
        notes_.push_back(fmt::format("attribute '{}' is ignored: another one is the label", each.name));
        break;
    }
    header_.columns += each.columns;
  }

  void name_nominal_columns(ArffAttribute& each) {
    ++nominal_;
    if (each.is_one_hot()) {
      each.columns = static_cast<FeatureIndex>(each.values.size());
      for (const std::string& value : each.values) {
        name_bytes_ += each.name.size() + 1 + value.size();
        if (name_bytes_ > kSpareBytes + 10 * input_.bytes().size()) {
          throw input_error(input_.at_line(each.line),
                            fmt::format("the {} values of attribute '{}' make too many long column names",
                                        each.values.size(), shown(each.name)),
                            "expected a shorter name of the attribute");
        }
        header_.feature_names.push_back(each.name + "=" + value);
      }
    } else {
      const std::string& one = each.values[static_cast<std::size_t>(each.one)];
      const std::string& other = each.values[static_cast<std::size_t>(1 - each.one)];
      header_.feature_names.push_back(one == "1" && other == "0" ? each.name : each.name + "=" + one);
    }
    nominal_columns_ += each.columns;
  }

  void read_classes() {
    if (header_.label < 0 || attribute(header_.label).kind != Kind::kHierarchical) return;
    const ArffAttribute& label = attribute(header_.label);
    header_.classes = read_arff_class(label.entries, label.form, input_, label.line, notes_);
  }

  ArffHeader& header_;
  const Input& input_;
  const ReadOptions& options_;
  std::vector<std::string>& notes_;
  Index nominal_ = 0;
  Index nominal_columns_ = 0;
  std::size_t name_bytes_ = 0;
};

}  // namespace

void assign_arff_roles(ArffHeader& header, const Input& input, const ReadOptions& options,
                       std::vector<std::string>& notes) {
  RoleAssigner(header, input, options, notes).assign();
}

}  // namespace clade
