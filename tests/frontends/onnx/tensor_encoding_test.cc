#include <gtest/gtest.h>

#include <cstring>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

// Returns a model whose only output is one stored tensor. `fill` writes the tensor's values.
template <class Fill>
pb::ModelProto model_of_tensor(int32_t type, const std::vector<int64_t>& dims, Fill fill) {
  pb::ModelProto model = empty_model();
  pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  fill(tensor);
  add_output(*model.mutable_graph(), "w");
  return model;
}

template <class Fill>
Tensor load_tensor(DType dtype, const std::vector<int64_t>& dims, Fill fill) {
  const Model model = load_as_written(model_of_tensor(int32_t(dtype), dims, fill));
  return model_graph(model).fact(model_graph(model).outputs()[0].value).constant;
}

template <class Fill>
void expect_tensor_refused(DType dtype, const std::vector<int64_t>& dims, ErrorKind kind, const std::string& text,
                           Fill fill) {
  expect_error(kind, text, [&] { load_tensor(dtype, dims, fill); });
}

std::vector<int> bytes_of(const Tensor& tensor) {
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw());
  return {bytes, bytes + tensor.bytes()};
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  const auto* values = static_cast<const T*>(tensor.raw());
  return {values, values + tensor.bytes() / sizeof(T)};
}

template <class T>
void expect_raw(DType dtype, const std::vector<int64_t>& dims, const std::vector<T>& values) {
  const Tensor tensor =
      load_tensor(dtype, dims, [&](pb::TensorProto& t) { t.set_raw_data(values.data(), values.size() * sizeof(T)); });
  EXPECT_EQ(tensor.dtype(), dtype);
  EXPECT_EQ(values_of<T>(tensor), values);
}

template <class T>
void expect_raw(DType dtype, const std::vector<T>& values) {
  expect_raw(dtype, {int64_t(values.size())}, values);
}

TEST(TensorEncoding, RawDataIsLittleEndianOfAnyWidth) {
  expect_raw<float>(DType::kFloat32, {1.5f, -2.0f});
  expect_raw<double>(DType::kFloat64, {1.5, -2.0});
  expect_raw<int64_t>(DType::kInt64, {-1, int64_t{1} << 40});
  expect_raw<uint64_t>(DType::kUint64, {1, uint64_t{1} << 63});
  expect_raw<int32_t>(DType::kInt32, {-7, 7});
  expect_raw<uint32_t>(DType::kUint32, {7, 4000000000u});
  expect_raw<int16_t>(DType::kInt16, {-300, 300});
  expect_raw<uint16_t>(DType::kUint16, {65535});
  expect_raw<uint16_t>(DType::kFloat16, {0x3c00, 0xc000});
  expect_raw<uint16_t>(DType::kBFloat16, {0x3f80});
  expect_raw<int8_t>(DType::kInt8, {-128, 127});
  expect_raw<uint8_t>(DType::kUint8, {0, 255});
  expect_raw<uint8_t>(DType::kFloat8E4M3FN, {0x38, 0x7f});
  expect_raw<uint8_t>(DType::kFloat8E8M0, {127});
  expect_raw<float>(DType::kFloat32, {});
  expect_raw<float>(DType::kFloat32, std::vector<float>(40000, 1.5f));
}

TEST(TensorEncoding, FloatsLieInTheirOwnFields) {
  const auto add_floats = [](pb::TensorProto& t) {
    for (const float v : {1.0f, 2.0f, 3.0f, 4.0f}) t.add_float_data(v);
  };
  const auto add_doubles = [](pb::TensorProto& t) {
    for (const double v : {1.0, 2.0, 3.0, 4.0}) t.add_double_data(v);
  };
  EXPECT_EQ(values_of<float>(load_tensor(DType::kFloat32, {2, 2}, add_floats)), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values_of<float>(load_tensor(DType::kComplex64, {2}, add_floats)), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values_of<double>(load_tensor(DType::kFloat64, {4}, add_doubles)), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values_of<double>(load_tensor(DType::kComplex128, {2}, add_doubles)), (std::vector<double>{1, 2, 3, 4}));
}

TEST(TensorEncoding, WideIntegersLieInTheirOwnFields) {
  const auto add_signed = [](pb::TensorProto& t) { t.add_int64_data(-5); };
  const auto add_unsigned = [](pb::TensorProto& t) { t.add_uint64_data(4000000000u); };
  EXPECT_EQ(values_of<int64_t>(load_tensor(DType::kInt64, {1}, add_signed)), std::vector<int64_t>{-5});
  EXPECT_EQ(values_of<uint32_t>(load_tensor(DType::kUint32, {}, add_unsigned)), std::vector<uint32_t>{4000000000u});
  EXPECT_EQ(values_of<uint64_t>(load_tensor(DType::kUint64, {1}, add_unsigned)), std::vector<uint64_t>{4000000000u});
}

TEST(TensorEncoding, NarrowTypesShareInt32Data) {
  const auto holding = [](int32_t value) { return [value](pb::TensorProto& t) { t.add_int32_data(value); }; };
  EXPECT_EQ(values_of<int32_t>(load_tensor(DType::kInt32, {1}, holding(-70000))), std::vector<int32_t>{-70000});
  EXPECT_EQ(values_of<int16_t>(load_tensor(DType::kInt16, {1}, holding(-300))), std::vector<int16_t>{-300});
  EXPECT_EQ(values_of<uint16_t>(load_tensor(DType::kUint16, {1}, holding(65535))), std::vector<uint16_t>{65535});
  EXPECT_EQ(values_of<int8_t>(load_tensor(DType::kInt8, {1}, holding(-128))), std::vector<int8_t>{-128});
  EXPECT_EQ(bytes_of(load_tensor(DType::kUint8, {1}, holding(255))), std::vector<int>{255});
  EXPECT_EQ(bytes_of(load_tensor(DType::kBool, {1}, holding(256))), std::vector<int>{1});
  EXPECT_EQ(bytes_of(load_tensor(DType::kFloat16, {1}, holding(0xbc00))), (std::vector<int>{0x00, 0xbc}));
  EXPECT_EQ(bytes_of(load_tensor(DType::kBFloat16, {1}, holding(0x3f80))), (std::vector<int>{0x80, 0x3f}));
  EXPECT_EQ(bytes_of(load_tensor(DType::kFloat8E5M2, {1}, holding(0xfc))), std::vector<int>{0xfc});
}

TEST(TensorEncoding, SubByteElementsHaveNoGapsAndTheLastByteIsPadded) {
  const auto two_bytes = [](pb::TensorProto& t) {
    t.add_int32_data(0x21);
    t.add_int32_data(0xf3);
  };
  for (const DType dtype : {DType::kInt4, DType::kUint4, DType::kFloat4E2M1}) {
    EXPECT_EQ(bytes_of(load_tensor(dtype, {3}, two_bytes)), (std::vector<int>{0x21, 0xf3}));
  }
  for (const DType dtype : {DType::kInt2, DType::kUint2}) {
    EXPECT_EQ(bytes_of(load_tensor(dtype, {5}, two_bytes)), (std::vector<int>{0x21, 0xf3}));
  }
  expect_tensor_refused(DType::kInt4, {5}, ErrorKind::kModel, "needs 3", two_bytes);
}

TEST(TensorEncoding, Float6TakesOneValueEachOrAStreamOfBits) {
  const auto values = [](pb::TensorProto& t) {
    for (const int code : {0x3f, 0x01, 0x2a, 0x15, 0x20}) t.add_int32_data(code);
  };
  const std::vector<int> encoded{0x7f, 0xa0, 0x56, 0x20};
  for (const DType dtype : {DType::kFloat6E2M3, DType::kFloat6E3M2}) {
    EXPECT_EQ(bytes_of(load_tensor(dtype, {5}, values)), encoded);
    expect_raw<uint8_t>(dtype, {4}, {0x7f, 0xa0, 0x56});
    expect_tensor_refused(dtype, {4}, ErrorKind::kModel, "needs 4", values);
    for (const int code : {-1, 64}) {
      expect_tensor_refused(dtype, {1}, ErrorKind::kModel, "no code", [code](auto& t) { t.add_int32_data(code); });
    }
  }
}

TEST(TensorEncoding, StringsKeepAnyBytes) {
  const Tensor tensor = load_tensor(DType::kString, {2}, [](pb::TensorProto& t) {
    t.add_string_data("caf\xc3\xa9");
    t.add_string_data(std::string("a\0b", 3));
  });
  EXPECT_EQ(tensor.data<std::string>()[0], "caf\xc3\xa9");
  EXPECT_EQ(tensor.data<std::string>()[1], std::string("a\0b", 3));
}

TEST(TensorEncoding, RawBoolsBecomeZeroOrOne) {
  const auto raw = [](pb::TensorProto& t) { t.set_raw_data(std::string("\x00\x02\xff\x01", 4)); };
  EXPECT_EQ(bytes_of(load_tensor(DType::kBool, {4}, raw)), (std::vector<int>{0, 1, 1, 1}));
}

TEST(TensorEncoding, RefusesValuesThatDoNotFitTheShape) {
  const auto raw = [](pb::TensorProto& t) { t.set_raw_data("1234567"); };
  expect_tensor_refused(DType::kFloat32, {2}, ErrorKind::kModel, "initializer 'w': raw_data holds 7 bytes", raw);
  const auto one_float = [](pb::TensorProto& t) { t.add_float_data(1); };
  expect_tensor_refused(DType::kFloat32, {2}, ErrorKind::kModel, "float_data holds 1 values", one_float);
  expect_tensor_refused(DType::kFloat32, {0}, ErrorKind::kModel, "float_data holds 1 values", one_float);
  expect_tensor_refused(DType::kInt64, {1}, ErrorKind::kModel, "int64_data holds 0 values", one_float);
  expect_tensor_refused(DType::kFloat32, {int64_t{1} << 40}, ErrorKind::kModel, "holds 1 values", one_float);
}

TEST(TensorEncoding, RefusesImpossibleShapes) {
  const auto nothing = [](pb::TensorProto&) {};
  expect_tensor_refused(DType::kFloat32, {-2}, ErrorKind::kShape, "initializer 'w'", nothing);
  expect_tensor_refused(DType::kFloat32, {int64_t{1} << 32, int64_t{1} << 32}, ErrorKind::kLimit, "overflow", nothing);
  expect_tensor_refused(DType::kFloat64, {int64_t{1} << 61}, ErrorKind::kLimit, "initializer 'w'", nothing);
  expect_tensor_refused(DType::kFloat32, std::vector<int64_t>(100, 1), ErrorKind::kLimit, "rank", nothing);
}

TEST(TensorEncoding, RefusesUnknownTypesAndMixedFields) {
  const auto both = [](pb::TensorProto& t) {
    t.add_float_data(1);
    t.set_raw_data("1234");
  };
  expect_tensor_refused(DType::kFloat32, {1}, ErrorKind::kModel, "more than one field", both);
  expect_tensor_refused(DType::kString, {4}, ErrorKind::kModel, "raw_data", [](auto& t) { t.set_raw_data("abcd"); });
  expect_tensor_refused(DType::kUndefined, {1}, ErrorKind::kModel, "element type 0", both);
  expect_tensor_refused(DType(9999), {1}, ErrorKind::kUnsupported, "element type 9999", both);
}

}  // namespace
}  // namespace linnet::testing
