#include "traditionalml/class_labels.h"

#include <type_traits>

#include "environment/run_environment.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"

namespace linnet {

ClassLabels::ClassLabels(const NodeSpec& node, const std::string& ints, const std::string& strings)
    : ints_(attribute_list<int64_t>(node, ints)), strings_(attribute_list<std::string>(node, strings)) {
  if (ints_.empty() == strings_.empty()) {
    throw Error(ErrorKind::kModel, str("exactly one of ", ints, " and ", strings, " must hold labels, got ",
                                       ints_.size(), " and ", strings_.size()));
  }
}

void ClassLabels::write(std::span<const int64_t> labels, Tensor& y, int64_t row) const {
  const auto put = [&]<class T>(const CountedVector<T>& names) {
    T* to = y.data<T>() + row;
    const T* all = names.data();
    for (const int64_t label : labels) {
      if constexpr (std::is_same_v<T, std::string>) count_text(all[label].size());
      *to++ = all[label];
    }
  };
  strings_.empty() ? put(ints_) : put(strings_);
}

}  // namespace linnet
