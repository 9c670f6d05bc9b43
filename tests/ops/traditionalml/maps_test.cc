#include <gtest/gtest.h>

#include "linnet/containers.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

Tensor run_on_maps(const std::string& op, const Fact& fact, const Tensor& x, const Attributes& attributes) {
  GraphBuilder b;
  b.output(b.op(op, {b.input("x", fact)}, attributes, "ai.onnx.ml"));
  return run_model(b.model(), {x})[0];
}

Tensor map_of(const Tensor& keys, const Tensor& values) { return Tensor::scalar(Map{keys, values}); }

TEST(Maps, ZipMapMakesOneMapPerRow) {
  const Tensor x = Tensor::of(Shape{2, 2}, Floats{1, 2, 3, 4});
  const auto run = [&](const Attribute& keys, const std::string& name) {
    return run_on_maps("ZipMap", Fact(DType::kFloat32, Shape{2, 2}), x, {{name, keys}});
  };
  const Tensor names = Tensor::of(Strings{"a", "b"}), numbers = Tensor::of(Ints{7, 8});
  const Tensor first = Tensor::of(Floats{1, 2}), second = Tensor::of(Floats{3, 4});
  EXPECT_TRUE(identical(run(Strings{"a", "b"}, "classlabels_strings"),
                        Tensor::scalar(Sequence{{map_of(names, first), map_of(names, second)}})));
  EXPECT_TRUE(identical(run(Ints{7, 8}, "classlabels_int64s"),
                        Tensor::scalar(Sequence{{map_of(numbers, first), map_of(numbers, second)}})));
  expect_error(ErrorKind::kShape, "[N, 3]", [&] { run(Ints{7, 8, 9}, "classlabels_int64s"); });
  expect_error(ErrorKind::kModel, "needs either", [&] { run(Ints{7, 8}, "other"); });
}

TEST(Maps, DictVectorizerFollowsItsVocabulary) {
  const Tensor x = map_of(Tensor::of(Strings{"c", "a", "q"}), Tensor::of(Floats{8, 4, 1}));
  const Attribute vocabulary = Strings{"a", "c", "b", "z"};
  const Fact fact = Fact::map(DType::kString, DType::kFloat32);
  expect_close(run_on_maps("DictVectorizer", fact, x, {{"string_vocabulary", vocabulary}}),
               Tensor::of(Floats{4, 8, 0, 0}));
  const Tensor y = map_of(Tensor::of(Ints{2}), Tensor::of(Strings{"two"}));
  expect_close(
      run_on_maps("DictVectorizer", Fact::map(DType::kInt64, DType::kString), y, {{"int64_vocabulary", Ints{1, 2}}}),
      Tensor::of(Strings{"", "two"}));
  expect_error(ErrorKind::kType, "keys of int64, got map(string,float32)", [&] {
    run_on_maps("DictVectorizer", fact, x, {{"int64_vocabulary", Ints{1}}});
  });
}

/// The last value of a key is used, at each position of the key.
TEST(Maps, DictVectorizerTakesRepeatedKeys) {
  const Tensor x = map_of(Tensor::of(Ints{7, 5, 7, 1}), Tensor::of(Floats{1, 2, 3, 4}));
  const Attribute vocabulary = Ints{7, 2, 5, 7, 7, 5};
  expect_close(
      run_on_maps("DictVectorizer", Fact::map(DType::kInt64, DType::kFloat32), x, {{"int64_vocabulary", vocabulary}}),
      Tensor::of(Floats{3, 0, 2, 3, 3, 2}));
}

// The values are those of ONNX Runtime 1.31.
TEST(Maps, CastMapOrdersByKeyOrPlacesAtIt) {
  const auto run = [](const Tensor& values, const std::string& to, const std::string& form, int64_t size = 4) {
    return run_on_maps("CastMap", Fact::map(DType::kInt64, values.dtype()), map_of(Tensor::of(Ints{3, 1}), values),
                       {{"cast_to", to}, {"map_form", form}, {"max_map", size}});
  };
  const Tensor x = Tensor::of(Floats{-2.5f, 1.5f});
  expect_close(run(x, "TO_FLOAT", "DENSE"), Tensor::of(Shape{1, 2}, Floats{1.5f, -2.5f}));
  expect_close(run(x, "TO_INT64", "SPARSE"), Tensor::of(Shape{1, 4}, Ints{0, 1, 0, -2}));
  expect_close(run(x, "TO_STRING", "SPARSE"), Tensor::of(Shape{1, 4}, Strings{"0.f", "1.500000", "0.f", "-2.500000"}));
  expect_close(run(Tensor::of(Strings{"1.5", "2"}), "TO_FLOAT", "DENSE"), Tensor::of(Shape{1, 2}, Floats{2, 1.5f}));
  expect_error(ErrorKind::kType, "\"1.5\" is not a number of int64", [&] {
    run(Tensor::of(Strings{"1.5", "2"}), "TO_INT64", "DENSE");
  });
  expect_error(ErrorKind::kShape, "key 3 is outside", [&] { run(x, "TO_FLOAT", "SPARSE", 3); });
}

TEST(Maps, CastMapTakesTheLastOfEqualKeys) {
  const Tensor x = map_of(Tensor::of(Ints{7, -2, 7, -2, 5}), Tensor::of(Floats{1, 2, 3, 4, 5}));
  expect_close(run_on_maps("CastMap", Fact::map(DType::kInt64, DType::kFloat32), x, {}),
               Tensor::of(Shape{1, 3}, Floats{4, 5, 3}));
}

TEST(Maps, CastMapPlacesAtEveryIndexOfItsOutput) {
  const auto run = [](int64_t key) {
    return run_on_maps("CastMap", Fact::map(DType::kInt64, DType::kFloat32),
                       map_of(Tensor::of(Ints{key}), Tensor::of(Floats{5})),
                       {{"map_form", std::string("SPARSE")}, {"max_map", int64_t{3}}});
  };
  for (int64_t key = 0; key < 3; ++key) {
    Floats want(3);
    want[size_t(key)] = 5;
    expect_close(run(key), Tensor::of(Shape{1, 3}, want));
  }
  expect_error(ErrorKind::kShape, "key -1 is outside", [&] { run(-1); });
}

}  // namespace
}  // namespace linnet::testing
