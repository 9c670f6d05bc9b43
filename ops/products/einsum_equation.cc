#include "products/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace linnet {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::kModel, str("'", text, "' is not an equation of letters, '...', ',' and '->'"));
}

/// Returns a term with its ellipsis as one '.'.
std::string term(const std::string& part, const std::string& text) {
  std::string result;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part.compare(i, 3, "...") == 0 && result.find('.') == std::string::npos) {
      result += '.';
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(part[i]))) {
      result += part[i];
    } else {
      refuse(text);
    }
  }
  return result;
}

/// Returns the output of an equation without "->": the ellipsis, then the letters that occur once, in ASCII order.
std::string implicit_output(const std::vector<std::string>& terms) {
  std::map<char, int> counts;
  for (const std::string& t : terms) {
    for (const char c : t) ++counts[c];
  }
  std::string result;
  for (const auto& [c, count] : counts) {
    if (c == '.' || count == 1) result += c;
  }
  return result;
}

std::vector<EinsumLabel> write_out(const std::string& t, int ellipsis) {
  std::vector<EinsumLabel> result;
  for (const char c : t) {
    if (c != '.') result.push_back(c);
    for (int i = ellipsis; c == '.' && i > 0; --i) result.push_back(-i);
  }
  return result;
}

}  // namespace

EinsumEquation::EinsumEquation(const std::string& text) {
  std::string compact;
  std::copy_if(text.begin(), text.end(), std::back_inserter(compact), [](char c) { return c != ' '; });
  const size_t arrow = compact.find("->");
  const std::string left = compact.substr(0, arrow) + ",";
  for (size_t begin = 0; begin < left.size();) {
    const size_t end = left.find(',', begin);
    terms_.push_back(term(left.substr(begin, end - begin), text));
    begin = end + 1;
  }
  if (arrow == std::string::npos) {
    output_ = implicit_output(terms_);
    return;
  }
  output_ = term(compact.substr(arrow + 2), text);
  for (const char c : output_) {
    const auto has = [&](const std::string& t) { return t.find(c) != std::string::npos; };
    if (std::count(output_.begin(), output_.end(), c) > 1 || std::none_of(terms_.begin(), terms_.end(), has)) {
      refuse(text);
    }
  }
}

EinsumLabels EinsumEquation::labels(std::span<const int> ranks) const {
  EinsumLabels result;
  int ellipsis = 0;
  for (size_t i = 0; i < terms_.size(); ++i) {
    const bool dots = terms_[i].find('.') != std::string::npos;
    const int letters = int(terms_[i].size()) - dots;
    if (ranks[i] < letters || (!dots && ranks[i] > letters)) {
      throw Error(ErrorKind::kShape,
                  str("operand ", i, " must have rank ", letters, dots ? " or more" : "", ", got ", ranks[i]));
    }
    result.operands.push_back(write_out(terms_[i], ranks[i] - letters));
    ellipsis = std::max(ellipsis, ranks[i] - letters);
  }
  result.output = write_out(output_, ellipsis);
  for (const auto& operand : result.operands) {
    for (const EinsumLabel label : operand) {
      const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), label) != list.end(); };
      if (!in(result.output) && !in(result.summed)) result.summed.push_back(label);
    }
  }
  return result;
}

}  // namespace linnet
