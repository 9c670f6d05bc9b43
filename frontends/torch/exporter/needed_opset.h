#pragma once

#include "export_error.h"
#include "linnet/lowering.h"

namespace linnet::exporter {

/// Returns make(), which exports with these options. If operators need a newer opset and `may_raise` is set, updates
/// the options and calls make() again.
template <class Make>
auto with_needed_opset(ExportOptions& options, bool may_raise, const Make& make) {
  for (;;) {
    try {
      return make();
    } catch (const NeedsOpset& needed) {
      if (!may_raise) throw;
      options.opset = needed.opset();
    }
  }
}

}  // namespace linnet::exporter
