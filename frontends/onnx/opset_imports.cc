#include "opset_imports.h"

#include <algorithm>

#include "environment/run_environment.h"
#include "linnet/error.h"

namespace linnet {

namespace {

std::string shown(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

}  // namespace

const std::string& normalize_domain(const std::string& domain) {
  static const std::string standard;
  return domain == "ai.onnx" ? standard : domain;
}

OpsetImports::OpsetImports(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports,
                           const ModelOptions& options) {
  for (const pb::OperatorSetIdProto& import : imports) {
    check_current();
    const std::string& domain = normalize_domain(import.domain());
    const int64_t version = import.version();
    if (version < 1) {
      throw Error(ErrorKind::kModel, str("opset ", version, " of domain '", shown(domain), "', expected at least 1"));
    }
    if (domain.empty() && version > kNewestOpset && !options.allow_newer_opset) {
      throw Error(ErrorKind::kUnsupported,
                  str("opset ", version, " of domain 'ai.onnx', supported are 1 to ", kNewestOpset));
    }
    const auto [known, added] = versions_.emplace(domain, version);
    if (added || known->second == version) continue;
    if (options.log) {
      options.log(LogLevel::kWarning, str("domain '", shown(domain), "' is imported at opset ", known->second,
                                          " and at opset ", version, ", which counts"));
    }
    known->second = version;
  }
}

void OpsetImports::assume_missing(const Registry& registry) {
  std::map<std::string, int64_t> newest{{"", kNewestOpset}};
  for (const Registry::Entry& entry : registry.entries()) {
    int64_t& version = newest[normalize_domain(entry.domain)];
    version = std::max(version, entry.since.back());
  }
  for (const auto& [domain, version] : newest) {
    if (versions_.emplace(domain, version).second) assumed_.insert(domain);
  }
}

bool OpsetImports::is_assumed(const std::string& domain) const {
  return assumed_.contains(domain) || (others_ && !versions_.contains(domain) && others_->is_assumed(domain));
}

bool OpsetImports::newer() const {
  const auto found = versions_.find("");
  return found != versions_.end() && found->second > kNewestOpset;
}

int64_t OpsetImports::version(const std::string& domain) const {
  const auto found = versions_.find(domain);
  if (found == versions_.end() && others_) return others_->version(domain);
  if (found == versions_.end()) {
    throw Error(ErrorKind::kModel, str("domain '", shown(domain), "' is not among the opset imports"));
  }
  return found->second;
}

}  // namespace linnet
