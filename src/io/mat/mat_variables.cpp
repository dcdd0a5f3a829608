#include "io/mat/mat_variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "io/mat/hdf5.h"
#include "io/mat/mat_arrays.h"
#include "io/mat/mat_features.h"

namespace clade {
namespace {

// zlib packs a thousand equal bytes into one, and each sample or node takes far more memory than a byte.
constexpr Index kMostPerByte = 64;

// A level 4 file begins with a number MOPT: byte order, 0, precision, matrix type.
bool looks_like_mat4(std::string_view head) {
  constexpr std::size_t kHeaderBytes = 20;
  if (head.size() < kHeaderBytes) return false;
  NumberArray first{.type = NumberType::kUInt32, .bytes = head.substr(0, 4)};
  const auto plausible = [](Index mopt) {
    return mopt < 5000 && mopt / 100 % 10 == 0 && mopt / 10 % 10 <= 5 && mopt % 10 <= 2;
  };
  if (plausible(first.index_at(0))) return true;
  first.swapped = true;
  return plausible(first.index_at(0));
}

std::unique_ptr<MatFile> open_mat(const Input& input) {
  const std::string_view bytes = input.bytes();
  if (looks_like_mat5(bytes)) return open_mat5(input);
  if (looks_like_hdf5(bytes) || bytes.starts_with("MATLAB 7.3")) return open_mat73(input);
  if (bytes.starts_with("MATLAB 5.0")) {
    throw input_error({.file = input.name()}, "the header of a MATLAB level 5 file is truncated or corrupt",
                      "expected 128 bytes that end with a version and a byte order");
  }
  if (looks_like_mat4(bytes)) {
    throw input_error({.file = input.name()}, "MATLAB level 4 files are not read", "save it with -v7");
  }
  throw input_error({.file = input.name()}, "not a MATLAB file", "expected MATLAB level 5 (-v6, -v7) or 7.3");
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

MatVariables::MatVariables(const Input& input, Context& ctx)
    : input_(input), ctx_(ctx), file_(open_mat(input)), used_(file_->entries().size(), false) {}

Error MatVariables::error(std::string_view problem, std::string_view expected) const {
  return input_error({.file = input_.name()}, problem, expected);
}

std::optional<std::size_t> MatVariables::find(std::initializer_list<std::string_view> names) const {
  const auto& entries = file_->entries();
  for (const std::string_view name : names) {
    for (const bool exact : {true, false}) {
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (exact ? entries[k].name == name : same_letters(entries[k].name, name)) return k;
      }
    }
  }
  return std::nullopt;
}

MatVariable MatVariables::load(std::size_t entry) {
  used_[entry] = true;
  return file_->load(entry, ctx_);
}

Error MatVariables::not_numbers(const MatVariable& variable) const {
  std::string_view found = variable.problem;
  if (variable.kind == MatVariable::Kind::kText || variable.kind == MatVariable::Kind::kTexts) found = "text";
  if (variable.kind == MatVariable::Kind::kSparse) found = "sparse";
  return error(fmt::format("variable '{}' is {}", variable.name, found), "expected a matrix of real numbers");
}

void MatVariables::check_matrix(const MatVariable& variable) const {
  const bool sparse = variable.kind == MatVariable::Kind::kSparse;
  if (!sparse && variable.kind != MatVariable::Kind::kNumbers) throw not_numbers(variable);
  if (sparse) check_sparse(variable, input_.name());
  if (sparse || variable.columns == 0) check_count(variable.rows, "rows of " + variable.name);
}

MatVariable MatVariables::load_matrix(std::size_t entry) {
  MatVariable variable = load(entry);
  check_matrix(variable);
  return variable;
}

MatVariable MatVariables::load_dense(std::size_t entry) {
  MatVariable variable = load(entry);
  if (variable.kind != MatVariable::Kind::kNumbers) throw not_numbers(variable);
  return variable;
}

std::vector<std::string> MatVariables::load_texts(std::size_t entry, Index count, std::string_view of_what) {
  MatVariable variable = load(entry);
  const bool texts = variable.kind == MatVariable::Kind::kTexts || variable.kind == MatVariable::Kind::kText;
  const bool empty = variable.kind == MatVariable::Kind::kNumbers && variable.rows * variable.columns == 0;
  if (!texts && !empty) {
    throw error(fmt::format("variable '{}' is not a list of texts", variable.name), "expected a cell array of texts");
  }
  if (count >= 0 && std::ssize(variable.texts) != count) {
    throw error(fmt::format("variable '{}' has {} texts", variable.name, variable.texts.size()),
                fmt::format("expected {}, the number of {}", count, of_what));
  }
  return std::move(variable.texts);
}

void MatVariables::check_count(Index count, std::string_view what) const {
  if (count > kMostPerByte * static_cast<Index>(input_.bytes().size())) {
    throw error(fmt::format("{} {} in a file of {} bytes", count, what, input_.bytes().size()),
                "expected a file that holds what it says");
  }
}

std::string MatVariables::list(bool unused_only) const {
  std::string list;
  for (std::size_t k = 0; k < used_.size(); ++k) {
    if (unused_only && used_[k]) continue;
    const auto& entry = file_->entries()[k];
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", entry.name.empty() ? "(no name)" : entry.name,
                        entry.description);
  }
  return list;
}

}  // namespace clade
