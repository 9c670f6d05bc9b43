#include <algorithm>
#include <array>
#include <limits>

#include "infer/checked_values.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr int kRows = 0, kColumns = 1, kBefore = 2, kMaskQuery = 3, kCache = 4;

class BlockMaskBiasKernel final : public Kernel {
 public:
  BlockMaskBiasKernel(const CompileInput& in, int64_t block)
      : layouts_(in.shape(kRows)[0]),
        blocks_(in.shape(kRows)[1] - 1),
        most_(in.shape(kColumns)[1]),
        block_(block),
        heads_(in.output_shape(0)[1]),
        length_(in.output_shape(0)[2]),
        capacity_(in.output_shape(0)[3]) {}

  void run(KernelContext& context) const override {
    const auto rows = context.input(kRows).values<int32_t>();
    const auto before = context.input(kBefore).values<int64_t>();
    check(rows);
    for (const int64_t position : before) check_position(position);
    const auto* columns = context.input(kColumns).data<int32_t>();
    float* bias = context.output(0).data<float>();
    const int64_t lines = context.output(0).size() / std::max<int64_t>(1, capacity_);
    parallel_items(context.executor(), lines, capacity_, [&](int64_t line, int64_t end, int) {
      Checkpoints checkpoints;
      for (; line < end; ++line) {
        const int64_t sample = line / length_ / heads_, layout = line / length_ % heads_ % layouts_;
        const int64_t position = before[size_t(sample)] + line % length_,
                      row = std::min(position / block_, blocks_ - 1);
        const int32_t* part = rows.data() + layout * (blocks_ + 1) + row;
        write_line({columns + layout * most_ + part[0], size_t(part[1] - part[0])}, bias + line * capacity_,
                   checkpoints);
      }
    });
  }

 private:
  void check(std::span<const int32_t> rows) const {
    for (int64_t layout = 0; layout < layouts_; ++layout) {
      const std::ptrdiff_t first = layout * (blocks_ + 1);
      const auto own = rows.subspan(size_t(first), size_t(blocks_) + 1);
      if (own.front() >= 0 && own.back() <= most_ && std::ranges::is_sorted(own)) continue;
      throw Error(ErrorKind::kShape,
                  str("row ", layout, " of block_row_indices must ascend from 0 on and end at most at ", most_));
    }
  }

  void check_position(int64_t position) const {
    if (position >= 0 && position <= capacity_) return;
    throw Error(ErrorKind::kShape, str("before must be in [0,", capacity_, "], got ", position));
  }

  void write_line(std::span<const int32_t> columns, float* line, Checkpoints& checkpoints) const {
    std::fill_n(line, capacity_, -std::numeric_limits<float>::infinity());
    for (const int32_t column : columns) {
      if (column < 0 || column >= blocks_) {
        throw Error(ErrorKind::kShape, str("block_col_indices must be in [0,", blocks_, "), got ", column));
      }
      const int64_t begin = std::min(capacity_, checked_mul(column, block_)), end = std::min(capacity_, begin + block_);
      std::fill(line + begin, line + end, 0.0f);
      checkpoints.add(end - begin);
    }
  }

  int64_t layouts_, blocks_, most_, block_, heads_, length_, capacity_;
};

/// BlockMaskBias, of the internal domain "linnet": the bias of scores with which a query row sees only the blocks of
/// keys that a sparse mask allows for the block of its position: 0 for these, -inf for others. Head h has layout h
/// modulo the number of layouts.
/// - num_heads, sparse_block_size: attributes; blocks * sparse_block_size must fit in int64
/// - block_row_indices: int32 [layouts, blocks + 1], block_col_indices: int32 [layouts, n], in compressed rows
/// - before: int64 [batch], the position of the first query row, in [0, capacity]
/// - query: [batch, length, size], cache: [batch, heads, capacity, size]; only their shapes are read
/// - Y: float32 [batch, num_heads, length, capacity]
/// Indices and positions are checked in each run.
class BlockMaskBias final : public Op {
 public:
  explicit BlockMaskBias(const NodeSpec& node)
      : heads_(positive_attribute(node, "num_heads")), block_(positive_attribute(node, "sparse_block_size")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 5, 5);
    for (const int i : {kRows, kColumns}) {
      const std::string name = i == kRows ? "block_row_indices" : "block_col_indices";
      require_dtype(in[size_t(i)], DType::kInt32, name);
      require_rank(in[size_t(i)], 2, name);
    }
    require_dtype(in[kBefore], DType::kInt64, "before");
    require_rank(in[kBefore], 1, "before");
    require_rank(in[kMaskQuery], 3, "query");
    require_rank(in[kCache], 4, "cache");
    check_blocks(in[kRows], in[kColumns]);
    const auto dim = [&](int i, int d) { return in[size_t(i)].has_rank() ? in[size_t(i)].dim(d) : Dim(); };
    const Dim batch = merge_dim(dim(kMaskQuery, 0), dim(kBefore, 0), "the batch of query and before");
    return {Fact(DType::kFloat32, Dims{batch, Dim(heads_), dim(kMaskQuery, 1), dim(kCache, 2)})};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<BlockMaskBiasKernel>(in, block_); }

 private:
  void check_blocks(const Fact& rows, const Fact& columns) const {
    if (!rows.has_rank()) return;
    if (columns.has_rank()) check_layouts(merge_dim(rows.dim(0), columns.dim(0), "the layouts of the block indices"));
    if (!rows.dim(1).known()) return;
    const int64_t blocks = rows.dim(1).value() - 1;
    if (blocks < 1) throw Error(ErrorKind::kShape, str("block_row_indices must have two columns or more, got ", rows));
    if (block_ <= std::numeric_limits<int64_t>::max() / blocks) return;
    throw Error(ErrorKind::kLimit, str("sparse_block_size is too large for ", blocks, " blocks, got ", block_));
  }

  void check_layouts(const Dim& layouts) const {
    if (!layouts.known() || (layouts.value() != 0 && heads_ % layouts.value() == 0)) return;
    throw Error(ErrorKind::kShape, str("num_heads must be a multiple of the layouts, got ", heads_, " and ", layouts));
  }

  int64_t heads_, block_;
};

}  // namespace

LINNET_REGISTER(block_mask_bias)(Registry& registry) {
  registry.add<BlockMaskBias>("BlockMaskBias", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
