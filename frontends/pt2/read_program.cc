#include <algorithm>
#include <utility>

#include "linnet/error.h"
#include "program.h"
#include "program_reader.h"

namespace linnet::pt2 {

namespace {

constexpr int64_t kSchemaMajor = 8;

std::string chosen_model(const Archive& archive, const std::string& name) {
  const std::vector<std::string>& models = archive.models();
  const bool one = models.size() == 1 && name.empty();
  const std::string wanted = one ? models[0] : name.empty() ? "model" : name;
  if (std::find(models.begin(), models.end(), wanted) != models.end()) return wanted;
  std::string known;
  for (const std::string& model : models) known += str(known.empty() ? "'" : ", '", model, "'");
  throw Error(ErrorKind::kModel, str("the archive has no program '", wanted, "', it has ", known));
}

int64_t checked_schema_minor(JsonRef root) {
  const JsonRef version = root.at("schema_version");
  const int64_t major = version.at("major").integer(), minor = version.at("minor").integer();
  if (major == kSchemaMajor) return minor;
  version.fail(str("schema ", major, '.', minor, ", Linnet reads ", kSchemaMajor,
                   ".x; save the program with PyTorch 2.9 or newer, as far as Linnet knows it"),
               ErrorKind::kUnsupported);
}

std::vector<std::string> texts(JsonRef root, const char* key) {
  const auto list = root.find(key);
  if (!list) return {};
  return list->list([](JsonRef text) { return std::string(text.text()); });
}

/// Returns the names by which a spec or the graph refers to one value.
std::vector<std::string> names_in(const Argument& argument) {
  std::vector<std::string> names;
  for_each_name(argument, [&](const std::string& name) { names.push_back(name); });
  return names;
}

/// Whether both are of one kind and have the same names. Specs represent tokens as tensors.
bool same_value(const Argument& spec, const Argument& value, bool token) {
  return names_in(spec) == names_in(value) && (token || spec.value.index() == value.value.index());
}

/// Checks that specs and the graph name the same values in the same order.
template <class Spec>
void check_specs(const std::vector<Spec>& specs, const std::vector<Argument>& values, JsonRef json) {
  if (specs.size() != values.size()) {
    json.fail(str(specs.size(), " entries, the graph has ", values.size(), " values"));
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    const bool token = specs[i].kind == Spec::Kind::kToken;
    if (!same_value(specs[i].argument, values[i], token)) json[i].fail("names another value than the graph does");
  }
}

void read_signature(Program& program, ProgramReader& reader, JsonRef json) {
  const JsonRef inputs = json.at("input_specs"), outputs = json.at("output_specs");
  program.input_specs = inputs.list([&](JsonRef spec) { return reader.input_spec(spec); });
  program.output_specs = outputs.list([&](JsonRef spec) { return reader.output_spec(spec); });
  check_specs(program.input_specs, program.graph.inputs, inputs);
  check_specs(program.output_specs, program.graph.outputs, outputs);
}

using FieldTable = std::map<std::string, std::vector<std::string>>;

FieldTable named_tuple_fields(JsonRef module) {
  FieldTable table;
  if (const auto types = module.find("treespec_namedtuple_fields")) {
    types->for_members(
        [&](std::string_view type, JsonRef value) { table[std::string(type)] = texts(value, "field_names"); });
  }
  return table;
}

/// Reads how callers see the program from the root module's entry.
void read_calling_convention(Program& program, JsonRef module) {
  const auto calls = module.find("module_call_graph");
  if (!calls || calls->size() == 0) return;
  const auto signature = (*calls)[0].find("signature");
  if (!signature) return;
  const FieldTable table = named_tuple_fields(module);
  const auto fields = [&](const std::string& type) {
    const auto found = table.find(type);
    return found != table.end() ? &found->second : nullptr;
  };
  const auto tree = [&](const char* key) { return parse_tree_spec(signature->at(key), fields); };
  program.in_spec = tree("in_spec");
  program.out_spec = tree("out_spec");
  if (signature->find("forward_arg_names")) program.forward_arg_names = texts(*signature, "forward_arg_names");
}

void read_versions(Program& program, JsonRef root) {
  if (const auto opsets = root.find("opset_version")) {
    opsets->for_members(
        [&](std::string_view name, JsonRef version) { program.opset_version[std::string(name)] = version.integer(); });
  }
  program.verifiers = texts(root, "verifiers");
  program.guards_code = texts(root, "guards_code");
  const auto version = root.find("torch_version");
  program.torch_version = version ? version->text() : "<=2.4";
}

}  // namespace

const Argument* Node::input(std::string_view argument) const {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const NamedArgument& candidate) { return candidate.name == argument; });
  return found != inputs.end() ? &found->argument : nullptr;
}

Program read_program(const Archive& archive, const std::string& name, const Limits& limits) {
  Program program{.name = chosen_model(archive, name)};
  const std::string member = str("models/", program.name, ".json");
  const MemberBytes bytes = archive.member(member);
  const JsonDocument document(member, bytes.bytes);
  const JsonRef root = document.root();
  program.schema_minor = checked_schema_minor(root);
  const JsonRef module = root.at("graph_module");
  ProgramReader reader(limits);
  program.graph = reader.graph(module.at("graph"));
  read_signature(program, reader, module.at("signature"));
  read_calling_convention(program, module);
  if (const auto ranges = root.find("range_constraints")) program.range_constraints = read_ranges(*ranges);
  program.hints = reader.take_hints();
  read_versions(program, root);
  return program;
}

}  // namespace linnet::pt2
