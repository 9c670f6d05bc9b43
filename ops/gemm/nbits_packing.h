#pragma once

#include <optional>
#include <vector>

#include "gemm/nbits_weights.h"

namespace linnet {

/// Where the parts of a matrix of codes are among a node's inputs; zeros and order may be omitted.
struct NBitsInputs {
  int codes = 1, scales = 2, zeros = 3, order = 4;
};

/// A matrix of codes as a kernel has it: packed once where its parts are constant, else in every run.
class NBitsPacking {
 public:
  NBitsPacking(const NBitsMatrix& matrix, const NBitsInputs& inputs, const CompileInput& in, int lanes,
               bool half_scales);

  /// The packed matrix of one run.
  struct View {
    NBitsForm form;
    const NBitsRows* known_rows;        ///< null where only the run knows them
    std::optional<NBitsRows> own_rows;  ///< then
    const std::byte* panels;

    const NBitsRows& rows() const { return known_rows ? *known_rows : *own_rows; }
  };
  /// scratch: scratch_bytes(), of all workers together.
  View view(KernelContext& context, std::byte* scratch) const;

  bool packed() const { return bool(packed_); }
  /// Its form; where only the run knows the order of rows, with as many blocks as there may be.
  const NBitsForm& form() const { return form_; }
  size_t scratch_bytes() const;

 private:
  void pack(const CompileInput& in);

  NBitsMatrix m_;
  NBitsInputs inputs_;
  std::optional<NBitsRows> rows_;
  NBitsForm form_;
  Tensor packed_;
  std::vector<Tensor> digests_;  // of the other parts: kept, so that further kernels need not read these
};

}  // namespace linnet
