#include "site.h"

#include <algorithm>

namespace linnet::exporter {
namespace {

std::string first_line(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string Site::operator_name() const {
  const c10::FunctionSchema* known = node_.maybeSchema();
  if (known == nullptr) return node_.kind().toQualString();
  return known->overload_name().empty() ? known->name() : known->name() + "." + known->overload_name();
}

std::string Site::source() const {
  const torch::jit::SourceRange range = node_.sourceRange();
  if (const auto place = range.file_line_col()) {
    return text_of(std::get<0>(*place), ":", std::get<1>(*place) + 1);
  }
  return first_line(range.str());
}

// A traced scope is "Model::/Sequential::layer1/Conv2d::layer1.0.conv1" or "__module.layer1/__module.layer1.0".
std::string Site::scope() const {
  std::string scope = node_.scopeName();
  scope = scope.substr(scope.rfind('/') + 1);
  const size_t type = scope.rfind("::");
  if (type != std::string::npos) scope = scope.substr(type + 2);
  replace_all(scope, "__module.", "");
  return scope;
}

void Site::refuse(const std::string& reason) const {
  std::string message = operator_name() + ": " + reason;
  if (const c10::FunctionSchema* known = node_.maybeSchema()) message += text_of("; schema: ", *known);
  const std::string where = source();
  if (!where.empty()) message += "; at " + where;
  throw ExportError(message);
}

}  // namespace linnet::exporter
