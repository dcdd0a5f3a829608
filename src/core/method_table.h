#pragma once

#include <clade/error.h>
#include <clade/methods.h>
#include <clade/names.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// One method of a family: the object returned by `make` has a function parameters() that refers to its options.
template <class Method>
struct MethodRow {
  std::string_view name;
  std::string_view help;
  std::string_view source;
  std::unique_ptr<Method> (*make)();
};

// The methods of a family (selectors, classifiers, ...). A family consists of a constexpr array of rows and such a
// table.
template <class Method>
class MethodTable {
 public:
  // `kind` is the word for one method: "selector".
  constexpr MethodTable(std::string_view kind, std::span<const MethodRow<Method>> rows) : kind_(kind), rows_(rows) {}

  // Throws Error (kInput) that lists the methods if none has this name.
  std::unique_ptr<Method> make(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& row : rows_) {
      if (row.name == name) return row.make();
      names.emplace_back(row.name);
    }
    throw usage_error("no " + std::string(kind_) + " '" + std::string(name) + "'", expected_name(name, names));
  }

  // The same with parameters set; throws Error (kInput) for parameters that the method lacks, and for bad values.
  std::unique_ptr<Method> make(std::string_view name, const Parameters& parameters) const {
    std::unique_ptr<Method> method = make(name);
    method->parameters().set_own(name, parameters);
    return method;
  }

  std::vector<MethodInfo> infos() const {
    std::vector<MethodInfo> infos;
    for (const auto& row : rows_) {
      MethodInfo info{row.name, row.help, row.source, {}};
      const auto method = row.make();
      const ParameterTable table = method->parameters();
      info.parameters.assign(table.parameters().begin(), table.parameters().end());
      infos.push_back(std::move(info));
    }
    return infos;
  }

 private:
  std::string_view kind_;
  std::span<const MethodRow<Method>> rows_;
};

}  // namespace clade
