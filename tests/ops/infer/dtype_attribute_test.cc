#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Numbers outside the element types, including those of containers and one that equals a type modulo 2^32.
constexpr int64_t kNoTypes[] = {-1, int64_t(kLastElementType) + 1, 64, 65, 66, 1000, (int64_t{1} << 32) + 1};

TEST(DtypeAttribute, RefusesNumbersThatNameNoElementType) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), size = Tensor::scalar(int64_t{4});
  for (const int64_t number : kNoTypes) {
    const auto fails = [&](const char* op, int64_t opset, const char* attribute, const std::vector<Tensor>& inputs) {
      expect_error(ErrorKind::kUnsupported, std::string("attribute '") + attribute + "' must be the number", [&] {
        run_op({op, opset, {{attribute, number}}}, inputs);
      });
    };
    fails("Cast", 13, "to", {x});
    fails("BitCast", 26, "to", {x});
    fails("EyeLike", 9, "dtype", {x});
    fails("SequenceEmpty", 11, "dtype", {});
    fails("HannWindow", 17, "output_datatype", {size});
    fails("Bernoulli", 15, "dtype", {x});
    fails("QuantizeLinear", 21, "output_dtype", {x, Tensor::scalar(1.0f)});
    fails("LayerNormalization", 17, "stash_type", {x, x});
  }
}

TEST(DtypeAttribute, NamesOfContainersAreNoneEither) {
  expect_error(ErrorKind::kUnsupported, "no known dtype", [] {
    run_op({"Cast", 1, {{"to", std::string("SEQUENCE")}}}, {Tensor::scalar(1.0f)});
  });
}

TEST(DtypeAttribute, WindowsAreOfNumbers) {
  for (const int64_t dtype : {0, 8, 9, 22}) {
    expect_error(ErrorKind::kUnsupported, "not supported", [&] {
      run_op({"HannWindow", 17, {{"output_datatype", dtype}}}, {Tensor::scalar(int64_t{4})});
    });
  }
}

}  // namespace
}  // namespace linnet::testing
