#pragma once

#include <clade/io.h>
#include <clade/summary.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// A description of a data set or a taxonomy, for people and for programs (docs/info.md).
std::string data_text(const std::string& path, const DataSummary& summary, const ReadReport& report);
std::string data_json(const DataSummary& summary, const ReadReport& report);
std::string taxonomy_text(const std::string& path, const LoadedTaxonomy& loaded);
std::string taxonomy_json(const LoadedTaxonomy& loaded);

// The numbers of a hierarchy, for use in other documents.
nlohmann::json taxonomy_json(const TaxonomySummary& summary);

// Sentences below a title; empty if there are none.
std::string titled_list(std::string_view title, const std::vector<std::string>& sentences);

}  // namespace clade
