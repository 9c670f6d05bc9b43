#include "json.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "parse_json.h"

namespace linnet::pt2 {

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Appends the path of `wanted` relative to `from`. Returns whether `wanted` was found.
bool find_path(const Json& from, const Json& wanted, std::string& path) {
  if (&from == &wanted) return true;
  const size_t before = path.size();
  if (const auto* const array = std::get_if<Json::Array>(&from.value)) {
    for (size_t i = 0; i < array->size(); ++i) {
      path += str('[', i, ']');
      if (find_path((*array)[i], wanted, path)) return true;
      path.resize(before);
    }
  }
  if (const auto* const object = std::get_if<Json::Object>(&from.value)) {
    for (const Json::Member& member : *object) {
      path += path.empty() ? std::string(member.key) : str('.', member.key);
      if (find_path(member.value, wanted, path)) return true;
      path.resize(before);
    }
  }
  return false;
}

}  // namespace

JsonDocument::JsonDocument(std::string name, std::span<const std::byte> text)
    : JsonDocument(std::move(name), text_of(text)) {}

JsonDocument::JsonDocument(std::string name, std::string_view text) : name_(std::move(name)), root_(parsed(text)) {}

JsonDocument::JsonDocument(JsonRef text) : outer_(text.document_), within_(text.value_), root_(parsed(text.text())) {}

Json JsonDocument::parsed(std::string_view text) {
  try {
    return parse_json(text, memory_, counted_);
  } catch (const Error& error) {
    throw error.with_context(name());
  }
}

std::string JsonDocument::name() const { return outer_ ? outer_->place_of(*within_) : name_; }

JsonRef JsonDocument::root() const { return {*this, root_}; }

std::string JsonDocument::place_of(const Json& value) const {
  std::string path;
  find_path(root_, value, path);
  return path.empty() ? name() : str(name(), ": ", path);
}

void JsonRef::fail(const std::string& what, ErrorKind kind) const { throw Error(kind, str(place(), ": ", what)); }

void JsonRef::fail_kind(const char* expected) const {
  constexpr const char* kKinds[] = {"null", "a bool", "an integer", "a number", "a text", "a list", "an object"};
  fail(str("expected ", expected, ", got ", kKinds[value_->value.index()]));
}

bool JsonRef::boolean() const {
  if (const bool* const value = std::get_if<bool>(&value_->value)) return *value;
  fail_kind("a bool");
}

int64_t JsonRef::integer() const {
  if (const int64_t* const value = std::get_if<int64_t>(&value_->value)) return *value;
  fail_kind("an integer of 64 bits");
}

double JsonRef::number() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (const double* const value = std::get_if<double>(&value_->value)) return *value;
  if (const int64_t* const value = std::get_if<int64_t>(&value_->value)) return double(*value);
  if (!is_text()) fail_kind("a number");
  if (text() == "Infinity") return kInfinity;
  if (text() == "-Infinity") return -kInfinity;
  if (text() == "NaN") return std::numeric_limits<double>::quiet_NaN();
  fail_kind("a number");
}

std::string_view JsonRef::text() const {
  if (const std::string_view* const value = std::get_if<std::string_view>(&value_->value)) return *value;
  fail_kind("a text");
}

Json::Array JsonRef::array() const {
  if (const Json::Array* const value = std::get_if<Json::Array>(&value_->value)) return *value;
  fail_kind("a list");
}

Json::Object JsonRef::object() const {
  if (const Json::Object* const value = std::get_if<Json::Object>(&value_->value)) return *value;
  fail_kind("an object");
}

JsonRef JsonRef::operator[](size_t i) const {
  if (i >= array().size()) fail(str("expected at least ", i + 1, " elements, got ", array().size()));
  return {*document_, array()[i]};
}

const Json* JsonRef::member(std::string_view key) const {
  for (const Json::Member& member : object()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonRef JsonRef::at(std::string_view key) const {
  if (const Json* const value = member(key)) return {*document_, *value};
  fail(str("'", key, "' is missing"));
}

std::optional<JsonRef> JsonRef::find(std::string_view key) const {
  const Json* const value = member(key);
  if (!value || JsonRef(*document_, *value).is_null()) return std::nullopt;
  return JsonRef(*document_, *value);
}

void JsonRef::for_members(const std::function<void(std::string_view key, JsonRef value)>& f) const {
  for (const Json::Member& member : object()) f(member.key, JsonRef(*document_, member.value));
}

std::pair<std::string_view, JsonRef> JsonRef::only_member() const {
  if (object().size() != 1) fail(str("expected an object with one member, got ", object().size()));
  const Json::Member& member = object()[0];
  return {member.key, JsonRef(*document_, member.value)};
}

}  // namespace linnet::pt2
