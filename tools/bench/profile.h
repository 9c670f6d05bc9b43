#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "linnet/model.h"
#include "roofline/roofline.h"

namespace linnet::tool {

/// Records what runs, node by node: every event of the latest run, and totals over all runs.
class Profiler final : public Observer {
 public:
  struct Event {
    std::string name, op_type, kernel, outputs;
    double begin_us = 0, duration_us = 0;  ///< begin: since the beginning of the run
    NodeCost cost;
  };

  /// Call before every run.
  void begin_run();
  void on_node(const NodeEvent& event) override;

  const std::vector<Event>& events() const { return events_; }
  /// A table with one line per node and kernel, the most expensive first: share, mean time per call, calls, rates of
  /// computation and of moved bytes, percentage of what the roofline permits, description. The roofline is at the end.
  std::string table(const Roofline& roofline) const;
  /// The nodes of the latest run in order, with the descriptions of their kernels.
  std::string plan() const;
  /// The latest run in the format that chrome://tracing and ui.perfetto.dev open.
  /// Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
  std::string trace(const Roofline& roofline) const;

 private:
  /// All calls of a node with equal outputs.
  struct Total {
    Event latest;
    int64_t calls = 0;
    double sum_us = 0;
    NodeCost sum_cost;
  };

  Clock::time_point begin_;
  std::vector<Event> events_;
  std::map<std::string, Total> totals_;
};

}  // namespace linnet::tool
