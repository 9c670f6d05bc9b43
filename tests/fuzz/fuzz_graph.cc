#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "mutate_model.h"
#include "run_within_limits.h"
#include "target.h"

// Models whose structure is changed, and models that are joined. If a model loads, a planned run and a run whose values
// all have separate guarded memory, with one and with three threads, must return the same bits or the same kind of
// error.
namespace linnet {
namespace {

struct Answer {
  std::vector<Tensor> outputs{};
  std::optional<Error> error{};
};

Answer answer(std::span<const uint8_t> bytes, bool guarded, int threads) {
  static const std::shared_ptr<Executor> executor = make_thread_executor(3);
  ModelOptions options = limited_options();
  options.guard_memory = guarded;
  const Model model = load_onnx_bytes(std::as_bytes(bytes), "", options);
  ContextOptions context_options = limited_context_options();
  if (threads > 1) context_options.executor = executor;
  Context context(model, context_options);
  Answer answer;
  try {
    for (const Tensor& output : context.run(drawn_inputs(model, 1))) answer.outputs.push_back(output);
  } catch (const Error& error) {
    answer.error = error;
  }
  return answer;
}

bool beyond_limits(const Answer& answer) { return answer.error && answer.error->kind() == ErrorKind::kLimit; }

void expect(bool holds, const char* what, const Answer& answer) {
  if (holds) return;
  std::fprintf(stderr, "%s; %s\n", what, answer.error ? answer.error->what() : "no error");
  std::abort();
}

void expect_equal(const Answer& a, const Answer& b) {
  if (beyond_limits(a) || beyond_limits(b)) return;
  expect(!b.error || b.error->kind() != ErrorKind::kInternal, "a bug of Linnet", b);
  expect(bool(a.error) == bool(b.error), "one run of two fails", a.error ? a : b);
  expect(!a.error || a.error->kind() == b.error->kind(), "runs fail in different ways", b);
  for (size_t i = 0; i < a.outputs.size(); ++i) expect(identical(a.outputs[i], b.outputs[i]), "runs differ", b);
}

/// Writes `model` to the data, or leaves the bytes unchanged if it does not fit.
size_t written(const pb::ModelProto& model, uint8_t* data, size_t size, size_t most) {
  std::string bytes;
  if (!model.SerializeToString(&bytes) || bytes.size() > most) return size;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace

void take(std::span<const uint8_t> bytes) {
  const Answer planned = answer(bytes, false, 1);
  expect(!planned.error || planned.error->kind() != ErrorKind::kInternal, "a bug of Linnet", planned);
  expect_equal(planned, answer(bytes, true, 1));
  expect_equal(planned, answer(bytes, false, 3));
}

}  // namespace linnet

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  linnet::pb::ModelProto model;
  if (!model.ParseFromArray(data, int(size))) return LLVMFuzzerMutate(data, size, most);
  std::minstd_rand random(seed);
  for (int i = 1 + int(random() % 3); i > 0; --i) linnet::mutate(model, random);
  return linnet::written(model, data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t most, unsigned seed) {
  linnet::pb::ModelProto model, other;
  if (!model.ParseFromArray(a, int(a_size)) || !other.ParseFromArray(b, int(b_size))) return 0;
  std::minstd_rand random(seed);
  linnet::graft(model, other, random);
  return linnet::written(model, out, 0, most);
}
