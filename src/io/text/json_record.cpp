#include "io/text/json_record.h"

#include <fmt/format.h>

#include "io/columns/json_objects.h"
#include "io/json_events.h"

namespace clade {

void JsonRecord::Content::clear() {
  present = false;
  is_list = false;
  bytes.clear();
  ends.clear();
}

void JsonRecord::clear() {
  text.clear();
  tokens.clear();
  has_label_field = false;
  labels.clear();
}

void JsonRecordReader::read(std::string_view line, const Where& where, JsonRecord& record) {
  record.clear();
  where_ = &where;
  record_ = &record;
  field_ = Field::kOther;
  depth_ = 0;
  read_json_events(line.begin(), line.end(), *this);
}

Error JsonRecordReader::error(std::string_view problem, std::string_view expected) const {
  return input_error(*where_, problem, expected);
}

Error JsonRecordReader::wrong_type() const {
  if (depth_ == 0) return error("not a JSON object", "expected one object per line");
  if (field_ == Field::kLabel)
    return error(fmt::format("the labels in '{}' are of a wrong type", field_name_),
                 "expected a string, a whole number or a list of these");
  return error(fmt::format("the text in '{}' is of a wrong type", field_name_),
               "expected a string or a list of strings");
}

bool JsonRecordReader::refuse() {
  if (depth_ == 0 || in_field()) throw wrong_type();
  return true;
}

bool JsonRecordReader::add_label(std::string name) {
  if (!name.empty()) record_->labels.push_back(std::move(name));
  return true;
}

bool JsonRecordReader::null() {
  // A field that is null counts as absent.
  if (depth_ == 1) {
    if (content_ != nullptr) content_->present = false;
    return true;
  }
  return refuse();
}

bool JsonRecordReader::boolean(bool /*value*/) {
  return refuse();
}
bool JsonRecordReader::number_float(number_float_t /*value*/, const string_t& /*text*/) {
  return refuse();
}
bool JsonRecordReader::binary(binary_t& /*value*/) {
  return refuse();
}

bool JsonRecordReader::number_integer(number_integer_t value) {
  return field_ == Field::kLabel && in_field() ? add_label(fmt::to_string(value)) : refuse();
}

bool JsonRecordReader::number_unsigned(number_unsigned_t value) {
  return field_ == Field::kLabel && in_field() ? add_label(fmt::to_string(value)) : refuse();
}

bool JsonRecordReader::string(string_t& value) {
  if (depth_ == 0) throw wrong_type();
  if (!in_field()) return true;
  if (field_ == Field::kLabel) return add_label(value);
  content_->bytes += value;
  if (content_->is_list) content_->ends.push_back(content_->bytes.size());
  return true;
}

bool JsonRecordReader::start_object(std::size_t /*elements*/) {
  if (depth_ > 0 && in_field()) throw wrong_type();
  ++depth_;
  return true;
}

bool JsonRecordReader::key(string_t& name) {
  if (depth_ != 1) return true;
  field_name_ = name;
  content_ = name == options_.text_field ? &record_->text : name == options_.token_field ? &record_->tokens : nullptr;
  field_ = content_ != nullptr ? Field::kContent : name == options_.label_field ? Field::kLabel : Field::kOther;
  const bool repeated = content_ != nullptr ? content_->present : field_ == Field::kLabel && record_->has_label_field;
  if (repeated) throw error(fmt::format("the field '{}' stands there twice", name), "expected each field once");
  if (content_ != nullptr) content_->present = true;
  if (field_ == Field::kLabel) record_->has_label_field = true;
  return true;
}

bool JsonRecordReader::end_object() {
  --depth_;
  return true;
}

bool JsonRecordReader::start_array(std::size_t /*elements*/) {
  if (depth_ == 0 || (depth_ > 1 && in_field())) throw wrong_type();
  if (depth_ == 1 && content_ != nullptr) content_->is_list = true;
  ++depth_;
  return true;
}

bool JsonRecordReader::end_array() {
  --depth_;
  return true;
}

bool JsonRecordReader::parse_error(std::size_t position, const std::string& last_token,
                                   const nlohmann::detail::exception& error) {
  throw input_error({.file = where_->file, .line = where_->line, .column = static_cast<Index>(position)},
                    json_problem(error.id, last_token), "expected one JSON object per line");
}

}  // namespace clade
