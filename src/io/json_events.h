#pragma once

#include <nlohmann/json.hpp>
#include <utility>

namespace clade {

// Tells `handler`, a nlohmann::json_sax, what the JSON document in [begin, end) holds. nlohmann::json::sax_parse does
// the same, but compiles readers of its binary formats along with every handler.
template <class Iterator, class Handler>
void read_json_events(Iterator begin, Iterator end, Handler& handler) {
  auto bytes = nlohmann::detail::input_adapter(begin, end);
  nlohmann::detail::parser<nlohmann::json, decltype(bytes)>(std::move(bytes)).sax_parse(&handler);
}

}  // namespace clade
