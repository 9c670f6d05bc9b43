#include <cstdint>

// The beginning of onnxruntime_c_api.h, because the Python package has no headers.
struct OrtApi;
struct OrtApiBase {
  const OrtApi* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)();
};
extern "C" const OrtApiBase* OrtGetApiBase();

bool use_onnxruntime() { return OrtGetApiBase()->GetApi(1) && *OrtGetApiBase()->GetVersionString(); }
