#include "schemas.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

namespace linnet::pt2 {
namespace {

// One operator a line, sorted; written by scripts/print_torch_schemas.py.
constexpr std::string_view kSchemas =
#include "schemas.inc"
    ;

/// The line of each operator, by its name.
const std::map<std::string_view, std::string_view>& lines() {
  static const std::map<std::string_view, std::string_view> all = [] {
    std::map<std::string_view, std::string_view> result;
    for (size_t begin = 0; begin < kSchemas.size();) {
      const size_t end = kSchemas.find('\n', begin);
      const std::string_view line = kSchemas.substr(begin, end - begin);
      result.emplace(line.substr(0, line.find(' ')), line);
      begin = end + 1;
    }
    return result;
  }();
  return all;
}

exporter::Value constant(exporter::Concrete concrete, size_t examples) {
  return {std::vector<exporter::Concrete>(examples, std::move(concrete))};
}

exporter::Concrete number(std::string_view text) {
  int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return {whole};
  return {std::stod(std::string(text))};
}

exporter::Concrete literal(std::string_view text) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return {text == "True"};
  if (text.starts_with('\'')) return {std::string(text.substr(1, text.size() - 2))};
  return number(text);
}

/// "None", "True", "1.5", "'mean'", "[0,0]"
exporter::Value default_of(std::string_view text, size_t examples) {
  if (!text.starts_with('[')) return constant(literal(text), examples);
  exporter::Value list;
  list.is_list = true;
  std::istringstream elements(std::string(text.substr(1, text.size() - 2)));
  for (std::string element; std::getline(elements, element, ',');) {
    list.elements.push_back(constant(literal(element), examples));
  }
  return list;
}

SchemaArgument argument_of(const std::string& word, size_t examples) {
  SchemaArgument argument;
  const size_t equals = word.find('=');
  argument.name = word.substr(0, equals);
  if (equals != std::string::npos) argument.otherwise = default_of(std::string_view(word).substr(equals + 1), examples);
  argument.is_written = argument.name.ends_with('!');
  argument.may_be_viewed = argument.name.ends_with('@');
  if (argument.is_written || argument.may_be_viewed) argument.name.pop_back();
  return argument;
}

}  // namespace

std::optional<Schema> find_schema(const std::string& name, size_t examples) {
  const auto line = lines().find(name);
  if (line == lines().end()) return std::nullopt;
  std::istringstream words{std::string(line->second)};
  Schema schema;
  words >> schema.name;
  for (std::string word; words >> word;) schema.arguments.push_back(argument_of(word, examples));
  return schema;
}

}  // namespace linnet::pt2
