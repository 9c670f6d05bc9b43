#include "traditionalml/class_labels.h"

namespace linnet {

ClassLabels::ClassLabels(const NodeSpec& node, const std::string& ints, const std::string& strings)
    : ints_(node.attr_or(ints, std::vector<int64_t>{})), strings_(node.attr_or(strings, std::vector<std::string>{})) {
  if (ints_.empty() == strings_.empty()) {
    throw Error(ErrorKind::kModel, str("exactly one of ", ints, " and ", strings, " must hold labels, got ",
                                       ints_.size(), " and ", strings_.size()));
  }
}

void ClassLabels::write(std::span<const int64_t> labels, Tensor& y, int64_t row) const {
  const auto put = [&]<class T>(const std::vector<T>& names) {
    T* to = y.data<T>() + row;
    for (const int64_t label : labels) *to++ = names[size_t(label)];
  };
  strings_.empty() ? put(ints_) : put(strings_);
}

}  // namespace linnet
