#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

// Of onnxruntime-extensions, include/ortx_tokenizer.h and ortx_utils.h: its Python package brings no headers.
extern "C" {
const char* OrtxGetLastErrorMessage();
int OrtxCreate(int kind, void** object, ...);
int OrtxDisposeOnly(void* object);
int OrtxCreateTokenizer(void** tokenizer, const char* folder);
int OrtxApplyChatTemplate(const void* tokenizer, const char* chat_template, const char* messages, const char* tools,
                          void** result, bool add_generation_prompt, bool tokenize);
int OrtxTensorResultGetAt(const void* result, size_t index, void** tensor);
int OrtxGetTensorData(const void* tensor, const void** data, const int64_t** shape, size_t* rank);
int OrtxDetokenizeCached(const void* tokenizer, void* cache, uint32_t token, const char** text);
}

/// Text to tokens and back, by a folder with tokenizer.json, tokenizer_config.json and chat_template.jinja.
class Tokenizer {
 public:
  explicit Tokenizer(const std::string& folder) {
    void *tokenizer = nullptr, *cache = nullptr;
    check(OrtxCreateTokenizer(&tokenizer, folder.c_str()));
    tokenizer_.reset(tokenizer, OrtxDisposeOnly);
    check(OrtxCreate(0x778B, &cache));  // kOrtxKindDetokenizerCache
    decoded_.reset(cache, OrtxDisposeOnly);
  }

  /// Returns the tokens of a user's message in the chat template of the model.
  std::vector<int64_t> encode(const std::string& message) const {
    const std::string messages = nlohmann::json::array({{{"role", "user"}, {"content", message}}}).dump();
    void *result = nullptr, *tensor = nullptr;
    check(OrtxApplyChatTemplate(tokenizer_.get(), nullptr, messages.c_str(), nullptr, &result, true, true));
    const std::shared_ptr<void> owner(result, OrtxDisposeOnly);
    const void* tokens = nullptr;
    const int64_t* shape = nullptr;
    size_t rank = 0;
    check(OrtxTensorResultGetAt(result, 1, &tensor));  // after the text
    check(OrtxGetTensorData(tensor, &tokens, &shape, &rank));
    const auto* begin = static_cast<const uint32_t*>(tokens);
    return {begin, begin + shape[rank - 1]};
  }

  /// The text that a token adds to those before: none within a character of several tokens.
  std::string decode(int64_t token) const {
    const char* text = nullptr;
    check(OrtxDetokenizeCached(tokenizer_.get(), decoded_.get(), uint32_t(token), &text));
    return text;
  }

 private:
  static void check(int error) {
    if (error) throw std::runtime_error(std::string("tokenizer: ") + OrtxGetLastErrorMessage());
  }

  std::shared_ptr<void> tokenizer_, decoded_;
};
