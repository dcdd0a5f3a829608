#include "io/matrix_market/matrix_market.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/labels/label_file.h"
#include "io/matrix_market/matrix_market_body.h"
#include "io/matrix_market/matrix_market_companions.h"
#include "io/matrix_market/matrix_market_header.h"

namespace clade {
namespace {

// Sets names where files beside the matrix have them, and says whether they show that columns are samples.
bool use_companions(const Input& input, const MatrixMarketHeader& header, const ReadOptions& options, ParsedData& data,
                    Context& ctx) {
  auto found = read_terms_and_documents(input, options, ctx);
  if (!found) return options.transpose;
  const Index terms = std::ssize(found->terms);
  const Index documents = std::ssize(found->documents);
  const bool columns_are_documents = terms == header.rows && documents == header.columns;
  const bool rows_are_documents = documents == header.rows && terms == header.columns && !options.transpose;
  if (!columns_are_documents && !rows_are_documents) {
    data.notes.push_back(fmt::format("names beside the matrix not used: {} terms and {} documents do not fit {} x {}",
                                     terms, documents, header.rows, header.columns));
    return options.transpose;
  }
  data.feature_names = std::move(found->terms);
  data.sample_names = std::move(found->documents);
  data.notes.emplace_back(
      columns_are_documents && !options.transpose
          ? "names from the .terms and .docs files beside the matrix; transposed, as its rows are terms"
          : "names from the .terms and .docs files beside the matrix");
  return columns_are_documents;
}

void read_labels(const Input& input, const ReadOptions& options, ParsedData& data, Context& ctx) {
  const Index samples = row_count(data.features);
  std::string path = options.labels_file;
  if (path.empty() && !data.sample_names.empty()) {
    if (auto found = find_class_list(input)) {
      path = std::move(*found);
      data.notes.push_back(fmt::format("labels from {}", std::filesystem::path(path).filename().string()));
    }
  }
  if (path.empty()) {
    for (Index s = 0; s < samples; ++s) data.labels.end_sample();
  } else {
    data.labels_file = path;
    data.labels = read_label_file(path, options, data.sample_names, samples, data.notes, ctx);
  }
}

}  // namespace

ParsedData read_matrix_market(const Input& input, const ReadOptions& options, Context& ctx) {
  ParsedData data;
  const MatrixMarketHeader header = parse_matrix_market_header(input);
  const bool transposed = use_companions(input, header, options, data, ctx);
  set_matrix_market_features(data, input, header, transposed, options.precision, ctx);
  read_labels(input, options, data, ctx);
  return data;
}

}  // namespace clade
