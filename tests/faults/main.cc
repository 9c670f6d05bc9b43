#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "faults.h"
#include "linnet/onnx.h"
#include "linnet/registry.h"

// test_faults MODEL FOLDER: repeatedly loads and runs a model while one call or all calls fail from some point on:
// memory, files, threads. Each time the outcome must be an Error or the result, nothing may be lost, and the model and
// the context, if they exist, must work afterwards. Prints the number of attempts. If a check fails, prints it and
// exits with code 1.

namespace linnet::testing {
namespace {

struct Failure {
  std::string what;
};

/// An operator of the application.
class Doubled final : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override {
    class DoubledKernel final : public Kernel {
      void run(KernelContext& context) const override {
        const Tensor& x = context.input(0);
        for (int64_t i = 0; i < x.size(); ++i) context.output(0).data<float>()[i] = 2 * x.data<float>()[i];
      }
    };
    return std::make_unique<DoubledKernel>();
  }
};

Registry registry() {
  Registry registry = standard_registry();
  registry.add("Doubled", {.domain = "test"}, [](const NodeSpec&) { return std::make_unique<Doubled>(); });
  return registry;
}

/// Returns inputs whose numbers depend only on their position. Open dims are 2.
std::vector<Tensor> inputs_of(const Model& model) {
  std::vector<Tensor> inputs;
  for (const ValueInfo& info : model.inputs()) {
    Shape shape;
    for (const Dim& dim : *info.fact.dims) shape.push_back(dim.known() ? dim.value() : 2);
    Tensor input(info.fact.dtype, shape);
    std::memset(input.raw(), 0, input.bytes());
    for (int64_t i = 0; i < input.size(); ++i) {
      if (input.dtype() == DType::kFloat32) input.data<float>()[i] = float(i % 7) - 2.5f;
      if (input.dtype() == DType::kInt64) input.data<int64_t>()[i] = 3;
      if (input.dtype() == DType::kBool) input.data<bool>()[i] = true;
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

class Scenario {
 public:
  Scenario(std::string path, std::string folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  /// The actions of one attempt: load, run, write.
  struct Life {
    std::shared_ptr<Executor> executor;
    bool files = false;  // with a cache, and writing the model
  };

  void prepare() {
    const Model model = load_onnx(path_, options_of({make_serial_executor(), false}), registry_);
    inputs_ = inputs_of(model);
    Context context(model);
    for (const Tensor& output : context.run(inputs_)) expected_.push_back(output.clone());
    save_onnx(model, former_);
  }

  /// Performs an attempt with a fault. Returns the number of calls of its kind.
  int64_t live(const Life& life, Fault fault, int64_t call, bool forever, const std::vector<ErrorKind>& kinds) {
    clear(life);
    const ModelOptions options = options_of(life);
    std::optional<Model> model;
    std::optional<Context> context;
    std::exception_ptr thrown;
    begin_fault(fault, call, forever);
    try {
      model = load_onnx(path_, options, registry_);
      context.emplace(*model);
      check(context->run(inputs_));
      if (life.files) save_onnx(*model, saved_);
    } catch (...) {
      thrown = std::current_exception();
    }
    const int64_t calls = end_fault();
    if (thrown) check_error(thrown, kinds);
    if (life.files) check_saved();
    if (!model) model = load_onnx(path_, options, registry_);
    if (!context) context.emplace(*model);
    check(context->run(inputs_));
    check(Context(*model).run(inputs_));
    return calls;
  }

 private:
  void clear(const Life& life) const {
    if (!life.files) return;
    std::filesystem::remove_all(cache_);
    std::filesystem::create_directories(cache_);
    std::filesystem::copy_file(former_, saved_, std::filesystem::copy_options::overwrite_existing);
  }

  ModelOptions options_of(const Life& life) const {
    ModelOptions options;
    options.executor = life.executor;
    if (life.files) options.cache_dir = cache_;
    return options;
  }

  void check(std::span<const Tensor> outputs) const {
    if (!std::equal(outputs.begin(), outputs.end(), expected_.begin(), expected_.end(), identical)) {
      throw Failure{"another result"};
    }
  }

  /// Checks that the file is the old or the new one, and that no other file remains.
  void check_saved() const {
    check(Context(load_onnx(saved_, {}, registry_)).run(inputs_));
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("saved.onnx.")) throw Failure{"left " + name};
    }
  }

  static void check_error(const std::exception_ptr& thrown, const std::vector<ErrorKind>& kinds) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      if (std::find(kinds.begin(), kinds.end(), error.kind()) == kinds.end()) {
        throw Failure{str("Error of kind ", int(error.kind()), ": ", error.message())};
      }
    } catch (const std::exception& error) {
      throw Failure{str("no Error: ", error.what())};
    }
  }

  std::string path_, folder_, cache_ = folder_ + "/cache", saved_ = folder_ + "/saved.onnx";
  std::string former_ = folder_ + "/former.onnx";
  Registry registry_ = registry();
  std::vector<Tensor> inputs_, expected_;
};

/// Creates an executor on a new thread, for which no library has threads yet, while threads may fail to start. Returns
/// the number of threads that it tries to start.
int64_t start_threads(std::shared_ptr<Executor> (*make)(int), int64_t call, bool forever) {
  int64_t calls = 0;
  std::atomic<int> done = 0;
  std::thread([&] {
    begin_fault(Fault::kThread, call, forever);
    const auto executor = make(4);
    const auto loop = [&] { executor->parallel_for(50, [&](int64_t, int) { ++done; }); };
    loop();
    executor->hold([&](int64_t, int) { loop(); });
    calls = end_fault();
  }).join();
  if (done != 100) throw Failure{str(done.load(), " of 100 chunks with threads that do not start")};
  return calls;
}

void start_threads() {
  for (auto* const make : {&make_openmp_executor, &make_thread_executor}) {
    const int64_t calls = start_threads(make, int64_t{1} << 60, false);
    if (calls < 3) throw Failure{str("only ", calls, " threads")};
    start_threads(make, 0, true);
    for (int64_t call = 0; call < 3; ++call) start_threads(make, call, false);
  }
}

struct Campaign {
  std::string name;
  Scenario::Life life;
  Fault fault;
  std::vector<ErrorKind> kinds;
  bool forever;
  int64_t most;  // attempts
};

/// Repeats the attempt if blocks remain, because memory that libraries keep after the first time is not lost. One block
/// may belong to a protobuf message, whose fields do not handle allocation failures.
int64_t live_without_loss(Scenario& scenario, const Campaign& c, int64_t call) {
  int64_t calls = 0, lost = 0;
  for (int time = 0; time < 3; ++time) {
    const int64_t before = live_blocks();
    calls = scenario.live(c.life, c.fault, call, c.forever, c.kinds);
    lost = live_blocks() - before;
    if (lost <= (c.fault == Fault::kMemory ? 1 : 0)) return calls;
  }
  throw Failure{str(lost, " blocks are left each time")};
}

int64_t run(Scenario& scenario, const Campaign& c) {
  const int64_t calls = live_without_loss(scenario, c, int64_t{1} << 60);
  const int64_t step = std::max<int64_t>(1, calls / c.most);
  int64_t lives = 0;
  for (int64_t call = 0; call < calls; call += step, ++lives) {
    try {
      live_without_loss(scenario, c, call);
    } catch (const Failure& failure) {
      end_fault();
      throw Failure{str(c.name, c.forever ? ", from call " : ", call ", call, " of ", calls, ": ", failure.what)};
    }
  }
  std::cout << c.name << (c.forever ? " for ever" : " once") << ": " << lives << " of " << calls << "\n";
  return lives;
}

int main(const std::string& model, const std::string& folder, int64_t most) {
  ::alarm(300);
  Scenario scenario(model, folder);
  scenario.prepare();
  const Scenario::Life plain{make_serial_executor(), false}, files{plain.executor, true};
  const std::vector<ErrorKind> limit{ErrorKind::kLimit, ErrorKind::kIo}, io{ErrorKind::kIo};
  bool good = true;
  const auto try_out = [&](const Campaign& campaign) {
    try {
      run(scenario, campaign);
    } catch (const Failure& failure) {
      std::cerr << failure.what << "\n";
      good = false;
    }
  };
  for (const bool forever : {false, true}) {
    try_out({"memory", plain, Fault::kMemory, limit, forever, most});
    try_out({"memory of files", files, Fault::kMemory, limit, forever, most / 8});
    try_out({"files", files, Fault::kFile, io, forever, most});
    try_out({"short transfers", files, Fault::kShort, io, forever, most});
  }
  try_out({"interruptions", files, Fault::kInterrupted, io, false, most});
  try {
    start_threads();
  } catch (const Failure& failure) {
    std::cerr << failure.what << "\n";
    good = false;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace linnet::testing

int main(int count, char** arguments) {
  if (count < 3) return 2;
  return linnet::testing::main(arguments[1], arguments[2], count > 3 ? std::atoll(arguments[3]) : 400);
}
