#include <vector>

#include "infer/infer.h"
#include "linnet/containers.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/key_table.h"

namespace linnet {
namespace {

/// The positions of keys in a vocabulary, which may contain a key several times.
class Vocabulary {
 public:
  explicit Vocabulary(const Tensor& keys) : first_(keys), next_(size_t(keys.size()), -1) {
    CountedVector<int64_t> last(next_.size());
    Checkpoints().in_parts(keys.size(), kKeyWork, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        int64_t first = 0;
        first_.find(keys, i, i + 1, &first);
        if (first < i) next_[size_t(last[size_t(first)])] = i;
        last[size_t(first)] = i;
      }
    });
  }

  /// Calls f(i, place) for each element i of x, in order, and each of its positions in the vocabulary.
  template <class F>
  void for_places(const Tensor& x, const F& f) const {
    Checkpoints().in_parts(x.size(), kKeyWork, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        int64_t place = 0;
        for (first_.find(x, i, i + 1, &place); place >= 0; place = next_[size_t(place)]) f(i, place);
      }
    });
  }

 private:
  static constexpr int64_t kKeyWork = 64;

  KeyTable first_;
  CountedVector<int64_t> next_;  // The next position of the same key, or -1.
};

class DictVectorizerKernel final : public Kernel {
 public:
  explicit DictVectorizerKernel(const Tensor& vocabulary) : vocabulary_(vocabulary) {}

  void run(KernelContext& context) const override {
    const Map& x = *context.input(0).data<Map>();
    Tensor& y = context.output(0);
    fill_tensor(zero_element(y.dtype()), y, context.executor());
    const CopyRow copy = copy_row_of(y.dtype());
    const int64_t width = element_bytes(y.dtype());
    vocabulary_.for_places(x.keys, [&](int64_t i, int64_t place) {
      copy(static_cast<const std::byte*>(x.values.raw()) + i * width, 1,
           static_cast<std::byte*>(y.raw()) + place * width, 1, 1);
    });
  }

 private:
  Vocabulary vocabulary_;
};

/// DictVectorizer (ai.onnx.ml): the values of a map in the order of the attribute int64_vocabulary or
/// string_vocabulary; zero, or the empty string, for keys that are not in the map. Keys outside the vocabulary are
/// ignored.
/// X: a map.
/// Y: its values' dtype, shape [size of the vocabulary].
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html
class DictVectorizer final : public Op {
 public:
  explicit DictVectorizer(const NodeSpec& node) {
    const auto* ints = node.find<std::vector<int64_t>>("int64_vocabulary");
    const auto* strings = node.find<std::vector<std::string>>("string_vocabulary");
    if (bool(ints) == bool(strings)) {
      throw Error(ErrorKind::kModel, "needs either int64_vocabulary or string_vocabulary");
    }
    vocabulary_ = ints ? Tensor::of(*ints) : Tensor::of(*strings);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (in[0].dtype != DType::kMap || in[0].key != vocabulary_.dtype()) {
      throw Error(ErrorKind::kType, str("X must be a map with keys of ", vocabulary_.dtype(), ", got ", in[0]));
    }
    return {Fact(in[0].element->dtype, Shape{vocabulary_.size()})};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<DictVectorizerKernel>(vocabulary_); }
  bool accepts_containers() const override { return true; }

 private:
  Tensor vocabulary_;
};

}  // namespace

LINNET_REGISTER(dict_vectorizer)(Registry& r) {
  r.add<DictVectorizer>("DictVectorizer", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
