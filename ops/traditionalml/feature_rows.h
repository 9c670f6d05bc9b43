#pragma once

#include <functional>
#include <span>
#include <string>

#include "kernels/dots.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"

// Functions that the operators of ai.onnx.ml share for their input X: rows of numbers, shape [N, C], or [C] for one
// row.
namespace linnet {

/// The dtypes of numbers in ai.onnx.ml: float32, float64, int64, int32.
inline constexpr DType kMlNumbers[] = {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32};

struct Rows {
  int64_t count;  ///< N
  int64_t width;  ///< C
};

/// Checks that X is one of kMlNumbers and, if its rank is known, that the rank is 1 or 2.
void require_rows(const Fact& x);
/// Returns the rows of X. Throws Error(kShape) for ranks other than 1 and 2.
Rows rows_of(const Shape& x);
/// Returns the number of features of X of any rank: the last dim, or the one before trailing dims of 1 after axis 1,
/// which converters of image models leave.
Dim feature_dim(const Fact& x);
/// Returns N if it is known.
Dim row_dim(const Fact& x);

/// Checks that an attribute has the expected number of values: "coefficients must have 6 values, got 5".
void require_length(const std::string& attribute, size_t got, int64_t want);
/// Throws Error(kModel) for an attribute with an invalid value.
[[noreturn]] void throw_value(const std::string& attribute, const std::string& got, const std::string& allowed);

/// Writes n numbers of a tensor's data, from element `begin` on, as float64.
using ReadNumbers = void (*)(const void* data, int64_t begin, int64_t n, double* out);
/// Supports kMlNumbers and float16. Throws Error(kUnsupported) for other dtypes.
ReadNumbers read_numbers_of(DType dtype);

/// Reads the rows of X as float64, DotKernels::kRows of them at a time.
class RowBlocks {
 public:
  /// Processes `count` rows from `row` on, [count, width] numbers. `numbers` is scratch memory of the caller.
  using Work = std::function<void(int64_t row, int count, const double* rows, double* numbers)>;

  explicit RowBlocks(const CompileInput& in);

  int64_t width() const { return rows_.width; }
  /// Returns the scratch bytes of a worker, including `numbers` numbers for the caller.
  size_t scratch_bytes(int64_t numbers) const;
  /// Processes all rows of input 0, divided over the workers. `cost`: operations for a row.
  void for_each(KernelContext& context, int64_t cost, const Work& work) const;

 private:
  ReadNumbers read_;
  Rows rows_;
};

/// Returns the sum of a[i] * b[i], added in a fixed order.
double dot(const double* a, const float* b, int64_t n);

/// Vectors [count, width] that rows are multiplied by or compared with.
class DotVectors {
 public:
  DotVectors(std::span<const float> vectors, int64_t count);

  int64_t count() const { return count_; }
  int64_t width() const { return width_; }
  /// Writes the kernel's sums of at most DotKernels::kRows rows of x and each vector to out [rows, count].
  void sums(DotKernels::Sums kernel, const double* x, int rows, double* out) const;

 private:
  int64_t count_, width_;
  CountedVector<float> panels_;
};

}  // namespace linnet
