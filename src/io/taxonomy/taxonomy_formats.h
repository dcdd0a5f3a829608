#pragma once

#include "io/format.h"

namespace clade {

// The formats that docs/formats/taxonomy.md describes. Each reader returns a builder whose edges carry their lines.
TaxonomyBuilder read_edge_list(const Input& input, const ReadOptions& options, std::vector<std::string>& notes);
TaxonomyBuilder read_child_lists(const Input& input, const ReadOptions& options, std::vector<std::string>& notes);
TaxonomyBuilder read_label_paths(const Input& input, const ReadOptions& options, std::vector<std::string>& notes);
TaxonomyBuilder read_nested_json(const Input& input, const ReadOptions& options, std::vector<std::string>& notes);
TaxonomyBuilder read_obo(const Input& input, const ReadOptions& options, std::vector<std::string>& notes);

// True if the first line is a header that names the columns; an edge list without one cannot be recognised.
bool looks_like_edge_list(std::string_view head);
bool looks_like_child_lists(std::string_view head);
bool looks_like_label_paths(std::string_view head);
bool looks_like_nested_json(std::string_view head);
// True for JSON that cannot be a line of data: a list, or an object whose first field is a name and that has children.
bool is_nested_json(std::string_view head);
bool looks_like_obo(std::string_view head);

void write_edge_list(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink);
void write_child_lists(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink);
void write_label_paths(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink);
void write_nested_json(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink);
void write_obo(const Taxonomy& taxonomy, const WriteOptions& options, Sink& sink);

}  // namespace clade
