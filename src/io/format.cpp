#include "io/format.h"

#include <algorithm>
#include <iterator>

#include "core/check.h"
#include "io/arff/arff.h"
#include "io/csv/csv.h"
#include "io/fasta/fasta.h"
#include "io/libsvm/libsvm.h"
#include "io/mat/mat.h"
#include "io/matrix_market/matrix_market.h"
#include "io/numpy/npy.h"
#include "io/taxonomy/taxonomy_formats.h"
#include "io/text/text_source.h"

namespace clade {
namespace {

constexpr std::string_view kLibsvm[] = {".svm", ".libsvm", ".svmlight"};
constexpr std::string_view kCsv[] = {".csv"};
constexpr std::string_view kTsv[] = {".tsv", ".tab"};
constexpr std::string_view kArff[] = {".arff"};
constexpr std::string_view kMat[] = {".mat"};
constexpr std::string_view kNpy[] = {".npy"};
constexpr std::string_view kNpz[] = {".npz"};
constexpr std::string_view kMatrixMarket[] = {".mtx", ".mm"};
constexpr std::string_view kJsonLines[] = {".jsonl", ".ndjson", ".json"};
constexpr std::string_view kTextLines[] = {".txt"};
constexpr std::string_view kFasta[] = {".fasta", ".fa", ".faa", ".fna"};
constexpr std::string_view kTextFolder[] = {".tar", ".tgz", ".txz"};

bool starts_with_mat(std::string_view head) {
  return head.starts_with("MATLAB 5.0") || head.starts_with("MATLAB 7.3") || head.starts_with("\x89HDF\r\n");
}
bool starts_with_npy(std::string_view head) {
  return head.starts_with("\x93NUMPY");
}
bool starts_with_zip(std::string_view head) {
  return head.starts_with("PK\x03\x04");
}
bool starts_with_matrix_market(std::string_view head) {
  return head.starts_with("%%MatrixMarket");
}
bool is_tar(std::string_view head) {
  return head.size() >= 262 && head.substr(257, 5) == "ustar";
}

constexpr DataFormat kDataFormats[] = {
    {"libsvm", "LIBSVM or SVMlight: label[,label] index:value ...", kLibsvm, nullptr, read_libsvm, nullptr,
     write_libsvm, libsvm_holds, check_libsvm_rows, read_libsvm_windows, find_libsvm_rows, read_libsvm_rows},
    {"csv", "comma-separated values with a label column: spreadsheets, pandas, R", kCsv, nullptr, read_csv, nullptr,
     write_csv, csv_holds, check_csv_rows, nullptr, find_csv_rows, read_csv_rows},
    {"tsv", "tab-separated values with a label column: the same with tabs", kTsv, nullptr, read_tsv, nullptr, write_tsv,
     csv_holds, check_tsv_rows, nullptr, find_tsv_rows, read_tsv_rows},
    {"arff", "ARFF, with or without a hierarchical class attribute: Weka, CLUS", kArff, nullptr, read_arff, nullptr,
     write_arff, arff_holds, nullptr, nullptr, find_arff_rows, read_arff_rows},
    {"mat", "MATLAB 5 and 7.3: data_array and tree, or X and Y", kMat, starts_with_mat, read_mat, nullptr, write_mat,
     mat_holds},
    {"npy", "NumPy array (features alone)", kNpy, starts_with_npy, read_npy, nullptr, write_npy, npy_holds},
    {"npz", "NumPy archive: X and y, or a scipy sparse matrix", kNpz, starts_with_zip, read_npz, nullptr, write_npz,
     npz_holds},
    {"matrix-market", "Matrix Market coordinate or array: SciPy, R, document-term matrices", kMatrixMarket,
     starts_with_matrix_market, read_matrix_market, nullptr, write_matrix_market, matrix_market_holds},
    {"json-lines", "raw text: one JSON object per line", kJsonLines, nullptr, read_json_lines, nullptr, nullptr,
     nullptr, check_json_rows},
    {"text-lines", "raw text: one document per line", kTextLines, nullptr, read_text_lines, nullptr, nullptr, nullptr,
     check_text_lines},
    {"fasta", "sequences with names, and labels in their headers: proteins, DNA", kFasta, nullptr, read_fasta, nullptr,
     nullptr, nullptr},
    {"text-folder", "raw text: a folder or .tar archive with one document per file", kTextFolder, is_tar, nullptr,
     read_text_folder, nullptr, nullptr},
};

constexpr std::string_view kEdges[] = {".csv", ".tsv", ".edges"};
constexpr std::string_view kChildLists[] = {".taxonomy"};
constexpr std::string_view kPaths[] = {".paths"};
constexpr std::string_view kJson[] = {".json"};
constexpr std::string_view kObo[] = {".obo"};

constexpr TaxonomyFormat kTaxonomyFormats[] = {
    {"child-lists", "a parent and its children per line, tab-separated", kChildLists, looks_like_child_lists,
     read_child_lists, write_child_lists},
    {"json", "nested JSON: name and children", kJson, looks_like_nested_json, read_nested_json, write_nested_json},
    {"obo", "OBO (gene ontology): is_a and part_of", kObo, looks_like_obo, read_obo, write_obo},
    {"paths", "one path a/b/c per line", kPaths, looks_like_label_paths, read_label_paths, write_label_paths},
    {"edges", "one edge child,parent per line", kEdges, nullptr, read_edge_list, write_edge_list},
};

}  // namespace

std::vector<Index> numbers_without(const std::vector<BadRow>& left_out, Index count) {
  std::vector<Index> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  auto next = left_out.begin();
  for (Index row = 0; std::ssize(numbers) < count; ++row) {
    if (next == left_out.end() || next->row != row) {
      numbers.push_back(row);
    } else {
      ++next;
    }
  }
  return numbers;
}

void add_findings(std::vector<BadRow> later, RowCheck& check) {
  if (later.empty()) return;
  const std::vector<Index> numbers = numbers_without(check.bad, check.rows - std::ssize(check.bad));
  for (BadRow& row : later) {
    CLADE_CHECK(row.row < std::ssize(numbers));
    row.row = numbers[static_cast<std::size_t>(row.row)];
    check.bad.push_back(std::move(row));
  }
  std::ranges::sort(check.bad, {}, &BadRow::row);
}

RowCheck joined_checks(std::vector<RowCheck> parts) {
  RowCheck result;
  for (RowCheck& part : parts) {
    for (BadRow& row : part.bad) row.row += result.rows;
    result.rows += part.rows;
    std::ranges::move(part.bad, std::back_inserter(result.bad));
  }
  return result;
}

std::span<const DataFormat> data_formats() {
  return kDataFormats;
}
std::span<const TaxonomyFormat> taxonomy_formats() {
  return kTaxonomyFormats;
}

namespace {

template <class Format>
std::vector<FormatInfo> infos_of(std::span<const Format> formats) {
  std::vector<FormatInfo> infos;
  for (const Format& format : formats) {
    infos.push_back(
        {format.name, format.help, {format.endings.begin(), format.endings.end()}, format.write != nullptr});
  }
  return infos;
}

}  // namespace

std::vector<FormatInfo> data_format_infos() {
  return infos_of(data_formats());
}

std::vector<FormatInfo> taxonomy_format_infos() {
  return infos_of(taxonomy_formats());
}

}  // namespace clade
