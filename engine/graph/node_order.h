#pragma once

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "linnet/export.h"

namespace linnet {

/// The numbers of nodes in an editable order. Inserting, removing and comparing take constant time, whatever the
/// length. It is a linked list whose entries have ascending labels.
class LINNET_API NodeOrder {
  struct Entry;

 public:
  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;

    Iterator() = default;
    int operator*() const { return at_ - 1; }
    Iterator& operator++() { return at_ = entries_[at_].next, *this; }
    Iterator& operator--() { return at_ = entries_[at_].previous, *this; }
    Iterator operator++(int) { return std::exchange(*this, std::next(*this)); }
    Iterator operator--(int) { return std::exchange(*this, std::prev(*this)); }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    friend class NodeOrder;
    Iterator(const Entry* entries, int at) : entries_(entries), at_(at) {}

    const Entry* entries_ = nullptr;
    int at_ = 0;
  };
  using const_iterator = Iterator;

  NodeOrder() = default;
  explicit NodeOrder(const std::vector<int>& nodes);

  Iterator begin() const { return {entries_.data(), entries_[0].next}; }
  Iterator end() const { return {entries_.data(), 0}; }
  std::reverse_iterator<Iterator> rbegin() const { return std::reverse_iterator(end()); }
  std::reverse_iterator<Iterator> rend() const { return std::reverse_iterator(begin()); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int front() const { return *begin(); }
  int back() const { return *std::prev(end()); }
  int operator[](size_t i) const { return *std::next(begin(), std::ptrdiff_t(i)); }  ///< linear time
  operator std::vector<int>() const { return {begin(), end()}; }  // NOLINT: implicit, for a copy to edit

  /// Whether `a` comes before `b`. Both must be in the list.
  bool before(int a, int b) const { return entry(a).label < entry(b).label; }
  void push_back(int node) { insert_behind(back(), node); }
  /// Inserts `node` after node `behind`; kFirst inserts it at the beginning.
  void insert_behind(int behind, int node);
  void erase(int node);

  static constexpr int kFirst = -1;

 private:
  struct Entry {
    int previous = 0, next = 0;
    int64_t label = 0;
  };

  const Entry& entry(int node) const { return entries_[size_t(node) + 1]; }
  int64_t label_between(int at, int next);
  void spread_behind(int at);

  std::vector<Entry> entries_{1};  // by number + 1; entry 0 is between the last node and the first
  size_t size_ = 0;
};

}  // namespace linnet
