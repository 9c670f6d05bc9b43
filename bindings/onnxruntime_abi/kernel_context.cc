#include "kernel_context.h"

#include <algorithm>

#include "dtypes.h"
#include "run/given_output.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

KernelContext::KernelContext(linnet::KernelContext& engine_in, const KernelInfo& info_in)
    : engine(engine_in), info(info_in), outputs(info_in.outputs.size()) {
  for (size_t i = 0; i < info.inputs.size(); ++i) inputs.push_back({engine.input(int(i))});
}

Value* KernelContext::output(size_t i, const Shape& shape) {
  if (i >= outputs.size() || !info.outputs[i].present()) return nullptr;
  if (outputs[i]) {
    if (outputs[i]->tensor.shape() == shape) return outputs[i].get();
    throw Failure(kInvalidArgument,
                  str("the output has shape ", shape_text(outputs[i]->tensor.shape()), ", not ", shape_text(shape)));
  }
  const bool is_planned = info.outputs[i].concrete();
  const Tensor& memory = is_planned ? engine.output(int(i)) : engine.allocate_output(int(i), shape);
  if (!(memory.shape() == shape)) {
    throw Failure(kFail, str("output ", i, " is of shape ", shape, ", but ", memory.shape(), " was inferred"));
  }
  outputs[i] = std::make_unique<Value>(Value{memory});
  return outputs[i].get();
}

void KernelContext::check_outputs() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (info.outputs[i].present() && !outputs[i])
      throw ClientFailure{kInvalidArgument,
                          str("the kernel did not make output ", i, ": it must be a constructed tensor")};
  }
}

Status* KernelContext_GetInputCount(const KernelContext* context, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = valid(context, "context").inputs.size(); });
}

Status* KernelContext_GetOutputCount(const KernelContext* context, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = valid(context, "context").outputs.size(); });
}

Status* KernelContext_GetInput(const KernelContext* context, size_t index, const Value** value) noexcept {
  return guarded([&] {
    const std::vector<Value>& inputs = valid(context, "context").inputs;
    const bool is_given = index < inputs.size() && inputs[index].tensor;
    valid(value, "out") = is_given ? &inputs[index] : nullptr;
  });
}

Status* KernelContext_GetOutput(KernelContext* context, size_t index, const int64_t* dims, size_t rank,
                                Value** value) noexcept {
  return guarded([&] {
    if (std::any_of(dims, dims + rank, [](int64_t dim) { return dim < 0; })) throw Failure(kFail, "a dim is below 0");
    valid(value, "out") = valid(context, "context").output(index, shape_of(dims, rank));
  });
}

// An output has memory if its shape is known before the kernel runs, or if the caller of the run has given memory for
// it.
Status* KernelContext_GetPreallocatedOutput(KernelContext* context, size_t index, const Value** value) noexcept {
  return guarded([&] {
    KernelContext& from = valid(context, "context");
    require(index < from.outputs.size(), "the index of the output is out of range");
    const Fact& fact = from.info.outputs[index];
    const Tensor given = fact.concrete() ? Tensor() : given_output(from.engine, int(index));
    const bool has_memory = fact.concrete() || given;
    valid(value, "out") = has_memory ? from.output(index, given ? given.shape() : fact.shape()) : nullptr;
  });
}

Status* KernelContext_GetGPUComputeStream(const KernelContext* context, void** stream) noexcept {
  return guarded([&] {
    valid(context, "context");
    valid(stream, "out") = nullptr;
  });
}

Status* KernelContext_GetSyncStream(const KernelContext* context, SyncStream** stream) noexcept {
  return guarded([&] {
    valid(context, "context");
    valid(stream, "out") = nullptr;
  });
}

Status* KernelContext_GetLogger(const KernelContext* context, const Logger** logger) noexcept {
  return guarded([&] { valid(logger, "logger") = valid(context, "context").info.logger.get(); });
}

Status* KernelContext_GetAllocator(const KernelContext* context, const MemoryInfo* memory,
                                   Allocator** allocator) noexcept {
  return create(allocator, [&] {
    valid(context, "context");
    require(valid(memory, "mem_info").is_cpu(), "No requested allocator available");
    return new_allocator();
  });
}

Status* KernelContext_GetScratchBuffer(KernelContext* context, const MemoryInfo* memory, size_t bytes,
                                       void** buffer) noexcept {
  return guarded([&] {
    KernelContext& holder = valid(context, "context");
    require(valid(memory, "mem_info").is_cpu(), "No requested allocator available");
    valid(buffer, "out") = holder.scratch.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
  });
}

Status* KernelContext_GetResource(const KernelContext*, int, int, void**) noexcept {
  return make_status(kInvalidArgument, "Linnet runs on CPUs: kernels have no resource of a device");
}

Status* KernelContext_ParallelFor(const KernelContext* context, void (*function)(void*, size_t), size_t total,
                                  size_t batches, void* data) noexcept {
  return guarded([&] {
    linnet::KernelContext& engine = valid(context, "context").engine;
    require(function, "fn must not be NULL");
    if (total == 0) return;
    const size_t chunks = batches == 0 || batches > total ? total : batches;
    engine.executor().parallel_for(int64_t(chunks), [&](int64_t chunk, int) {
      const size_t begin = total * size_t(chunk) / chunks, end = total * (size_t(chunk) + 1) / chunks;
      for (size_t i = begin; i < end; ++i) function(data, i);
    });
  });
}

}  // namespace linnet::ort
