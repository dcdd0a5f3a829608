#include "experiment/file_hash.h"

#include <algorithm>
#include <filesystem>

#include "core/content_hash.h"

namespace clade {
std::string content_hash(const std::string& path, Context& ctx) {
  namespace fs = std::filesystem;
  ContentHash hash;
  if (!fs::is_directory(path)) {
    hash.add_file(path);
    return hash.text();
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(path).string());
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    ctx.check_cancelled();
    hash.add(file);
    hash.add(std::string_view("\0", 1));
    hash.add_file((fs::path(path) / file).string());
  }
  return hash.text();
}

std::string text_hash(std::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.text();
}

std::vector<std::pair<std::string, std::string>> input_hashes(const Experiment& experiment, Context& ctx) {
  std::vector<std::pair<std::string, std::string>> hashes;
  const auto add = [&](const std::string& path) {
    if (path.empty()) return;
    if (std::ranges::find(hashes, path, [](const auto& entry) { return entry.first; }) != hashes.end()) return;
    hashes.emplace_back(path, content_hash(path, ctx));
  };
  const auto add_data = [&](const std::string& path) {
    add(path);
    const std::string beside = path + ".meta.json";
    if (!path.empty() && std::filesystem::exists(beside)) add(beside);
  };
  for (const ExperimentData& data : experiment.data) {
    add_data(data.file);
    add_data(data.test);
    add_data(data.select_on);
    for (const std::string& path : {data.reading.taxonomy, data.reading.labels_file, data.reading.label_map,
                                    data.reading.vocabulary, data.fold_file}) {
      add(path);
    }
  }
  add(experiment.evaluate.loss_volumes);
  return hashes;
}

}  // namespace clade
