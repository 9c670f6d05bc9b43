#include "schemas.h"

#include <algorithm>
#include <charconv>

namespace linnet::pt2 {
namespace {

// One operator a line, sorted; written by scripts/print_torch_schemas.py.
constexpr std::string_view kSchemas =
#include "schemas.inc"
    ;

/// The word that a text begins with, which is taken from it.
std::string_view take_word(std::string_view& text, char separator) {
  const std::string_view word = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

/// The line of an operator; empty where there is none.
std::string_view line_of(std::string_view name) {
  size_t begin = 0, end = kSchemas.size();  // of lines among which it is
  while (begin < end) {
    const size_t middle = (begin + end) / 2;
    const size_t start = middle == 0 ? 0 : kSchemas.rfind('\n', middle - 1) + 1;
    std::string_view rest = kSchemas.substr(start);
    const std::string_view line = take_word(rest, '\n');
    const std::string_view found = line.substr(0, line.find(' '));
    if (found == name) return line;
    if (found < name) {
      begin = start + line.size() + 1;
    } else {
      end = start;
    }
  }
  return {};
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
  for (text = text.substr(1, text.size() - 2); !text.empty();) {
    list.elements.push_back(constant(literal(take_word(text, ',')), examples));
  }
  return list;
}

SchemaArgument argument_of(std::string_view word, size_t examples) {
  SchemaArgument argument;
  const size_t equals = word.find('=');
  argument.name = word.substr(0, equals);
  if (equals != std::string_view::npos) argument.otherwise = default_of(word.substr(equals + 1), examples);
  argument.is_written = argument.name.ends_with('!');
  argument.may_be_viewed = argument.name.ends_with('@');
  if (argument.is_written || argument.may_be_viewed) argument.name.pop_back();
  return argument;
}

}  // namespace

std::optional<Schema> find_schema(const std::string& name, size_t examples) {
  std::string_view line = line_of(name);
  if (line.empty()) return std::nullopt;
  Schema schema{std::string(take_word(line, ' ')), {}};
  while (!line.empty()) schema.arguments.push_back(argument_of(take_word(line, ' '), examples));
  return schema;
}

}  // namespace linnet::pt2
