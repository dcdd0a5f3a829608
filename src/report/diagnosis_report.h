#pragma once

#include <clade/diagnose.h>

#include <string>
#include <vector>

namespace clade {

// A diagnosis for people: questions, each answered by a sentence and a table. `data` names the data set.
std::string diagnosis_text(const Diagnosis& diagnosis, const std::string& data);

// The same as JSON, with the files that were written.
std::string diagnosis_json(const Diagnosis& diagnosis, const std::string& data, const std::vector<std::string>& files);

// An edit in words: "move dog from plants to animals".
std::string edit_text(const TaxonomyEdit& edit);

}  // namespace clade
