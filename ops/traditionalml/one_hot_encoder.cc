#include <algorithm>
#include <cmath>

#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "traditionalml/feature_rows.h"
#include "traditionalml/key_table.h"

namespace linnet {
namespace {

constexpr DType kEncodedTypes[] = {DType::kString, DType::kInt64, DType::kInt32, DType::kFloat32, DType::kFloat64};

/// Truncates a float; returns INT64_MIN for a number outside int64.
int64_t to_integer(double x) { return x >= -0x1p63 && x < 0x1p63 ? int64_t(x) : INT64_MIN; }

class OneHotEncoderKernel final : public Kernel {
 public:
  OneHotEncoderKernel(const CompileInput& in, std::shared_ptr<const KeyTable> table, bool zeros)
      : table_(std::move(table)), categories_(in.output_shape(0)[in.rank(0)]), zeros_(zeros) {
    const DType dtype = in.dtype(0);
    if (dtype != DType::kString && dtype != DType::kInt64) read_ = read_numbers_of(dtype);
  }

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    float* y = context.output(0).data<float>();
    Checkpoints checkpoints;
    for (int64_t first = 0, n = x.size(); first < n; first += kBlock, y += kBlock * categories_) {
      const int64_t count = std::min(kBlock, n - first);
      checkpoints.add(checked_mul(count, 8 + categories_));
      int64_t places[kBlock];
      find(x, first, count, places);
      std::fill_n(y, count * categories_, 0.0f);
      for (int64_t i = 0; i < count; ++i) {
        if (places[i] >= 0)
          y[i * categories_ + places[i]] = 1;
        else if (!zeros_)
          throw_unknown(x, first + i);
      }
    }
  }

 private:
  static constexpr int64_t kBlock = 64;

  void find(const Tensor& x, int64_t first, int64_t count, int64_t* places) const {
    if (!read_) return table_->find(x, first, first + count, places);
    double numbers[kBlock];
    read_(x.raw(), first, count, numbers);
    for (int64_t i = 0; i < count; ++i) places[i] = table_->find(to_integer(numbers[i]));
  }

  [[noreturn]] void throw_unknown(const Tensor& x, int64_t i) const {
    double number = 0;
    if (read_) read_(x.raw(), i, 1, &number);
    const std::string shown = x.dtype() == DType::kString  ? "'" + x.data<std::string>()[i] + "'"
                              : x.dtype() == DType::kInt64 ? std::to_string(x.data<int64_t>()[i])
                                                           : str(number);
    throw Error(ErrorKind::kModel, str("element ", i, " of X is not among the categories: ", shown));
  }

  std::shared_ptr<const KeyTable> table_;
  ReadNumbers read_ = nullptr;
  int64_t categories_;
  bool zeros_;
};

/// OneHotEncoder: each element becomes a row with a 1 at the position of its category and 0 elsewhere. An element that
/// is not a category becomes zeros, or with zeros = 0 an error when the model runs. Of repeated categories, the first
/// one is used.
/// X: string (cats_strings), int64, int32, float32 or float64 (cats_int64s; fractions are truncated), any shape.
/// Y: float32, X's shape with a last dim of the number of categories.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html
class OneHotEncoder final : public Op {
 public:
  explicit OneHotEncoder(const NodeSpec& node) : zeros_(node.attr_or("zeros", true)) {
    const auto ints = node.attr_or("cats_int64s", std::vector<int64_t>{});
    const auto strings = node.attr_or("cats_strings", std::vector<std::string>{});
    require_exactly_one({!ints.empty(), !strings.empty()}, "cats_int64s and cats_strings");
    categories_ = int64_t(ints.size() + strings.size());
    strings_ = ints.empty();
    table_ = std::make_shared<KeyTable>(strings_ ? Tensor::of(strings) : Tensor::of(ints));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kEncodedTypes, "X");
    if ((in[0].dtype == DType::kString) != strings_) {
      throw Error(ErrorKind::kType,
                  str("X must be ", strings_ ? "string" : "numbers", " as the categories are, got ", in[0].dtype));
    }
    if (!in[0].has_rank()) return {Fact(DType::kFloat32, std::nullopt)};
    Dims dims = *in[0].dims;
    dims.push_back(categories_);
    return {Fact(DType::kFloat32, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<OneHotEncoderKernel>(in, table_, zeros_);
  }

 private:
  std::shared_ptr<const KeyTable> table_;
  int64_t categories_;
  bool strings_, zeros_;
};

}  // namespace

LINNET_REGISTER(one_hot_encoder)(Registry& registry) {
  registry.add<OneHotEncoder>("OneHotEncoder", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
