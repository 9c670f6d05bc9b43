#pragma once

#include <span>

#include "kernels/numbers.h"
#include "linnet/node_spec.h"

namespace linnet {

/// What is done to the scores of one row at the end, numbered as in TreeEnsemble.
enum class PostTransform { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

/// The attribute post_transform, kNone where it is absent. Throws Error(kModel) for an unknown value.
PostTransform post_transform_of(const NodeSpec& node);
/// The one that TreeEnsemble writes as this number.
PostTransform post_transform_of(int64_t number);

/// 1 / (1 + exp(-x)), without overflow.
double logistic(double x);
/// The inverse of the normal distribution, sqrt(2) * erf^-1(2 x - 1), exact but for rounding. NaN outside [0, 1].
double probit(double x);

/// Applies the transform to the scores of one row. SOFTMAX_ZERO is a softmax over the scores that are not zero (1e-7 or
/// more away from it); zeros stay zero.
void apply(PostTransform transform, std::span<double> scores);

/// The same for rows of scores, [rows, count]; exp: the kernels' function of float64.
void apply_to_rows(PostTransform transform, double* scores, int64_t rows, int64_t count, NumberFunction exp);

/// The two scores of a binary classifier that computed only one, that of the positive class.
/// `mixed`: the score may be negative; the classes get -score and score, otherwise 1 - score and score. LOGISTIC and
/// PROBIT are applied to the score; the softmaxes are not applied, as in ONNX Runtime.
void apply_binary(PostTransform transform, double score, bool mixed, std::span<double, 2> scores);

}  // namespace linnet
