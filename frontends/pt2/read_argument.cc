#include <algorithm>
#include <iterator>

#include "program_reader.h"
#include "scalar_types.h"

namespace linnet::pt2 {

namespace {

/// The newest schema version whose kinds of arguments are supported.
constexpr const char* kNewestSchema = "8.20";

std::string text_of(JsonRef json) { return std::string(json.text()); }
int64_t integer_of(JsonRef json) { return json.integer(); }
double number_of(JsonRef json) { return json.number(); }
bool boolean_of(JsonRef json) { return json.boolean(); }

/// Reads a union of "as_name" and a value.
template <class Name, class Read>
auto name_or(JsonRef json, const char* value_key, Read&& read) {
  using Result = std::variant<decltype(read(json)), Name>;
  const auto [key, value] = json.only_member();
  if (key == "as_name") return Result(Name{std::string(value.text())});
  if (key != value_key) json.fail(str("'", key, "' is unknown, expected 'as_name' or '", value_key, "'"));
  return Result(read(value));
}

SymIntArgument sym_int_of(JsonRef json) { return name_or<SymIntName>(json, "as_int", integer_of); }
SymFloatArgument sym_float_of(JsonRef json) { return name_or<SymFloatName>(json, "as_float", number_of); }
SymBoolArgument sym_bool_of(JsonRef json) { return name_or<SymBoolName>(json, "as_bool", boolean_of); }

std::optional<TensorName> optional_tensor_of(JsonRef json) {
  const auto [key, value] = json.only_member();
  if (key == "as_none") return std::nullopt;
  if (key != "as_tensor") json.fail(str("'", key, "' is unknown, expected 'as_tensor' or 'as_none'"));
  return read_tensor_name(value);
}

/// Reads an enumerator whose number is between 0 and `last`.
template <class Enum>
Enum enumerator_of(JsonRef json, Enum last) {
  const int64_t number = json.integer();
  if (number < 0 || number > int64_t(last)) json.fail(str(number, " is unknown"), ErrorKind::kUnsupported);
  return Enum(number);
}

std::complex<double> complex_of(JsonRef json) { return {json.at("real").number(), json.at("imag").number()}; }

ArgumentMap map_of(ProgramReader& reader, JsonRef json) {
  ArgumentMap map;
  json.for_members([&](std::string_view key, JsonRef value) {
    map.keys.emplace_back(key);
    map.values.push_back(reader.argument(value));
  });
  return map;
}

/// The reader of one kind of arguments.
struct Kind {
  std::string_view key;
  Argument (*read)(ProgramReader& reader, JsonRef json);
};

template <auto Read>
Argument one(ProgramReader&, JsonRef json) {
  return {Read(json)};
}
template <auto Read>
Argument list(ProgramReader&, JsonRef json) {
  return {json.list(Read)};
}
template <auto Read>
Argument lists(ProgramReader&, JsonRef json) {
  return {json.list([](JsonRef inner) { return inner.list(Read); })};
}

constexpr Kind kKinds[] = {
    {"as_bool", one<boolean_of>},
    {"as_bools", list<boolean_of>},
    {"as_complex", one<complex_of>},
    {"as_custom_obj", one<read_custom_object>},
    {"as_device", one<read_device>},
    {"as_float", one<number_of>},
    {"as_float_lists", lists<number_of>},
    {"as_floats", list<number_of>},
    {"as_graph", [](ProgramReader& reader, JsonRef json) { return Argument{reader.graph_argument(json)}; }},
    {"as_int", one<integer_of>},
    {"as_int_lists", lists<integer_of>},
    {"as_ints", list<integer_of>},
    {"as_layout", [](ProgramReader&, JsonRef json) { return Argument{enumerator_of(json, Layout::kStrided)}; }},
    {"as_memory_format",
     [](ProgramReader&, JsonRef json) { return Argument{enumerator_of(json, MemoryFormat::kPreserve)}; }},
    {"as_nested_tensors", lists<read_tensor_name>},
    {"as_none", [](ProgramReader&, JsonRef) { return Argument{NoValue{}}; }},
    {"as_operator", [](ProgramReader&, JsonRef json) { return Argument{OperatorName{text_of(json)}}; }},
    {"as_optional_tensor", one<optional_tensor_of>},
    {"as_optional_tensors", list<optional_tensor_of>},
    {"as_scalar_type", one<scalar_type>},
    {"as_string", one<text_of>},
    {"as_string_to_argument", [](ProgramReader& reader, JsonRef json) { return Argument{map_of(reader, json)}; }},
    {"as_strings", list<text_of>},
    {"as_sym_bool", one<sym_bool_of>},
    {"as_sym_bools", list<sym_bool_of>},
    {"as_sym_float", one<sym_float_of>},
    {"as_sym_floats", list<sym_float_of>},
    {"as_sym_int", one<sym_int_of>},
    {"as_sym_ints", list<sym_int_of>},
    {"as_tensor", one<read_tensor_name>},
    {"as_tensors", list<read_tensor_name>},
};

}  // namespace

Device read_device(JsonRef json) {
  Device device{text_of(json.at("type")), std::nullopt};
  if (const auto index = json.find("index")) device.index = index->integer();
  return device;
}

TensorName read_tensor_name(JsonRef json) { return {text_of(json.at("name"))}; }

CustomObject read_custom_object(JsonRef json) { return {text_of(json.at("name")), text_of(json.at("class_fqn"))}; }

Argument ProgramReader::argument(JsonRef json) {
  const auto [key, value] = json.only_member();
  const std::string_view wanted = key;
  const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const Kind& candidate) { return candidate.key == wanted; });
  if (kind != std::end(kKinds)) return kind->read(*this, value);
  json.fail(str("arguments of kind '", key, "' are unknown: Linnet reads the schema up to ", kNewestSchema,
                "; save the program with an older PyTorch"),
            ErrorKind::kUnsupported);
}

}  // namespace linnet::pt2
