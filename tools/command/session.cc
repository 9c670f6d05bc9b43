#include "command/session.h"

#include <algorithm>
#include <iostream>

#include "command/failure.h"
#include "command/model_limits.h"
#include "graph/graph.h"
#include "kernels/isa.h"
#include "linnet/load.h"
#include "linnet/onnx.h"
#include "passes/passes.h"
#include "tensor/printable.h"
#include "values/inputs.h"
#include "values/piped_file.h"

namespace linnet::tool {
namespace {

/// Calls f. Its errors become those of the command line.
template <class F>
auto as_usage(const std::string& flag, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Failure(ExitCode::kUsage, flag + error.message());
  }
}

Isa wanted_isa(const ModelFlags& flags) {
  return as_usage("", [&] { return resolve_isa(isa_from_name(flags.isa)); });
}

template <class F>
auto while_loading(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Failure(error.kind() == ErrorKind::kLimit ? ExitCode::kLimit : ExitCode::kLoad, error.message());
  }
}

void show_warning_of_cache(LogLevel level, std::string_view message) {
  if (level == LogLevel::kWarning && message.starts_with("cache "))
    std::cerr << "run_model: " << printable(message) << '\n';
}

}  // namespace

Registry make_registry(const ModelFlags& flags) {
  return while_loading([&] {
    Registry registry = standard_registry();
    for (const std::string& path : flags.op_libraries) registry.load_library(path);
    return registry;
  });
}

std::shared_ptr<Executor> make_executor(const ModelFlags& flags) {
  if (flags.executor == "serial") return make_serial_executor();
  return flags.executor == "openmp" ? make_openmp_executor(flags.threads) : make_thread_executor(flags.threads);
}

ModelOptions model_options(const ModelFlags& flags, const Registry& registry) {
  ModelOptions options;
  options.optimization = flags.optimization;
  options.limits = load_limits(flags);
  options.executor = make_executor(flags);
  options.winograd_tile = flags.winograd_tile;
  options.fast_int4 = flags.fast_int4;
  options.batch_invariant = flags.batch_invariant;
  if (flags.precision == "bf16") options.precision = ProductPrecision::kBFloat16;
  options.allow_newer_opset = flags.allow_newer_opset;
  if (flags.plan_cache >= 0) options.plan_cache_bytes = flags.plan_cache;
  options.cache_dir = flags.pack_cache;
  if (!flags.pack_cache.empty()) options.log = show_warning_of_cache;
  for (const std::string& name : flags.disabled_rewrites) {
    as_usage("--disable-rewrite: ", [&] { require_rewrite(name, registry); });
  }
  options.disabled_rewrites.insert(flags.disabled_rewrites.begin(), flags.disabled_rewrites.end());
  options.isa = wanted_isa(flags);
  return options;
}

std::shared_ptr<MemoryAccount> memory_account(const ModelFlags& flags) {
  return MemoryAccount::of(load_limits(flags).memory_bytes);
}

ContextOptions context_options(const ModelFlags& flags, std::shared_ptr<Observer> observer) {
  return {.executor = nullptr, .observer = std::move(observer), .limits = run_limits(flags), .seed = flags.seed};
}

Model load_model(const ModelFlags& flags) {
  const Registry registry = make_registry(flags);
  return load_model(flags, model_options(flags, registry), registry);
}

Model load_model(const ModelFlags& flags, const ModelOptions& options, const Registry& registry) {
  return while_loading([&] {
    const int piped = piped_file(flags.path, options.limits);
    if (piped < 0) return load(flags.path, options, registry);
    try {
      return load_fd(piped, ".", options, registry);
    } catch (const Error& error) {
      throw error.with_context(flags.path);
    }
  });
}

void save_optimized(const Model& model, const Options& options) {
  if (!options.save_optimized.empty()) save_onnx(model, options.save_optimized);
}

PreparedModel prepare_model(const Options& options) {
  const Stopwatch load;
  Model model = load_model(options.model);
  const double load_ms = load.ms();
  save_optimized(model, options);
  std::vector<Tensor> inputs = make_inputs(model, options.input);
  const Stopwatch plan;
  if (options.state.empty()) model = std::move(model).specialized(inputs);
  return {std::move(model), std::move(inputs), load_ms, plan.ms()};
}

bool profiles(const Options& options) { return options.profile_table || !options.profile.empty(); }

Roofline profile_roofline(const Options& options) {
  if (!profiles(options)) return {};
  return measure_roofline(wanted_isa(options.model), *make_executor(options.model));
}

std::string chosen_isa(const Model& model) { return isa_name(model.options().isa); }

int thread_count(const ModelFlags& flags) { return make_executor(flags)->workers(); }

double Stopwatch::ms() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace linnet::tool
