#include "site.h"

#include "export_error.h"

namespace linnet::exporter {

std::string Site::message(const std::string& reason) const {
  std::string message = operator_name + ": " + reason;
  if (!schema.empty()) message += "; schema: " + schema;
  if (!source.empty()) message += "; at " + source;
  return message;
}

void Site::refuse(const std::string& reason) const { throw ExportError(message(reason)); }

}  // namespace linnet::exporter
