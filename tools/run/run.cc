#include <cstdio>
#include <memory>

#include "bench/profile.h"
#include "command/model_limits.h"
#include "command/session.h"
#include "command/verbs.h"
#include "compare/differences.h"
#include "report/report.h"
#include "report/terminal.h"
#include "run/save_outputs.h"
#include "run/top.h"
#include "values/files.h"
#include "values/inputs.h"
#include "values/values.h"

namespace linnet::tool {
namespace {

struct Result {
  std::string text;
  Json json = Json::array();
  int differing = 0;
};

Json values_json(const Tensor& tensor, int64_t count) {
  Json values = Json::array();
  for (int64_t i = 0; i < std::min(count, tensor.size()); ++i) {
    const bool number = is_number(tensor.dtype()) && tensor.dtype() != DType::kBool;
    if (tensor.dtype() == DType::kInt64) {
      values.push_back(tensor.data<int64_t>()[i]);
    } else if (tensor.dtype() == DType::kUint64) {
      values.push_back(tensor.data<uint64_t>()[i]);
    } else if (tensor.dtype() == DType::kString) {
      values.push_back(tensor.data<std::string>()[i]);
    } else if (tensor.dtype() == DType::kBool) {
      values.push_back(tensor.data<bool>()[i]);
    } else if (number && is_floating(tensor.dtype())) {
      values.push_back(element(tensor, i));
    } else {
      values.push_back(number ? Json(int64_t(element(tensor, i))) : Json(print_element(tensor, i)));
    }
  }
  return values;
}

void add_comparison(Result& result, const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  const Difference difference = compare_tensors(got, expected, tolerance);
  result.json.back()["agrees"] = difference.agree();
  result.json.back()["max_difference"] = difference.max_difference;
  if (difference.agree()) {
    result.text += format("  agrees with the reference, max |difference| %.3g\n", difference.max_difference);
  } else {
    result.text += "  " + failed("differs") + " from the reference: " + difference.reason + "\n";
    ++result.differing;
  }
}

std::string value_text(const std::string& name, const Tensor& tensor, int64_t count) {
  std::string text = name + "  " + describe(tensor);
  if (!is_container(tensor.dtype())) return text + "  " + print_elements(tensor, count) + "\n";
  text += "\n";
  for (const auto& [part_name, part] : container_parts(name, tensor)) text += value_text("  " + part_name, part, count);
  return text;
}

Json value_json(const std::string& name, const Tensor& tensor, int64_t count) {
  Json json{{"name", name}, {"dtype", dtype_name(tensor.dtype())}};
  if (is_container(tensor.dtype())) {
    json["elements"] = Json::array();
    for (const auto& [part_name, part] : container_parts(name, tensor)) {
      json["elements"].push_back(value_json(part_name, part, count));
    }
  } else {
    json["shape"] = std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end());
    json["values"] = values_json(tensor, count);
    json["values_left_out"] = std::max<int64_t>(0, tensor.size() - count);
  }
  return json;
}

void add_output(Result& result, const std::string& name, const Tensor& tensor, const Options& options) {
  result.text += value_text(name, tensor, options.print);
  result.json.push_back(value_json(name, tensor, options.print));
}

Result describe_outputs(const Model& model, std::span<const Tensor> outputs, const Options& options) {
  const std::vector<Tensor> expected =
      options.input.test_data.empty() ? std::vector<Tensor>() : load_expected(model, options.input.test_data);
  const auto labels = options.labels.empty() ? std::vector<std::string>() : read_labels(options.labels);
  Result result;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = model.outputs()[i].name;
    add_output(result, name, outputs[i], options);
    if (options.top > 0 && !is_container(outputs[i].dtype()))
      result.text += top_values(outputs[i], options.top, labels);
    if (i < expected.size()) {
      add_comparison(result, outputs[i], expected[i], tolerance_for(name, options.accuracy));
    }
  }
  return result;
}

void print_choices(const Model& model, const ModelFlags& flags, const MemoryReport& memory, const Profiler& profiler) {
  std::fprintf(stderr, "isa %s, threads %d\nlimits %s\nmemory %s\n%s", chosen_isa(model).c_str(), thread_count(flags),
               describe_limits(flags).c_str(), describe(memory).c_str(), shown(profiler.plan()).c_str());
}

}  // namespace

ExitCode run_verb(const Options& options) {
  const Roofline roofline = profile_roofline(options);
  const PreparedModel prepared = prepare_model(options);
  const Model& model = prepared.model;
  const std::vector<Tensor>& inputs = prepared.inputs;
  const bool observe = options.verbose || profiles(options);
  const auto profiler = observe ? std::make_shared<Profiler>() : nullptr;
  Context context(model, context_options(options.model, profiler));
  if (profiler) profiler->begin_run();
  const Stopwatch run;
  const std::span<const Tensor> outputs = context.run(inputs);
  const double run_ms = run.ms();
  const double load_ms = prepared.load_ms + prepared.plan_ms;

  Result result = describe_outputs(model, outputs, options);
  if (!options.save_outputs.empty()) save_outputs(model, outputs, options.save_outputs);
  if (!options.profile.empty()) write_text(options.profile, profiler->trace(roofline));
  if (options.verbose) print_choices(model, options.model, context.memory(), *profiler);
  result.text += "time  load " + human_time(load_ms) + ", first run " + human_time(run_ms) + "\n";
  if (options.profile_table) result.text += profiler->table(roofline);
  const Json json{{"model", options.model.path}, {"outputs", result.json}, {"load_ms", load_ms}, {"run_ms", run_ms}};
  report(result.text, json, options.json);
  if (result.differing == 0) return ExitCode::kOk;
  throw Failure(ExitCode::kDifference,
                str(result.differing, " of ", outputs.size(), " outputs differ from ", options.input.test_data), true);
}

}  // namespace linnet::tool
