// A program for the C++ interface of ONNX Runtime's header, of version 1.14 or later. Its argument is a model with z =
// x + y. It prints the same lines with every library.
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

// Created before main, as in programs with global objects.
Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "program");

const std::vector<int64_t> shape{2, 3};
const char* inputs[] = {"x", "y"};
const char* outputs[] = {"z"};

void describe(Ort::Session& session) {
  Ort::AllocatorWithDefaultOptions allocator;
  for (size_t i = 0; i < session.GetInputCount(); ++i) {
    const auto type = session.GetInputTypeInfo(i);
    const auto tensor = type.GetTensorTypeAndShapeInfo();
    std::cout << session.GetInputNameAllocated(i, allocator).get() << ' ' << tensor.GetElementType();
    for (const int64_t dim : tensor.GetShape()) std::cout << ' ' << dim;
    std::cout << '\n';
  }
  const auto metadata = session.GetModelMetadata();
  std::cout << metadata.GetGraphNameAllocated(allocator).get() << ' '
            << metadata.GetCustomMetadataMapKeysAllocated(allocator).size() << '\n';
}

std::vector<Ort::Value> values(std::vector<float>& x) {
  Ort::AllocatorWithDefaultOptions allocator;
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  std::vector<Ort::Value> result;
  result.push_back(Ort::Value::CreateTensor<float>(memory, x.data(), x.size(), shape.data(), shape.size()));
  result.push_back(Ort::Value::CreateTensor<float>(allocator, shape.data(), shape.size()));
  std::fill_n(result.back().GetTensorMutableData<float>(), 6, 1.0F);
  return result;
}

void run(Ort::Session& session, const std::vector<Ort::Value>& given) {
  const auto results = session.Run(Ort::RunOptions{nullptr}, inputs, given.data(), 2, outputs, 1);
  const auto info = results[0].GetTensorTypeAndShapeInfo();
  std::cout << info.GetElementCount() << ' '
            << std::accumulate(results[0].GetTensorData<float>(), results[0].GetTensorData<float>() + 6, 0.0F) << ' '
            << results[0].GetTensorMemoryInfo().GetAllocatorName() << '\n';
}

void run_bound(Ort::Session& session, const std::vector<Ort::Value>& given) {
  Ort::IoBinding binding(session);
  for (int i = 0; i < 2; ++i) binding.BindInput(inputs[i], given[i]);
  binding.BindOutput("z", Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault));
  session.Run(Ort::RunOptions{}, binding);
  std::cout << binding.GetOutputNames()[0] << ' ' << binding.GetOutputValues()[0].At<float>({1, 2}) << '\n';
}

void strings() {
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t size = 2;
  auto value = Ort::Value::CreateTensor(allocator, &size, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const char* texts[] = {"a", "bb"};
  value.FillStringTensor(texts, 2);
  std::cout << value.GetStringTensorElement(1) << ' ' << value.GetStringTensorDataLength() << '\n';
}

void fail(Ort::Session& session, std::vector<Ort::Value>& given) {
  try {
    session.Run(Ort::RunOptions{nullptr}, inputs, given.data(), 1, outputs, 1);
  } catch (const Ort::Exception& failure) {
    std::cout << "failed\n";
  }
  try {
    Ort::Session(env, "/nothing/here.onnx", Ort::SessionOptions());
  } catch (const Ort::Exception& failure) {
    std::cout << failure.GetOrtErrorCode() << '\n';
  }
}

}  // namespace

int main(int, char** arguments) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_ALL).AddConfigEntry("my.key", "value");
  const auto providers = Ort::GetAvailableProviders();
  std::cout << std::count(providers.begin(), providers.end(), "CPUExecutionProvider") << '\n';
  Ort::Session session(env, arguments[1], options);
  std::vector<float> x(6);
  std::iota(x.begin(), x.end(), 0.0F);
  auto given = values(x);
  describe(session);
  run(session, given);
  run_bound(session, given);
  strings();
  fail(session, given);
}
