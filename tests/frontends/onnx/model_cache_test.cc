#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "environment/sealed_file.h"
#include "linnet/registry.h"
#include "model_builder.h"
#include "support/run_op.h"
#include "support/temporary_folder.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kDepth = 24, kColumns = 32;

pb::TensorProto& add_matrix(pb::GraphProto& graph, const std::string& name, int64_t rows, int64_t columns,
                            float first) {
  pb::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_dims(rows);
  tensor.add_dims(columns);
  for (int64_t i = 0; i < rows * columns; ++i) tensor.add_float_data(first + float(i % 17) / 8);
  return tensor;
}

/// Returns y = relu(x a) b if c is true, else x a: one product is in the graph and one in a body.
pb::ModelProto model_of_two_products(float first = 1) {
  pb::ModelProto model = empty_model();
  model.set_producer_name("me");
  pb::StringStringEntryProto& property = *model.add_metadata_props();
  property.set_key("labels");
  property.set_value("cat,dog");
  pb::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {4, kDepth});
  pb::ValueInfoProto& condition = *graph.add_input();
  condition.set_name("c");
  set_type(condition, pb::TensorProto::BOOL, {});
  add_matrix(graph, "a", kDepth, kColumns, first);
  add_node(graph, "MatMul", {"x", "a"}, {"xa"});
  pb::NodeProto& branch = add_node(graph, "If", {"c"}, {"y"});
  pb::GraphProto& then = add_body(branch, "then_branch");
  add_matrix(then, "b", kColumns, kColumns, -first);
  add_node(then, "Relu", {"xa"}, {"r"});
  add_node(then, "MatMul", {"r", "b"}, {"rb"});
  add_output(then, "rb");
  pb::GraphProto& otherwise = add_body(branch, "else_branch");
  add_node(otherwise, "Identity", {"xa"}, {"same"});
  add_output(otherwise, "same");
  add_output(graph, "y");
  return model;
}

std::vector<Tensor> inputs(bool condition = true) {
  std::vector<float> x(size_t(4 * kDepth));
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 7) - 2.5F;
  return {Tensor::of(Shape{4, kDepth}, x), Tensor::scalar(condition)};
}

Tensor output_of(const Model& model) {
  Context context(model);
  return context.run(inputs())[0].clone();
}

class ModelCaches : public ::testing::Test {
 protected:
  ModelOptions options() {
    ModelOptions options;
    options.cache_dir = folder_.path("cache");
    options.log = [this](LogLevel level, std::string_view message) {
      if (level == LogLevel::kWarning) warnings_ += message;
    };
    return options;
  }

  void write(const pb::ModelProto& model) {
    std::ofstream(path_, std::ios::binary) << model.SerializeAsString();
    // Makes the file older than the clock's last tick, so that its identity is known.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  /// Writes the model with the weights of its first product in the file a.bin.
  void write_with_external_data() {
    pb::ModelProto proto = model_of_two_products();
    pb::TensorProto& a = *proto.mutable_graph()->mutable_initializer(0);
    a.clear_float_data();
    a.set_data_location(pb::TensorProto::EXTERNAL);
    pb::StringStringEntryProto& location = *a.add_external_data();
    location.set_key("location");
    location.set_value("a.bin");
    write(proto);
  }

  void write_external_data(float first) const {
    const pb::ModelProto proto = model_of_two_products();
    const auto& known = proto.graph().initializer(0).float_data();
    std::vector<float> values(known.begin(), known.end());
    values[0] = first;
    std::ofstream(folder_.path("a.bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size() * sizeof(float)));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  /// Loads and runs the model; expects the results of loading without a cache, and returns them.
  Tensor expect_same(const pb::ModelProto& proto) {
    const Tensor with = output_of(load_onnx(path_, options()));
    EXPECT_TRUE(identical(with, output_of(load(proto))));
    return with;
  }

  /// Returns the cache's files by inode, which changes if a file is written again.
  std::map<std::string, ino_t> files() const {
    std::map<std::string, ino_t> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path("cache"))) {
      struct stat status {};
      ::stat(entry.path().c_str(), &status);
      if (entry.is_regular_file()) found[entry.path()] = status.st_ino;
    }
    return found;
  }

  std::vector<std::string> files_named(const std::string& end) const {
    std::vector<std::string> found;
    for (const auto& [path, inode] : files()) {
      if (path.ends_with(end)) found.push_back(path);
    }
    return found;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("model.onnx");
  std::string warnings_;
};

TEST_F(ModelCaches, GiveTheSameBitsEachTimeAndWriteOnce) {
  write(model_of_two_products());
  expect_same(model_of_two_products());
  const auto written = files();
  EXPECT_EQ(written.size(), 6U);  // secret, file, model, constants, packed products of graph and body
  expect_same(model_of_two_products());
  EXPECT_EQ(files(), written);
  EXPECT_EQ(warnings_, "");
}

TEST_F(ModelCaches, KeepWhatAModelSays) {
  write(model_of_two_products());
  const Model plain = load(model_of_two_products());
  for (int i = 0; i < 2; ++i) {
    const Model cached = load_onnx(path_, options());
    EXPECT_EQ(cached.metadata().producer_name, "me");
    EXPECT_EQ(cached.metadata().properties, plain.metadata().properties);
    EXPECT_EQ(cached.load_report().nodes, plain.load_report().nodes);
    EXPECT_EQ(cached.load_report().opset, plain.load_report().opset);
    EXPECT_EQ(cached.outputs()[0].name, "y");
    EXPECT_EQ(str(cached.outputs()[0].fact), str(plain.outputs()[0].fact));
    EXPECT_EQ(cached.inputs()[1].name, "c");
  }
}

// Other weights under the right seal change the outputs, so outputs are computed from the cached weights.
TEST_F(ModelCaches, AreWhatWeightsComeFrom) {
  write(model_of_two_products());
  const Tensor before = expect_same(model_of_two_products());
  for (const std::string& path : files_named(".packs")) {
    const auto packs = map_sealed(path);
    std::vector<std::byte> bytes(packs->bytes.begin(), packs->bytes.end());
    for (size_t i = 3; i < bytes.size(); i += 4) bytes[i] ^= std::byte(0x80);  // signs
    write_sealed(path, packs->text, {bytes});
  }
  EXPECT_FALSE(identical(output_of(load_onnx(path_, options())), before));
}

TEST_F(ModelCaches, AreSharedByFileCopyAndMemory) {
  write(model_of_two_products());
  expect_same(model_of_two_products());
  const auto written = files();
  EXPECT_TRUE(identical(output_of(load(model_of_two_products(), options())), output_of(load(model_of_two_products()))));
  EXPECT_EQ(files(), written);
  fs::copy(path_, folder_.path("copy.onnx"));
  load_onnx(folder_.path("copy.onnx"), options());
  for (const auto& [path, inode] : written) EXPECT_EQ(files()[path], inode);
  EXPECT_EQ(files_named("model").size(), 1U);
}

TEST_F(ModelCaches, KnowAModelThatChangesInPlace) {
  for (const float first : {1.F, 2.F, 3.F, 1.F}) {
    std::ofstream(path_, std::ios::binary) << model_of_two_products(first).SerializeAsString();
    expect_same(model_of_two_products(first));
    expect_same(model_of_two_products(first));
  }
  EXPECT_EQ(files_named("constants").size(), 3U);
}

TEST_F(ModelCaches, KnowExternalDataThatChangesInPlace) {
  write_with_external_data();
  for (const float first : {1.F, 2.F, 2.F, 1.F}) {
    write_external_data(first);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(identical(output_of(load_onnx(path_, options())), output_of(load_onnx(path_))));
    }
  }
  EXPECT_EQ(files_named("constants").size(), 2U);
}

TEST_F(ModelCaches, KeepNoModelWhoseFilesChangeWhileItIsLoaded) {
  write_with_external_data();
  write_external_data(1);
  ModelOptions changing = options();
  changing.log = [&, log = changing.log](LogLevel level, std::string_view message) {
    log(level, message);
    if (message.starts_with("loaded")) write_external_data(2);
  };
  output_of(load_onnx(path_, changing));
  EXPECT_NE(warnings_.find("change while it is loaded"), std::string::npos) << warnings_;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(identical(output_of(load_onnx(path_, options())), output_of(load_onnx(path_))));
  }
}

TEST_F(ModelCaches, KnowLinksThatComeToLeadElsewhere) {
  write_with_external_data();
  for (const char* name : {"1", "2"}) {
    write_external_data(std::stof(name));
    fs::rename(folder_.path("a.bin"), folder_.path(name));
  }
  for (const char* name : {"1", "2", "1"}) {
    fs::remove(folder_.path("a.bin"));
    fs::create_symlink(name, folder_.path("a.bin"));
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(identical(output_of(load_onnx(path_, options())), output_of(load_onnx(path_)))) << name;
    }
  }
}

TEST_F(ModelCaches, TellFoldersThatLinkToOneModelApart) {
  write_with_external_data();
  for (const char* name : {"b", "c"}) {
    write_external_data(float(name[0]));
    fs::create_directory(folder_.path(name));
    fs::rename(folder_.path("a.bin"), folder_.path(name) + "/a.bin");
  }
  fs::create_symlink(path_, folder_.path("b/model.onnx"));
  fs::create_hard_link(path_, folder_.path("c/model.onnx"));
  for (int i = 0; i < 2; ++i) {
    for (const char* name : {"b/model.onnx", "c/model.onnx"}) {
      const std::string path = folder_.path(name);
      EXPECT_TRUE(identical(output_of(load_onnx(path, options())), output_of(load_onnx(path)))) << name;
    }
  }
}

TEST_F(ModelCaches, MakeDamagedFilesAnew) {
  write(model_of_two_products());
  expect_same(model_of_two_products());
  for (const auto& [path, inode] : files()) {
    for (const uintmax_t size : {fs::file_size(path), uintmax_t{100}, uintmax_t{0}}) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(std::streamoff(fs::file_size(path) / 2));
      file.put('!');
      file.close();
      fs::resize_file(path, size);
      expect_same(model_of_two_products());
      expect_same(model_of_two_products());
    }
  }
  for (const auto& [path, inode] : files()) EXPECT_TRUE(map_sealed(path)) << path;
}

TEST_F(ModelCaches, KeepOutFilesOfAnotherModel) {
  write(model_of_two_products(2));
  expect_same(model_of_two_products(2));
  const fs::path other = fs::path(files_named("model")[0]).parent_path();
  write(model_of_two_products(1));
  expect_same(model_of_two_products(1));
  const auto folder = [&] {
    for (const std::string& path : files_named("model")) {
      if (fs::path(path).parent_path() != other) return fs::path(path).parent_path();
    }
    return fs::path();
  };
  const fs::path own = folder();
  for (const auto& file : fs::directory_iterator(other)) {
    fs::copy(file.path(), own / file.path().filename(), fs::copy_options::overwrite_existing);
  }
  expect_same(model_of_two_products(1));
}

TEST_F(ModelCaches, DependOnTheOptions) {
  write(model_of_two_products());
  expect_same(model_of_two_products());
  ModelOptions other = options();
  other.optimization = 0;
  EXPECT_EQ(load_onnx(path_, other).load_report().nodes, load(model_of_two_products()).load_report().nodes);
  other = options();
  other.isa = Isa::kBaseline;
  output_of(load_onnx(path_, other));
  EXPECT_EQ(files_named("constants").size(), 3U);
  EXPECT_THROW(
      {
        other.limits.nodes = 1;
        load_onnx(path_, other);
      },
      Error);
}

TEST_F(ModelCaches, SayWhenTheyAreNotUsed) {
  write(model_of_two_products());
  const auto expect_warning = [&](const ModelOptions& options, const Registry& registry, const std::string& text) {
    warnings_ = {};
    EXPECT_TRUE(identical(output_of(load_onnx(path_, options, registry)), output_of(load(model_of_two_products()))));
    EXPECT_NE(warnings_.find(text), std::string::npos) << warnings_;
    EXPECT_FALSE(fs::exists(folder_.path("cache")));
  };
  ModelOptions replaceable = options();
  replaceable.replaceable_weights = true;
  expect_warning(replaceable, standard_registry(), "replaceable weights");
  Registry more = standard_registry();
  more.add("MyOp", {}, [](const NodeSpec&) { return nullptr; });
  expect_warning(options(), more, "operators besides Linnet's own");
  ModelOptions nowhere = options();
  nowhere.cache_dir = path_;  // a file
  expect_warning(nowhere, standard_registry(), path_);
}

TEST_F(ModelCaches, AreUsedByManyAtOnce) {
  write(model_of_two_products());
  const Tensor expected = output_of(load(model_of_two_products()));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, given = options()]() mutable {
      given.log = {};
      EXPECT_TRUE(identical(output_of(load_onnx(path_, given)), expected));
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_same(model_of_two_products());
}

}  // namespace
}  // namespace linnet::testing
