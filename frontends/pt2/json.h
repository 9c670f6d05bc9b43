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

/// A value of JSON, in the memory of its document. Members of objects keep their order. Whole numbers beyond int64 are
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

/// A text of JSON that was parsed. The text outlives it.
class JsonDocument {
 public:
  /// `name` goes into messages: "models/model.json". Throws Error(kModel) where it is no JSON or an object has a key
  /// twice, Error(kLimit) where it is nested too deeply.
  JsonDocument(std::string name, std::span<const std::byte> text);
  JsonDocument(std::string name, std::string_view text);
  /// Of a text in another document, which outlives it.
  explicit JsonDocument(JsonRef text);
  JsonDocument(const JsonDocument&) = delete;

  JsonRef root() const;
  /// "models/model.json: graph_module.graph.nodes[12].inputs[0]". It is searched for.
  std::string place_of(const Json& value) const;

 private:
  std::string name() const;
  Json parsed(std::string_view text);

  std::string name_;
  const JsonDocument* outer_ = nullptr;  // the one that the text is in, and where
  const Json* within_ = nullptr;
  CountedMemory counted_;
  std::pmr::monotonic_buffer_resource memory_;
  Json root_;
};

/// A value in a document, which outlives this. Whatever is not as expected throws Error(kModel) that names the place.
class JsonRef {
 public:
  JsonRef(const JsonDocument& document, const Json& value) : document_(&document), value_(&value) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_->value); }
  bool is_text() const { return std::holds_alternative<std::string_view>(value_->value); }
  bool is_integer() const { return std::holds_alternative<int64_t>(value_->value); }

  bool boolean() const;
  int64_t integer() const;
  /// Of numbers, and of the texts "Infinity", "-Infinity" and "NaN".
  double number() const;
  std::string_view text() const;

  /// Elements of an array.
  size_t size() const { return array().size(); }
  JsonRef operator[](size_t i) const;
  /// All elements, each read by a function.
  template <class Read>
  auto list(Read&& read) const {
    std::vector<decltype(read(*this))> values;
    values.reserve(array().size());
    for (const Json& element : array()) values.push_back(read(JsonRef(*document_, element)));
    return values;
  }

  /// A member of an object that has to be there.
  JsonRef at(std::string_view key) const;
  /// A member; nothing where it is absent or null.
  std::optional<JsonRef> find(std::string_view key) const;
  void for_members(const std::function<void(std::string_view key, JsonRef value)>& f) const;
  /// The key and the value of a union: an object with one member.
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
