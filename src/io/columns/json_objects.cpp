#include "io/columns/json_objects.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "io/columns/cell_table.h"
#include "io/json_events.h"
#include "io/lines.h"

namespace clade {
namespace {

constexpr std::size_t kDeepestFields = 4;  // outer.inner.and.so

}  // namespace

std::string json_problem(int exception_number, std::string_view last_token) {
  constexpr int kNumberOverflow = 406;
  if (exception_number != kNumberOverflow) return "not well-formed JSON";
  return fmt::format("the number {} is too large", shown(trim(last_token)));
}

// Receives the parser's events, whose names it prescribes.
class JsonObjectReader::Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(ObjectTable& table) : table_(table) {}

  void read(std::string_view text, const Where& where) {
    where_ = &where;
    prefix_ends_.clear();
    name_.clear();
    lists_ = 0;
    skipped_ = 0;
    row_.clear();
    const Index unused = table_.unused;
    const std::size_t stored = table_.storage.size();
    try {
      read_json_events(text.begin(), text.end(), *this);
    } catch (const Error&) {
      table_.unused = unused;
      table_.storage.resize(stored);
      throw;
    }
    table_.rows.push_back(row_);
    table_.lines.push_back(where.line);
  }

  bool null() override {
    if (skipped_ > 0) return true;
    return value({});
  }
  bool boolean(bool value) override { return text(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return text(fmt::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return text(fmt::to_string(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return text(dump_json(value)); }
  bool string(string_t& value) override { return text(trim(value)); }
  bool binary(binary_t& /*value*/) override { return text({}); }

  bool start_object(std::size_t /*elements*/) override {
    if (skipped_ > 0) return skip();
    if (prefix_ends_.empty()) {
      prefix_ends_.push_back(0);
      return true;
    }
    if (lists_ > 0 || prefix_ends_.size() >= kDeepestFields) {
      begin_unused();
      return skip();
    }
    name_ += '.';
    prefix_ends_.push_back(name_.size());
    return true;
  }

  bool key(string_t& name) override {
    if (skipped_ > 0) return true;
    name_.resize(prefix_ends_.back());
    name_ += name;
    return true;
  }

  bool end_object() override {
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    prefix_ends_.pop_back();
    return true;
  }

  // A list, or a list in it, whose items are parts; deeper ones are left out.
  bool start_array(std::size_t /*elements*/) override {
    if (skipped_ > 0) return skip();
    if (prefix_ends_.empty()) throw not_an_object();
    if (lists_ == 2) {
      begin_unused();
      return skip();
    }
    if (lists_ == 0) list_.assign(1, kListMark);
    if (lists_ == 1) is_first_part_ = true;
    ++lists_;
    return true;
  }

  bool end_array() override {
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    --lists_;
    if (lists_ == 1) {
      list_ += kItemEnd;
      return true;
    }
    add_cell(list_.size() == 1 ? std::string_view() : std::string_view(list_));
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override {
    throw input_error({.file = where_->file, .line = where_->line, .column = static_cast<Index>(position)},
                      json_problem(error.id, last_token), "expected one JSON object per line");
  }

 private:
  Error not_an_object() const { return input_error(*where_, "not a JSON object", "expected one object per line"); }

  bool skip() {
    ++skipped_;
    return true;
  }

  bool text(std::string_view text) {
    if (skipped_ > 0) return true;
    if (prefix_ends_.empty()) throw not_an_object();
    return value(text);
  }

  // An object or a list where it is not used counts as an empty value.
  void begin_unused() {
    ++table_.unused;
    value({});
  }

  bool value(std::string_view text) {
    if (prefix_ends_.empty()) throw not_an_object();
    if (lists_ == 0) {
      add_cell(text);
    } else if (lists_ == 1) {
      list_.append(text).push_back(kItemEnd);
    } else {
      if (!is_first_part_) list_ += kPartEnd;
      is_first_part_ = false;
      list_ += text;
    }
    return true;
  }

  void add_cell(std::string_view cell) {
    const auto [place, is_new] = table_.number.try_emplace(name_, std::ssize(table_.columns));
    if (is_new) table_.columns.push_back(name_);
    row_.emplace_back(place->second, cell.empty() ? std::string_view() : table_.storage.emplace_back(cell));
  }

  ObjectTable& table_;
  const Where* where_ = nullptr;
  std::string name_;                      // of the current field
  std::vector<std::size_t> prefix_ends_;  // per open object, the part of the name that its fields share
  Index lists_ = 0;                       // open lists: none, a list, or a list in it
  std::size_t skipped_ = 0;               // open objects and lists that are not used
  bool is_first_part_ = true;
  std::string list_;
  std::vector<std::pair<Index, std::string_view>> row_;
};

JsonObjectReader::JsonObjectReader(ObjectTable& table) : handler_(std::make_unique<Handler>(table)) {}
JsonObjectReader::~JsonObjectReader() = default;

void JsonObjectReader::add(std::string_view text, const Where& where) {
  handler_->read(text, where);
}

}  // namespace clade
