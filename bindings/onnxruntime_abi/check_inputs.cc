#include "check_inputs.h"

#include "dtypes.h"
#include "shape_mismatch.h"
#include "status.h"

namespace linnet::ort {
namespace {

/// Returns the type that a value must have. For an optional, this is the type of its contents.
const Fact& wanted_fact(const ValueInfo& info) {
  return info.fact.dtype == DType::kOptional && info.fact.element ? *info.fact.element : info.fact;
}

bool is_scalar(const Fact& fact) { return fact.has_rank() && fact.rank() == 0; }

const char* kind_text(ValueKind kind) {
  switch (kind) {
    case kSequenceKind:
      return "a tensor sequence";
    case kMapKind:
      return "a map";
    case kSparseTensorKind:
      return "a sparse tensor";
    case kTensorKind:
      return "a tensor";
    default:
      return "nothing";
  }
}

ValueKind wanted_kind(const Fact& fact) {
  if (fact.dtype == DType::kSequence) return kSequenceKind;
  return fact.dtype == DType::kMap ? kMapKind : kTensorKind;
}

/// Returns the index of a name among the inputs, followed by the overridable initializers.
size_t place_of(const SessionState& session, const char* name) {
  require(name && *name, "input name cannot be empty");
  if (const auto place = session.inputs().find(name)) return *place;
  if (const auto place = session.overridable().find(name)) return session.inputs().values.size() + *place;
  throw Failure(kInvalidArgument, str("Invalid input name: ", name));
}

const ValueInfo& info_at(const SessionState& session, size_t place) {
  const std::vector<ValueInfo>& inputs = session.inputs().values;
  return place < inputs.size() ? inputs[place] : session.overridable().values[place - inputs.size()];
}

/// Returns the tensor for an input. An optional input accepts the type of its contents, or no value.
Tensor given_tensor(const ValueInfo& info, const Tensor& tensor) {
  const bool wraps = info.fact.dtype == DType::kOptional && !(tensor && tensor.dtype() == DType::kOptional);
  if (is_scalar(info.fact) && !wraps && tensor.rank() > 0) return tensor.reshaped({});
  return wraps ? Tensor::scalar(Optional{tensor}) : tensor;
}

}  // namespace

void check_value(const char* side, const ValueInfo& info, const Value& value) {
  const Fact& wanted = wanted_fact(info);
  if (info.fact.dtype == DType::kOptional && value.kind() == kOptionalKind) return;
  if (value.kind() != wanted_kind(wanted)) {
    throw Failure(kInvalidArgument, str(side, " with name: '", info.name, "' expected to be of type: ",
                                        int(wanted_kind(wanted)) + 1, " but received ", kind_text(value.kind())));
  }
  if (!is_container(wanted.dtype)) {
    if (value.tensor.dtype() != wanted.dtype) {
      throw Failure(kInvalidArgument, str("Unexpected ", side, " data type. Actual: (", type_text(Fact(value.tensor)),
                                          ") , expected: (", type_text(wanted), ")"));
    }
    const std::string mismatch = shape_mismatch(side, info.name, wanted, value.tensor.shape());
    if (!mismatch.empty()) throw Failure(kInvalidArgument, mismatch);
  } else if (!fits(wanted, value.tensor)) {
    throw Failure(kInvalidArgument, str("Unexpected ", side, " data type for ", side, ": ", info.name, ", expected: (",
                                        type_text(wanted), ")"));
  }
}

std::vector<Tensor> checked_inputs(const SessionState& session, std::span<const char* const> names,
                                   std::span<const Value* const> values) {
  const size_t required = session.inputs().values.size();
  std::vector<Tensor> tensors(required + session.overridable().values.size());
  std::vector<bool> given(tensors.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t place = place_of(session, names[i]);
    if (!values[i]) throw Failure(kInvalidArgument, str("NULL input supplied for input ", names[i]));
    const ValueInfo& info = info_at(session, place);
    check_value("input", info, *values[i]);
    tensors[place] = given_tensor(info, values[i]->tensor);
    given[place] = true;
  }
  for (size_t i = 0; i < required; ++i) {
    if (given[i]) continue;
    const ValueInfo& info = session.inputs().values[i];
    if (info.fact.dtype != DType::kOptional) {
      throw Failure(kFail, str("Non-zero status code returned while running the model: Missing Input: ", info.name));
    }
    tensors[i] = given_tensor(info, Tensor());
  }
  return tensors;
}

}  // namespace linnet::ort
