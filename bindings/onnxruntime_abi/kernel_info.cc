#include "kernel_info.h"

#include <algorithm>
#include <cstring>

#include "key_value_pairs.h"
#include "slots.h"
#include "status.h"
#include "type_info.h"
#include "value.h"

namespace linnet::ort {
namespace {

/// Returns an attribute of the node. Throws Failure(kFail) if there is no attribute of that name.
const Attribute& attribute(const KernelInfo* info, const char* name) {
  const Attributes& attributes = valid(info, "info").node.attributes;
  const auto found = attributes.find(text(name, "name"));
  if (found == attributes.end()) throw Failure(kFail, str("No attribute with name:'", name, "'is defined."));
  return found->second;
}

/// Returns an attribute of type T. Also throws Failure(kFail) if it has another type.
template <class T>
const T& typed_attribute(const KernelInfo* info, const char* name) {
  const T* value = std::get_if<T>(&attribute(info, name));
  if (!value) throw Failure(kFail, str("Requested attribute: ", name, "'s type don't match the one that is requested"));
  return *value;
}

/// Returns the elements of an attribute, or no elements if it has another type.
template <class T>
const std::vector<T>& elements(const KernelInfo* info, const char* name) {
  static const std::vector<T> none;
  const auto* values = std::get_if<std::vector<T>>(&attribute(info, name));
  return values ? *values : none;
}

/// Stores the number of elements, and the elements if the caller has room for all of them.
template <class T>
Status* copy_array(const KernelInfo* info, const char* name, T* out, size_t* size) noexcept {
  return guarded([&] {
    const std::vector<T>& values = elements<T>(info, name);
    size_t& count = valid(size, "size");
    const size_t room = count;
    count = values.size();
    if (!out) return;
    require(room >= values.size(), "Result buffer is not large enough");
    std::copy(values.begin(), values.end(), out);
  });
}

const Fact& fact_at(const std::vector<Fact>& facts, size_t index) {
  require(index < facts.size(), "the index is out of bounds");
  return facts[index];
}

Status* copy_text_of(const KernelInfo* info, const std::string& (*get)(const KernelInfo&), char* out,
                     size_t* size) noexcept {
  return guarded([&] { copy_out(get(valid(info, "info")), out, size, "the text"); });
}

/// Returns the name of an input or output. It is empty if a rewrite made the node.
Status* copy_value_name(const KernelInfo* info, std::vector<Fact> KernelInfo::*facts,
                        std::vector<std::string> WrittenValues::*names, size_t index, char* out,
                        size_t* size) noexcept {
  return guarded([&] {
    fact_at(valid(info, "info").*facts, index);
    const WrittenValues* written = info->node.written.get();
    copy_out(written ? (written->*names).at(index) : "", out, size, "the name");
  });
}

/// Returns the inferred fact of an output, or the fact that the model declares if no rank was inferred.
const Fact& output_fact(const KernelInfo& info, size_t index) {
  const Fact& inferred = fact_at(info.outputs, index);
  const WrittenValues* written = info.node.written.get();
  if (inferred.has_rank() || !written || index >= written->declared.size()) return inferred;
  const Fact& declared = written->declared[index];
  return declared.dtype == inferred.dtype ? declared : inferred;
}

}  // namespace

Status* KernelInfoGetAttribute_float(const KernelInfo* info, const char* name, float* value) noexcept {
  return guarded([&] { valid(value, "out") = typed_attribute<float>(info, name); });
}

Status* KernelInfoGetAttribute_int64(const KernelInfo* info, const char* name, int64_t* value) noexcept {
  return guarded([&] { valid(value, "out") = typed_attribute<int64_t>(info, name); });
}

Status* KernelInfoGetAttribute_string(const KernelInfo* info, const char* name, char* out, size_t* size) noexcept {
  return guarded([&] { copy_out(typed_attribute<std::string>(info, name), out, size, "the attribute"); });
}

Status* KernelInfoGetAttributeArray_float(const KernelInfo* info, const char* name, float* out, size_t* size) noexcept {
  return copy_array(info, name, out, size);
}

Status* KernelInfoGetAttributeArray_int64(const KernelInfo* info, const char* name, int64_t* out,
                                          size_t* size) noexcept {
  return copy_array(info, name, out, size);
}

Status* KernelInfoGetAttributeArray_string(const KernelInfo* info, const char* name, Allocator* allocator, char*** out,
                                           size_t* size) noexcept {
  return guarded([&] {
    const std::vector<std::string>& values = elements<std::string>(info, name);
    valid(size, "size") = values.size();
    valid(out, "out") = nullptr;
    if (values.empty()) return;
    char** next = *out = allocate_array<char*>(allocator, values.size());
    for (const std::string& value : values) *next++ = copy_text(allocator, value);
  });
}

Status* KernelInfoGetAttribute_tensor(const KernelInfo* info, const char* name, Allocator*, Value** value) noexcept {
  return create(value, [&] { return new Value{typed_attribute<Tensor>(info, name).clone()}; });
}

Status* KernelInfo_GetInputCount(const KernelInfo* info, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = valid(info, "info").inputs.size(); });
}

Status* KernelInfo_GetOutputCount(const KernelInfo* info, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = valid(info, "info").outputs.size(); });
}

Status* KernelInfo_GetInputName(const KernelInfo* info, size_t index, char* out, size_t* size) noexcept {
  return copy_value_name(info, &KernelInfo::inputs, &WrittenValues::inputs, index, out, size);
}

Status* KernelInfo_GetOutputName(const KernelInfo* info, size_t index, char* out, size_t* size) noexcept {
  return copy_value_name(info, &KernelInfo::outputs, &WrittenValues::outputs, index, out, size);
}

Status* KernelInfo_GetInputTypeInfo(const KernelInfo* info, size_t index, TypeInfo** type) noexcept {
  return create(type, [&] { return new TypeInfo(type_info(fact_at(valid(info, "info").inputs, index))); });
}

Status* KernelInfo_GetOutputTypeInfo(const KernelInfo* info, size_t index, TypeInfo** type) noexcept {
  return create(type, [&] { return new TypeInfo(type_info(output_fact(valid(info, "info"), index))); });
}

Status* KernelInfoGetConstantInput_tensor(const KernelInfo* info, size_t index, int* is_constant,
                                          const Value** value) noexcept {
  return guarded([&] {
    const std::vector<Fact>& inputs = valid(info, "info").inputs;
    const Tensor constant = index < inputs.size() ? inputs[index].constant : Tensor();
    valid(is_constant, "is_constant") = bool(constant);
    std::shared_ptr<const Value>& kept = info->constants[index];
    if (constant && !kept) kept = std::make_shared<const Value>(Value{constant});
    valid(value, "out") = kept.get();
  });
}

Status* KernelInfo_GetNodeName(const KernelInfo* info, char* out, size_t* size) noexcept {
  return copy_text_of(
      info, [](const KernelInfo& of) -> const std::string& { return of.node.name; }, out, size);
}

Status* KernelInfo_GetOperatorDomain(const KernelInfo* info, char* out, size_t* size) noexcept {
  return copy_text_of(
      info, [](const KernelInfo& of) -> const std::string& { return of.node.domain; }, out, size);
}

Status* KernelInfo_GetOperatorType(const KernelInfo* info, char* out, size_t* size) noexcept {
  return copy_text_of(
      info, [](const KernelInfo& of) -> const std::string& { return of.node.op_type; }, out, size);
}

Status* KernelInfo_GetOperatorSinceVersion(const KernelInfo* info, int* version) noexcept {
  return guarded([&] { valid(version, "since_version") = int(valid(info, "info").node.opset); });
}

Status* KernelInfo_GetLogger(const KernelInfo* info, const Logger** logger) noexcept {
  return guarded([&] { valid(logger, "logger") = valid(info, "info").logger.get(); });
}

Status* KernelInfo_GetConfigEntries(const KernelInfo* info, KeyValuePairs** entries) noexcept {
  return create(entries, [&] { return new KeyValuePairs(valid(info, "info").entries); });
}

Status* KernelInfoGetAllocator(const KernelInfo* info, MemType, Allocator** allocator) noexcept {
  return create(allocator, [&] {
    valid(info, "info");
    return new_allocator();
  });
}

Status* CopyKernelInfo(const KernelInfo* info, KernelInfo** copy) noexcept {
  return create(copy, [&] { return new KernelInfo(valid(info, "info")); });
}

void ReleaseKernelInfo(KernelInfo* info) noexcept { delete info; }

}  // namespace linnet::ort
