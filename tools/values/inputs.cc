#include "values/inputs.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "command/failure.h"
#include "linnet/did_you_mean.h"
#include "linnet/onnx_value.h"
#include "tensor/printable.h"
#include "values/files.h"
#include "values/generate.h"
#include "values/input_file.h"
#include "values/npz.h"
#include "values/parse_text.h"

namespace linnet::tool {
namespace {

/// The inputs, followed by those that may be left out.
std::vector<ValueInfo> all_inputs(const Model& model) {
  std::vector<ValueInfo> infos = model.inputs();
  const std::vector<ValueInfo>& optional = model.metadata().overridable;
  if (model.options().overridable_initializers) infos.insert(infos.end(), optional.begin(), optional.end());
  return infos;
}

class InputMaker {
 public:
  InputMaker(const Model& model, const InputFlags& flags)
      : infos_(all_inputs(model)), needed_(model.inputs().size()), flags_(flags) {
    parse_dims();
    parse_shapes();
    if (flags_.batch > 0) set_batch();
  }

  std::vector<Tensor> make() {
    load_test_data();
    if (!flags_.npz.empty()) {
      for (auto& [name, tensor] : load_npz(flags_.npz)) set(name, tensor);
    }
    for (const std::string& argument : flags_.files) load_file(InputFile::parse(argument));
    if (!flags_.only_file.empty()) load_file({only_input(), flags_.only_file, {}});
    check_batch();
    bind_symbols();
    const bool none_given = given_.empty();
    Generator generator(flags_.fill, flags_.range, flags_.seed);
    std::vector<Tensor> inputs;
    for (const ValueInfo& info : infos_) {
      const auto found = given_.find(info.name);
      if (found != given_.end()) {
        inputs.push_back(found->second);
      } else if (inputs.size() >= needed_) {
        inputs.emplace_back();
      } else {
        if (!none_given && !flags_.generate) missing(info);
        inputs.push_back(generated(generator, info));
      }
    }
    while (inputs.size() > needed_ && !inputs.back()) inputs.pop_back();
    note_unused_dims();
    return inputs;
  }

 private:
  void parse_dims() {
    for (const std::string& argument : flags_.dims) {
      const auto sides = split_first(argument, '=');
      const auto value = sides ? parse_size(sides->second) : std::nullopt;
      if (!value) throw Failure(ExitCode::kUsage, "--dim " + argument + ": expected NAME=N");
      dims_[sides->first] = *value;
    }
  }

  void parse_shapes() {
    for (const std::string& argument : flags_.shapes) {
      const auto sides = split_last(argument, ':');
      const auto shape = sides ? parse_shape(sides->second) : std::nullopt;
      if (!shape) throw Failure(ExitCode::kUsage, "--shape " + argument + ": expected NAME:1x3x224x224");
      info(sides->first);
      shapes_[sides->first] = *shape;
    }
  }

  /// Sets the first dims of inputs whose shapes are not given otherwise.
  void set_batch() {
    for (const ValueInfo& input : infos_) {
      if (!input.fact.has_rank() || input.fact.rank() == 0 || shapes_.contains(input.name)) continue;
      const Dim& dim = input.fact.dim(0);
      if (dim.known() && dim.value() != flags_.batch) {
        throw Failure(ExitCode::kUsage, str("--batch ", flags_.batch, ": the model fixes the first axis of input '",
                                            input.name, "' (", input.fact, ")"));
      }
      if (!dim.symbol().empty()) dims_[dim.symbol()] = flags_.batch;
    }
  }

  void check_batch() const {
    for (const auto& [name, tensor] : given_) {
      if (flags_.batch == 0 || tensor.rank() == 0 || tensor.dim(0) == flags_.batch) continue;
      throw Failure(ExitCode::kUsage,
                    str("--batch ", flags_.batch, ": the input '", name, "' that is given is ", describe(tensor)));
    }
  }

  const std::string& only_input() const {
    if (needed_ == 1) return infos_[0].name;
    throw Failure(ExitCode::kUsage, str(flags_.only_file, " is one array, but the inputs are ", input_list(),
                                        "; a .npz holds several, with members named as the inputs"));
  }

  const ValueInfo& info(const std::string& name) const {
    for (const ValueInfo& candidate : infos_) {
      if (candidate.name == name) return candidate;
    }
    throw Error(ErrorKind::kModel,
                str("the model has no input '", name, "'; its inputs: ", input_list(), did_you_mean(name, infos_)));
  }

  std::string input_list() const {
    std::string text;
    for (const ValueInfo& known : infos_) text += str(text.empty() ? "" : ", ", known.name, " (", known.fact, ")");
    return text.empty() ? "none" : text;
  }

  [[noreturn]] void missing(const ValueInfo& wanted) const {
    throw Error(ErrorKind::kModel, str("input '", wanted.name, "' (", wanted.fact, ") is missing; give it with -i ",
                                       wanted.name, "=FILE, or add --fill random to make up what is missing"));
  }

  void set(const std::string& name, const Tensor& tensor) { given_[info(name).name] = tensor; }

  void load_file(const InputFile& file) {
    try {
      set(file.name, load_input(file, wanted_fact(info(file.name))));
    } catch (const Error& error) {
      if (error.message().starts_with("the model has no input")) throw;
      throw error.with_context("input '" + file.name + "'");
    }
  }

  // Names in the files take precedence. Files without a name that the model has count by position, as in ONNX's own
  // runner.
  void load_test_data() {
    if (flags_.test_data.empty()) return;
    if (!std::filesystem::is_directory(flags_.test_data)) {
      throw Error(ErrorKind::kIo, "--test-data " + flags_.test_data + ": no such folder");
    }
    const std::vector<std::string> paths = numbered_files(flags_.test_data, "input_");
    for (size_t i = 0; i < paths.size(); ++i) {
      const Fact type = i < infos_.size() ? infos_[i].fact : Fact();
      const NamedTensor loaded = load_value_proto(paths[i], type);
      const bool known =
          std::any_of(infos_.begin(), infos_.end(), [&](const ValueInfo& input) { return input.name == loaded.name; });
      if (!known && i >= infos_.size()) {
        throw Error(ErrorKind::kModel, str(paths[i], ": the model has only the inputs ", input_list()));
      }
      given_[known ? loaded.name : infos_[i].name] = loaded.tensor;
    }
  }

  Tensor generated(Generator& generator, const ValueInfo& input) {
    if (is_container(input.fact.dtype)) {
      throw Error(ErrorKind::kModel, str("input '", input.name, "' (", input.fact, ") cannot be made up; give -i ",
                                         input.name, "=FILE.pb or --test-data"));
    }
    return generator.make(input.fact.dtype, concrete_shape(input));
  }

  // Given inputs determine the symbols of those that are not given.
  void bind_symbols() {
    for (const ValueInfo& input : infos_) {
      const auto found = given_.find(input.name);
      if (found == given_.end() || !input.fact.has_rank() || input.fact.rank() != found->second.rank()) continue;
      for (int i = 0; i < input.fact.rank(); ++i) {
        if (!input.fact.dim(i).symbol().empty()) bound_.emplace(input.fact.dim(i).symbol(), found->second.dim(i));
      }
    }
  }

  int64_t dim_value(const ValueInfo& input, const Dim& dim) {
    if (dim.known()) return dim.value();
    const auto flag = dims_.find(dim.symbol());
    const auto bound = bound_.find(dim.symbol());
    used_.insert(dim.symbol());
    if (flag == dims_.end() && bound == bound_.end() && flags_.named_dims) unnamed(input, dim);
    return flag != dims_.end() ? flag->second : bound != bound_.end() ? bound->second : 1;
  }

  [[noreturn]] static void unnamed(const ValueInfo& input, const Dim& dim) {
    const std::string flag = dim.symbol().empty() ? "" : "--dim " + dim.symbol() + "=N or ";
    throw Failure(ExitCode::kUsage, str("the memory plan depends on the shape of input '", input.name, "' (",
                                        input.fact, "); give ", flag, "--shape ", input.name, ":1x3x224x224"));
  }

  /// What is known about an input after the flags are applied.
  Fact wanted_fact(const ValueInfo& input) {
    Fact fact = input.fact;
    const auto shape = shapes_.find(input.name);
    if (shape != shapes_.end()) return {fact.dtype, shape->second};
    if (!fact.has_rank()) return fact;
    for (Dim& dim : *fact.dims) {
      if (dims_.contains(dim.symbol())) dim = dim_value(input, dim);
    }
    return fact;
  }

  Shape concrete_shape(const ValueInfo& input) {
    const auto given = shapes_.find(input.name);
    if (given != shapes_.end()) return given->second;
    if (!input.fact.has_rank()) {
      throw Error(ErrorKind::kShape, str("input '", input.name, "' has no shape in the model; give --shape ",
                                         input.name, ":1x3x224x224 or a file"));
    }
    Shape shape;
    for (const Dim& dim : *input.fact.dims) {
      const bool batch = flags_.batch > 0 && shape.rank() == 0 && !dim.known();
      shape.push_back(batch ? flags_.batch : dim_value(input, dim));
    }
    return shape;
  }

  void note_unused_dims() const {
    for (const auto& [name, value] : dims_) {
      if (!flags_.quiet && !used_.contains(name))
        std::fprintf(stderr, "note: no generated input has a dim '%s'\n", printable(name).c_str());
    }
  }

  const std::vector<ValueInfo> infos_;
  const size_t needed_;  // the first ones of infos_, which every run needs
  const InputFlags& flags_;
  std::map<std::string, int64_t> dims_, bound_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, Tensor> given_;
  std::set<std::string> used_;
};

}  // namespace

std::vector<Tensor> make_inputs(const Model& model, const InputFlags& flags) { return InputMaker(model, flags).make(); }

std::vector<Tensor> load_expected(const Model& model, const std::string& folder) {
  std::vector<Tensor> outputs;
  for (const std::string& path : numbered_files(folder, "output_")) {
    const size_t i = outputs.size();
    outputs.push_back(load_value_proto(path, i < model.outputs().size() ? model.outputs()[i].fact : Fact()).tensor);
  }
  return outputs;
}

}  // namespace linnet::tool
