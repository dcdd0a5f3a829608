#include "data/fingerprint.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/content_hash.h"
#include "core/parallel.h"
#include "data/text/vectorizer_json.h"

namespace clade {
namespace {

class Fingerprint {
 public:
  explicit Fingerprint(Context& ctx) : ctx_(ctx) {}

  void add(std::string_view text) {
    add_number(std::ssize(text));
    hash_.add(text);
  }
  void add_number(Index number) { hash_.add({reinterpret_cast<const char*>(&number), sizeof number}); }
  // Blocks are hashed side by side, and then their hashes.
  template <class T>
  void add_array(std::span<const T> values) {
    constexpr Index kBlock = Index{16} << 20U;
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    std::vector<std::string> hashes(static_cast<std::size_t>((std::ssize(bytes) + kBlock - 1) / kBlock));
    parallel_for(ctx_, std::ssize(hashes), 1, [&](Index block, Index) {
      ContentHash own;
      own.add(bytes.substr(static_cast<std::size_t>(block * kBlock), static_cast<std::size_t>(kBlock)));
      hashes[static_cast<std::size_t>(block)] = own.text();
    });
    add_number(std::ssize(bytes));
    for (const std::string& hash : hashes) add(hash);
  }
  template <class T>
  void add_array(const Buffer<T>& values) {
    add_array(std::span<const T>(values.data(), static_cast<std::size_t>(values.size())));
  }
  std::string text() const { return hash_.text(); }

 private:
  Context& ctx_;
  ContentHash hash_;
};

void add_matrix(const FeatureMatrix& matrix, Fingerprint& print) {
  print.add_number(static_cast<Index>(matrix.index()));
  print.add_number(row_count(matrix));
  print.add_number(column_count(matrix));
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          print.add_array(m.offsets);
          print.add_array(m.indices);
        }
        print.add_array(m.values);
      },
      matrix);
}

void add_taxonomy(const Taxonomy& taxonomy, Fingerprint& print) {
  print.add_number(taxonomy.size());
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    print.add(taxonomy.name(node));
    print.add_number(std::ssize(taxonomy.parents(node)));
    for (const NodeId parent : taxonomy.parents(node)) print.add_number(parent);
  }
}

void add_labels(const Dataset& data, Index sample, Fingerprint& print) {
  print.add_number(std::ssize(data.labels(sample)));
  for (const NodeId label : data.labels(sample)) print.add_number(label);
}

}  // namespace

std::string frame_fingerprint(const Dataset& data, Context& ctx) {
  Fingerprint print(ctx);
  print.add_number(data.features());
  add_taxonomy(data.taxonomy(), print);
  for (const std::string& name : data.feature_names()) print.add(name);
  print.add_number(data.vectorizer() ? 1 : 0);
  if (data.vectorizer()) print.add(vectorizer_to_json(*data.vectorizer()).dump());
  print.add_number(data.replacement() ? 1 : 0);
  if (data.replacement()) print.add_array(std::span<const double>(*data.replacement()));
  return print.text();
}

std::string shared_fingerprint(const Dataset& data, Context& ctx) {
  Fingerprint print(ctx);
  print.add(frame_fingerprint(data, ctx));
  print.add_number(data.samples());
  for (Index s = 0; s < data.samples(); ++s) add_labels(data, s, print);
  return print.text();
}

std::string fingerprint(const Dataset& data, Context& ctx) {
  Fingerprint print(ctx);
  add_matrix(data.matrix(), print);
  add_taxonomy(data.taxonomy(), print);
  print.add_number(data.samples());
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.is_view()) print.add_number(data.source_row(s));
    add_labels(data, s, print);
    if (data.has_sample_names()) print.add(data.sample_name(s));
  }
  for (const std::string& name : data.feature_names()) print.add(name);
  if (data.replacement()) print.add_array(std::span<const double>(*data.replacement()));
  return print.text();
}

}  // namespace clade
