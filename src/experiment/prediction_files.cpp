#include "experiment/prediction_files.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "experiment/file_hash.h"

namespace clade {

std::string predictions_file(const Experiment& experiment, Index cell) {
  const std::size_t width = std::to_string(experiment.cells.size()).size();
  return fmt::format("predictions/{:0{}}.csv", cell + 1, width);
}

PredictionFiles::PredictionFiles(const Experiment& experiment, std::string folder)
    : experiment_(experiment), folder_(std::move(folder)) {
  const bool keeps = std::ranges::any_of(
      experiment.recipes, [](const ExperimentRecipe& r) { return r.predictions != KeptPredictions::kNone; });
  if (!keeps) return;
  const std::string to = (std::filesystem::path(folder_) / "predictions").string();
  std::error_code failure;
  std::filesystem::create_directories(to, failure);
  if (failure) throw system_error(to, "cannot make the folder", failure.value());
}

std::string PredictionFiles::path_of(Index cell) const {
  return (std::filesystem::path(folder_) / predictions_file(experiment_, cell)).string();
}

std::string PredictionFiles::keep(Index cell, const std::string& text) const {
  const std::string path = path_of(cell);
  // One name for all attempts: a cell that was interrupted is run again, and leaves nothing behind.
  const std::string temporary = path + ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw system_error(temporary, "cannot write", errno);
  std::error_code failure;
  std::filesystem::rename(temporary, path, failure);
  if (failure) throw system_error(path, "cannot rename into place", failure.value());
  return text_hash(text);
}

bool PredictionFiles::has(Index cell, const std::string& hash, Context& ctx) const {
  const std::string path = path_of(cell);
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && content_hash(path, ctx) == hash;
}

}  // namespace clade
