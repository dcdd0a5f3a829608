#pragma once

#include <clade/io.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// What one JSON object says about a document. Reused from line to line, so that its arrays keep their memory.
struct JsonRecord {
  // The document: a text, or a list of words that are already cut out.
  struct Content {
    bool present = false;
    bool is_list = false;
    std::string bytes;
    std::vector<std::size_t> ends;  // of the words of a list

    void clear();
  };
  Content text;    // options.text_field
  Content tokens;  // options.token_field
  bool has_label_field = false;
  std::vector<std::string> labels;

  void clear();
};

// Reads one JSON object into a record while it is parsed; nothing else of the object is kept. Throws Error (kInput) at
// `where` on a syntax error and on fields of a wrong type.
class JsonRecordReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonRecordReader(const ReadOptions& options) : options_(options) {}

  void read(std::string_view line, const Where& where, JsonRecord& record);

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(number_integer_t value) override;
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override;
  bool binary(binary_t& value) override;
  bool start_object(std::size_t elements) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t elements) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override;

 private:
  enum class Field { kOther, kContent, kLabel };

  Error error(std::string_view problem, std::string_view expected) const;
  Error wrong_type() const;
  // A value of a kind that no field accepts.
  bool refuse();
  bool add_label(std::string name);
  bool in_field() const { return field_ != Field::kOther && depth_ <= 2; }

  const ReadOptions& options_;
  const Where* where_ = nullptr;
  JsonRecord* record_ = nullptr;
  JsonRecord::Content* content_ = nullptr;  // of the current field
  Field field_ = Field::kOther;
  std::string field_name_;
  Index depth_ = 0;  // 1: inside the object, 2: inside a list or an object of a field
};

}  // namespace clade
