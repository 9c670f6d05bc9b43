#include "signature.h"

#include "arguments.h"
#include "linnet/did_you_mean.h"

namespace linnet::python {

Signature::Signature(const Model& model)
    : inputs_(values_of("input", model.inputs())),
      outputs_(values_of("output", model.outputs())),
      required_(inputs_.size()) {
  if (!model.options().overridable_initializers) return;
  std::vector<Value> optional = values_of("initializer", model.metadata().overridable);
  std::move(optional.begin(), optional.end(), std::back_inserter(inputs_));
}

std::vector<Signature::Value> Signature::values_of(const char* side, const std::vector<ValueInfo>& infos) {
  std::vector<Value> values;
  for (const ValueInfo& info : infos) {
    const std::string what = str(side, " '", info.name, "'");
    values.push_back({nb::str(info.name.c_str(), info.name.size()), info.fact, what, "the array for " + what});
  }
  return values;
}

std::string Signature::quoted(const std::vector<Value>& values, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) names += str(i ? ", '" : "'", values[i].name.c_str(), "'");
  return names;
}

nb::dict Signature::named_inputs(nb::handle inputs) const {
  if (PyDict_Check(inputs.ptr())) return nb::borrow<nb::dict>(inputs);
  std::string entries;
  for (size_t i = 0; i < required_; ++i) entries += str(i ? ", '" : "'", inputs_[i].name.c_str(), "': array");
  throw Error(ErrorKind::kType,
              str("run() takes a dict of inputs by name, run({", entries,
                  "}), and may take a list of outputs after it; got ", nb::type_name(inputs.type()).c_str()));
}

std::string Signature::names_of(const nb::dict& inputs) {
  std::string names;
  for (const auto& [name, value] : inputs) names += str(names.empty() ? "'" : ", '", text_of(name), "'");
  return names.empty() ? "none" : names;
}

size_t Signature::index_of(const std::vector<Value>& values, nb::handle name, const char* side, size_t listed) {
  const auto same = [&](const Value& value) { return value.name.equal(name); };
  const auto found = std::find_if(values.begin(), values.end(), same);
  if (found != values.end()) return size_t(found - values.begin());
  if (!PyUnicode_Check(name.ptr())) {
    throw Error(ErrorKind::kType, str("the name of an ", side, " must be a str, got ", shown(name)));
  }
  std::vector<std::string> names;
  for (const Value& value : values) names.emplace_back(value.name.c_str());
  throw Error(ErrorKind::kModel, str("there is no ", side, " '", text_of(name), "'; the ", side, "s are ",
                                     quoted(values, listed), did_you_mean(text_of(name), names)));
}

size_t Signature::input_index(nb::handle name) const { return index_of(inputs_, name, "input", required_); }

size_t Signature::output_index(nb::handle name) const { return index_of(outputs_, name, "output", outputs_.size()); }

std::vector<Tensor> Signature::read_inputs(const nb::dict& inputs, const std::vector<bool>& left_out) const {
  std::vector<Tensor> tensors(inputs_.size());
  size_t known = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Value& input = inputs_[i];
    PyObject* value = PyDict_GetItemWithError(inputs.ptr(), input.name.ptr());
    if (value) {
      tensors[i] = to_tensor(value, input.fact, input.what);
      ++known;
    } else if (i < required_ && !(i < left_out.size() && left_out[i])) {
      throw Error(ErrorKind::kModel, str(input.what, " is missing; the inputs are ", quoted(inputs_, required_),
                                         ", given are ", names_of(inputs)));
    }
  }
  if (known != inputs.size()) refuse_unknown(inputs);
  return tensors;
}

void Signature::refuse_unknown(const nb::dict& inputs) const {
  for (const auto& [name, value] : inputs) input_index(name);
}

Tensor Signature::read_input(nb::handle name, nb::handle value) const {
  const Value& input = inputs_[input_index(name)];
  return to_tensor(value, input.fact, input.what);
}

std::vector<Tensor> Signature::output_memories(const nb::dict& out) const {
  std::vector<Tensor> memories(out.size() ? outputs_.size() : 0);
  for (const auto& [name, array] : out) {
    const size_t i = output_index(name);
    memories[i] = output_memory(array, outputs_[i].fact, outputs_[i].memory);
  }
  return memories;
}

}  // namespace linnet::python
