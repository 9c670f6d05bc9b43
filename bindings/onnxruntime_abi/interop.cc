// Imports of memory of other devices, which the CPU does not support.
#include "slots.h"
#include "status.h"

namespace linnet::ort {

struct ExternalResourceImporter {};
struct GraphicsInteropConfig {};

Status* CreateExternalResourceImporterForDevice(const EpDevice* device, ExternalResourceImporter** importer) noexcept {
  return guarded([&] {
    valid(device, "ep_device");
    valid(importer, "out_importer") = nullptr;
  });
}

Status* CanImportMemory(const ExternalResourceImporter* importer, int, bool* can) noexcept {
  return guarded([&] {
    valid(importer, "importer");
    valid(can, "out_supported") = false;
  });
}

Status* InitGraphicsInteropForEpDevice(const EpDevice* device, const GraphicsInteropConfig* config) noexcept {
  return guarded([&] {
    valid(device, "ep_device");
    valid(config, "config");
    throw Failure(kNotImplemented, "The CPU has no graphics");
  });
}

}  // namespace linnet::ort
