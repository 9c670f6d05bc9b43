#pragma once

#include "abi.h"

// The functions of the table. The files that define them are named after the objects that they work on.
// Source: names, parameters and order of https://onnxruntime.ai/docs/api/c
namespace linnet::ort {

struct ArenaCfg;
struct CustomOpDomain;
struct Env;
struct EditedGraph;
struct EditedModel;
struct EditedNode;
struct EditedValue;
struct EpAssignedNode;
struct EpAssignedSubgraph;
struct EpDevice;
struct ExternalInitializerInfo;
struct ExternalResourceImporter;
struct GraphicsInteropConfig;
struct HardwareDevice;
struct IoBinding;
struct Logger;
struct LoraAdapter;
struct MapTypeInfo;
struct ModelMetadata;
struct Op;
struct OpAttr;
struct OptionalTypeInfo;
struct PrepackedWeightsContainer;
struct RunOptions;
struct SequenceTypeInfo;
struct Session;
struct TensorTypeAndShapeInfo;
struct DeviceEpIncompatibilityDetails;
struct ThreadPoolCallbacksConfig;
struct TypeInfo;

#define IMPLEMENTED(result, name, parameters) result name parameters noexcept;
#define REFUSED(name)
#define ABSENT(name, provider)
#define NOTHING(name)
#include "interop_slots.inc"
#include "slots.inc"
#undef IMPLEMENTED
#undef REFUSED
#undef ABSENT
#undef NOTHING

/// A function as an element of a table.
using Slot = void (*)();
template <class F>
Slot slot(F* function) {
  return reinterpret_cast<Slot>(function);
}

/// The whole table, and its entry point.
const Api* table() noexcept;
const ApiBase* base() noexcept;

}  // namespace linnet::ort
