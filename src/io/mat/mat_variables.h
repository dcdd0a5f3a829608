#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.h"
#include "io/mat/mat_arrays.h"

namespace clade {

// The variables of one file by name, checked for what a layout needs. `input` and `ctx` must outlive it.
class MatVariables {
 public:
  // Throws Error if the file is not a MATLAB file of level 5 or 7.3.
  MatVariables(const Input& input, Context& ctx);

  // The first of these names that the file has: in exactly these letters, or else in upper or lower case.
  std::optional<std::size_t> find(std::initializer_list<std::string_view> names) const;

  MatVariable load(std::size_t entry);
  // Real numbers, dense or (checked) sparse, with a number of rows that a file of this size can have.
  MatVariable load_matrix(std::size_t entry);
  // The same, but only dense.
  MatVariable load_dense(std::size_t entry);
  // The texts of a cell array or the rows of a character array; exactly `count` of them, unless that is negative.
  std::vector<std::string> load_texts(std::size_t entry, Index count, std::string_view of_what);
  void check_matrix(const MatVariable& variable) const;

  // Throws Error if a number of samples or nodes is out of proportion to the file's size. For counts that are not
  // backed by as many stored values.
  void check_count(Index count, std::string_view what) const;

  // "X (165 x 1024 double), Y (165 x 1 double)": all variables, or those that were not loaded.
  std::string list(bool unused_only) const;

  Error error(std::string_view problem, std::string_view expected = {}) const;
  const std::string& file_name() const { return input_.name(); }

 private:
  Error not_numbers(const MatVariable& variable) const;

  const Input& input_;
  Context& ctx_;
  std::unique_ptr<MatFile> file_;
  std::vector<bool> used_;
};

}  // namespace clade
