#pragma once

#include <clade/error.h>
#include <clade/text.h>

#include <nlohmann/json_fwd.hpp>

namespace clade {

// A vectoriser as a JSON object: its options by name, "documents", "words" and "document_frequency".
// docs/formats/text.md lists the keys.
nlohmann::json vectorizer_to_json(const TextVectorizer& vectorizer);

// The inverse. Trusts nothing: a key that is missing, unknown or of another type, words out of order and frequencies
// out of range are Errors (kInput) at `where` that name the key. Takes memory proportional to the JSON value.
TextVectorizer vectorizer_from_json(const nlohmann::json& json, const Where& where);

}  // namespace clade
