#include <filesystem>
#include <limits>

#include "counted_arena.h"
#include "file.h"
#include "linnet/onnx_value.h"
#include "linnet_onnx_data.pb.h"
#include "tensor/counted_vector.h"
#include "tensor_reader.h"

namespace linnet {
namespace {

class ValueReader {
 public:
  explicit ValueReader(const std::string& folder) : tensors_(ExternalData(folder, {})) {}

  Tensor read(const pb::TensorProto& proto) { return tensors_.read(proto); }

  Tensor read(const pb::SequenceProto& proto) {
    Sequence sequence;
    for (const auto& value : proto.tensor_values()) sequence.elements.push_back(read(value));
    for (const auto& value : proto.sparse_tensor_values()) sequence.elements.push_back(tensors_.read(value));
    for (const auto& value : proto.sequence_values()) sequence.elements.push_back(read(value));
    for (const auto& value : proto.map_values()) sequence.elements.push_back(read(value));
    for (const auto& value : proto.optional_values()) sequence.elements.push_back(read(value));
    return Tensor::scalar(sequence);
  }

  Tensor read(const pb::OptionalProto& proto) {
    Optional optional;
    if (proto.has_tensor_value()) optional.value = read(proto.tensor_value());
    if (proto.has_sparse_tensor_value()) optional.value = tensors_.read(proto.sparse_tensor_value());
    if (proto.has_sequence_value()) optional.value = read(proto.sequence_value());
    if (proto.has_map_value()) optional.value = read(proto.map_value());
    if (proto.has_optional_value()) optional.value = read(proto.optional_value());
    return Tensor::scalar(optional);
  }

  Tensor read(const pb::MapProto& proto) {
    const bool strings = proto.key_type() == int32_t(DType::kString);
    const Tensor keys =
        strings ? Tensor::of(std::vector<std::string>(proto.string_keys().begin(), proto.string_keys().end()))
                : Tensor::of(std::vector<int64_t>(proto.keys().begin(), proto.keys().end()));
    return Tensor::scalar(Map{keys, map_values(proto.values(), keys.size())});
  }

 private:
  Tensor map_values(const pb::SequenceProto& proto, int64_t count) {
    if (proto.tensor_values_size() != count) {
      throw Error(ErrorKind::kModel, str("a map with ", count, " keys has ", proto.tensor_values_size(), " tensors"));
    }
    if (count == 0) return Tensor(DType::kFloat32, Shape{0});
    Tensor values;
    for (int i = 0; i < int(count); ++i) {
      const Tensor value = read(proto.tensor_values(i));
      if (value.size() != 1) throw Error(ErrorKind::kUnsupported, str("a map holds ", describe(value)));
      if (!values) values = Tensor(value.dtype(), Shape{count});
      put_value(value, i, values);
    }
    return values;
  }

  static void put_value(const Tensor& value, int64_t i, Tensor& values) {
    if (value.dtype() != values.dtype() || is_container(value.dtype()) || dtype_bits(value.dtype()) < 8) {
      throw Error(ErrorKind::kUnsupported, str("a map contains both ", describe(value), " and ", values.dtype(),
                                               "; all its values need one dtype"));
    }
    auto* to = static_cast<std::byte*>(values.raw()) + size_t(i) * size_t(dtype_bits(value.dtype()) / 8);
    Tensor element = Tensor::wrap(value.dtype(), value.shape(), to);
    copy_elements(value, element);
  }

  TensorReader tensors_;
};

template <class Proto>
NamedTensor parse(std::span<const std::byte> bytes, const std::string& folder, const char* message) {
  const CountedArena arena;
  Proto& proto = arena.message<Proto>();
  const bool fits = bytes.size() <= size_t(std::numeric_limits<int>::max());
  if (!fits || !proto.ParseFromArray(bytes.data(), int(bytes.size()))) {
    throw Error(ErrorKind::kModel, str("not a ", message));
  }
  return {proto.name(), ValueReader(folder).read(proto)};
}

NamedTensor parse_as(DType kind, std::span<const std::byte> bytes, const std::string& folder) {
  if (kind == DType::kSequence) return parse<pb::SequenceProto>(bytes, folder, "SequenceProto");
  if (kind == DType::kOptional) return parse<pb::OptionalProto>(bytes, folder, "OptionalProto");
  if (kind == DType::kMap) return parse<pb::MapProto>(bytes, folder, "MapProto");
  return parse<pb::TensorProto>(bytes, folder, "TensorProto");
}

}  // namespace

NamedTensor load_value_proto(const std::string& path, const Fact& type) {
  const File file(path);
  CountedVector<std::byte> bytes(static_cast<size_t>(file.size()));
  file.read(bytes, 0);
  try {
    return parse_as(type.dtype, bytes, std::filesystem::path(path).parent_path().string());
  } catch (const Error& error) {
    throw error.with_context(path);
  }
}

}  // namespace linnet
