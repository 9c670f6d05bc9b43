#include "gemm/nbits_packing.h"

#include <bit>

#include "partition/parts.h"
#include "tensor/alignment.h"
#include "tensor/checksum.h"

namespace linnet {
namespace {

bool constant(const CompileInput& in, int input) { return !in.has(input) || in.constant(input); }
Tensor constant_or_none(const CompileInput& in, int input) { return in.has(input) ? *in.constant(input) : Tensor(); }

constexpr size_t kHalves = 2;  // number of a digest: whether float16 holds the part exactly

/// Returns what the packed form depends on in a part other than the codes: a checksum and the number kHalves.
Tensor digest_of(const Tensor& part) {
  Checksummer sum;
  sum.add(std::string_view(static_cast<const char*>(part.raw()), part.bytes()));
  const Checksum result = sum.result();
  return Tensor::of<int64_t>({std::bit_cast<int64_t>(result.low), std::bit_cast<int64_t>(result.high),
                              part.dtype() == DType::kFloat32 && are_halves(part)});
}

}  // namespace

NBitsPacking::NBitsPacking(const NBitsMatrix& matrix, const NBitsInputs& inputs, const CompileInput& in, int lanes,
                           bool half_scales)
    : m_(matrix), inputs_(inputs) {
  if (constant(in, inputs.order)) rows_.emplace(m_, constant_or_none(in, inputs.order));
  const NBitsRows in_order(m_, Tensor());
  form_ = {.bits = m_.bits, .block = in_order.block(), .lanes = lanes, .half_scales = half_scales};
  // In another order, every block of the matrix may fill one packed block only in part.
  form_.blocks = rows_ ? rows_->blocks() : in_order.blocks() + m_.blocks();
  if (in.has(inputs.zeros)) {
    form_.zeros = in.dtype(inputs.zeros) == DType::kUint8 ? NBitsZeros::kBytes : NBitsZeros::kFloats;
  }
  if (rows_ && in.constant(inputs.codes) && in.constant(inputs.scales) && constant(in, inputs.zeros)) {
    pack(in);
  } else {
    form_.half_scales = false;
  }
}

void NBitsPacking::pack(const CompileInput& in) {
  const NBitsParts parts{*in.constant(inputs_.codes), *in.constant(inputs_.scales), constant_or_none(in, inputs_.zeros),
                         constant_or_none(in, inputs_.order)};
  std::vector<int64_t> contents;
  for (const Tensor& part : {parts.scales, parts.zeros, parts.order}) {
    if (!part) continue;
    const Tensor& digest = digests_.emplace_back(in.packed(part, {"digest"}, [&] { return digest_of(part); }));
    contents.insert(contents.end(), digest.data<int64_t>(), digest.data<int64_t>() + digest.size());
  }
  form_.half_scales = form_.half_scales && contents[kHalves] != 0;
  PackedForm form{"blocks of codes",
                  {m_.k, m_.n, m_.bits, m_.block_size, form_.lanes, form_.half_scales, int64_t(form_.zeros)}};
  form.numbers.insert(form.numbers.end(), contents.begin(), contents.end());
  packed_ = in.packed(parts.codes, form, [&] {
    Tensor packed = in.packed_memory(DType::kUint8, Shape{packed_bytes(m_, form_)});
    pack_nbits(m_, parts, *rows_, form_, in.executor(), static_cast<std::byte*>(packed.raw()));
    return packed;
  });
}

size_t NBitsPacking::scratch_bytes() const {
  return packed() ? 0 : aligned(dtype_bytes(DType::kUint8, packed_bytes(m_, form_)));
}

NBitsPacking::View NBitsPacking::view(KernelContext& context, std::byte* scratch) const {
  View view{form_, rows_ ? &*rows_ : nullptr, {}, scratch};
  if (packed()) {
    view.panels = static_cast<const std::byte*>(packed_.raw());
    return view;
  }
  const NBitsParts parts{context.input(inputs_.codes), context.input(inputs_.scales), context.input(inputs_.zeros),
                         context.input(inputs_.order)};
  if (parts.order) check_nbits_order(m_, parts.order);
  if (!rows_) view.own_rows.emplace(m_, parts.order);
  view.form.blocks = view.rows().blocks();
  pack_nbits(m_, parts, view.rows(), view.form, context.executor(), scratch);
  return view;
}

}  // namespace linnet
