#include "io/meta.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>

#include "core/json.h"
#include "data/text/vectorizer_json.h"
#include "io/json_input.h"
#include "io/labels/labels.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr int kMetaVersion = 1;
constexpr std::string_view kEnding = ".meta.json";
constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());

// A number of something. Throws json::exception for anything but a whole number that fits.
Index whole(const json& value) {
  if (value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= kLargest)) {
    return value.get<Index>();
  }
  return value.at("a whole number").get<Index>();
}

// Nodes in the order of the input, so that a builder gives the same ids again; without miscellaneous leaves.
json taxonomy_to_json(const Taxonomy& taxonomy) {
  std::vector<NodeId> order;
  for (NodeId node = taxonomy.has_virtual_root() ? 1 : 0; node < taxonomy.size(); ++node) {
    if (!taxonomy.is_miscellaneous(node)) order.push_back(node);
  }
  std::ranges::sort(order, {}, [&](NodeId node) { return taxonomy.input_position(node); });
  std::vector<std::size_t> place(static_cast<std::size_t>(taxonomy.size()));
  json names = json::array();
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = k;
    names.push_back(taxonomy.name(order[k]));
  }
  json edges = json::array();
  for (const NodeId parent : order) {
    for (const NodeId child : taxonomy.children(parent)) {
      if (taxonomy.is_miscellaneous(child)) continue;
      edges.push_back({place[static_cast<std::size_t>(parent)], place[static_cast<std::size_t>(child)]});
    }
  }
  return {{"virtual_root", taxonomy.has_virtual_root()}, {"nodes", std::move(names)}, {"edges", std::move(edges)}};
}

TaxonomyBuilder taxonomy_from_json(const json& object, const std::string& file) {
  TaxonomyBuilder builder(file);
  if (object.at("virtual_root").get<bool>()) builder.imply_root();
  for (const auto& name : object.at("nodes")) builder.node(name.get_ref<const std::string&>());
  if (static_cast<std::size_t>(builder.size()) != object.at("nodes").size()) {
    throw input_error({.file = file}, "a node of the taxonomy is named twice", "expected each name once");
  }
  for (const auto& edge : object.at("edges")) {
    const auto parent = whole(edge.at(0));
    const auto child = whole(edge.at(1));
    if (edge.size() != 2 || std::min(parent, child) < 0 || std::max(parent, child) >= builder.size()) {
      throw input_error({.file = file}, "an edge of the taxonomy names no node", "expected two numbers of nodes");
    }
    builder.edge(static_cast<NodeId>(parent), static_cast<NodeId>(child));
  }
  return builder;
}

// Would reading just the labels give this taxonomy?
bool taxonomy_follows_from_labels(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<bool> used(static_cast<std::size_t>(taxonomy.size()), false);
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId node : data.labels(s)) used[static_cast<std::size_t>(taxonomy.fold(node))] = true;
  }
  std::vector<std::string> names;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (used[static_cast<std::size_t>(node)]) names.push_back(taxonomy.name(node));
  }
  try {
    return implied_taxonomy(names) == taxonomy;
  } catch (const Error&) {
    return false;  // names that look like broken paths
  }
}

Index columns_in_use(const Dataset& data) {
  Index columns = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex feature, auto value) {
      if (value != 0) columns = std::max<Index>(columns, feature + 1);
    });
  }
  return columns;
}

void check_count(const Input& meta, const json& content, const char* key, Index found, bool at_most) {
  const auto stated = whole(content.at(key));
  if (at_most ? found <= stated : found == stated) return;
  throw input_error({.file = meta.name()},
                    fmt::format("says {} {}, but the data file beside it has {}", stated, key, found),
                    "expected a meta file that was written with the data; remove it if it is stale");
}

// The elements of a list with one for each row of the file.
template <class T>
std::vector<T> of_rows(std::vector<T> all, const SomeRows& rows, Index count) {
  all.erase(all.begin(), all.begin() + rows.first);
  all.resize(static_cast<std::size_t>(count));
  return all;
}

std::vector<std::string> names_from(const Input& meta, const json& content, const char* key, Index count) {
  auto names = content.at(key).get<std::vector<std::string>>();
  if (std::ssize(names) != count) {
    throw input_error({.file = meta.name()}, fmt::format("has {} {}", names.size(), key),
                      fmt::format("expected {}", count));
  }
  return names;
}

// The names of each sample's labels, for formats that cannot hold them.
json labels_to_json(const Dataset& data) {
  json labels = json::array();
  for (Index s = 0; s < data.samples(); ++s) {
    json names = json::array();
    for (const NodeId node : data.labels(s)) names.push_back(data.taxonomy().name(data.taxonomy().fold(node)));
    labels.push_back(std::move(names));
  }
  return labels;
}

LabelNames labels_from_json(const json& object, const std::string& file, const SomeRows& rows, Index count) {
  if (std::ssize(object) != rows.all) {
    throw input_error({.file = file}, fmt::format("has labels for {} samples", object.size()),
                      fmt::format("expected {}", rows.all));
  }
  LabelNames labels;
  for (Index row = rows.first; row < rows.first + count; ++row) {
    for (const auto& name : object.at(static_cast<std::size_t>(row))) labels.add(name.get_ref<const std::string&>());
    labels.end_sample();
  }
  return labels;
}

// The mark of a file on disk.
DataMark mark_of(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    throw input_error({.file = path}, "no such file", "expected the data beside its meta file");
  }
  if (descriptor < 0) throw system_error(path, "cannot open", errno);
  class Nowhere : public Sink {
    void write(std::string_view /*bytes*/) override {}
  } nowhere;
  MarkingSink marking(nowhere);
  std::vector<char> block(1U << 20U);
  ssize_t count = 0;
  do {
    count = ::read(descriptor, block.data(), block.size());
    if (count > 0) marking.write({block.data(), static_cast<std::size_t>(count)});
  } while (count > 0 || (count < 0 && errno == EINTR));
  const int error_number = errno;
  ::close(descriptor);
  if (count < 0) throw system_error(path, "cannot read", error_number);
  return marking.mark();
}

void check_mark(const Input& meta, const json& content) {
  if (!content.contains("data") || !meta.name().ends_with(kEnding)) return;
  const DataMark stated{.bytes = content["data"].at("bytes").get<std::uint64_t>(),
                        .xxh3 = content["data"].at("xxh3").get<std::string>()};
  const std::string path = meta.name().substr(0, meta.name().size() - kEnding.size());
  if (mark_of(path) == stated) return;
  throw input_error({.file = meta.name()}, fmt::format("was written with other data than {} now holds", path),
                    "write the data again, or remove this file to read the data without it");
}

void set_columns(FeatureMatrix& matrix, Index columns) {
  std::visit(
      [&](auto& m) {
        if constexpr (requires { m.indices; }) m.columns = std::max(m.columns, columns);
      },
      matrix);
}

void apply_content(const Input& meta, const json& content, ParsedData& parsed, const SomeRows& rows) {
  const Index own_rows = row_count(parsed.features);
  check_count(meta, content, "samples", rows.all, false);
  // Words and chosen columns are made into features after this.
  const bool has_features = parsed.vectorizer == nullptr;
  if (has_features) {
    check_count(meta, content, "features", column_count(parsed.features), is_sparse(parsed.features));
    const auto stated = whole(content.at("features"));
    if (stated > kMaxFeatures) throw input_error({.file = meta.name()}, "more features than Clade can number");
    set_columns(parsed.features, stated);
  }
  const Index columns = column_count(parsed.features);
  if (content.contains("feature_names") && has_features) {
    parsed.feature_names = names_from(meta, content, "feature_names", columns);
  }
  if (content.contains("sample_names")) {
    parsed.sample_names = of_rows(names_from(meta, content, "sample_names", rows.all), rows, own_rows);
  }
  if (content.contains("taxonomy")) {
    parsed.hierarchy = taxonomy_from_json(content["taxonomy"], meta.name());
    parsed.labels_are_names = true;
  }
  // Labels that the user gave in a separate file take precedence over those written with the data.
  if (content.contains("labels") && parsed.labels.names().empty()) {
    parsed.labels = labels_from_json(content["labels"], meta.name(), rows, own_rows);
  }
  if (content.contains("vectorizer")) {
    parsed.vectorizer =
        std::make_shared<const TextVectorizer>(vectorizer_from_json(content["vectorizer"], {.file = meta.name()}));
  }
}

// Runs work(content) for a meta file, and throws Error if it is none.
template <class Work>
void with_content(const Input& meta, const Work& work) {
  const json content = parse_json(meta);
  try {
    if (whole(content.at("clade_meta")) != kMetaVersion) {
      throw input_error({.file = meta.name()}, "meta file of another version", "expected version 1");
    }
    work(content);
  } catch (const json::exception&) {
    throw input_error({.file = meta.name()}, "not a meta file of Clade",
                      "expected the fields that docs/formats/meta.md describes");
  }
}

}  // namespace

std::string meta_path(const std::string& data_path) {
  return data_path + std::string(kEnding);
}

bool has_meta(const std::string& data_path) {
  return !std::filesystem::is_directory(data_path) && std::filesystem::exists(meta_path(data_path));
}

std::size_t count_metas(const std::vector<std::string>& data_paths) {
  return static_cast<std::size_t>(std::ranges::count_if(data_paths, has_meta));
}

void require_meta_for_all(const std::vector<std::string>& data_paths, std::size_t metas) {
  if (metas == 0 || metas == data_paths.size()) return;
  const std::string& path = *std::ranges::find_if_not(data_paths, has_meta);
  throw input_error({.file = path}, fmt::format("has no {} beside it, and others have", meta_path(path)),
                    "expected such a file for each, or for none");
}

struct MarkingSink::State {
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> hash{XXH3_createState(), XXH3_freeState};
  std::uint64_t bytes = 0;
};

MarkingSink::MarkingSink(Sink& target) : target_(target), state_(std::make_unique<State>()) {
  XXH3_64bits_reset(state_->hash.get());
}

MarkingSink::~MarkingSink() = default;

void MarkingSink::write(std::string_view bytes) {
  XXH3_64bits_update(state_->hash.get(), bytes.data(), bytes.size());
  state_->bytes += bytes.size();
  target_.write(bytes);
}

DataMark MarkingSink::mark() const {
  return {.bytes = state_->bytes, .xxh3 = fmt::format("{:016x}", XXH3_64bits_digest(state_->hash.get()))};
}

std::optional<std::string> meta_content(const Dataset& data, const DataFormat::Holds& held, const DataMark& mark,
                                        bool is_part) {
  json content;
  if (data.has_feature_names() && !held.feature_names) content["feature_names"] = data.feature_names();
  if (data.has_sample_names() && !held.sample_names) {
    auto names = json::array();
    for (Index s = 0; s < data.samples(); ++s) names.push_back(data.sample_name(s));
    content["sample_names"] = std::move(names);
  }
  if (!held.taxonomy && (is_part || !taxonomy_follows_from_labels(data))) {
    content["taxonomy"] = taxonomy_to_json(data.taxonomy());
  }
  if (!held.labels) content["labels"] = labels_to_json(data);
  if (data.vectorizer()) content["vectorizer"] = vectorizer_to_json(*data.vectorizer());
  const bool columns_lost = !held.feature_count && (is_part || columns_in_use(data) < data.features());
  if (content.empty() && !columns_lost) return std::nullopt;
  content["clade_meta"] = kMetaVersion;
  content["samples"] = data.samples();
  content["features"] = data.features();
  content["data"] = {{"bytes", mark.bytes}, {"xxh3", mark.xxh3}};
  return dump_json(content, 1, InvalidUtf8::Refuse) + "\n";
}

std::string text_meta_content(const Taxonomy& taxonomy, Index samples, const DataMark& mark) {
  const json content{{"clade_meta", kMetaVersion},
                     {"data", {{"bytes", mark.bytes}, {"xxh3", mark.xxh3}}},
                     {"samples", samples},
                     {"taxonomy", taxonomy_to_json(taxonomy)}};
  return dump_json(content, 1, InvalidUtf8::Refuse) + "\n";
}

std::optional<Taxonomy> text_meta_taxonomy(const std::string& data_path, Context& ctx) {
  const std::string path = meta_path(data_path);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const Input meta = Input::open(path, ctx);
  const json content = parse_json(meta);
  if (!content.contains("taxonomy") || content.contains("features")) return std::nullopt;
  try {
    return taxonomy_from_json(content["taxonomy"], meta.name()).build();
  } catch (const json::exception&) {
    return std::nullopt;  // reading the data says what is wrong with it
  }
}

void commit_without_meta(OutputFile& file, bool overwrite) {
  if (!file.is_regular()) return file.commit();
  const std::string beside = meta_path(file.path());
  if (!overwrite && std::filesystem::exists(beside)) {
    throw input_error({.file = beside}, "exists already", "use `force` to remove it");
  }
  file.commit();
  std::filesystem::remove(beside);
}

void check_mark(const Input& meta) {
  with_content(meta, [&](const json& content) { check_mark(meta, content); });
}

void apply_meta(const Input& meta, ParsedData& parsed) {
  with_content(meta, [&](const json& content) {
    check_mark(meta, content);
    apply_content(meta, content, parsed, {.all = row_count(parsed.features)});
  });
}

void apply_meta(const Input& meta, ParsedData& parsed, const SomeRows& rows) {
  with_content(meta, [&](const json& content) { apply_content(meta, content, parsed, rows); });
}

}  // namespace clade
