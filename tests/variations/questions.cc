#include "questions.h"

#include <algorithm>

#include "attribute_variations.h"
#include "input_variations.h"

namespace linnet {
namespace {

/// An attribute that accepts more words is not a mode.
constexpr size_t kMostModes = 24;

class Questions {
 public:
  Questions(const Case& base, const std::vector<std::string>& words, Questioner& questioner)
      : base_(base), words_(words), questioner_(questioner) {}

  void put() {
    put_itself();
    for (const Case& changed : input_variations(base_)) put_in_all_forms(changed);
    for (const int more : {1, 20}) put_with_outputs(more);
    for (const pb::AttributeProto& attribute : base_.node().attribute()) vary_given(attribute);
    if (!questioner_.wants_further_attributes()) return;
    const std::vector<std::string> further = asked_attributes();
    for (const std::string& name : further) vary_attribute(name);
    for (const pb::AttributeProto& attribute : base_.node().attribute()) {
      if (attribute.type() == pb::AttributeProto::STRING) vary_spelling(attribute);
    }
    for (const std::string& name : further) vary_spelling(plain_attribute(name, pb::AttributeProto::STRING));
  }

 private:
  /// If no form of the case runs, there is nothing to vary.
  void put_itself() {
    Case itself = base_;
    itself.what = "itself";
    bool runs = false;
    std::string message;
    for (const Form& form : forms(itself)) {
      const Answer answer = questioner_.take(itself, form, true);
      runs |= answer.result;
      if (!answer.result) message = answer.message;
    }
    if (!runs) questioner_.refuses_all(message);
  }

  void put_in_all_forms(const Case& node) {
    for (const Form& form : forms(node)) questioner_.take(node, form, false);
  }

  /// Tries additional outputs, which the operator usually does not have.
  void put_with_outputs(int more) {
    Case changed = base_;
    changed.what = str(more, " outputs more");
    for (int i = 0; i < more; ++i) {
      const std::string name = str("further output ", i);
      changed.node().add_output(name);
      changed.model.mutable_graph()->add_output()->set_name(name);
    }
    questioner_.take(changed, {"given"}, true);
  }

  Case with(const std::string& what, const pb::AttributeProto& attribute) const {
    Case changed = base_;
    changed.what = str("attribute ", attribute.name(), ": ", what);
    auto& all = *changed.node().mutable_attribute();
    const auto same = [&](const pb::AttributeProto& other) { return other.name() == attribute.name(); };
    const auto found = std::find_if(all.begin(), all.end(), same);
    *(found == all.end() ? all.Add() : &*found) = attribute;
    return changed;
  }

  void vary_given(const pb::AttributeProto& attribute) {
    Case absent = base_;
    absent.what = str("attribute ", attribute.name(), " absent");
    auto& all = *absent.node().mutable_attribute();
    const auto same = [&](const pb::AttributeProto& other) { return other.name() == attribute.name(); };
    all.erase(std::remove_if(all.begin(), all.end(), same), all.end());
    put_in_all_forms(absent);
    for (const auto& [what, changed] : variations(attribute)) put_in_all_forms(with(what, changed));
    for (const auto type : attribute_types()) {
      if (type == attribute.type()) continue;
      const Case other = with(str("type ", int(type)), plain_attribute(attribute.name(), type));
      questioner_.take(other, {"given"}, false);
    }
  }

  void vary_attribute(const std::string& name) {
    for (const auto type : attribute_types()) {
      const pb::AttributeProto plain = plain_attribute(name, type);
      const Case first = with(str("type ", int(type)), plain);
      if (refused_type(questioner_.take(first, {"given"}, true)) == name) continue;
      for (const auto& [what, changed] : variations(plain)) put_in_all_forms(with(what, changed));
    }
  }

  /// Varies inputs under each mode that the attribute may name. If it accepts any text, there are no modes.
  void vary_spelling(const pb::AttributeProto& attribute) {
    std::vector<Case> modes;
    for (const std::string& word : words_) {
      if (word == attribute.s()) continue;
      pb::AttributeProto spelt = attribute;
      spelt.set_s(word);
      const Case mode = with(word, spelt);
      const Answer answer = questioner_.take(mode, {"given"}, true);
      if (refused_type(answer) == attribute.name()) return;
      if (answer.result) modes.push_back(mode);
      if (modes.size() > kMostModes) return;
    }
    for (const Case& mode : modes) {
      for (Case changed : input_variations(mode)) {
        changed.what = mode.what + ", " + changed.what;
        put_in_all_forms(changed);
      }
    }
  }

  /// Returns the name of the attribute that was refused for its type, or an empty text.
  static std::string refused_type(const Answer& answer) {
    const std::string begin = "attribute '", end = "' has the wrong type";
    const size_t behind = answer.message.rfind(end), before = answer.message.rfind(begin, behind);
    if (behind == std::string::npos || before == std::string::npos) return {};
    return answer.message.substr(before + begin.size(), behind - before - begin.size());
  }

  /// Returns the attributes that the operator reads and the case does not have. All words become attributes of an
  /// invalid type. The operator refuses the first one that it reads, which is then removed.
  std::vector<std::string> asked_attributes() {
    std::set<std::string> left(words_.begin(), words_.end());
    for (const pb::AttributeProto& attribute : base_.node().attribute()) left.erase(attribute.name());
    std::vector<std::string> found;
    while (true) {
      Case odd = base_;
      odd.what = "what attributes it reads";
      for (const std::string& word : left) {
        pb::AttributeProto& attribute = *odd.node().add_attribute();
        attribute.set_name(word);
        attribute.set_type(pb::AttributeProto::TENSORS);
      }
      const std::string name = refused_type(questioner_.take(odd, {"given"}, true));
      if (left.erase(name) == 0) return found;
      found.push_back(name);
    }
  }

  const Case& base_;
  const std::vector<std::string>& words_;
  Questioner& questioner_;
};

}  // namespace

void put_questions(const Case& base, const std::vector<std::string>& words, Questioner& questioner) {
  Questions(base, words, questioner).put();
}

}  // namespace linnet
