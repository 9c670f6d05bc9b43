#pragma once

#include <linnet/model.h>

#include <numeric>
#include <stdexcept>

/// A language model in the form that exporters write, for one sequence. A model without a cache reads the whole
/// sequence again for each token.
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
      const size_t dot = name.find('.');
      if (dot == std::string::npos)
        throw std::invalid_argument("the cache '" + name + "' is not named past_key_values.X");
      context_.bind_state("present" + name.substr(dot), name, linnet::Tensor(fact.dtype, none));
      has_cache_ = true;
    }
  }

  /// Appends tokens to the sequence. Returns the score of each possible next token, valid until the next call.
  std::span<const float> append(const std::vector<int64_t>& tokens) {
    if (has_cache_) length_ += read_.size();
    if (has_cache_) read_.clear();
    read_.insert(read_.end(), tokens.begin(), tokens.end());
    std::vector<linnet::Tensor> inputs;
    for (const linnet::ValueInfo& info : model_.inputs()) inputs.push_back(input(info));
    const linnet::Tensor& logits = context_.run(inputs)[logits_];
    if (logits.dtype() != linnet::DType::kFloat32 || logits.rank() != 3 || logits.size() == 0) {
      throw std::invalid_argument("output 'logits' is " + describe(logits) + "; expected float32[1,n,vocabulary]");
    }
    return logits.values<float>().last(size_t(logits.dim(2)));
  }

 private:
  size_t output(const std::string& name) const {
    for (size_t i = 0; i < model_.outputs().size(); ++i) {
      if (model_.outputs()[i].name == name) return i;
    }
    throw std::invalid_argument("the model has no output '" + name + "': it is not a language model");
  }

  linnet::Tensor input(const linnet::ValueInfo& info) const {
    if (info.name.starts_with("past")) return {};  // a state
    std::vector<int64_t> values = read_;
    if (info.name == "attention_mask") {
      values.assign(length_ + read_.size(), 1);
    } else if (info.name == "position_ids") {
      std::iota(values.begin(), values.end(), int64_t(length_));
    } else if (info.name != "input_ids") {
      throw std::invalid_argument("the model has an input of another kind: '" + info.name +
                                  "'; known are input_ids, attention_mask, position_ids and past_key_values.X");
    }
    const linnet::Shape shape{1, int64_t(values.size())};
    if (info.fact.dtype != linnet::DType::kInt32) return linnet::Tensor::of(shape, values);
    return linnet::Tensor::of(shape, std::vector<int32_t>(values.begin(), values.end()));
  }

  linnet::Model model_;
  linnet::Context context_;
  std::vector<int64_t> read_;  // what the next run reads
  size_t logits_, length_ = 0;
  bool has_cache_ = false;
};
