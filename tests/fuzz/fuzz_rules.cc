#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "choices.h"
#include "exporter/constants.h"
#include "exporter/export_error.h"
#include "exporter/lower_call.h"
#include "exporter/rules/rule_list.h"
#include "linnet/error.h"
#include "pt2/schemas.h"
#include "target.h"

// Bytes choose an operator of PyTorch and a call of it as a .pt2 file may contain it: arguments by the names in its
// declaration, their dtypes and sizes, and the declared results. Few or low bytes make a plausible call. The operator's
// rule must write nodes or refuse the call.
namespace linnet {
namespace {

using exporter::Concrete;
using exporter::Integers;
using exporter::TensorInfo;
using exporter::Value;

enum class Kind {
  kTensor,
  kTensors,
  kWeight,
  kWeights,
  kInteger,
  kIntegers,
  kNumber,
  kNumbers,
  kFlag,
  kText,
  kDType,
  kNone
};

constexpr Kind kKinds[] = {Kind::kTensor,  Kind::kTensors,  Kind::kWeight, Kind::kWeights,
                           Kind::kInteger, Kind::kIntegers, Kind::kNumber, Kind::kNumbers,
                           Kind::kFlag,    Kind::kText,     Kind::kDType,  Kind::kNone};

/// Returns the usual kinds of an argument of this name.
std::vector<Kind> kinds_of(const std::string& name) {
  static const std::map<Kind, std::vector<std::string>> names{
      {Kind::kTensor, {"hx", "indices", "repeats", "source"}},
      {Kind::kTensors, {"hx", "indices", "matrices", "tensors"}},
      {Kind::kWeight, {"b_hh", "b_ih", "repeats", "w_hh", "w_ih"}},
      {Kind::kWeights, {"params"}},
      {Kind::kInteger,
       {"N",
        "axis0",
        "dilation_h",
        "dilation_w",
        "pad_h",
        "pad_w",
        "stride_h",
        "stride_w",
        "axis1",
        "chunks",
        "compute_mode",
        "decimals",
        "diagonal",
        "dim",
        "dim0",
        "dim1",
        "dim2",
        "dimension",
        "downscale_factor",
        "embed_dim",
        "end",
        "end_dim",
        "group",
        "groups",
        "ignore_index",
        "interpolation_mode",
        "k",
        "length",
        "m",
        "mask_type",
        "mode",
        "n",
        "num_classes",
        "num_groups",
        "num_head",
        "num_heads",
        "num_layers",
        "offset_groups",
        "padding_idx",
        "padding_mode",
        "reduction",
        "sections",
        "size",
        "split_size",
        "start",
        "start_dim",
        "step",
        "steps",
        "storage_offset",
        "upscale_factor"}},
      {Kind::kIntegers,
       {"destination",      "dilation",       "dims",        "dims_other", "dims_self",   "indices", "kernel_size",
        "normalized_shape", "output_padding", "output_size", "pad",        "padding",     "repeats", "shape",
        "shifts",           "size",           "source",      "split_size", "split_sizes", "stride"}},
      {Kind::kNumber,
       {"alpha",          "atol",     "beta",      "correction", "delta",       "divisor_override", "dropout",
        "dropout_p",      "eps",      "exponent",  "fill_value", "input_scale", "label_smoothing",  "lambd",
        "lower",          "margin",   "max",       "max_val",    "min",         "min_val",          "momentum",
        "negative_slope", "ord",      "p",         "rtol",       "scale",       "scales",           "scales_d",
        "scales_h",       "scales_w", "threshold", "upper"}},
      {Kind::kNumbers, {"scale_factors"}},
      {Kind::kFlag,
       {"accumulate",
        "align_corners",
        "average_attn_weights",
        "batch_first",
        "bidirectional",
        "ceil_mode",
        "count_include_pad",
        "descending",
        "enable_gqa",
        "equal_nan",
        "has_biases",
        "include_last_offset",
        "include_self",
        "is_causal",
        "keepdim",
        "largest",
        "log_target",
        "need_weights",
        "norm_first",
        "return_counts",
        "return_inverse",
        "right",
        "swap",
        "train",
        "training",
        "transposed",
        "unbiased",
        "use_gelu",
        "use_input_stats",
        "use_mask"}},
      {Kind::kText,
       {"approximate", "equation", "indexing", "mode", "ord", "padding", "reduce", "rounding_mode", "side"}},
      {Kind::kDType, {"dtype"}},
      {Kind::kNone, {"device", "generator", "layout", "memory_format", "pin_memory"}}};
  std::vector<Kind> kinds;
  for (const auto& [kind, list] : names) {
    if (std::ranges::find(list, name) != list.end()) kinds.push_back(kind);
  }
  return kinds.empty() ? std::vector<Kind>{Kind::kTensor} : kinds;
}

/// The sizes of a tensor, for each example.
using Sizes = std::vector<Integers>;

class Drawing : public Choices {
 public:
  explicit Drawing(std::span<const uint8_t> bytes) : Choices(bytes) {
    static constexpr int kSpatial[] = {2, 2, 3, 1};
    examples_ = integer(0, 3) == 1 ? 2 : 1;
    spatial_ = of(kSpatial);
    for (int axis = integer(0, 7) < 6 ? spatial_ + 2 : integer(0, 5); axis > 0; --axis) push_size(base_, size());
    base_.resize(examples_);
    if (examples_ == 2) base_[1] = base_[0];
    if (examples_ == 2 && !base_[0].empty()) base_[1][size_t(byte()) % base_[0].size()] += 2;
  }

  size_t examples() const { return examples_; }

  Value argument(const std::string& name, const std::optional<Value>& otherwise) {
    if (otherwise && integer(0, 3) != 3) return *otherwise;
    return of_kind(integer(0, 15) == 15 ? of(kKinds) : of(kinds_of(name)));
  }

  Value result() {
    static constexpr int kParts[] = {2, 1, 3, 4, 2, 5, 0};
    if (integer(0, 3) < 3) return tensor("");
    return list(of(kParts), [&] { return tensor(""); });
  }

 private:
  template <class Make>
  Value list(int length, const Make& make) {
    Value value;
    value.is_list = true;
    for (int i = 0; i < length; ++i) value.elements.push_back(make());
    return value;
  }
  int length() { return integer(0, 7) < 7 ? spatial_ : integer(0, 6); }

  Value leaf(const Concrete& concrete) { return {std::vector<Concrete>(examples_, concrete)}; }

  Value of_kind(Kind kind) {
    switch (kind) {
      case Kind::kTensor:
        return integer(0, 7) == 7 ? constant_tensor() : input();
      case Kind::kTensors:
        return list(length(), [&] { return of_kind(Kind::kTensor); });
      case Kind::kWeight:
        return weight();
      case Kind::kWeights:
        return list(integer(0, 3) < 3 ? 4 : integer(0, 9), [&] { return weight(); });
      case Kind::kInteger:
        return leaf({whole()});
      case Kind::kIntegers:
        return integer(0, 3) == 3 ? leaf({whole()}) : list(length(), [&] { return leaf({whole()}); });
      case Kind::kNumber:
        return leaf({number()});
      case Kind::kNumbers:
        return list(length(), [&] { return leaf({number()}); });
      case Kind::kFlag:
        return leaf({flag()});
      case Kind::kText:
        return leaf({std::string(of(kTexts))});
      case Kind::kDType:
        return leaf({dtype()});
      case Kind::kNone:
        return leaf({});
    }
    return leaf({});
  }

  int64_t whole() {
    static constexpr int64_t kSmall[] = {1, 2, 3, 0, 1, 2, -1, 4, 1, 2, -2, 6};
    static constexpr int64_t kAny[] = {-3,         5,         16,        1000,    100'000,  1 << 24,     1LL << 31,
                                       -1LL << 31, 1LL << 40, 1LL << 62, kLowest, kHighest, kLowest + 1, kHighest - 1};
    return integer(0, 15) < 15 ? of(kSmall) : of(kAny);
  }
  double number() {
    static constexpr double kNumbers[] = {1,   0.5,   2,      0,      -1,  1e-5,     2.5,
                                          1e9, 1e300, -1e300, 1e-310, NAN, INFINITY, -INFINITY};
    return integer(0, 3) < 3 ? kNumbers[integer(0, 6)] : of(kNumbers);
  }
  int64_t size() {
    static constexpr int64_t kSmall[] = {4, 2, 3, 1, 5, 7, 16, 0};
    static constexpr int64_t kHuge[] = {1000, 4096, 1 << 20, 1LL << 31, 1LL << 40, 1LL << 62, -1};
    return integer(0, 31) < 31 ? of(kSmall) : of(kHuge);
  }
  DType dtype() {
    static constexpr DType kOther[] = {
        DType::kInt64,  DType::kBool,  DType::kInt32,      DType::kFloat64,  DType::kFloat16,  DType::kBFloat16,
        DType::kInt8,   DType::kUint8, DType::kInt16,      DType::kUint16,   DType::kUint64,   DType::kComplex64,
        DType::kString, DType::kInt4,  DType::kComplex128, DType::kSequence, DType::kUndefined};
    return integer(0, 3) < 3 ? DType::kFloat32 : of(kOther);
  }

  void push_size(Sizes& sizes, int64_t size) {
    sizes.resize(examples_);
    for (Integers& one : sizes) one.push_back(size);
  }
  /// Returns sizes for a tensor of the call: mostly base_, sometimes with one axis changed, removed or added, sometimes
  /// random.
  Sizes sizes() {
    Sizes sizes = base_;
    const int how = integer(0, 15);
    const size_t rank = sizes[0].size();
    if (how >= 8 && how < 11 && rank > 0) {
      const size_t axis = size_t(byte()) % rank;
      const int64_t other = size();
      for (Integers& one : sizes) one[axis] = other;
    }
    if (how == 11 && rank > 0) {
      for (Integers& one : sizes) one.pop_back();
    }
    if (how == 12) push_size(sizes, size());
    if (how < 13) return sizes;
    sizes.clear();
    sizes.resize(examples_);
    for (int axis = integer(0, 5); axis > 0; --axis) push_size(sizes, size());
    return sizes;
  }

  Value tensor(const std::string& name) {
    Value value;
    value.name = name;
    TensorInfo info{dtype()};
    info.channels_last = integer(0, 7) == 7;
    info.is_whole = integer(0, 7) != 7;
    info.is_number = integer(0, 15) == 15;
    for (const Integers& one : sizes()) {
      info.sizes = one;
      value.concrete.push_back({info});
    }
    return value;
  }

  /// Returns a tensor of the model, usually a different one than before.
  Value input() {
    if (inputs_.empty() || integer(0, 7) != 7) inputs_.push_back(tensor("x" + std::to_string(inputs_.size())));
    return integer(0, 7) == 7 ? inputs_.front() : inputs_.back();
  }

  Value constant_tensor() {
    static const Integers kSizes[] = {{4}, {}, {2}, {12, 3}, {2, 3}, {1}, {4, 4}, {0}, {4, 2, 3, 3}};
    TensorInfo info{dtype(), of(kSizes)};
    return integer(0, 7) == 7 ? leaf({info}) : known(info);
  }
  /// Returns a weight, usually of an LSTM layer.
  Value weight() {
    if (integer(0, 15) == 15) return constant_tensor();
    return known({DType::kFloat32, flag() ? Integers{12} : Integers{12, 3}});
  }
  Value known(TensorInfo info) {
    if (info.defined() && !is_object(info.dtype)) info.contents = contents(info);
    if (integer(0, 31) == 31) info.sizes.push_back(size());
    return leaf({info});
  }
  Tensor contents(const TensorInfo& info) {
    const Shape shape(info.sizes);
    std::vector<int64_t> values;
    for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(i % 3);
    try {
      return exporter::converted(Tensor::of(shape, values), info.dtype);
    } catch (const exporter::ExportError&) {
      Tensor zeros(info.dtype, shape);
      if (zeros.bytes() > 0) std::memset(zeros.raw(), 0, zeros.bytes());
      return zeros;
    }
  }

  static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min(),
                           kHighest = std::numeric_limits<int64_t>::max();
  static constexpr const char* kTexts[] = {"none", "same",  "floor", "trunc", "tanh",    "sum",      "mean",
                                           "amax", "right", "xy",    "fro",   "reflect", "circular", "ij,jk->ik"};

  size_t examples_ = 1;
  int spatial_ = 2;  // the number of an image's axes, and of the numbers in a list
  Sizes base_ = Sizes(2);
  std::vector<Value> inputs_;
};

/// Arguments to try for an operator without a declaration.
const std::vector<std::string> kCommonNames{
    "self",     "input",    "a",      "b",          "other",      "weight",       "bias",         "dim",
    "dim0",     "dim1",     "groups", "num_groups", "eps",        "offset",       "mask",         "use_mask",
    "src",      "s",        "size",   "stride",     "padding",    "dilation",     "kernel_size",  "ceil_mode",
    "query",    "key",      "value",  "dropout_p",  "is_causal",  "running_mean", "running_var",  "normalized_shape",
    "stride_h", "stride_w", "pad_h",  "pad_w",      "dilation_h", "dilation_w",   "offset_groups"};

const exporter::Lowerings& rules() {
  static const exporter::Lowerings all = exporter::standard_lowerings();
  return all;
}

const std::vector<std::string>& operator_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, rule] : rules().all()) all.push_back(name);
    return all;
  }();
  return names;
}

void lower(std::span<const uint8_t> bytes) {
  static constexpr int64_t kOpsets[] = {24, 17, 13, 16, 19};
  Choices first(bytes);
  const int high = first.byte(), low = first.byte();
  const std::string& rule = operator_names()[size_t(high * 256 + low) % operator_names().size()];
  exporter::Site site{rule.substr(rule.rfind(' ') + 1), {}, "", "", ""};
  const exporter::ExportOptions options{.opset = first.of(kOpsets)};
  Drawing draw(bytes.subspan(std::min<size_t>(3, bytes.size())));
  std::vector<Value> arguments, results;
  if (const auto schema = pt2::find_schema(site.operator_name, draw.examples())) {
    for (const pt2::SchemaArgument& argument : schema->arguments) {
      site.arguments.push_back(argument.name);
      arguments.push_back(draw.argument(argument.name, argument.otherwise));
    }
  } else {
    site.arguments = kCommonNames;
    for (const std::string& name : site.arguments) arguments.push_back(draw.argument(name, std::nullopt));
  }
  for (int count = draw.integer(0, 3) < 3 ? 3 : draw.integer(0, 2); count > 0; --count) {
    results.push_back(draw.result());
  }
  exporter::OnnxBuilder builder(options);
  lower_call(site, *rules().find(rule), arguments, results, builder, draw.examples());
}

}  // namespace

void take(std::span<const uint8_t> bytes) {
  try {
    lower(bytes);
  } catch (const exporter::ExportError& error) {
    throw Error(ErrorKind::kUnsupported, error.what());
  }
}

}  // namespace linnet
