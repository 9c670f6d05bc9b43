#include "bench/profile.h"

#include <algorithm>
#include <cstring>

#include "report/report.h"

namespace linnet::tool {
namespace {

double us(Observer::Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

std::string full_op_type(const NodeSpec& node) {
  return node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type;
}

/// The rates of a node; 0 if its cost is not known.
struct Rates {
  double gflop_per_s, gb_per_s, percent;  ///< percent: of what the roofline allows
};

Rates rates(const NodeCost& cost, double us, const Roofline& roofline) {
  if (us <= 0) return {};
  return {2e-3 * double(cost.multiply_adds) / us, 1e-3 * double(cost.bytes) / us,
          100e6 * roofline.least_seconds(cost) / us};
}

/// A cell of a column that is `width` wide.
std::string cell(int width, double value, const char* unit = "") {
  return value > 0 ? format("%*.*f%s", width - int(std::strlen(unit)), value < 10 ? 2 : 1, value, unit)
                   : format("%*s", width, "-");
}

}  // namespace

void Profiler::begin_run() {
  events_.clear();
  begin_ = Clock::now();
}

void Profiler::on_node(const NodeEvent& node) {
  Event event{node.node.name,
              full_op_type(node.node),
              node.kernel.describe(),
              "",
              us(node.begin - begin_),
              us(node.end - node.begin),
              node_cost(node.node, node.op, {node.inputs, node.outputs})};
  for (const Tensor* output : node.outputs) {
    if (!*output) continue;
    if (!event.outputs.empty()) event.outputs += ' ';
    event.outputs += describe(*output);
  }
  Total& total = totals_[event.op_type + '\0' + event.name + '\0' + event.outputs];
  ++total.calls;
  total.sum_us += event.duration_us;
  total.sum_cost.multiply_adds += event.cost.multiply_adds;
  total.sum_cost.bytes += event.cost.bytes;
  total.sum_cost.multiplied = event.cost.multiplied;
  total.latest = event;
  events_.push_back(std::move(event));
}

std::string Profiler::table(const Roofline& roofline) const {
  std::vector<const Total*> order;
  double sum_us = 0;
  for (const auto& [key, total] : totals_) {
    order.push_back(&total);
    sum_us += total.sum_us;
  }
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->sum_us > b->sum_us; });
  std::string text = "  share  time/call   calls  GFLOP/s   bytes/call     GB/s  roofline  node\n";
  for (const Total* total : order) {
    const Event& e = total->latest;
    const Rates r = rates(total->sum_cost, total->sum_us, roofline);
    const std::string bytes = total->sum_cost.bytes > 0 ? human_bytes(total->sum_cost.bytes / total->calls) : "-";
    const std::string time = human_time(total->sum_us / double(total->calls) / 1e3);
    text += format("%6.1f%% %10s %7lld", sum_us > 0 ? 100 * total->sum_us / sum_us : 0.0, time.c_str(),
                   static_cast<long long>(total->calls));
    text += cell(9, r.gflop_per_s) + format("%13s", bytes.c_str()) + cell(9, r.gb_per_s) + cell(10, r.percent, "%");
    text += "  " + e.op_type + " '" + e.name + "' " + e.outputs + (e.kernel.empty() ? "" : "  " + e.kernel) + "\n";
  }
  return text + "roofline: " + describe(roofline) + "\n";
}

std::string Profiler::plan() const {
  std::string text;
  for (const Event& e : events_) {
    text += "  " + e.op_type + " '" + e.name + "' -> " + e.outputs + (e.kernel.empty() ? "" : "  " + e.kernel) + "\n";
  }
  return text;
}

std::string Profiler::trace(const Roofline& roofline) const {
  Json events = Json::array();
  for (const Event& e : events_) {
    const Rates r = rates(e.cost, e.duration_us, roofline);
    events.push_back({{"name", e.op_type},
                      {"cat", "node"},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", e.begin_us},
                      {"dur", e.duration_us},
                      {"args",
                       {{"node", e.name},
                        {"outputs", e.outputs},
                        {"kernel", e.kernel},
                        {"multiply_adds", e.cost.multiply_adds},
                        {"bytes", e.cost.bytes},
                        {"gflop_per_s", r.gflop_per_s},
                        {"gb_per_s", r.gb_per_s},
                        {"roofline_percent", r.percent}}}});
  }
  const Json trace{{"traceEvents", events}, {"displayTimeUnit", "ms"}, {"otherData", to_json(roofline)}};
  return trace.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace linnet::tool
