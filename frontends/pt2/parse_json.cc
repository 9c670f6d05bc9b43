#include "parse_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "environment/run_environment.h"

namespace linnet::pt2 {

namespace {

/// Builds values from what the parser finds. It stops at the first error.
class JsonBuilder {
 public:
  JsonBuilder(const std::string& name, CountedMemory& counted) : name_(name), counted_(counted) {}

  Json take() { return std::move(root_); }

  bool null() { return add({nullptr}); }
  bool boolean(bool value) { return add({value}); }
  bool number_integer(int64_t value) { return add({value}); }
  bool number_unsigned(uint64_t value) {
    return value <= uint64_t(INT64_MAX) ? add({int64_t(value)}) : add({double(value)});
  }
  bool number_float(double value, const std::string&) { return add({value}); }
  bool string(std::string& text) {
    counted_.add(text.size());
    return add({std::move(text)});
  }
  bool binary(std::vector<uint8_t>&) { return false; }
  bool start_object(size_t) { return open({Json::Object()}); }
  bool start_array(size_t) { return open({Json::Array()}); }
  bool key(std::string& text) {
    counted_.add(text.size());
    key_ = std::move(text);
    return true;
  }
  bool end_object() {
    check_keys(std::get<Json::Object>(open_.back()->value));
    return close();
  }
  bool end_array() { return close(); }

  [[noreturn]] bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) {
    throw Error(ErrorKind::kModel, str(name_, ": no valid JSON at byte ", position));
  }

 private:
  /// The value's place is known for good once its list or object is complete; only the last one of each is open.
  Json& place(Json value) {
    check_current();
    // Vectors that grow hold up to twice what they need, and once more while they grow.
    counted_.add(3 * sizeof(Json::Member));
    if (open_.empty()) return root_ = std::move(value);
    if (auto* const array = std::get_if<Json::Array>(&open_.back()->value)) {
      return array->emplace_back(std::move(value));
    }
    return std::get<Json::Object>(open_.back()->value).emplace_back(std::move(key_), std::move(value)).value;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= kDeepestJson) {
      throw Error(ErrorKind::kLimit,
                  str(name_, ": lists and objects are nested in more than ", kDeepestJson, " levels"));
    }
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  void check_keys(const Json::Object& object) const {
    std::vector<const std::string*> keys;
    for (const Json::Member& member : object) keys.push_back(&member.key);
    const auto less = [](const std::string* a, const std::string* b) { return *a < *b; };
    const auto same = [](const std::string* a, const std::string* b) { return *a == *b; };
    std::sort(keys.begin(), keys.end(), less);
    const auto twice = std::adjacent_find(keys.begin(), keys.end(), same);
    if (twice != keys.end())
      throw Error(ErrorKind::kModel, str(name_, ": an object has the key '", **twice, "' twice"));
  }

  const std::string& name_;
  CountedMemory& counted_;
  Json root_;
  std::vector<Json*> open_;  // from the outermost
  std::string key_;
};

}  // namespace

Json parse_json(const std::string& name, std::span<const std::byte> text, CountedMemory& counted) {
  JsonBuilder builder(name, counted);
  const auto* const begin = reinterpret_cast<const char*>(text.data());
  if (!nlohmann::json::sax_parse(begin, begin + text.size(), &builder)) {
    throw Error(ErrorKind::kModel, str(name, ": no valid JSON"));
  }
  return builder.take();
}

}  // namespace linnet::pt2
