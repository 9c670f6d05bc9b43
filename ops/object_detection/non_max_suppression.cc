#include <algorithm>
#include <numeric>

#include "infer/infer.h"
#include "op_list.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

struct Box {
  float y1, x1, y2, x2;
  float area() const { return (y2 - y1) * (x2 - x1); }
};

float intersection_over_union(const Box& a, const Box& b) {
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1), width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0) return 0;
  const float shared = height * width;
  return shared / (a.area() + b.area() - shared);
}

float scalar_or(const Tensor& tensor, float fallback) { return tensor ? *tensor.data<float>() : fallback; }

class NonMaxSuppressionKernel final : public Kernel {
 public:
  NonMaxSuppressionKernel(const Shape& scores, bool centers) : scores_(scores), centers_(centers) {}

  void run(KernelContext& context) const override {
    const Tensor& most = context.input(2);
    const int64_t limit = most ? *most.data<int64_t>() : 0;
    Checkpoints checkpoints;
    std::vector<int64_t> selected;
    for (int64_t n = 0; n < scores_[0]; ++n) {
      for (int64_t c = 0; c < scores_[1]; ++c) {
        for (const int64_t box : select(context, n, c, limit, checkpoints))
          selected.insert(selected.end(), {n, c, box});
      }
    }
    Tensor& y = context.allocate_output(0, Shape{int64_t(selected.size()) / 3, 3});
    std::copy(selected.begin(), selected.end(), y.data<int64_t>());
  }

 private:
  static constexpr int64_t kBoxWork = 4;  // to read or compare one

  Box box_at(const float* b) const {
    if (centers_) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
    return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
  }

  /// The boxes of one class that are kept, best first.
  std::vector<int64_t> select(KernelContext& context, int64_t n, int64_t c, int64_t limit,
                              Checkpoints& checkpoints) const {
    const int64_t count = scores_[2];
    const float* scores = context.input(1).data<float>() + (n * scores_[1] + c) * count;
    const float* boxes = context.input(0).data<float>() + n * count * 4;
    const float most_overlap = scalar_or(context.input(3), 0);
    std::vector<int64_t> order;
    for (int64_t i = 0; i < count; ++i) {
      checkpoints.add(kBoxWork);
      if (!context.input(4) || scores[i] > scalar_or(context.input(4), 0)) order.push_back(i);
    }
    // NaN scores count as the lowest, so that the order is strict.
    const auto better = [&](int64_t a, int64_t b) {
      checkpoints.add(kBoxWork);
      return scores[a] > scores[b] || (scores[a] == scores[a] && scores[b] != scores[b]);
    };
    std::stable_sort(order.begin(), order.end(), better);
    std::vector<int64_t> kept;
    for (const int64_t candidate : order) {
      if (int64_t(kept.size()) >= limit) break;
      const Box box = box_at(boxes + candidate * 4);
      checkpoints.add(kBoxWork * int64_t(kept.size()));
      const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](int64_t other) {
        return intersection_over_union(box, box_at(boxes + other * 4)) > most_overlap;
      });
      if (!overlaps) kept.push_back(candidate);
    }
    return kept;
  }

  Shape scores_;
  bool centers_;
};

/// NonMaxSuppression: per image and class the best boxes that overlap no better one by more than iou_threshold.
/// boxes: float [N,B,4], corners in any order, or with center_point_box 1 (x, y, width, height); scores: float [N,C,B];
/// max_output_boxes_per_class: int64, 0 (none) unless given; iou_threshold: float, 0; score_threshold: float, boxes
/// must score above it where it is given. selected_indices: int64 [kept, 3], (image, class, box), best first per class.
/// Source: https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
class NonMaxSuppression final : public Op {
 public:
  explicit NonMaxSuppression(const NodeSpec& node) : centers_(node.attr_or("center_point_box", false)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 5);
    const Fact &boxes = in[0], &scores = in[1];
    require_dtype(boxes, DType::kFloat32, "boxes");
    require_dtype(scores, DType::kFloat32, "scores");
    require_rank(boxes, 3, "boxes");
    require_rank(scores, 3, "scores");
    if (boxes.has_rank()) merge_dim(boxes.dim(2), 4, "the last dim of boxes and the values of a box");
    if (boxes.has_rank() && scores.has_rank()) {
      merge_dim(boxes.dim(0), scores.dim(0), "the batch of boxes and scores");
      merge_dim(boxes.dim(1), scores.dim(2), "the number of boxes and scores");
    }
    if (has_input(in, 2)) check_scalar(in[2], DType::kInt64, "max_output_boxes_per_class");
    if (has_input(in, 3)) check_scalar(in[3], DType::kFloat32, "iou_threshold");
    if (has_input(in, 4)) check_scalar(in[4], DType::kFloat32, "score_threshold");
    return {Fact(DType::kInt64, Dims{Dim(), 3})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<NonMaxSuppressionKernel>(in.shape(1), centers_);
  }

 private:
  static void check_scalar(const Fact& fact, DType dtype, const std::string& what) {
    require_dtype(fact, dtype, what);
    if (fact.concrete() && fact.shape().elements() != 1) {
      throw Error(ErrorKind::kShape, str(what, " must be one value, got ", fact));
    }
  }

  bool centers_;
};

}  // namespace

void register_non_max_suppression(Registry& registry) {
  registry.add<NonMaxSuppression>("NonMaxSuppression", {.since = 10});
}

}  // namespace linnet
