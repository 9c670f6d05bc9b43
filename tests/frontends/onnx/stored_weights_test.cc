#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"
#include "support/temporary_folder.h"
#include "tensor/memory_account.h"
#include "tensor/stored_contents.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSize = 256;  // rows and columns of a weight
constexpr size_t kWeightBytes = size_t{kSize} * kSize * sizeof(float);

std::vector<float> values(int64_t count, int seed) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) result[i] = std::sin(float(i * 7 + size_t(seed) * 13));
  return result;
}

std::string raw_bytes(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

/// A model file with its weights in w.bin. All files were written an hour ago.
class StoredWeights : public ::testing::Test {
 protected:
  static pb::ModelProto open_model(const std::vector<int64_t>& input) {
    pb::ModelProto model = empty_model();
    add_input(*model.mutable_graph(), "x", input);
    auto& shape = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < shape.dim_size(); ++i) {
      if (shape.dim(i).dim_value() == 0) shape.mutable_dim(i)->set_dim_param(str("d", i));
    }
    add_output(*model.mutable_graph(), "y");
    return model;
  }

  void add_weight(pb::ModelProto& model, const std::string& name, const std::vector<int64_t>& dims, bool external) {
    add_weight(model, name, dims, external, values(Shape(dims).elements(), model.graph().initializer_size() + 1));
  }

  void add_weight(pb::ModelProto& model, const std::string& name, const std::vector<int64_t>& dims, bool external,
                  const std::vector<float>& numbers) {
    pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(pb::TensorProto::FLOAT);
    for (const int64_t dim : dims) tensor.add_dims(dim);
    const std::string raw = raw_bytes(numbers);
    if (!external) return tensor.set_raw_data(raw);
    tensor.set_data_location(pb::TensorProto::EXTERNAL);
    for (const auto& [key, value] :
         {std::pair("location", std::string("w.bin")), std::pair("offset", std::to_string(data_.size()))}) {
      pb::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    data_ += raw;
  }

  /// Returns y = x a b.
  pb::ModelProto products(bool external = true) {
    pb::ModelProto model = open_model({0, kSize});
    add_weight(model, "a", {kSize, kSize}, external);
    add_weight(model, "b", {kSize, kSize}, external);
    add_node(*model.mutable_graph(), "MatMul", {"x", "a"}, {"h"});
    add_node(*model.mutable_graph(), "MatMul", {"h", "b"}, {"y"});
    return model;
  }

  /// Returns a convolution for which other sizes of x select other algorithms.
  pb::ModelProto convolution() {
    pb::ModelProto model = open_model({1, 64, 0, 0});
    add_weight(model, "w", {64, 64, 3, 3}, true);
    add_node(*model.mutable_graph(), "Conv", {"x", "w"}, {"y"});
    return model;
  }

  enum class Head { kComputed, kStored, kUnchanged, kOther };

  /// Returns y = table[x] head. The head is the transposed table, computed by a node or stored in the file; the table
  /// itself; or differs from the transpose in one value.
  pb::ModelProto embedding(Head head) {
    data_.clear();
    pb::ModelProto model = open_model({});
    set_type(*model.mutable_graph()->mutable_input(0), pb::TensorProto::INT64, {2});
    const std::vector<float> table = values(kSize * kSize, 1);
    add_weight(model, "table", {kSize, kSize}, true, table);
    if (head == Head::kComputed || head == Head::kUnchanged) {
      pb::NodeProto& node = add_node(*model.mutable_graph(), "Transpose", {"table"}, {"head"});
      pb::AttributeProto& perm = add_attribute(node, "perm", pb::AttributeProto::INTS);
      for (const bool axis : {head == Head::kComputed, head != Head::kComputed}) perm.add_ints(axis);
    } else {
      std::vector<float> transposed;
      for (size_t i = 0; i < table.size(); ++i) transposed.push_back(table[i % kSize * kSize + i / kSize]);
      if (head == Head::kOther) transposed.back() += 1;
      add_weight(model, "head", {kSize, kSize}, true, transposed);
    }
    add_node(*model.mutable_graph(), "Gather", {"table", "x"}, {"taken"});
    add_node(*model.mutable_graph(), "MatMul", {"taken", "head"}, {"y"});
    return model;
  }

  void write(const fs::path& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }

  Model load(const pb::ModelProto& model, const ModelOptions& options = {}) const {
    write(data_path(), data_);
    write(model_path(), model.SerializeAsString());
    return load_onnx(model_path(), options);
  }

  /// Loads the model with all weights in memory.
  Model load_at_once(const pb::ModelProto& model) const {
    ModelOptions options;
    options.external_data = [this](const std::string&) { return std::as_bytes(std::span(data_)); };
    return linnet::testing::load(model, options, folder_.path());
  }

  static Tensor input(const Shape& shape) { return Tensor::of(shape, values(shape.elements(), 5)); }

  static void expect_equal(Context& context, Context& expected, const Shape& shape) {
    const std::vector<Tensor> x{input(shape)};
    EXPECT_TRUE(identical(context.run(x)[0], expected.run(x)[0])) << shape;
  }

  std::string data_path() const { return folder_.path("w.bin"); }
  std::string model_path() const { return folder_.path("model.onnx"); }

  TemporaryFolder folder_;
  std::string data_;
};

TEST_F(StoredWeights, AreInMemoryOnceWhereTheyLieInFiles) {
  for (const bool external : {true, false}) {
    const auto account = std::make_shared<MemoryAccount>(SIZE_MAX);
    const pb::ModelProto proto = products(external);
    const Model model = [&] {
      const MemoryAccount::Scope scope(account);
      return load(proto);
    }();
    EXPECT_LT(account->alive(), kWeightBytes / 4);
    Context context(model), expected(load_at_once(proto));
    expect_equal(context, expected, {1, kSize});
    EXPECT_LT(account->alive(), kWeightBytes / 4);  // packed weights are counted where plans are made, in runs
    for (const int64_t rows : {2, 50}) expect_equal(context, expected, {rows, kSize});
    EXPECT_LT(account->alive(), kWeightBytes / 4);
    EXPECT_EQ(context.memory().weights_bytes, 0);
    EXPECT_GE(context.memory().packed_bytes, int64_t(2 * kWeightBytes));
    EXPECT_EQ(model.load_report().weights_bytes, int64_t(2 * kWeightBytes));
  }
}

TEST_F(StoredWeights, NeedMemoryForOneAtATimeBesidesThePacked) {
  const pb::ModelProto proto = products();
  const Model model = load(proto);
  ContextOptions options;
  options.limits.memory_bytes = int64_t(2 * kWeightBytes) + int64_t(kWeightBytes) / 4;
  Context context(model, options), expected(load_at_once(proto));
  expect_equal(context, expected, {3, kSize});
  ModelOptions tight;
  tight.limits.memory_bytes = int64_t(kWeightBytes) + int64_t(kWeightBytes) / 4;
  Context second(load(proto, tight));
  expect_equal(second, expected, {3, kSize});
}

TEST_F(StoredWeights, ThatRunsReadAreKept) {
  pb::ModelProto proto = open_model({0, kSize});
  add_weight(proto, "table", {kSize, kSize}, true);
  add_node(*proto.mutable_graph(), "Gather", {"table", "rows"}, {"taken"});
  proto.mutable_graph()->mutable_input(0)->set_name("rows");
  proto.mutable_graph()->mutable_input(0)->clear_type();
  set_type(*proto.mutable_graph()->mutable_input(0), pb::TensorProto::INT64, {2});
  add_node(*proto.mutable_graph(), "MatMul", {"taken", "table"}, {"y"});
  Context context(load(proto)), expected(load_at_once(proto));
  for (const int64_t row : {3, 200}) {
    const std::vector<Tensor> x{Tensor::of<int64_t>({row, row / 2})};
    EXPECT_TRUE(identical(context.run(x)[0], expected.run(x)[0]));
  }
  EXPECT_EQ(context.memory().weights_bytes, int64_t(kWeightBytes));
}

TEST_F(StoredWeights, AreTransposedAgainWhereTheyWereLetGo) {
  pb::ModelProto proto = open_model({0, kSize});
  add_weight(proto, "w", {kSize, kSize}, true);
  add_node(*proto.mutable_graph(), "Transpose", {"w"}, {"t"});
  add_node(*proto.mutable_graph(), "MatMul", {"x", "t"}, {"y"});
  const auto account = std::make_shared<MemoryAccount>(SIZE_MAX);
  const Model model = [&] {
    const MemoryAccount::Scope scope(account);
    return load(proto);
  }();
  EXPECT_LT(account->alive(), kWeightBytes / 4);
  Context context(model), expected(load_at_once(proto));
  for (const int64_t rows : {1, 9}) expect_equal(context, expected, {rows, kSize});
  EXPECT_EQ(context.memory().weights_bytes, 0);
}

TEST_F(StoredWeights, OfATiedEmbeddingAreInMemoryOnce) {
  const std::vector<Tensor> x{Tensor::of<int64_t>({3, 177})};
  ModelOptions apart;
  apart.disabled_rewrites = {"share_tied_weights"};
  for (const Head head : {Head::kComputed, Head::kStored, Head::kUnchanged, Head::kOther}) {
    const pb::ModelProto proto = embedding(head);
    Context expected(load(proto, apart));
    const Tensor want = expected.run(x)[0];
    EXPECT_EQ(expected.memory().weights_bytes + expected.memory().packed_bytes, int64_t(2 * kWeightBytes));
    const auto account = std::make_shared<MemoryAccount>(SIZE_MAX);
    const Model model = [&] {
      const MemoryAccount::Scope scope(account);
      return load(proto);
    }();
    EXPECT_LT(account->alive(), kWeightBytes / 4);
    Context context(model);
    EXPECT_TRUE(identical(context.run(x)[0], want));
    EXPECT_EQ(context.memory().weights_bytes,
              int64_t(head == Head::kComputed || head == Head::kStored ? 0 : kWeightBytes));
    EXPECT_EQ(context.memory().packed_bytes, int64_t(kWeightBytes));
  }
}

TEST_F(StoredWeights, AreReadAgainForAnotherAlgorithm) {
  const pb::ModelProto proto = convolution();
  Context context(load(proto)), expected(load_at_once(proto));
  for (const int64_t size : {3, 48, 4}) expect_equal(context, expected, {1, 64, size, size});
}

TEST_F(StoredWeights, ThatHaveChangedAreNotReadForAnotherAlgorithm) {
  const pb::ModelProto proto = convolution();
  Context context(load(proto)), expected(load_at_once(proto));
  expect_equal(context, expected, {1, 64, 3, 3});
  std::ofstream(data_path(), std::ios::binary | std::ios::in | std::ios::out) << "changed";
  expect_error(ErrorKind::kIo, "initializer 'w'", [&] { context.run(std::vector{input({1, 64, 48, 48})}); });
  expect_equal(context, expected, {1, 64, 3, 3});
}

TEST_F(StoredWeights, AreReadFromAFileThatWasRemovedOrReplacedByAnother) {
  const pb::ModelProto proto = convolution();
  Context context(load(proto)), expected(load_at_once(proto));
  expect_equal(context, expected, {1, 64, 3, 3});
  const std::string other = folder_.path("other");
  write(other, std::string(data_.size(), 'x'));
  fs::rename(other, data_path());
  expect_equal(context, expected, {1, 64, 48, 48});
  fs::remove(data_path());
  Context second(load(products()));
  fs::remove(data_path());
  fs::remove(model_path());
  second.run(std::vector{input({1, kSize})});
}

TEST_F(StoredWeights, ThatHaveChangedAreAnError) {
  for (const bool truncated : {true, false}) {
    data_.clear();
    const Model model = load(products());
    {
      std::ofstream file(data_path(), truncated ? std::ios::binary | std::ios::trunc
                                                : std::ios::binary | std::ios::in | std::ios::out);
      file << "changed";
    }
    Context context(model);
    for (int i = 0; i < 2; ++i) {
      expect_error(ErrorKind::kIo, "w.bin' has changed since it was loaded", [&] {
        context.run(std::vector{input({1, kSize})});
      });
    }
    expect_error(ErrorKind::kIo, "initializer 'a'", [&] { context.run(std::vector{input({1, kSize})}); });
  }
}

TEST_F(StoredWeights, ThatHaveChangedDoNotMatterOncePacked) {
  const pb::ModelProto proto = products();
  Context context(load(proto)), expected(load_at_once(proto));
  expect_equal(context, expected, {1, kSize});
  std::ofstream(data_path(), std::ios::binary | std::ios::trunc) << "changed";
  expect_equal(context, expected, {1, kSize});
  expect_equal(context, expected, {7, kSize});  // panels work for any number of rows
}

TEST_F(StoredWeights, WrittenAtThisMomentAreReadAtOnce) {
  const pb::ModelProto proto = products();
  write(data_path(), data_);
  write(model_path(), proto.SerializeAsString());
  fs::last_write_time(data_path(), fs::file_time_type::clock::now() + std::chrono::seconds(5));
  const Model model = load_onnx(model_path());
  std::ofstream(data_path(), std::ios::binary | std::ios::trunc) << "changed";
  Context context(model), expected(load_at_once(proto));
  expect_equal(context, expected, {1, kSize});
}

TEST_F(StoredWeights, AreSavedWhole) {
  const pb::ModelProto proto = products();
  const Model model = load(proto);
  Context context(model), expected(load_at_once(proto));
  expect_equal(context, expected, {2, kSize});
  Context again(load_bytes(save_onnx_bytes(model)));
  expect_equal(again, expected, {2, kSize});
  EXPECT_EQ(context.memory().weights_bytes, 0);
  save_onnx(model, model_path());
  Context saved(load_onnx(model_path()));
  expect_equal(saved, expected, {2, kSize});
}

TEST_F(StoredWeights, AreReplaced) {
  const pb::ModelProto proto = products();
  ModelOptions options;
  options.replaceable_weights = true;
  const Model model = load(proto, options);
  Context context(model), expected(load_at_once(proto));
  const std::vector<Tensor> x{input({2, kSize})};
  const Tensor before = expected.run(x)[0].clone();
  const Tensor zeros = Tensor::of({kSize, kSize}, std::vector<float>(size_t{kSize} * kSize));
  EXPECT_TRUE(identical(context.run(x)[0], before));
  Context replaced(model.with_weights({{"a", zeros}}));
  EXPECT_FALSE(identical(replaced.run(x)[0], before));
  EXPECT_TRUE(identical(context.run(x)[0], before));
}

TEST_F(StoredWeights, AreThoseOfTheCache) {
  const pb::ModelProto proto = products();
  ModelOptions options;
  options.cache_dir = folder_.path("cache");
  Context expected(load_at_once(proto));
  for (int i = 0; i < 2; ++i) {
    Context context(load(proto, options));
    expect_equal(context, expected, {2, kSize});
  }
}

TEST_F(StoredWeights, ArePackedByOneThreadWhileOthersRun) {
  const pb::ModelProto proto = convolution();
  const Model model = load(proto), at_once = load_at_once(proto);
  std::vector<Tensor> x, y;
  for (const int64_t size : {3, 4, 9, 48}) {
    x.push_back(input({1, 64, size, size}));
    Context context(at_once);
    y.push_back(context.run(std::vector{x.back()})[0].clone());
  }
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Context context(model);
      for (size_t i = 0; i < 8; ++i) {
        const size_t at = (t + i) % x.size();
        right += identical(context.run(std::vector{x[at]})[0], y[at]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 32);
}

TEST_F(StoredWeights, OfManyFilesAreReadAtOnceFromSomeFileOn) {
  pb::ModelProto proto = open_model({0, kSize});
  std::string before = "x";
  constexpr int kFiles = 40;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = str("w", i);
    data_.clear();
    add_weight(proto, name, {kSize, kSize}, true);
    proto.mutable_graph()->mutable_initializer(i)->mutable_external_data(0)->set_value(name);
    write(folder_.path(name), data_);
    add_node(*proto.mutable_graph(), "MatMul", {before, name}, {i + 1 < kFiles ? "h" + name : "y"});
    before = "h" + name;
  }
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto files_before = open_files();
  const Model model = load(proto);
  EXPECT_LT(open_files() - files_before, 20);
  Context context(model);
  for (const float value : context.run(std::vector{input({1, kSize})})[0].values<float>()) EXPECT_NE(value, 0);
}

}  // namespace
}  // namespace linnet::testing
