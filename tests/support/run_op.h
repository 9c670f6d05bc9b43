#pragma once

#include <map>
#include <string>
#include <vector>

#include "linnet/model.h"
#include "linnet/node_spec.h"
#include "linnet/tensor.h"

namespace linnet::testing {

/// One node to run: run_op({"LeakyRelu", 16, {{"alpha", 0.1f}}}, {x}).
struct OpCase {
  std::string op_type;
  int64_t opset = 17;
  Attributes attributes{};
  std::string domain{};
};

/// Runs a graph of that one node. An empty Tensor in `inputs` is an omitted input. The inputs at the positions in
/// `constants` are constants of the graph instead of graph inputs. Runs it again with guarded memory and expects the
/// same bits. Expects the outputs to fit what the op infers when less is known of the inputs.
std::vector<Tensor> run_op(const OpCase& op, const std::vector<Tensor>& inputs, int outputs = 1,
                           const std::vector<int>& constants = {}, Isa isa = Isa::kAuto, int threads = 2);

/// The instruction sets that this machine can run, for parametrised tests.
std::vector<Isa> supported_isas();
/// These, and each with one of the features for products of bytes.
std::vector<Isa> supported_byte_isas();
/// Returns isa_name() in characters that gtest accepts.
std::string isa_test_name(Isa isa);

/// Returns random float32 values of N(0, 1), determined by the seed.
Tensor random_tensor(const Shape& shape, unsigned seed = 0);
/// Returns random values, uniform in [low, high].
Tensor random_uniform(const Shape& shape, float low, float high, unsigned seed = 0);

/// Returns the same values in another dtype (static_cast element by element; numbers and bool only).
Tensor cast_to(const Tensor& tensor, DType dtype);

/// Expects equal dtype and shape and |got - want| <= atol + rtol * |want| element by element. NaN equals NaN. Strings
/// and integers are compared exactly if both tolerances are 0.
void expect_close(const Tensor& got, const Tensor& want, double atol = 0, double rtol = 0);

/// Expects that f() throws linnet::Error of this kind whose message contains `text`.

void report_no_error(const std::string& text);
void check_error(const Error& error, ErrorKind kind, const std::string& text);

template <class F>
void expect_error(ErrorKind kind, const std::string& text, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    check_error(error, kind, text);
    return;
  }
  report_no_error(text);
}

}  // namespace linnet::testing
