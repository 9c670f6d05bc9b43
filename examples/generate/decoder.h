#pragma once

#include <linnet/model.h>

#include <numeric>
#include <stdexcept>

/// A language model with a cache, in the form that exporters write, for one sequence.
/// Inputs: input_ids [1,n]; attention_mask [1,past+n] and position_ids [1,n] if the model has them; past_key_values.X
/// for each output present.X.
/// Output: logits [1,n,vocabulary].
class Decoder {
 public:
  explicit Decoder(const linnet::Model& model) : model_(model), context_(model), logits_(output("logits")) {
    for (const auto& [name, fact, denotation] : model.inputs()) {
      if (!name.starts_with("past")) continue;
      linnet::Shape none{1};
      for (int i = 1; i < fact.rank(); ++i) none.push_back(fact.dim(i).known() ? fact.dim(i).value() : 0);
      context_.bind_state("present" + name.substr(name.find('.')), name, linnet::Tensor(fact.dtype, none));
    }
  }

  /// Appends tokens to the sequence. Returns the score of each possible next token, valid until the next call.
  std::span<const float> append(const std::vector<int64_t>& tokens) {
    std::vector<linnet::Tensor> inputs;
    for (const linnet::ValueInfo& info : model_.inputs()) inputs.push_back(input(info.name, tokens));
    const linnet::Tensor& logits = context_.run(inputs)[logits_];
    length_ += tokens.size();
    return logits.values<float>().last(size_t(logits.dim(2)));
  }

 private:
  size_t output(const std::string& name) const {
    for (size_t i = 0; i < model_.outputs().size(); ++i) {
      if (model_.outputs()[i].name == name) return i;
    }
    throw std::invalid_argument("the model has no output " + name);
  }

  linnet::Tensor input(const std::string& name, const std::vector<int64_t>& tokens) const {
    if (name.starts_with("past")) return {};  // a state
    std::vector<int64_t> values = tokens;
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
};
