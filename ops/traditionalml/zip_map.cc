#include <memory>

#include "infer/infer.h"
#include "linnet/containers.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_memory.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

class ZipMapKernel final : public Kernel {
 public:
  explicit ZipMapKernel(Tensor keys) : keys_(std::move(keys)) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const int64_t n = keys_.size(), rows = x.rank() == 1 ? 1 : x.dim(0);
    std::vector<Tensor>& elements = context.output(0).data<Sequence>()->elements;
    elements.clear();
    CountedMemory counted;  // Counts the memory until the engine counts the elements.
    counted.add(size_t(checked_mul(rows, sizeof(Tensor))));
    elements.reserve(size_t(rows));
    const auto all = std::make_shared<Tensor>(x.clone());
    const auto maps = std::make_shared<CountedVector<Map>>(size_t(rows));  // The maps of all elements.
    Checkpoints checkpoints;
    for (int64_t row = 0; row < rows; ++row) {
      checkpoints.add(512);
      Map& map = (*maps)[size_t(row)];
      map = {keys_, Tensor::share(DType::kFloat32, Shape{n}, all->data<float>() + row * n, all)};
      elements.push_back(Tensor::share(DType::kMap, Shape{}, &map, maps));
    }
  }

 private:
  Tensor keys_;
};

/// ZipMap (ai.onnx.ml): a sequence with one map per row of X, whose keys are the attribute classlabels_int64s or
/// classlabels_strings.
/// X: float32 [N, C] or [C] with as many columns as there are keys.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html
class ZipMap final : public Op {
 public:
  explicit ZipMap(const NodeSpec& node) {
    const auto* ints = node.find<std::vector<int64_t>>("classlabels_int64s");
    const auto* strings = node.find<std::vector<std::string>>("classlabels_strings");
    if (bool(ints) == bool(strings)) {
      throw Error(ErrorKind::kModel, "needs either classlabels_int64s or classlabels_strings");
    }
    keys_ = ints ? Tensor::of(*ints) : Tensor::of(*strings);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kFloat32, "X");
    require_rank_at_least(in[0], 1, "X");
    if (in[0].has_rank()) check_columns(in[0]);
    return {Fact::sequence(Fact::map(keys_.dtype(), DType::kFloat32))};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<ZipMapKernel>(keys_); }

 private:
  void check_columns(const Fact& x) const {
    const Dim columns = x.dim(x.rank() - 1);
    if (x.rank() > 2 || (columns.known() && columns.value() != keys_.size())) {
      throw Error(ErrorKind::kShape, str("X must be [N, ", keys_.size(), "] or [", keys_.size(), "], got ", x));
    }
    learn_equal(columns, keys_.size());
  }

  Tensor keys_;
};

}  // namespace

LINNET_REGISTER(zip_map)(Registry& r) { r.add<ZipMap>("ZipMap", {.since = 1, .domain = "ai.onnx.ml"}); }

}  // namespace linnet
