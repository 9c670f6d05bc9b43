#include "bench/onnx_runtime.h"

#include "command/failure.h"

#ifdef LINNET_WITH_ONNXRUNTIME
#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include <cstring>
#endif

namespace linnet::tool {

#ifdef LINNET_WITH_ONNXRUNTIME
namespace {

using GetApiBase = const OrtApiBase* (*)();

// The library stays open: it starts threads that may outlive every session.
const OrtApiBase& open_library(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    throw Failure(ExitCode::kUsage,
                  str("--vs-ort: ", dlerror(), "; name the library: --vs-ort /path/libonnxruntime.so"));
  }
  const auto get = reinterpret_cast<GetApiBase>(dlsym(handle, "OrtGetApiBase"));
  if (!get) throw Failure(ExitCode::kUsage, "--vs-ort: " + library + " is no ONNX Runtime");
  return *get();
}

/// Frees an object of the library with the function that its API has for it.
template <class T>
using Handle = std::unique_ptr<T, void (*)(T*)>;

}  // namespace

struct OnnxRuntime::Impl {
  explicit Impl(const OrtApiBase& base) : version(base.GetVersionString()), api(base.GetApi(ORT_API_VERSION)) {
    if (!api) {
      throw Failure(ExitCode::kUsage, str("--vs-ort: ONNX Runtime ", version, " is older than the API ",
                                          ORT_API_VERSION, " that run_model was built with"));
    }
  }

  void check(OrtStatus* status, ExitCode code) const {
    if (!status) return;
    const std::string message = api->GetErrorMessage(status);
    api->ReleaseStatus(status);
    throw Failure(code, "ONNX Runtime: " + message);
  }

  void load(const std::string& model_path, int threads) {
    OrtEnv* new_env = nullptr;
    check(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "linnet", &new_env), ExitCode::kLoad);
    env = {new_env, api->ReleaseEnv};
    OrtSessionOptions* new_options = nullptr;
    check(api->CreateSessionOptions(&new_options), ExitCode::kLoad);
    const Handle<OrtSessionOptions> options{new_options, api->ReleaseSessionOptions};
    check(api->SetIntraOpNumThreads(options.get(), threads), ExitCode::kLoad);
    check(api->SetInterOpNumThreads(options.get(), 1), ExitCode::kLoad);
    OrtSession* new_session = nullptr;
    check(api->CreateSession(env.get(), model_path.c_str(), options.get(), &new_session), ExitCode::kLoad);
    session = {new_session, api->ReleaseSession};
    OrtMemoryInfo* new_memory = nullptr;
    check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &new_memory), ExitCode::kLoad);
    memory = {new_memory, api->ReleaseMemoryInfo};
  }

  // ONNX numbers element types as Linnet does.
  void add_input(const std::string& name, const Tensor& tensor) {
    if (tensor.dtype() == DType::kString) throw Failure(ExitCode::kUsage, "--vs-ort: string inputs are not supported");
    OrtValue* value = nullptr;
    check(api->CreateTensorWithDataAsOrtValue(memory.get(), const_cast<void*>(tensor.raw()), tensor.bytes(),
                                              tensor.shape().dims().data(), size_t(tensor.rank()),
                                              ONNXTensorElementDataType(tensor.dtype()), &value),
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
    OrtTensorTypeAndShapeInfo* new_info = nullptr;
    check(api->GetTensorTypeAndShape(output_values[i], &new_info), ExitCode::kRun);
    const Handle<OrtTensorTypeAndShapeInfo> info{new_info, api->ReleaseTensorTypeAndShapeInfo};
    ONNXTensorElementDataType dtype{};
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
  const OrtApi* api;
  Handle<OrtEnv> env{nullptr, nullptr};
  Handle<OrtSession> session{nullptr, nullptr};
  Handle<OrtMemoryInfo> memory{nullptr, nullptr};
  std::vector<std::string> input_names, output_names;
  std::vector<Handle<OrtValue>> inputs, outputs;
  std::vector<OrtValue*> input_values, output_values;
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
#else
struct OnnxRuntime::Impl {
  std::string version;
};

OnnxRuntime::OnnxRuntime(const std::string&, const std::string&, int) {
  throw Failure(ExitCode::kUsage,
                "--vs-ort: run_model was built without the C API of ONNX Runtime (LINNET_WITH_ONNXRUNTIME); "
                "benchmarks/compare compares with the Python package");
}

const std::string& OnnxRuntime::version() const { return impl_->version; }
std::vector<Tensor> OnnxRuntime::first_run(const Model&, const std::vector<Tensor>&) { return {}; }
void OnnxRuntime::run() {}
#endif

OnnxRuntime::~OnnxRuntime() = default;

}  // namespace linnet::tool
