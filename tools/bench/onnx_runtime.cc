#include "bench/onnx_runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "bench/find_library.h"
#include "bench/onnx_runtime_table.h"
#include "command/failure.h"

namespace linnet::tool {

namespace {

using GetApiBase = const ort::ApiBase* (*)();

/// The version of the oldest table, which has all functions that are called here.
constexpr uint32_t kOldest = 1;

// Opens the library and never closes it, because it starts threads that may outlive every session.
const ort::ApiBase& open_library(const std::string& path) {
  const std::string library = find_onnx_runtime(path);
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    throw Failure(ExitCode::kUsage, str("--vs-ort: ", dlerror(),
                                        "; name the library or the Python package: --vs-ort /path/libonnxruntime.so, "
                                        "--vs-ort /path/site-packages/onnxruntime"));
  }
  const auto get = reinterpret_cast<GetApiBase>(dlsym(handle, "OrtGetApiBase"));
  if (!get) throw Failure(ExitCode::kUsage, "--vs-ort: '" + library + "' is not ONNX Runtime");
  return *get();
}

/// Frees an object of the library with the function that its API provides for it.
template <class T>
using Handle = std::unique_ptr<T, void (*)(T*)>;

}  // namespace

struct OnnxRuntime::Impl {
  explicit Impl(const ort::ApiBase& base)
      : version(base.get_version_string()), api(reinterpret_cast<const ort::Table*>(base.get_api(kOldest))) {
    if (!api) throw Failure(ExitCode::kUsage, str("--vs-ort: ONNX Runtime ", version, " has no table of functions"));
  }

  void check(ort::Status* status, ExitCode code) const {
    if (!status) return;
    const std::string message = api->GetErrorMessage(status);
    api->ReleaseStatus(status);
    throw Failure(code, "ONNX Runtime: " + message);
  }

  void load(const std::string& model_path, int threads) {
    ort::Env* new_env = nullptr;
    check(api->CreateEnv(ort::kFatal, "linnet", &new_env), ExitCode::kLoad);
    env = {new_env, api->ReleaseEnv};
    ort::SessionOptions* new_options = nullptr;
    check(api->CreateSessionOptions(&new_options), ExitCode::kLoad);
    const Handle<ort::SessionOptions> options{new_options, api->ReleaseSessionOptions};
    check(api->SetIntraOpNumThreads(options.get(), threads), ExitCode::kLoad);
    check(api->SetInterOpNumThreads(options.get(), 1), ExitCode::kLoad);
    ort::Session* new_session = nullptr;
    check(api->CreateSession(env.get(), model_path.c_str(), options.get(), &new_session), ExitCode::kLoad);
    session = {new_session, api->ReleaseSession};
    ort::MemoryInfo* new_memory = nullptr;
    check(api->CreateCpuMemoryInfo(ort::kArenaAllocator, ort::kDefaultMemory, &new_memory), ExitCode::kLoad);
    memory = {new_memory, api->ReleaseMemoryInfo};
  }

  // ONNX Runtime numbers element types as Linnet does.
  void add_input(const std::string& name, const Tensor& tensor) {
    if (tensor.dtype() == DType::kString) throw Failure(ExitCode::kUsage, "--vs-ort: string inputs are not supported");
    ort::Value* value = nullptr;
    check(api->CreateTensorWithDataAsOrtValue(memory.get(), const_cast<void*>(tensor.raw()), tensor.bytes(),
                                              tensor.shape().dims().data(), size_t(tensor.rank()),
                                              ort::ElementType(tensor.dtype()), &value),
          ExitCode::kRun);
    input_names.push_back(name);
    inputs.emplace_back(value, api->ReleaseValue);
    input_values.push_back(value);
  }

  void run() {
    std::vector<const char*> from, to;
    for (const std::string& name : input_names) from.push_back(name.c_str());
    for (const std::string& name : output_names) to.push_back(name.c_str());
    check(api->Run(session.get(), nullptr, from.data(), input_values.data(), from.size(), to.data(), to.size(),
                   output_values.data()),
          ExitCode::kRun);
  }

  Tensor output(size_t i) const {
    ort::TensorTypeAndShapeInfo* new_info = nullptr;
    check(api->GetTensorTypeAndShape(output_values[i], &new_info), ExitCode::kRun);
    const Handle<ort::TensorTypeAndShapeInfo> info{new_info, api->ReleaseTensorTypeAndShapeInfo};
    ort::ElementType dtype{};
    size_t rank = 0;
    check(api->GetTensorElementType(info.get(), &dtype), ExitCode::kRun);
    check(api->GetDimensionsCount(info.get(), &rank), ExitCode::kRun);
    std::vector<int64_t> dims(rank);
    check(api->GetDimensions(info.get(), dims.data(), rank), ExitCode::kRun);
    if (DType(dtype) == DType::kString) throw Failure(ExitCode::kUsage, "--vs-ort: string outputs are not supported");
    Tensor tensor{DType(dtype), Shape(dims)};
    void* data = nullptr;
    check(api->GetTensorMutableData(output_values[i], &data), ExitCode::kRun);
    if (tensor.bytes() > 0) std::memcpy(tensor.raw(), data, tensor.bytes());
    return tensor;
  }

  std::string version;
  const ort::Table* api;
  Handle<ort::Env> env{nullptr, nullptr};
  Handle<ort::Session> session{nullptr, nullptr};
  Handle<ort::MemoryInfo> memory{nullptr, nullptr};
  std::vector<std::string> input_names, output_names;
  std::vector<Handle<ort::Value>> inputs, outputs;
  std::vector<ort::Value*> input_values, output_values;
};

OnnxRuntime::OnnxRuntime(const std::string& library, const std::string& model_path, int threads)
    : impl_(std::make_unique<Impl>(open_library(library))) {
  impl_->load(model_path, threads);
}

const std::string& OnnxRuntime::version() const { return impl_->version; }

std::vector<Tensor> OnnxRuntime::first_run(const Model& model, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) impl_->add_input(model.inputs()[i].name, inputs[i]);
  for (const ValueInfo& output : model.outputs()) impl_->output_names.push_back(output.name);
  impl_->output_values.assign(impl_->output_names.size(), nullptr);
  run();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < impl_->output_values.size(); ++i) {
    impl_->outputs.emplace_back(impl_->output_values[i], impl_->api->ReleaseValue);
    outputs.push_back(impl_->output(i));
  }
  return outputs;
}

void OnnxRuntime::run() { impl_->run(); }

OnnxRuntime::~OnnxRuntime() = default;

}  // namespace linnet::tool
