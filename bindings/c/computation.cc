#include "computation.h"

#include "tensors.h"

using namespace linnet;
using namespace linnet::c_api;

OutputMemory linnet_computation::memory(size_t i) const {
  if (i >= outputs.size()) throw ArgumentError(str("there is no output ", i, " of ", outputs.size()));
  return outputs[i];
}

void linnet_computation::check_allocated() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] != OutputMemory::kAllocated || allocated[i]) continue;
    throw Error(ErrorKind::kInternal, str("the operator's compute() did not allocate output ", i));
  }
}

namespace {

linnet_tensor view(const Tensor& tensor) { return tensor ? view_numbers(tensor) : linnet_tensor{}; }

linnet_tensor allocate(linnet_computation& computation, size_t index, const Shape& shape) {
  require(!computation.allocated[index], "the output is allocated already");
  const Tensor& output = computation.context.allocate_output(int(index), shape);
  computation.allocated[index] = true;
  return view(output);
}

}  // namespace

linnet_status linnet_computation_input(const linnet_computation* computation, size_t index, linnet_tensor* input) {
  return guarded([&] {
    const linnet_computation& c = valid(computation, "computation");
    if (index >= c.max_inputs) throw ArgumentError(str("there is no input ", index, " of ", c.max_inputs));
    result(input, "input") = view(c.context.input(int(index)));
  });
}

linnet_status linnet_computation_output(linnet_computation* computation, size_t index, linnet_tensor* output) {
  return guarded([&] {
    linnet_computation& c = valid(computation, "computation");
    const OutputMemory memory = c.memory(index);
    require(memory != OutputMemory::kAllocated, "infer() left a dim of the output open: allocate it");
    result(output, "output") = memory == OutputMemory::kNone ? linnet_tensor{} : view(c.context.output(int(index)));
  });
}

linnet_status linnet_computation_allocate_output(linnet_computation* computation, size_t index, int32_t rank,
                                                 const int64_t* dims, linnet_tensor* output) {
  return guarded([&] {
    linnet_computation& c = valid(computation, "computation");
    const OutputMemory memory = c.memory(index);
    require(memory != OutputMemory::kPlanned, "the output has memory already: infer() set all its dims");
    linnet_tensor& allocated = result(output, "output");
    const Shape shape = shape_of(rank, dims);
    allocated = memory == OutputMemory::kNone ? linnet_tensor{} : allocate(c, index, shape);
  });
}

linnet_status linnet_computation_parallel_for(linnet_computation* computation, int64_t chunks,
                                              linnet_status (*function)(void* data, int64_t chunk, int32_t worker),
                                              void* data) {
  return guarded([&] {
    linnet_computation& c = valid(computation, "computation");
    require(chunks >= 0, "chunks is below 0");
    require(function, "function is NULL");
    c.context.executor().parallel_for(
        chunks, [&](int64_t chunk, int worker) { call_back([&] { return function(data, chunk, worker); }); });
  });
}

linnet_status linnet_computation_check(const linnet_computation* computation) {
  return guarded([&] { valid(computation, "computation").context.check(); });
}
