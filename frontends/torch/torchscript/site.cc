#include "site.h"

namespace linnet::exporter::torchscript {
namespace {

std::string first_line(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string Site::operator_name() const {
  const c10::FunctionSchema* known = node_.maybeSchema();
  if (known == nullptr) return node_.kind().toQualString();
  return known->overload_name().empty() ? known->name() : known->name() + "." + known->overload_name();
}

std::string Site::source() const {
  torch::jit::SourceRange range = node_.sourceRange();
  if (const auto python = range.findSourceRangeThatGenerated()) range = *python;
  if (const auto place = range.file_line_col()) {
    return text_of(std::get<0>(*place), ":", std::get<1>(*place) + 1);
  }
  return first_line(range.str());
}

// Inlining preserves the calls that lead to a node. Calls of a submodule's methods know its name.
std::string Site::scope() const {
  std::string scope;
  const auto calls = node_.callstack();
  if (!calls) return scope;
  for (const auto& call : (*calls)->vec()) {
    const auto& module = std::get<c10::optional<torch::jit::ModuleInstanceInfo>>(call);
    if (!module) continue;
    const std::string name = module->instance_name();
    if (name == "SELF" || name.find("UNKNOWN") != std::string::npos) continue;
    if (!scope.empty()) scope += '.';
    scope += name;
  }
  return scope;
}

exporter::Site Site::seen() const {
  exporter::Site site{operator_name(), {}, "", source(), scope()};
  if (const c10::FunctionSchema* known = node_.maybeSchema()) {
    site.schema = text_of(*known);
    for (const c10::Argument& argument : known->arguments()) site.arguments.push_back(argument.name());
  }
  return site;
}

void Site::refuse(const std::string& reason) const { seen().refuse(reason); }

}  // namespace linnet::exporter::torchscript
