#include "graph/node_order.h"

#include <numeric>

namespace linnet {
namespace {

constexpr int64_t kGap = int64_t{1} << 30;

}  // namespace

NodeOrder::NodeOrder(const std::vector<int>& nodes) {
  for (const int node : nodes) push_back(node);
}

void NodeOrder::insert_behind(int behind, int node) {
  if (entries_.size() <= size_t(node) + 1) entries_.resize(size_t(node) + 2);
  const int at = behind + 1, next = entries_[size_t(at)].next;
  entries_[size_t(node) + 1] = {at, next, label_between(at, next)};
  entries_[size_t(at)].next = entries_[size_t(next)].previous = node + 1;
  ++size_;
}

void NodeOrder::erase(int node) {
  const Entry gone = entry(node);
  entries_[size_t(gone.previous)].next = gone.next;
  entries_[size_t(gone.next)].previous = gone.previous;
  --size_;
}

int64_t NodeOrder::label_between(int at, int next) {
  if (at == 0) return next == 0 ? 0 : entries_[size_t(next)].label - kGap;
  if (next == 0) return entries_[size_t(at)].label + kGap;
  if (entries_[size_t(next)].label - entries_[size_t(at)].label < 2) spread_behind(at);
  return std::midpoint(entries_[size_t(at)].label, entries_[size_t(next)].label);
}

// Relabels as many nodes as are in a range of labels of the square of their number: on average few.
// Source: Dietz and Sleator, "Two algorithms for maintaining order in a list", 1987.
void NodeOrder::spread_behind(int at) {
  const int64_t first = entries_[size_t(at)].label;
  int64_t count = 1;
  int end = entries_[size_t(at)].next;
  while (end != 0 && entries_[size_t(end)].label - first <= count * count) {
    end = entries_[size_t(end)].next;
    ++count;
  }
  const int64_t room = end == 0 ? count * kGap : entries_[size_t(end)].label - first;
  int node = entries_[size_t(at)].next;
  for (int64_t i = 1; i < count; ++i) {
    entries_[size_t(node)].label = first + room / count * i;
    node = entries_[size_t(node)].next;
  }
}

}  // namespace linnet
