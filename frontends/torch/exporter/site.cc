#include "site.h"

#include "export_error.h"

namespace linnet::exporter {

void Site::refuse(const std::string& reason) const {
  std::string message = operator_name + ": " + reason;
  if (!schema.empty()) message += "; schema: " + schema;
  if (!source.empty()) message += "; at " + source;
  throw ExportError(message);
}

}  // namespace linnet::exporter
