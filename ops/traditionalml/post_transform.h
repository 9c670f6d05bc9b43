#pragma once

#include <span>

#include "kernels/numbers.h"
#include "linnet/node_spec.h"

namespace linnet {

/// The final transformation of the scores of one row, numbered as in TreeEnsemble.
enum class PostTransform { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

/// Returns the attribute post_transform, kNone if it is absent. Throws Error(kModel) for an unknown value.
PostTransform post_transform_of(const NodeSpec& node);
/// Returns the transformation with this number in TreeEnsemble.
PostTransform post_transform_of(int64_t number);

/// Returns 1 / (1 + exp(-x)) without overflow.
double logistic(double x);
/// Returns the inverse of the normal distribution, sqrt(2) * erf^-1(2 x - 1), exact except for rounding. NaN outside
/// [0, 1].
double probit(double x);

/// Applies the transform to the scores of one row. SOFTMAX_ZERO is a softmax over the nonzero scores (magnitude above
/// 1e-7); zeros stay zero.
void apply(PostTransform transform, std::span<double> scores);

/// Applies the transform to rows of scores, [rows, count]. exp: the kernels' function of float64.
void apply_to_rows(PostTransform transform, double* scores, int64_t rows, int64_t count, NumberFunction exp);

/// Computes the two scores of a binary classifier from the score of the positive class.
/// `mixed`: the score may be negative; the classes get -score and score, otherwise 1 - score and score. LOGISTIC and
/// PROBIT are applied to the score; the softmaxes are not applied, as in ONNX Runtime.
void apply_binary(PostTransform transform, double score, bool mixed, std::span<double, 2> scores);

}  // namespace linnet
