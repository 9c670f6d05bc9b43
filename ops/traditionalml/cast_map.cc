#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

#include "infer/infer.h"
#include "linnet/containers.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

void convert(float from, float& to) { to = from; }
void convert(float from, int64_t& to) {
  if (!(from >= -0x1p63f && from < 0x1p63f)) throw Error(ErrorKind::kType, str(from, " is outside int64"));
  to = int64_t(from);
}
void convert(float from, std::string& to) {
  to = std::to_string(from);
  count_text(to.size());
}
void convert(const std::string& from, std::string& to) {
  count_text(from.size());
  to = from;
}
template <class Number>
void convert(const std::string& from, Number& to) {
  const char* end = from.data() + from.size();
  const auto parsed = std::from_chars(from.data(), end, to);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    throw Error(ErrorKind::kType, str("\"", from, "\" is not a number of ", dtype_of<Number>));
  }
}

template <class From, class To>
class CastMapKernel final : public Kernel {
 public:
  /// sparse_size: -1 for the dense form.
  explicit CastMapKernel(int64_t sparse_size) : sparse_size_(sparse_size) {}

  void run(KernelContext& context) const override {
    const Map& x = *context.input(0).data<Map>();
    const auto* keys = x.keys.data<int64_t>();
    Checkpoints checkpoints;
    const CountedVector<int64_t> places = ascending(keys, x.keys.size(), checkpoints);
    const int64_t size = sparse_size_ >= 0 ? sparse_size_ : std::ssize(places);
    To* y = context.allocate_output(0, {1, size}).template data<To>();
    std::fill_n(y, size, absent());
    int64_t next = 0;
    for (const int64_t place : places) {
      const int64_t key = keys[place];
      if (sparse_size_ >= 0 && (key < 0 || key >= size)) {
        throw Error(ErrorKind::kShape, str("key ", key, " is outside [0, max_map = ", size, ")"));
      }
      convert(x.values.data<From>()[place], y[sparse_size_ >= 0 ? key : next++]);
      checkpoints.add(kKeyWork);
    }
  }

 private:
  static constexpr int64_t kKeyWork = 256;

  /// The places of the keys in ascending order. Among equal keys, only the last one is included.
  static CountedVector<int64_t> ascending(const int64_t* keys, int64_t count, Checkpoints& checkpoints) {
    CountedVector<int64_t> places(static_cast<size_t>(count));
    std::iota(places.begin(), places.end(), int64_t{0});
    const auto less = [keys](int64_t a, int64_t b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a > b); };
    checkpoints.sort(places.begin(), places.end(), less, 4);
    const auto equal = [keys](int64_t a, int64_t b) { return keys[a] == keys[b]; };
    places.erase(std::unique(places.begin(), places.end(), equal), places.end());
    return places;
  }

  // ONNX Runtime writes this for strings; the specification does not define it.
  static To absent() {
    if constexpr (std::is_same_v<To, std::string>) return "0.f";
    return To();
  }

  int64_t sparse_size_;
};

/// CastMap (ai.onnx.ml): the values of a map with int64 keys as a tensor of shape [1, n], converted to float32, int64
/// or string (cast_to: TO_FLOAT, TO_INT64, TO_STRING).
/// map_form: DENSE: in ascending order of the keys; SPARSE: each value is at the index of its key, n = max_map.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html
class CastMap final : public Op {
 public:
  explicit CastMap(const NodeSpec& node) : to_(cast_dtype(node.attr_or("cast_to", "TO_FLOAT"))) {
    const std::string form = node.attr_or("map_form", "DENSE");
    if (form != "DENSE" && form != "SPARSE") {
      throw Error(ErrorKind::kModel, str("map_form must be DENSE or SPARSE, got ", form));
    }
    if (form == "SPARSE") {
      sparse_size_ = node.attr_or("max_map", 1);
      if (sparse_size_ < 0) throw Error(ErrorKind::kModel, str("max_map must not be negative, got ", sparse_size_));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (in[0].dtype != DType::kMap || in[0].key != DType::kInt64) {
      throw Error(ErrorKind::kType, str("X must be a map with keys of int64, got ", in[0]));
    }
    constexpr DType kValues[] = {DType::kFloat32, DType::kString};
    require_dtype_in(*in[0].element, kValues, "values of X");
    return {Fact(to_, Dims{1, Dim()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return in.fact(0).element->dtype == DType::kString ? make_kernel<std::string>() : make_kernel<float>();
  }
  bool accepts_containers() const override { return true; }

 private:
  static DType cast_dtype(const std::string& name) {
    if (name == "TO_FLOAT") return DType::kFloat32;
    if (name == "TO_INT64") return DType::kInt64;
    if (name == "TO_STRING") return DType::kString;
    throw Error(ErrorKind::kModel, str("cast_to must be TO_FLOAT, TO_INT64 or TO_STRING, got ", name));
  }

  template <class From>
  KernelPtr make_kernel() const {
    if (to_ == DType::kFloat32) return std::make_unique<CastMapKernel<From, float>>(sparse_size_);
    if (to_ == DType::kInt64) return std::make_unique<CastMapKernel<From, int64_t>>(sparse_size_);
    return std::make_unique<CastMapKernel<From, std::string>>(sparse_size_);
  }

  DType to_;
  int64_t sparse_size_ = -1;
};

}  // namespace

LINNET_REGISTER(cast_map)(Registry& r) { r.add<CastMap>("CastMap", {.since = 1, .domain = "ai.onnx.ml"}); }

}  // namespace linnet
