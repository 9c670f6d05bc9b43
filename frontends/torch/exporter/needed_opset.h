#pragma once

#include "export_error.h"
#include "linnet/lowering.h"

namespace linnet::exporter {

/// make(), which exports with these options; with `may_raise` again where operators need a newer opset, which the
/// options then have.
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
