#pragma once

#include <memory>

#include "compile/compile_input.h"
#include "decoding/language_model.h"
#include "decoding/next_scores.h"
#include "decoding/search_bodies.h"
#include "decoding/search_inputs.h"

namespace linnet {

/// Chooses the next tokens of a search.
class Picker {
 public:
  virtual ~Picker() = default;
  /// Picks the next tokens. May change the scores.
  virtual void pick(NextScores& scores, const Sequences& sequences) = 0;
  /// The results of the last pick(): the row that each row continues, and the token that it appends.
  virtual std::span<const int64_t> rows() const = 0;
  virtual std::span<const int32_t> tokens() const = 0;
  /// Whether no row needs to be continued.
  virtual bool done() const = 0;
};

/// A search node, which continues sequences by tokens that its bodies score.
struct SearchNode {
  SearchNode(const NodeSpec& node, const SearchPlaces& places);

  SearchBodies bodies;
  SearchAttributes attributes;
  SearchPlaces places;
  int32_t start_token;  // of sequences with an encoder
  int own_inputs;

  /// Checks all inputs, the first `least` of which must be given.
  void check_inputs(std::span<const Fact> in, int least) const;
  /// The dtype of the penalties; float32 if there are no penalties.
  DType score_dtype(std::span<const Fact> in) const;
  /// The number of sequences, if known.
  static Dim batch(std::span<const Fact> in) { return in[0].has_rank() ? in[0].dim(0) : Dim(); }
};

/// One run of a search.
struct SearchRun {
  KernelContext& context;
  const SearchInputs& inputs;
  Tensor prompts;  ///< int32 [batch, length]: the beginnings of the sequences
  int64_t max_length;

  int64_t batch() const { return prompts.dim(0); }
};

class SearchKernel : public Kernel {
 public:
  SearchKernel(const CompileInput& in, const SearchNode& node);

  void run(KernelContext& context) const final;
  std::unique_ptr<KernelState> make_state() const final;
  size_t bytes() const final;

 protected:
  const SearchNode& node() const { return node_; }
  bool has_output(int i) const { return i < int(wanted_.size()) && wanted_[size_t(i)]; }
  /// Continues the sequences, at least one, until the picker is done or they are max_length long.
  void extend(const SearchRun& run, Sequences& sequences, NextScores& scores, Picker& picker) const;

 private:
  virtual void search(const SearchRun& run) const = 0;
  Tensor prompts(const SearchInputs& inputs) const;
  std::unique_ptr<LanguageModel> model(const SearchRun& run) const;

  SearchNode node_;
  std::shared_ptr<Program> first_, decoder_;
  std::vector<bool> wanted_;
};

}  // namespace linnet
