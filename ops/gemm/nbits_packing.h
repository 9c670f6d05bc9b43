#pragma once

#include <optional>
#include <vector>

#include "gemm/nbits_weights.h"

namespace linnet {

/// The positions of the parts of a matrix of codes among a node's inputs. zeros and order may be omitted.
struct NBitsInputs {
  int codes = 1, scales = 2, zeros = 3, order = 4;
};

/// A matrix of codes in the form that a kernel reads. It is packed once where its parts are constant, else in every
/// run.
class NBitsPacking {
 public:
  NBitsPacking(const NBitsMatrix& matrix, const NBitsInputs& inputs, const CompileInput& in, int lanes,
               bool half_scales);

  /// The packed matrix of one run.
  struct View {
    NBitsForm form;
    const NBitsRows* known_rows;        ///< null where they are known only at run time
    std::optional<NBitsRows> own_rows;  ///< set where known_rows is null
    const std::byte* panels;

    const NBitsRows& rows() const { return known_rows ? *known_rows : *own_rows; }
  };
  /// scratch: scratch_bytes(), shared by all workers.
  View view(KernelContext& context, std::byte* scratch) const;

  bool packed() const { return bool(packed_); }
  /// The packed form. Where the order of rows is known only at run time, it has the greatest possible number of blocks.
  const NBitsForm& form() const { return form_; }
  size_t scratch_bytes() const;

 private:
  void pack(const CompileInput& in);

  NBitsMatrix m_;
  NBitsInputs inputs_;
  std::optional<NBitsRows> rows_;
  NBitsForm form_;
  Tensor packed_;
  std::vector<Tensor> digests_;  // of the other parts; keeps them cached for further kernels
};

}  // namespace linnet
