#pragma once

#include <linnet/model.h>

#include <numeric>
#include <stdexcept>

/// A language model with a cache, as exporters write it, for one sequence. Inputs: input_ids [1,n]; attention_mask
/// [1,past+n] and position_ids [1,n] where it has them; past_key_values.X for outputs present.X. Output: logits
/// [1,n,vocabulary].
class Decoder {
 public:
  explicit Decoder(const linnet::Model& model) : model_(model), context_(model), logits_(output("logits")) {
    for (const auto& [name, fact] : model.inputs()) {
      const bool past = name.starts_with("past");
      linnet::Shape none{1};
      for (int i = 1; past && i < fact.rank(); ++i) none.push_back(fact.dim(i).known() ? fact.dim(i).value() : 0);
      if (past) states_.emplace_back(inputs_.size(), output("present" + name.substr(name.find('.'))));
      inputs_.push_back(past ? linnet::Tensor(fact.dtype, none) : linnet::Tensor());
    }
  }

  /// Appends tokens to the sequence. Returns a score of each token to follow them, valid until the next call.
  std::span<const float> append(const std::vector<int64_t>& tokens) {
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i] = input(i, tokens);
    const std::span<const linnet::Tensor> outputs = context_.run(inputs_);
    for (const auto& [past, present] : states_) inputs_[past] = outputs[present];  // no copy
    length_ += tokens.size();
    return outputs[logits_].values<float>().last(size_t(outputs[logits_].dim(2)));
  }

 private:
  size_t output(const std::string& name) const {
    for (size_t i = 0; i < model_.outputs().size(); ++i) {
      if (model_.outputs()[i].name == name) return i;
    }
    throw std::invalid_argument("the model has no output " + name);
  }

  linnet::Tensor input(size_t i, const std::vector<int64_t>& tokens) const {
    const std::string& name = model_.inputs()[i].name;
    std::vector<int64_t> values = tokens;
    if (name.starts_with("past")) return inputs_[i];
    if (name == "attention_mask") {
      values.assign(length_ + tokens.size(), 1);
    } else if (name == "position_ids") {
      std::iota(values.begin(), values.end(), int64_t(length_));
    } else if (name != "input_ids") {
      throw std::invalid_argument("the model has an input of another kind: " + name);
    }
    return linnet::Tensor::of({1, int64_t(values.size())}, values);
  }

  linnet::Model model_;
  linnet::Context context_;
  size_t logits_, length_ = 0;
  std::vector<linnet::Tensor> inputs_;
  std::vector<std::pair<size_t, size_t>> states_;  // an input, and the output that it is in the next run
};
