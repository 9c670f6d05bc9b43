#include <array>
#include <string>
#include <variant>
#include <vector>

#include "choices.h"
#include "frontends/onnx/model_builder.h"
#include "slots.h"
#include "target.h"

// Bytes choose calls of ONNX Runtime's table, with live objects and null pointers, in any order. Objects are released
// in any order. Nothing may crash, and all created objects are released in the end.
namespace linnet {
namespace {

using namespace ort;  // NOLINT(google-build-using-namespace)

const std::string& model_bytes() {
  static const std::string bytes = [] {
    testing::pb::ModelProto model = testing::empty_model(18);
    testing::pb::GraphProto& graph = *model.mutable_graph();
    for (const char* name : {"x", "y"}) testing::add_input(graph, name, {2, 3});
    testing::add_initializer(graph, "w", {2, 3});
    testing::add_node(graph, "Add", {"x", "y"}, {"sum"});
    testing::add_node(graph, "Mul", {"sum", "w"}, {"z"});
    testing::add_output(graph, "z");
    return model.SerializeAsString();
  }();
  return bytes;
}

/// The live objects of one kind.
template <class T>
class Objects {
 public:
  explicit Objects(void (*function)(T*) noexcept) : release_(function) {}
  ~Objects() {
    for (T* object : all_) release_(object);
  }
  Objects(const Objects&) = delete;

  /// Returns one of them, or a null pointer.
  T* any(Choices& choices) {
    const auto chosen = size_t(choices.byte());
    return all_.empty() || chosen % 8 == 7 ? nullptr : all_[chosen % all_.size()];
  }
  /// Adds the object that `create` stores.
  template <class F>
  void make(F&& create) {
    T* made = nullptr;
    ReleaseStatus(create(&made));
    if (made) all_.push_back(made);
  }
  void release(Choices& choices) {
    if (all_.empty()) return;
    const size_t chosen = size_t(choices.byte()) % all_.size();
    release_(all_[chosen]);
    all_.erase(all_.begin() + ptrdiff_t(chosen));
  }

 private:
  void (*release_)(T*) noexcept;
  std::vector<T*> all_;
};

class Program {
 public:
  explicit Program(std::span<const uint8_t> bytes) : choices_(bytes) {
    ReleaseStatus(CreateEnv(kFatal, "fuzz", &env_));
    ReleaseStatus(GetAllocatorWithDefaultOptions(&allocator_));
    ReleaseStatus(CreateCpuMemoryInfo(kArenaAllocator, kDefaultMemory, &memory_));
  }
  ~Program() {
    ReleaseMemoryInfo(memory_);
    ReleaseEnv(env_);
  }
  Program(const Program&) = delete;

  void run() {
    using Call = void (Program::*)();
    constexpr Call kCalls[] = {
        &Program::make_options, &Program::change_options, &Program::make_session, &Program::ask_session,
        &Program::make_tensor,  &Program::make_container, &Program::ask_value,    &Program::fill_strings,
        &Program::fill_sparse,  &Program::run_session,    &Program::run_session,  &Program::bind,
        &Program::run_binding,  &Program::ask_types,      &Program::release,      &Program::texts};
    while (choices_.any()) (this->*choices_.of(kCalls))();
  }

 private:
  const char* name() {
    static constexpr std::array<const char*, 7> kNames = {"x", "y", "z", "w", "none", "", nullptr};
    return choices_.of(kNames);
  }

  std::vector<int64_t> dims() {
    if (choices_.flag()) return {2, 3};
    std::vector<int64_t> dims;
    for (int rank = choices_.integer(0, 4); rank > 0; --rank) dims.push_back(choices_.integer(-1, 4));
    return dims;
  }

  void make_options() {
    options_.make([](SessionOptions** made) { return CreateSessionOptions(made); });
    if (choices_.flag()) {
      options_.make([&](SessionOptions** made) { return CloneSessionOptions(options_.any(choices_), made); });
    }
  }

  void change_options() {
    SessionOptions* options = options_.any(choices_);
    const char* keys[] = {"session.intra_op_num_threads", "session.graph_optimization_level", "session.log_id", "k",
                          ""};
    const char* values[] = {"1", "enable_all", "xx", ""};
    ReleaseStatus(AddSessionConfigEntry(options, choices_.of(keys), choices_.of(values)));
    ReleaseStatus(SetIntraOpNumThreads(options, choices_.integer(0, 2)));
    ReleaseStatus(SetSessionGraphOptimizationLevel(options, GraphOptimizationLevel(choices_.integer(-1, 4))));
    ReleaseStatus(AddFreeDimensionOverrideByName(options, name(), choices_.byte()));
    ReleaseStatus(AddInitializer(options, name(), values_.any(choices_)));
    char text[8];
    size_t size = size_t(choices_.integer(0, 8));
    ReleaseStatus(GetSessionConfigEntry(options, choices_.of(keys), choices_.flag() ? text : nullptr, &size));
  }

  void make_session() {
    const std::string& bytes = model_bytes();
    const size_t size = choices_.flag() ? bytes.size() : size_t(choices_.byte()) % bytes.size();
    sessions_.make(
        [&](Session** made) { return CreateSessionFromArray(env_, bytes.data(), size, options_.any(choices_), made); });
  }

  void take_text(char* text) { ReleaseStatus(AllocatorFree(allocator_, text)); }

  void ask_session() {
    const Session* session = sessions_.any(choices_);
    const auto index = size_t(choices_.integer(0, 3));
    char* text = nullptr;
    ReleaseStatus(SessionGetInputName(session, index, allocator_, &text));
    take_text(text);
    text = nullptr;
    ReleaseStatus(SessionGetOutputName(session, index, allocator_, &text));
    take_text(text);
    types_.make([&](TypeInfo** made) { return SessionGetInputTypeInfo(session, index, made); });
    types_.make([&](TypeInfo** made) { return SessionGetOutputTypeInfo(session, index, made); });
  }

  void make_tensor() {
    const std::vector<int64_t> shape = dims();
    const auto type = ElementType(choices_.flag() ? 1 : choices_.integer(0, 27));
    if (choices_.flag()) {
      values_.make(
          [&](Value** made) { return CreateTensorAsOrtValue(allocator_, shape.data(), shape.size(), type, made); });
    } else {
      const auto bytes = size_t(choices_.byte());
      values_.make([&](Value** made) {
        return CreateTensorWithDataAsOrtValue(memory_, type == kStringElement ? nullptr : data_.data(), bytes,
                                              shape.data(), shape.size(), type, made);
      });
    }
    values_.make(
        [&](Value** made) { return CreateSparseTensorAsOrtValue(allocator_, shape.data(), shape.size(), type, made); });
  }

  void make_container() {
    const Value* parts[] = {values_.any(choices_), values_.any(choices_), values_.any(choices_)};
    values_.make([&](Value** made) {
      return CreateValue(parts, size_t(choices_.integer(0, 3)), ValueKind(choices_.integer(0, 7)), made);
    });
    values_.make(
        [&](Value** made) { return GetValue(values_.any(choices_), choices_.integer(-1, 3), allocator_, made); });
  }

  void ask_value() {
    Value* value = values_.any(choices_);
    int flag;
    size_t count;
    void* data;
    const void* constant;
    ReleaseStatus(IsTensor(value, &flag));
    ReleaseStatus(HasValue(value, &flag));
    ReleaseStatus(GetValueCount(value, &count));
    ReleaseStatus(GetTensorMutableData(value, &data));
    ReleaseStatus(GetTensorData(value, &constant));
    ReleaseStatus(GetTensorSizeInBytes(value, &count));
    const std::vector<int64_t> location = dims();
    ReleaseStatus(TensorAt(value, location.data(), location.size(), &data));
    types_.make([&](TypeInfo** made) { return GetTypeInfo(value, made); });
    shapes_.make([&](TensorTypeAndShapeInfo** made) { return GetTensorTypeAndShape(value, made); });
  }

  void fill_strings() {
    Value* value = values_.any(choices_);
    const char* texts[] = {"a", "", "longer than what a string holds in itself", nullptr, "b", "c", "d", "e"};
    const auto count = size_t(choices_.integer(0, 8));
    ReleaseStatus(FillStringTensor(value, texts, count));
    char buffer[64];
    size_t offsets[8];
    ReleaseStatus(GetStringTensorContent(value, buffer, sizeof buffer, offsets, count));
    ReleaseStatus(GetStringTensorElement(value, sizeof buffer, count, buffer));
    char* resized;
    ReleaseStatus(GetResizedStringTensorElementBuffer(value, count, size_t(choices_.byte()), &resized));
  }

  void fill_sparse() {
    Value* value = values_.any(choices_);
    const std::vector<int64_t> shape = dims();
    std::array<int64_t, 16> indices{};
    for (int64_t& index : indices) index = choices_.integer(-1, 5);
    const auto count = size_t(choices_.integer(0, 8)), outer = size_t(choices_.integer(0, 8));
    int64_t elements = 1;
    for (const int64_t dim : shape) elements *= dim;
    if (elements > int64_t(data_.size() / 16)) return;
    if (choices_.flag()) {
      ReleaseStatus(
          FillSparseTensorCoo(value, memory_, shape.data(), shape.size(), texts_.data(), indices.data(), count));
    } else {
      ReleaseStatus(FillSparseTensorCsr(value, memory_, shape.data(), shape.size(), texts_.data(), indices.data(),
                                        count, indices.data() + 8, outer));
    }
    size_t found;
    const void* data;
    ReleaseStatus(GetSparseTensorIndices(value, SparseIndices(choices_.integer(0, 4)), &found, &data));
  }

  void run_session() {
    const char* inputs[] = {choices_.flag() ? "x" : name(), choices_.flag() ? "y" : name()};
    const Value* given[] = {values_.any(choices_), values_.any(choices_)};
    const char* outputs[] = {choices_.flag() ? "z" : name(), "z"};
    Value* results[] = {values_.any(choices_), nullptr};
    const bool is_given = results[0] != nullptr;
    ReleaseStatus(Run(sessions_.any(choices_), nullptr, inputs, given, size_t(choices_.integer(0, 2)), outputs,
                      size_t(choices_.integer(0, 2)), results));
    for (size_t i = is_given ? 1 : 0; i < 2; ++i) {
      if (results[i]) values_.make([&](Value** made) { return *made = results[i], nullptr; });
    }
  }

  void bind() {
    bindings_.make([&](IoBinding** made) { return CreateIoBinding(sessions_.any(choices_), made); });
    IoBinding* binding = bindings_.any(choices_);
    ReleaseStatus(BindInput(binding, name(), values_.any(choices_)));
    ReleaseStatus(choices_.flag() ? BindOutput(binding, name(), values_.any(choices_))
                                  : BindOutputToDevice(binding, name(), memory_));
    if (choices_.integer(0, 9) == 9) ClearBoundInputs(binding);
    if (choices_.integer(0, 9) == 9) ClearBoundOutputs(binding);
  }

  void run_binding() {
    IoBinding* binding = bindings_.any(choices_);
    ReleaseStatus(RunWithBinding(sessions_.any(choices_), nullptr, binding));
    Value** results = nullptr;
    size_t count = 0;
    ReleaseStatus(GetBoundOutputValues(binding, allocator_, &results, &count));
    for (size_t i = 0; results && i < count; ++i) {
      values_.make([&](Value** made) { return *made = results[i], nullptr; });
    }
    ReleaseStatus(AllocatorFree(allocator_, results));
  }

  void ask_types() {
    const TypeInfo* type = types_.any(choices_);
    const TensorTypeAndShapeInfo* tensor = nullptr;
    const SequenceTypeInfo* sequence = nullptr;
    const MapTypeInfo* map = nullptr;
    ReleaseStatus(CastTypeInfoToTensorInfo(type, &tensor));
    ReleaseStatus(CastTypeInfoToSequenceTypeInfo(type, &sequence));
    ReleaseStatus(CastTypeInfoToMapTypeInfo(type, &map));
    std::array<int64_t, 4> sizes;
    std::array<const char*, 4> symbols;
    const auto count = size_t(choices_.integer(0, 4));
    ReleaseStatus(GetDimensions(tensor, sizes.data(), count));
    ReleaseStatus(GetSymbolicDimensions(tensor, symbols.data(), count));
    size_t elements;
    ReleaseStatus(GetTensorShapeElementCount(choices_.flag() ? tensor : shapes_.any(choices_), &elements));
    types_.make([&](TypeInfo** made) { return GetSequenceElementType(sequence, made); });
    types_.make([&](TypeInfo** made) { return GetMapValueType(map, made); });
  }

  void texts() {
    KeyValuePairs* pairs = nullptr;
    CreateKeyValuePairs(&pairs);
    for (int i = choices_.integer(0, 5); i > 0; --i) AddKeyValuePair(pairs, name(), name());
    RemoveKeyValuePair(pairs, name());
    GetKeyValue(pairs, name());
    ReleaseKeyValuePairs(pairs);
  }

  void release() {
    switch (choices_.integer(0, 5)) {
      case 0:
        return options_.release(choices_);
      case 1:
        return sessions_.release(choices_);
      case 2:
        return bindings_.release(choices_);
      case 3:
        return types_.release(choices_);
      case 4:
        return shapes_.release(choices_);
      default:
        return values_.release(choices_);
    }
  }

  Choices choices_;
  std::vector<std::byte> data_ = std::vector<std::byte>(8192);
  std::vector<const char*> texts_ = std::vector<const char*>(1024, "text");  // read as strings, or as numbers
  Env* env_ = nullptr;
  Allocator* allocator_ = nullptr;
  MemoryInfo* memory_ = nullptr;
  Objects<SessionOptions> options_{ReleaseSessionOptions};
  Objects<Session> sessions_{ReleaseSession};
  Objects<IoBinding> bindings_{ReleaseIoBinding};
  Objects<TypeInfo> types_{ReleaseTypeInfo};
  Objects<TensorTypeAndShapeInfo> shapes_{ReleaseTensorTypeAndShapeInfo};
  Objects<Value> values_{ReleaseValue};
};

}  // namespace

void take(std::span<const uint8_t> bytes) { Program(bytes).run(); }

}  // namespace linnet
