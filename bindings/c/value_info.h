#pragma once

#include <string>
#include <vector>

#include "linnet.h"
#include "linnet/fact.h"

namespace linnet::c_api {

/// A Fact in the form of the C API. It refers to the name and to the fact that it is made from.
class FactInfo {
 public:
  FactInfo(const char* name, const Fact& fact);
  FactInfo(const char* name, Fact&& fact) = delete;

  linnet_value_info info() const;

 private:
  const char* name_;
  linnet_dtype dtype_;
  int32_t rank_ = -1;
  std::vector<int64_t> dims_;
  std::vector<std::string> texts_;
  std::vector<const char*> symbols_;
};

/// The fact that a caller describes. Throws ArgumentError for an invalid field, Error(kUnsupported) for a dtype that is
/// not of numbers, Error(kLimit) beyond kMaxRank.
Fact fact_of(const linnet_value_info& info);

}  // namespace linnet::c_api
