#include "value_info.h"

#include "status.h"
#include "tensors.h"

namespace linnet::c_api {
namespace {

Dim dim_of(const linnet_value_info& info, size_t i) {
  if (info.dims[i] >= 0) return {info.dims[i]};
  require(info.dims[i] == -1, "a dim is below -1");
  const bool named = info.symbols && info.symbols[i] && *info.symbols[i];
  return named ? Dim(std::string(info.symbols[i])) : Dim();
}

}  // namespace

FactInfo::FactInfo(const char* name, const Fact& fact) : name_(name), dtype_(linnet_dtype(fact.dtype)) {
  if (!fact.has_rank() || is_container(fact.dtype)) return;
  rank_ = fact.rank();
  for (const Dim& dim : *fact.dims) {
    dims_.push_back(dim.value());
    texts_.push_back(dim.text());
  }
  for (const std::string& text : texts_) symbols_.push_back(text.c_str());
}

linnet_value_info FactInfo::info() const { return {name_, dtype_, rank_, dims_.data(), symbols_.data()}; }

Fact fact_of(const linnet_value_info& info) {
  const DType dtype = number_dtype(info.dtype);
  require(info.rank >= -1, "a rank is below -1");
  require(info.rank <= 0 || info.dims, "dims is NULL");
  if (info.rank < 0) return {dtype, std::nullopt};
  if (info.rank > kMaxRank) throw Error(ErrorKind::kLimit, str("rank ", info.rank, " is above ", kMaxRank));
  Dims dims;
  for (size_t i = 0; i < size_t(info.rank); ++i) dims.push_back(dim_of(info, i));
  return {dtype, std::move(dims)};
}

}  // namespace linnet::c_api
