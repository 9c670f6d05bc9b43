#include <utility>

#include "rule_list.h"

// Second names of operators.
namespace linnet::exporter {
namespace {

constexpr std::pair<const char*, const char*> kSynonyms[] = {
    {"abs", "absolute"},
    {"acos", "arccos"},
    {"acosh", "arccosh"},
    {"asin", "arcsin"},
    {"asinh", "arcsinh"},
    {"atan", "arctan"},
    {"atanh", "arctanh"},
    {"cat", "concatenate"},
    {"erf", "special_erf"},
    {"exp2", "special_exp2"},
    {"expm1", "special_expm1"},
    {"ge.Scalar", "greater_equal.Scalar"},
    {"ge.Tensor", "greater_equal.Tensor"},
    {"gt.Scalar", "greater.Scalar"},
    {"gt.Tensor", "greater.Tensor"},
    {"index.Tensor", "_unsafe_index.Tensor"},
    {"le.Scalar", "less_equal.Scalar"},
    {"le.Tensor", "less_equal.Tensor"},
    {"log1p", "special_log1p"},
    {"lt.Scalar", "less.Scalar"},
    {"lt.Tensor", "less.Tensor"},
    {"matmul", "linalg_matmul"},
    {"ne.Scalar", "not_equal.Scalar"},
    {"ne.Tensor", "not_equal.Tensor"},
    {"prelu", "_prelu_kernel"},
    {"round.decimals", "special_round"},
    {"sigmoid", "special_expit"},
    {"trunc", "fix"},
};

std::string qualified(const char* name) { return std::string("aten::") + name; }

}  // namespace

void register_synonyms(Lowerings& lowerings) {
  for (const auto& [first, second] : kSynonyms) {
    const Lowering rule = *lowerings.find(qualified(first));
    lowerings.add(qualified(second), rule);
  }
}

}  // namespace linnet::exporter
