#include <algorithm>
#include <bit>
#include <vector>

#include "infer/infer.h"
#include "kernels/boxes.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

struct Box {
  float y1, x1, y2, x2, area;

  BoxColumns columns() const { return {&y1, &x1, &y2, &x2, &area}; }
};

Box make_box(float y1, float x1, float y2, float x2) { return {y1, x1, y2, x2, (y2 - y1) * (x2 - x1)}; }

/// Boxes in columns, the layout that kernels read.
class Boxes {
 public:
  int64_t size() const { return std::ssize(y1_); }
  /// Removes all boxes and reserves capacity for n.
  void clear(size_t n) {
    for (CountedVector<float>* column : {&y1_, &x1_, &y2_, &x2_, &area_}) {
      column->clear();
      column->reserve(n);
    }
  }
  BoxColumns columns() const { return {y1_.data(), x1_.data(), y2_.data(), x2_.data(), area_.data()}; }
  void push_back(const Box& box) {
    y1_.push_back(box.y1);
    x1_.push_back(box.x1);
    y2_.push_back(box.y2);
    x2_.push_back(box.x2);
    area_.push_back(box.area);
  }

 private:
  CountedVector<float> y1_, x1_, y2_, x2_, area_;
};

/// Returns a number that orders as the score does. NaN is the lowest.
uint32_t key_of(float score) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0f);  // -0 becomes 0
  const uint32_t key = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  return score != score ? 0 : key;
}

struct Candidate {
  uint32_t key;
  int64_t box;
};

/// Orders candidates from last to first: by score, and among equal scores by number.
struct ComesLater {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.key < b.key || (a.key == b.key && a.box > b.box);
  }
};

/// The working memory of the selection of one class, which is reused for the next class.
struct Selection {
  CountedVector<Candidate> heap;  ///< The candidates; the first ones are the heap.
  CountedVector<int64_t> kept;
  Boxes boxes;  ///< The boxes that are kept.
};

float scalar_or(const Tensor& tensor, float fallback) { return tensor ? *tensor.data<float>() : fallback; }

class NonMaxSuppressionKernel final : public Kernel {
 public:
  NonMaxSuppressionKernel(const CompileInput& in, bool centers)
      : scores_(in.shape(1)), centers_(centers), kernels_(kernels_for<BoxKernels>(in.isa())) {}

  void run(KernelContext& context) const override {
    const Tensor& most = context.input(2);
    const int64_t limit = most ? *most.data<int64_t>() : 0;
    CountedVector<int64_t> selected;
    Selection selection;
    Checkpoints checkpoints;
    const int64_t images = limit > 0 && scores_[2] > 0 ? scores_[0] : 0;  // Many images may have no boxes.
    for (int64_t n = 0; n < images; ++n) {
      for (int64_t c = 0; c < scores_[1]; ++c) {
        select(context, n, c, limit, selection, checkpoints);
        for (const int64_t box : selection.kept) selected.insert(selected.end(), {n, c, box});
      }
    }
    Tensor& y = context.allocate_output(0, Shape{int64_t(selected.size()) / 3, 3});
    std::copy(selected.begin(), selected.end(), y.data<int64_t>());
  }

 private:
  static constexpr int64_t kBoxWork = 4;
  static constexpr size_t kFewBoxes = 32;  ///< The initial capacity in boxes.

  Box box_at(const float* b) const {
    if (centers_) return make_box(b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2);
    return make_box(std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3]));
  }

  /// Writes the boxes that score above the threshold, or all boxes without a threshold. Returns their number.
  int64_t candidates(KernelContext& context, const float* scores, Candidate* result, Checkpoints& checkpoints) const {
    const bool all = !context.input(4);
    const float threshold = scalar_or(context.input(4), 0);
    int64_t count = 0;
    checkpoints.in_parts(scores_[2], kBoxWork, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        result[count] = {key_of(scores[i]), i};
        count += all | (scores[i] > threshold) ? 1 : 0;
      }
    });
    return count;
  }

  /// Selects the boxes of one class, best first.
  void select(KernelContext& context, int64_t n, int64_t c, int64_t limit, Selection& selection,
              Checkpoints& checkpoints) const {
    const int64_t count = scores_[2];
    const float* boxes = context.input(0).data<float>() + n * count * 4;
    const float most_overlap = scalar_or(context.input(3), 0);
    auto& [heap, kept, kept_boxes] = selection;
    kept.clear();
    kept.reserve(kFewBoxes);
    kept_boxes.clear(kFewBoxes);
    // A heap sorts only the candidates that are considered.
    heap.resize(size_t(count));
    auto end = heap.begin() + candidates(context, context.input(1).data<float>() + (n * scores_[1] + c) * count,
                                         heap.data(), checkpoints);
    std::make_heap(heap.begin(), end, ComesLater());
    while (end != heap.begin() && int64_t(kept.size()) < limit) {
      checkpoints.add(checked_mul(kBoxWork, 32 + kept_boxes.size()));
      std::pop_heap(heap.begin(), end, ComesLater());
      const int64_t candidate = (--end)->box;
      const Box box = box_at(boxes + candidate * 4);
      if (kernels_.overlap(box.columns(), kept_boxes.columns(), kept_boxes.size(), most_overlap)) continue;
      kept.push_back(candidate);
      kept_boxes.push_back(box);
    }
  }

  Shape scores_;
  bool centers_;
  BoxKernels kernels_;
};

/// NonMaxSuppression: per image and class, the best boxes that overlap no better one by more than iou_threshold.
/// boxes: float [N,B,4], corners in any order, or with center_point_box 1 (x, y, width, height).
/// scores: float [N,C,B].
/// max_output_boxes_per_class: int64; 0 (no boxes) if omitted.
/// iou_threshold: float; 0 if omitted.
/// score_threshold: float. If present, boxes must score above it.
/// selected_indices: int64 [kept, 3], (image, class, box), best first per class.
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
    return std::make_unique<NonMaxSuppressionKernel>(in, centers_);
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

LINNET_REGISTER(non_max_suppression)(Registry& registry) {
  registry.add<NonMaxSuppression>("NonMaxSuppression", {.since = 10});
}

}  // namespace linnet
