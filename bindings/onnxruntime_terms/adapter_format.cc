#include "adapter_format.h"

#include "failure.h"
#ifdef LINNET_HAS_ORT_FORMAT
#include <cstring>

#include "adapter_format_generated.h"

namespace linnet::ort {
namespace {

constexpr int32_t kFormatVersion = 1;
constexpr size_t kRawAlignment = 8;
/// An upper bound on the bytes that a parameter takes besides its name and its values.
constexpr int64_t kParameterBytes = 256;

[[noreturn]] void fail(const std::string& message) { throw Failure(kFail, message); }

template <class... Parts>
[[noreturn]] void fail_parameter(const std::string& name, const Parts&... parts) {
  fail(str("Lora Param '", name, "': ", parts...));
}

/// Whether the type is a number of whole bytes, other than bool and complex types.
bool has_type(DType dtype) {
  const bool is_number = dtype > DType::kUndefined && dtype <= DType::kFloat8E5M2FNUZ && dtype != DType::kBool;
  return is_number && dtype != DType::kString && dtype != DType::kComplex64 && dtype != DType::kComplex128;
}

void check_kind(const std::string& name, DType dtype, size_t rank) {
  if (!has_type(dtype)) fail_parameter(name, "data_type '", int(dtype), "' is not a supported LoRA parameter type");
  if (rank == 0) fail_parameter(name, "dims is missing or empty");
}

/// Throws Error if the shape is invalid.
Tensor tensor_of(const std::string& name, const adapter_format::Parameter& parameter) {
  const auto dtype = DType(parameter.data_type());
  check_kind(name, dtype, parameter.dims() ? parameter.dims()->size() : 0);
  if (!parameter.raw_data()) fail_parameter(name, "raw_data is missing");
  const Shape shape(std::vector<int64_t>(parameter.dims()->begin(), parameter.dims()->end()));
  const size_t bytes = dtype_bytes(dtype, shape.elements()), given = parameter.raw_data()->size();
  if (bytes != given) {
    fail_parameter(name, "raw_data size (", given, ") does not match expected size (", bytes, ") of ", dtype, shape);
  }
  Tensor tensor(dtype, shape);
  if (bytes > 0) std::memcpy(tensor.raw(), parameter.raw_data()->data(), bytes);
  return tensor;
}

const adapter_format::File& verified(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const bool is_of_size = bytes.size() < size_t{FLATBUFFERS_MAX_BUFFER_SIZE};
  if (!is_of_size || bytes.size() < 2 * sizeof(uint32_t) || !adapter_format::FileBufferHasIdentifier(data)) {
    fail("The buffer does not appear to be a valid lora parameter format");
  }
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!adapter_format::VerifyFileBuffer(verifier)) fail("The buffer fails lora adapter format verification");
  const adapter_format::File& file = *adapter_format::GetFile(data);
  if (file.format_version() != kFormatVersion) {
    fail(str("Unsupported lora format version ", file.format_version(), ", supported is ", kFormatVersion));
  }
  return file;
}

/// Throws Failure if the values need more memory than a file can hold.
void check_size(const Adapter& adapter) {
  int64_t bytes = kParameterBytes;
  for (const auto& [name, tensor] : adapter.parameters) {
    const int64_t own = checked_add(int64_t(tensor.bytes()), checked_add(int64_t(name.size()), kParameterBytes));
    bytes = checked_add(bytes, own);
  }
  if (bytes >= int64_t{FLATBUFFERS_MAX_BUFFER_SIZE}) fail("the adapter's format holds less than 2 GiB");
}

flatbuffers::Offset<adapter_format::Parameter> written(flatbuffers::FlatBufferBuilder& builder, const std::string& name,
                                                       const Tensor& tensor) {
  check_kind(name, tensor.dtype(), size_t(tensor.rank()));
  const auto dims = builder.CreateVector(tensor.shape().begin(), size_t(tensor.rank()));
  builder.ForceVectorAlignment(tensor.bytes(), 1, kRawAlignment);
  const auto raw = builder.CreateVector(static_cast<const uint8_t*>(tensor.raw()), tensor.bytes());
  return adapter_format::CreateParameter(builder, builder.CreateString(name), dims, int32_t(tensor.dtype()), raw);
}

}  // namespace

Adapter parse_adapter(std::span<const std::byte> bytes) {
  const adapter_format::File& file = verified(bytes);
  Adapter adapter{.version = file.adapter_version(), .model_version = file.model_version()};
  if (!file.parameters()) return adapter;
  size_t left = bytes.size();  // parameters that share values must not make the adapter larger than its file
  for (const adapter_format::Parameter* parameter : *file.parameters()) {
    if (!parameter || !parameter->name()) fail("Lora Parameter: name is missing");
    const std::string name = parameter->name()->str();
    const size_t own = parameter->raw_data() ? parameter->raw_data()->size() : 0;
    if (own > left) fail_parameter(name, "its values are those of another parameter");
    left -= own;
    try {
      adapter.parameters.emplace(name, tensor_of(name, *parameter));
    } catch (const Error& error) {
      fail_parameter(name, error.message());
    }
  }
  return adapter;
}

std::vector<std::byte> adapter_bytes(const Adapter& adapter) {
  check_size(adapter);
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<adapter_format::Parameter>> parameters;
  for (const auto& [name, tensor] : adapter.parameters) parameters.push_back(written(builder, name, tensor));
  const auto list = builder.CreateVector(parameters);
  adapter_format::FinishFileBuffer(
      builder, adapter_format::CreateFile(builder, kFormatVersion, adapter.version, adapter.model_version, list));
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

}  // namespace linnet::ort
#else
namespace linnet::ort {
namespace {

[[noreturn]] void throw_left_out() {
  throw Failure(kNotImplemented, "this build has no adapters: LINNET_BUILD_ORT_FORMAT was OFF");
}

}  // namespace

Adapter parse_adapter(std::span<const std::byte>) { throw_left_out(); }
std::vector<std::byte> adapter_bytes(const Adapter&) { throw_left_out(); }

}  // namespace linnet::ort
#endif
