#include "profile.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace linnet::tool {
namespace {

double us(Observer::Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

std::string full_op_type(const NodeSpec& node) {
  return node.domain.empty() ? node.op_type : node.domain + "::" + node.op_type;
}

std::string line(const char* format, auto... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace

void Profiler::begin_run() {
  events_.clear();
  begin_ = Clock::now();
}

void Profiler::on_node(const NodeEvent& node) {
  Event event{node.node.name,          full_op_type(node.node),  node.kernel.describe(), "",
              us(node.begin - begin_), us(node.end - node.begin)};
  for (const Tensor* output : node.outputs) {
    if (!*output) continue;
    if (!event.outputs.empty()) event.outputs += ' ';
    event.outputs += describe(*output);
  }
  Total& total = totals_[event.op_type + '\0' + event.name + '\0' + event.outputs];
  ++total.calls;
  total.sum_us += event.duration_us;
  total.latest = event;
  events_.push_back(std::move(event));
}

std::string Profiler::table() const {
  std::vector<const Total*> order;
  double sum_us = 0;
  for (const auto& [key, total] : totals_) {
    order.push_back(&total);
    sum_us += total.sum_us;
  }
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->sum_us > b->sum_us; });
  std::string text = "  share    us/call   calls  node\n";
  for (const Total* total : order) {
    const Event& e = total->latest;
    text += line("%6.1f%% %10.1f %7lld  ", sum_us > 0 ? 100 * total->sum_us / sum_us : 0.0,
                 total->sum_us / double(total->calls), static_cast<long long>(total->calls));
    text += e.op_type + " '" + e.name + "' " + e.outputs + (e.kernel.empty() ? "" : "  " + e.kernel) + "\n";
  }
  return text;
}

std::string Profiler::plan() const {
  std::string text;
  for (const Event& e : events_) {
    text += "  " + e.op_type + " '" + e.name + "' -> " + e.outputs + (e.kernel.empty() ? "" : "  " + e.kernel) + "\n";
  }
  return text;
}

std::string Profiler::trace() const {
  auto events = nlohmann::ordered_json::array();
  for (const Event& e : events_) {
    events.push_back({{"name", e.op_type},
                      {"cat", "node"},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", e.begin_us},
                      {"dur", e.duration_us},
                      {"args", {{"node", e.name}, {"outputs", e.outputs}, {"kernel", e.kernel}}}});
  }
  return nlohmann::ordered_json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump(
      1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace linnet::tool
