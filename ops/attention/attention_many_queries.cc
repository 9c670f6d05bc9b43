#include <algorithm>
#include <array>

#include "attention/attention_head.h"
#include "gemm/accuracy.h"
#include "gemm/panels.h"
#include "gemm/weights.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "kernels/transpose.h"
#include "partition/checkpoints.h"
#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kScoreFloats = 64 * 1024;  // of a block of queries
constexpr int64_t kMostStrips = 8;           // of a block
constexpr int64_t kCausalBlocks = 6;         // of all queries; keys after a block's last query are skipped
constexpr int kPanelWidth = 2;               // vectors, if there are as many
constexpr int64_t kSlabFloats = 32 * 1024;   // of packed keys or values, used for a whole block before the next slab
constexpr int64_t kManyQueriesChunks = 16;   // of the whole operator
constexpr int64_t kChunksPerWorker = 4;      // for a division of a head among several workers
constexpr int64_t kPartMultiplies = 1024 * 1024;  // the least work for which packing keys and values again pays off

/// Parts of the scratch, in floats: packed keys and values, scaled queries of a block, their scores, a row of biases.
struct Workspace {
  float *k, *v, *q, *scores, *bias;
  const float** pointers;
};

class ManyQueries final : public HeadAlgorithm {
 public:
  ManyQueries(const AttentionRule& rule, Isa isa, int workers)
      : HeadAlgorithm(rule, isa),
        gemm_(kernels_for<GemmKernels<GemmF32>>(isa)),
        transpose_(kernels_for<TransposeKernels>(isa)),
        tile_(gemm_.tile_rows[kPanelWidth - 1]),
        key_width_(rule.sizes.kv_length > gemm_.lanes ? kPanelWidth : 1),
        panel_(key_width_ * gemm_.lanes) {
    const AttentionSizes& s = sizes();
    const int64_t heads = std::max<int64_t>(1, s.batch * s.kv_heads), tiles = ceil_div(s.q_length, tile_);
    const int64_t fair = ceil_div(tiles * s.group() * heads, kManyQueriesChunks);
    const int64_t fitting = kScoreFloats / checked_mul(tile_, score_pitch());
    const int64_t skipping = rule.window.right == 0 ? tiles / kCausalBlocks : tiles;
    const int64_t most = std::max<int64_t>(1, std::min({fair, fitting, kMostStrips, skipping}));
    block_ = checked_mul(tile_, ceil_div(tiles, ceil_div(tiles, most)));
    blocks_ = ceil_div(s.q_length, block_);
    const double multiplies =
        double(s.q_length * s.group()) * double(s.kv_length) * double(s.head_size + s.v_head_size);
    const auto worth = int64_t(std::min(multiplies / double(kPartMultiplies), double(kManyQueriesChunks)));
    const int64_t chunks = workers > 1 ? std::min(kManyQueriesChunks, checked_mul(kChunksPerWorker, workers)) : 1;
    parts_ = std::clamp<int64_t>(std::min(worth, ceil_div(chunks, heads)), 1, blocks_ * s.group());
    place();
  }

  int64_t parts() const override { return parts_; }
  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat32, floats_) + sizeof(std::array<const float*, kMostStripRows>);
  }
  std::string describe() const override { return str("GEMM ", tile_, "x", panel_, ", blocks of ", block_, " queries"); }

  void run(const AttentionHead& head, int64_t part, std::byte* scratch) const override {
    const Workspace work = workspace(scratch);
    const int64_t tasks = blocks_ * sizes().group();
    const int64_t task = tasks * part / parts_, task_end = tasks * (part + 1) / parts_;
    const AttentionSample sample = attention_sample(head.context, sizes(), head.b);
    const bool one_head = task / blocks_ == (task_end - 1) / blocks_;
    const KeyRange keys =
        keys_of(one_head ? task % blocks_ : 0, one_head ? (task_end - 1) % blocks_ + 1 : blocks_, sample);
    pack(head, keys, work);
    for (int64_t t = task; t < task_end; ++t) run_block(head, t, keys, sample, work);
  }

 private:
  void place() {
    const AttentionSizes& s = sizes();
    const int64_t key_panels = ceil_div(s.kv_length, panel_), value_columns = kPanelWidth * gemm_.lanes;
    int64_t end = 0;
    const auto take = [&](int64_t rows, int64_t columns) {
      const int64_t begin = end;
      end = checked_add(end, ceil_div(checked_mul(rows, columns), 16) * 16);
      return begin;
    };
    k_ = take(checked_mul(key_panels, panel_), s.head_size);
    v_ = take(checked_mul(ceil_div(s.v_head_size, value_columns), value_columns), s.kv_length);
    q_ = take(block_, q_pitch());
    scores_ = take(block_, score_pitch());
    bias_ = take(1, s.kv_length);
    floats_ = end;
  }

  Workspace workspace(std::byte* scratch) const {
    auto* floats = reinterpret_cast<float*>(scratch);
    const auto pointers = reinterpret_cast<const float**>(floats + floats_);
    return {floats + k_, floats + v_, floats + q_, floats + scores_, floats + bias_, pointers};
  }

  /// The keys for blocks [first, last) of queries, from the beginning of a panel.
  KeyRange keys_of(int64_t first, int64_t last, const AttentionSample& sample) const {
    const int64_t end = std::min(last * block_, sizes().q_length);
    KeyRange keys = rule_.keys_of(first * block_, end, sample.offset, sample.keys);
    keys.begin = keys.begin / panel_ * panel_;
    return keys;
  }

  void pack(const AttentionHead& head, const KeyRange& keys, const Workspace& work) const {
    const int64_t depth = sizes().head_size;
    for (int64_t j = keys.begin; j < keys.end; j += panel_) {
      float* panel = work.k + (j - keys.begin) * depth;
      const int64_t columns = std::min<int64_t>(panel_, keys.end - j);
      if (columns < panel_) std::fill(panel, panel + panel_ * depth, 0.0f);
      const float* k = head.k.row(head.b, head.kv_head, j);
      transpose_.bits32(k, columns, depth, head.k.layout.row, panel, panel_);
      head.checkpoints.add(depth * panel_);
    }
    if (keys.begin == keys.end) return;
    GemmWeights<float> v;
    v.data = head.v.row(head.b, head.kv_head, keys.begin);
    v.depth = keys.end - keys.begin;
    v.columns = sizes().v_head_size;
    v.depth_stride = head.v.layout.row;
    v.column_stride = 1;
    pack_weights(v, value_panels(), work.v);
  }

  void run_block(const AttentionHead& head, int64_t task, const KeyRange& packed, const AttentionSample& sample,
                 const Workspace& work) const {
    const int64_t h = head.kv_head * sizes().group() + task / blocks_, block = task % blocks_;
    const int64_t begin = block * block_, rows = std::min(block_, sizes().q_length - begin);
    const KeyRange keys = keys_of(block, block + 1, sample);
    scale_queries(head, h, begin, rows, work.q);
    multiply_keys(rows, packed, keys, work, head.checkpoints);
    rows_.finish(head.context, {head.b, h, begin, rows, keys, work.scores, score_pitch()}, work.bias, head.checkpoints);
    multiply_values(rows, packed, keys, work, output_row(head, h, begin), head.checkpoints);
  }

  /// Calls f(first row, rows) for tiles of panels of `width` that cover [0, rows).
  template <class F>
  void for_tiles(int64_t rows, int width, F f) const {
    const int64_t tiles = ceil_div(rows, gemm_.tile_rows[width - 1]);
    for (int64_t t = 0; t < tiles; ++t) f(rows * t / tiles, rows * (t + 1) / tiles - rows * t / tiles);
  }

  GemmPanels value_panels() const { return equal_panels(sizes().v_head_size, kPanelWidth, gemm_.lanes); }

  void strip(const Workspace& work, const float* a, int64_t a_pitch, int64_t rows, GemmStrip<GemmF32>& s) const {
    for (int64_t i = 0; i < rows; ++i) work.pointers[i] = a + i * a_pitch;
    s.a = work.pointers;
    s.rows = int(rows);
    gemm_.strip(s);
  }

  void multiply_keys(int64_t rows, const KeyRange& packed, const KeyRange& keys, const Workspace& work,
                     Checkpoints& checkpoints) const {
    const int64_t depth = sizes().head_size;
    const int64_t slab = std::max<int64_t>(1, kSlabFloats / std::max<int64_t>(1, depth * panel_));
    const GemmPanels panels = equal_panels(keys.end - packed.begin, key_width_, gemm_.lanes);
    for (int64_t first = (keys.begin - packed.begin) / panel_; first < panels.count(); first += slab) {
      for (int64_t d = 0; d < std::max<int64_t>(1, depth); d += kLongestAttentionSum) {
        GemmStrip<GemmF32> s;
        s.panels = &panels;
        s.panel = first;
        s.panel_end = std::min(first + slab, panels.count());
        s.depth = std::min(kLongestAttentionSum, depth - d);
        s.b = work.k;
        s.b_rows = depth;
        s.b_row = d;
        s.y_pitch = score_pitch();
        s.accumulate = d > 0;
        for_tiles(rows, key_width_, [&](int64_t i, int64_t count) {
          s.y = work.scores + i * score_pitch() + packed.begin + panels.first_column(first);
          strip(work, work.q + i * q_pitch() + d, q_pitch(), count, s);
        });
        checkpoints.add(rows * s.depth * (s.panel_end - first) * key_width_);
      }
    }
  }

  void multiply_values(int64_t rows, const KeyRange& packed, const KeyRange& keys, const Workspace& work, float* y,
                       Checkpoints& checkpoints) const {
    if (keys.begin == keys.end) {
      for (int64_t i = 0; i < rows; ++i) std::fill_n(y + i * y_layout_.row, sizes().v_head_size, 0.0f);
    }
    const int64_t slab =
        std::clamp<int64_t>(kSlabFloats / std::max<int64_t>(1, sizes().v_head_size), 32, kLongestAttentionSum);
    const GemmPanels panels = value_panels();
    for (int64_t j = keys.begin; j < keys.end; j += slab) {
      GemmStrip<GemmF32> s;
      s.panels = &panels;
      s.panel_end = panels.count();
      s.depth = std::min(slab, keys.end - j);
      s.b = work.v;
      s.b_rows = packed.end - packed.begin;
      s.b_row = j - packed.begin;
      s.y_pitch = y_layout_.row;
      s.accumulate = j > keys.begin;
      for_tiles(rows, kPanelWidth, [&](int64_t i, int64_t count) {
        s.y = y + i * y_layout_.row;
        strip(work, work.scores + i * score_pitch() + j, score_pitch(), count, s);
      });
      checkpoints.add(rows * s.depth * s.panel_end * kPanelWidth);
    }
  }

  const GemmKernels<GemmF32>& gemm_;
  const TransposeKernels& transpose_;
  int tile_;            // rows of the highest tile of kPanelWidth
  int key_width_;       // vectors of a panel of keys
  int panel_;           // keys
  int64_t block_ = 0;   // queries in a block
  int64_t blocks_ = 0;  // of a query head
  int64_t parts_ = 1;
  int64_t k_ = 0, v_ = 0, q_ = 0, scores_ = 0, bias_ = 0, floats_ = 0;
};

}  // namespace

std::unique_ptr<HeadAlgorithm> make_many_queries(const AttentionRule& rule, Isa isa, int workers) {
  return std::make_unique<ManyQueries>(rule, isa, workers);
}

}  // namespace linnet
