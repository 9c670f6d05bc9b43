#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "changed_bytes.h"
#include "file.h"
#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"
#include "support/temporary_folder.h"
#include "tensor_reader.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLarge = 20'000;  // floats: more than the parser leaves in a message

std::vector<float> ramp(int64_t count, float first) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

pb::TensorProto& add_raw(pb::ModelProto& model, const std::string& name, const std::vector<float>& values) {
  pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_dims(int64_t(values.size()));
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  add_output(*model.mutable_graph(), name);
  return tensor;
}

// Returns a model whose large and small initializers alternate. Their names place the large ones at odd offsets.
pb::ModelProto mixed_model() {
  pb::ModelProto model = empty_model();
  add_raw(model, "a", ramp(kLarge, 1));
  add_raw(model, "small", {1, 2, 3});
  add_raw(model, "bc", ramp(3 * kLarge, 2));
  add_raw(model, "", {}).set_name("empty");
  model.mutable_graph()->mutable_output(3)->set_name("empty");
  add_raw(model, "def", ramp(kLarge, 3));
  return model;
}

ModelOptions as_written() {
  ModelOptions options;
  options.optimization = 0;
  return options;
}

std::vector<Tensor> outputs_of(const Model& model) {
  std::vector<Tensor> values;
  for (const Graph::Output& output : model_graph(model).outputs())
    values.push_back(model_graph(model).fact(output.value).constant);
  return values;
}

void expect_values(const Model& model, const pb::ModelProto& written) {
  const std::vector<Tensor> values = outputs_of(model);
  ASSERT_EQ(int(values.size()), written.graph().initializer_size());
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& raw = written.graph().initializer(int(i)).raw_data();
    ASSERT_EQ(values[i].bytes(), raw.size());
    EXPECT_EQ(std::string(static_cast<const char*>(values[i].raw()), raw.size()), raw) << i;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(values[i].raw()) % 64, 0) << i;
  }
}

/// A file that exists for the duration of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
  std::string path() const { return folder_.path("model.onnx"); }

 private:
  TemporaryFolder folder_;
};

TEST(LargeWeights, AreThoseOfTheFile) {
  const pb::ModelProto model = mixed_model();
  const TemporaryFile file(model.SerializeAsString());
  expect_values(load_as_written(model), model);
  for (const int threads : {1, 3}) {
    ModelOptions options = as_written();
    options.executor = make_openmp_executor(threads);
    expect_values(load_onnx(file.path(), options), model);
  }
}

TEST(LargeWeights, NeverLieInTheMessage) {
  const pb::ModelProto model = mixed_model();
  const TemporaryFile file(model.SerializeAsString());
  const ParsedModel parsed = parse_model(std::make_unique<File>(file.path()), {});
  EXPECT_EQ(parsed.left_out.size(), 3u);
  EXPECT_LT(parsed.message->ByteSizeLong(), 1000u);
}

TEST(LargeWeights, StayTheSameHoweverTheMessageIsWritten) {
  const pb::ModelProto model = mixed_model();
  // The graph is in two parts, which the format merges.
  pb::ModelProto first = model, second;
  *second.mutable_graph()->mutable_initializer() = model.graph().initializer();
  second.mutable_graph()->mutable_initializer()->DeleteSubrange(0, 2);
  first.mutable_graph()->mutable_initializer()->DeleteSubrange(2, 3);
  expect_values(load_bytes(first.SerializeAsString() + second.SerializeAsString(), as_written()), model);
  // A field occurs twice; the last one counts.
  const std::string values(kLarge * sizeof(float), '\x01');
  pb::TensorProto again;
  again.set_raw_data(values);
  pb::ModelProto written = empty_model(), expected = empty_model();
  add_raw(written, "w", ramp(kLarge, 1));
  add_raw(expected, "w", ramp(kLarge, 1)).set_raw_data(values);
  const std::string tensor = written.graph().initializer(0).SerializeAsString() + again.SerializeAsString();
  written.mutable_graph()->clear_initializer();
  const auto field = [](int number, const std::string& payload) {
    std::string bytes(1, char(number << 3 | 2));
    for (size_t left = payload.size(); left > 0 || bytes.size() == 1; left >>= 7) {
      bytes += char(left < 128 ? left : (left & 127) | 128);
    }
    return bytes + payload;
  };
  constexpr int kGraph = pb::ModelProto::kGraphFieldNumber, kInitializer = pb::GraphProto::kInitializerFieldNumber;
  const std::string bytes = written.SerializeAsString() + field(kGraph, field(kInitializer, tensor));
  expect_values(load_bytes(bytes, as_written()), expected);
}

TEST(LargeWeights, AreCheckedLikeSmallOnes) {
  const auto refuse = [](ErrorKind kind, const std::string& text, const auto& change) {
    pb::ModelProto model = empty_model();
    change(add_raw(model, "w", ramp(kLarge, 1)));
    expect_error(kind, text, [&] { load_as_written(model); });
  };
  refuse(ErrorKind::kModel, "initializer 'w': raw_data holds 80000 bytes, float32[20001] needs 80004",
         [](pb::TensorProto& t) { t.set_dims(0, kLarge + 1); });
  refuse(ErrorKind::kModel, "more than one field", [](pb::TensorProto& t) { t.add_float_data(1); });
  refuse(ErrorKind::kModel, "strings cannot", [](pb::TensorProto& t) { t.set_data_type(pb::TensorProto::STRING); });
  refuse(ErrorKind::kModel, "here and in external data",
         [](pb::TensorProto& t) { t.set_data_location(pb::TensorProto::EXTERNAL); });
  refuse(ErrorKind::kShape, "initializer 'w'", [](pb::TensorProto& t) { t.set_dims(0, -1); });
}

TEST(LargeWeights, OfBoolsAreNormalised) {
  pb::ModelProto model = empty_model();
  pb::TensorProto& tensor = add_raw(model, "w", {});
  tensor.set_data_type(pb::TensorProto::BOOL);
  tensor.set_dims(0, 1 << 17);
  tensor.set_raw_data(std::string(1 << 17, '\x7f'));
  const Tensor value = outputs_of(load_as_written(model))[0];
  const auto* bytes = static_cast<const char*>(value.raw());
  EXPECT_EQ(std::string(bytes, value.bytes()), std::string(1 << 17, '\x01'));
}

TEST(LargeWeights, EveryCutFileIsAnError) {
  const std::string bytes = mixed_model().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); length += length % 80'000 < 400 ? 7 : 997) {
    EXPECT_THROW(load_bytes(bytes.substr(0, length)), Error) << length << " of " << bytes.size() << " bytes";
  }
}

TEST(LargeWeights, AnyChangedByteOfTheFieldsGivesAModelOrAnError) {
  pb::ModelProto model = empty_model();
  add_raw(model, "w", ramp(kLarge, 1));
  const std::string bytes = model.SerializeAsString();
  expect_changed_bytes_are_handled(bytes, 0, 60);
  expect_changed_bytes_are_handled(bytes, bytes.size() - 60, bytes.size());
}

TEST(LargeWeights, AFileThatShrinksWhileItIsReadIsAnError) {
  const pb::ModelProto model = mixed_model();
  const TemporaryFile file(model.SerializeAsString());
  fs::last_write_time(file.path(), fs::file_time_type::clock::now() + std::chrono::hours(1));  // not on demand
  const ParsedModel parsed = parse_model(std::make_unique<File>(file.path()), {});
  TensorReader reader(parsed, ExternalData("", {}));
  for (const auto& [proto, range] : parsed.left_out) reader.read_later(*proto);
  fs::resize_file(file.path(), 100'000);
  expect_error(ErrorKind::kIo, "' ends at byte ", [&] { reader.finish(*make_openmp_executor(2)); });
}

}  // namespace
}  // namespace linnet::testing
