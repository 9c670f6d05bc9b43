#include "traditionalml/class_labels.h"

namespace linnet {

ClassLabels::ClassLabels(const NodeSpec& node, const std::string& ints, const std::string& strings)
    : ints_(node.attr_or(ints, std::vector<int64_t>{})), strings_(node.attr_or(strings, std::vector<std::string>{})) {
  if (ints_.empty() == strings_.empty()) {
    throw Error(ErrorKind::kModel, str("exactly one of ", ints, " and ", strings, " must hold labels, got ",
                                       ints_.size(), " and ", strings_.size()));
  }
}

void ClassLabels::write(int64_t label, Tensor& y, int64_t row) const {
  if (strings_.empty()) {
    y.data<int64_t>()[row] = ints_[size_t(label)];
  } else {
    y.data<std::string>()[row] = strings_[size_t(label)];
  }
}

}  // namespace linnet
