#include <algorithm>
#include <cctype>

#include "exporter/export_error.h"
#include "exporter/pairs.h"
#include "translator.h"

// Makes the results of the program the outputs of the graph.
namespace linnet::pt2 {
namespace {

/// Returns the names of the user outputs: keys of dicts and fields, else "output", or "output_0", "output_1", ...
std::vector<std::string> output_names(const Program& program, size_t count) {
  std::vector<std::string> names;
  if (program.out_spec) names = leaf_names(*program.out_spec);
  names.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const bool is_number = names[i].empty() || std::isdigit(static_cast<unsigned char>(names[i][0]));
    if (is_number) names[i] = count == 1 ? "output" : "output_" + (names[i].empty() ? std::to_string(i) : names[i]);
  }
  return names;
}

/// Whether a tensor is stored in a module between calls: a buffer, or a tensor without a registered name, for example
/// in a list.
bool may_change(const InputSpec& spec) {
  return spec.kind == InputSpec::Kind::kBuffer || spec.kind == InputSpec::Kind::kTensorConstant;
}

}  // namespace

bool Translator::is_written_in_place(const InputSpec& spec) const {
  const auto* tensor = spec.argument.get<TensorName>();
  return tensor && written_.contains(tensor->name);
}

/// Whether the program changes a buffer or constant. If nothing is written in place, the signature shows it.
bool Translator::is_mutated(const InputSpec& spec) const {
  if (!may_change(spec)) return false;
  if (is_written_in_place(spec)) return true;
  return std::ranges::any_of(program_.output_specs, [&](const OutputSpec& output) {
    return output.kind == OutputSpec::Kind::kBufferMutation && output.target == spec.target;
  });
}

/// Returns the final values of the buffers and constants that operators write to in place.
std::vector<OutputSpec> Translator::written_buffers() const {
  std::vector<OutputSpec> written;
  for (const InputSpec& spec : program_.input_specs) {
    if (!may_change(spec) || !is_written_in_place(spec)) continue;
    written.push_back({OutputSpec::Kind::kBufferMutation, spec.argument, spec.target});
  }
  return written;
}

void Translator::write_output(const OutputSpec& spec, const std::string& name, std::set<std::string>& made,
                              std::unordered_map<std::string, std::string>& new_names) {
  const Value leaf = argument_of(spec.argument);
  std::string value = name_of(leaf);
  if (made.erase(value) == 0) value = builder_.emit("Identity", {value}, {}, 1)[0];
  new_names[value] = builder_.unique(name);
  const auto* tensor = spec.argument.get<TensorName>();
  const TensorMeta scalar;
  const auto dims = declared_dims(tensor ? program_.graph.tensor_values.at(tensor->name) : scalar);
  builder_.graph().outputs.push_back(exporter::stored_value({new_names[value], leaf.concrete[0].dtype(), dims}));
}

/// Writes the outputs of the program, followed by the final values of the buffers that it changes. "NAME.next" is the
/// state NAME of the next run.
void Translator::write_outputs() {
  using Kind = OutputSpec::Kind;
  std::vector<const OutputSpec*> given, mutated;
  const std::vector<OutputSpec> written = written_buffers();
  for (const OutputSpec& spec : written) mutated.push_back(&spec);
  for (const OutputSpec& spec : program_.output_specs) {
    if (spec.kind == Kind::kUserOutput) {
      if (!spec.argument.is<NoValue>()) given.push_back(&spec);
    } else if (spec.kind == Kind::kBufferMutation) {
      mutated.push_back(&spec);
    } else if (spec.kind != Kind::kToken) {
      throw exporter::ExportError("the program changes '" + spec.target + "' when it runs, which is not covered");
    }
  }
  const std::vector<std::string> names = output_names(program_, given.size());
  std::set<std::string> made;
  for (const exporter::OnnxNode& node : builder_.graph().nodes) made.insert(node.outputs.begin(), node.outputs.end());
  std::unordered_map<std::string, std::string> new_names;
  builder_.set_origin("", "");
  for (size_t i = 0; i < given.size(); ++i) write_output(*given[i], names[i], made, new_names);
  for (const OutputSpec* spec : mutated) write_output(*spec, spec->target + ".next", made, new_names);
  rename_values(builder_.graph(), new_names);
}

}  // namespace linnet::pt2
