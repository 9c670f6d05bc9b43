#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "linnet/options.h"
#include "linnet/registry.h"
#include "proto.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The highest version of the default operator set whose operators this loader knows to mean what it thinks.
inline constexpr int64_t kNewestOpset = 28;

/// "" for the default operator set, which may also be written "ai.onnx"; other domains unchanged.
const std::string& normalize_domain(const std::string& domain);

/// The operator set versions that a model or a function imports.
class OpsetImports {
 public:
  OpsetImports() = default;
  /// Of several versions of a domain the last one counts, as in ONNX Runtime, which the log says. Throws Error(kModel)
  /// for versions below 1, Error(kUnsupported) for a default operator set above kNewestOpset unless `options` allow it.
  OpsetImports(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports, const ModelOptions& options);

  /// Has domains that this one lacks be those of another, which must outlive it.
  void fall_back_to(const OpsetImports& others) { others_ = &others; }
  /// Imports the domains of the registry that this one lacks, at their newest versions, as ONNX Runtime does.
  void assume_missing(const Registry& registry);
  /// The model does not import the domain.
  bool is_assumed(const std::string& domain) const;
  bool empty() const { return versions_.empty(); }
  /// The default operator set is above kNewestOpset.
  bool newer() const;
  /// The version of a normalised domain. Throws Error(kModel) when it is not imported.
  int64_t version(const std::string& domain) const;

 private:
  using Version = std::pair<const std::string, int64_t>;

  std::map<std::string, int64_t, std::less<>, CountedAllocator<Version>> versions_;
  std::set<std::string> assumed_;
  const OpsetImports* others_ = nullptr;
};

}  // namespace linnet
