#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "linnet/error.h"
#include "tensor/counted_memory.h"

namespace linnet::pt2 {

/// A JSON value in the memory of its document. Members of objects keep their order. Whole numbers beyond int64 are
/// doubles.
struct Json {
  struct Member;
  template <class T>
  struct List {
    const T* first;
    size_t count;

    const T* begin() const { return first; }
    const T* end() const { return first + count; }
    size_t size() const { return count; }
    const T& operator[](size_t i) const { return first[i]; }
  };
  using Array = List<Json>;
  using Object = List<Member>;
  std::variant<std::nullptr_t, bool, int64_t, double, std::string_view, Array, Object> value;
};

struct Json::Member {
  std::string_view key;
  Json value;
};

class JsonRef;

/// A parsed JSON text. The text must outlive the document.
class JsonDocument {
 public:
  /// `name` appears in messages: "models/model.json". Throws Error(kModel) if the text is not JSON or an object has a
  /// key twice, Error(kLimit) if it is nested too deeply.
  JsonDocument(std::string name, std::span<const std::byte> text);
  JsonDocument(std::string name, std::string_view text);
  /// Parses a text inside another document, which must outlive this one.
  explicit JsonDocument(JsonRef text);
  JsonDocument(const JsonDocument&) = delete;

  JsonRef root() const;
  /// Returns "models/model.json: graph_module.graph.nodes[12].inputs[0]". This searches the document.
  std::string place_of(const Json& value) const;

 private:
  std::string name() const;
  Json parsed(std::string_view text);

  std::string name_;
  const JsonDocument* outer_ = nullptr;  // the document that contains the text
  const Json* within_ = nullptr;
  CountedMemory counted_;
  std::pmr::monotonic_buffer_resource memory_;
  Json root_;
};

/// A value in a document, which must outlive this. Unexpected contents throw an Error(kModel) that names the place.
class JsonRef {
 public:
  JsonRef(const JsonDocument& document, const Json& value) : document_(&document), value_(&value) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_->value); }
  bool is_text() const { return std::holds_alternative<std::string_view>(value_->value); }
  bool is_integer() const { return std::holds_alternative<int64_t>(value_->value); }

  bool boolean() const;
  int64_t integer() const;
  /// Reads a number, or one of the strings "Infinity", "-Infinity" and "NaN".
  double number() const;
  std::string_view text() const;

  /// The number of elements of an array.
  size_t size() const { return array().size(); }
  JsonRef operator[](size_t i) const;
  /// Returns all elements, each read by a function.
  template <class Read>
  auto list(Read&& read) const {
    std::vector<decltype(read(*this))> values;
    values.reserve(array().size());
    for (const Json& element : array()) values.push_back(read(JsonRef(*document_, element)));
    return values;
  }

  /// Returns a required member of an object.
  JsonRef at(std::string_view key) const;
  /// Returns a member, or nothing if it is absent or null.
  std::optional<JsonRef> find(std::string_view key) const;
  void for_members(const std::function<void(std::string_view key, JsonRef value)>& f) const;
  /// Returns the key and the value of a union, which is an object with one member.
  std::pair<std::string_view, JsonRef> only_member() const;

  std::string place() const { return document_->place_of(*value_); }
  [[noreturn]] void fail(const std::string& what, ErrorKind kind = ErrorKind::kModel) const;

 private:
  Json::Array array() const;
  Json::Object object() const;
  const Json* member(std::string_view key) const;
  [[noreturn]] void fail_kind(const char* expected) const;

  friend class JsonDocument;

  const JsonDocument* document_;
  const Json* value_;
};

}  // namespace linnet::pt2
