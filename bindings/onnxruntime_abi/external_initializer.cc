// The file, offset and size of the values of an initializer in another file.
#include <string>

#include "slots.h"
#include "status.h"

namespace linnet::ort {

struct ExternalInitializerInfo {
  std::string path;
  int64_t offset;
  size_t bytes;
};

Status* CreateExternalInitializerInfo(const char* path, int64_t offset, size_t bytes,
                                      ExternalInitializerInfo** created) noexcept {
  return create(created, [&] { return new ExternalInitializerInfo{copied_text(path), offset, bytes}; });
}

void ReleaseExternalInitializerInfo(ExternalInitializerInfo* info) noexcept { delete info; }

const char* ExternalInitializerInfo_GetFilePath(const ExternalInitializerInfo* info) noexcept {
  return info ? info->path.c_str() : nullptr;
}
int64_t ExternalInitializerInfo_GetFileOffset(const ExternalInitializerInfo* info) noexcept {
  return info ? info->offset : 0;
}
size_t ExternalInitializerInfo_GetByteSize(const ExternalInitializerInfo* info) noexcept {
  return info ? info->bytes : 0;
}

}  // namespace linnet::ort
