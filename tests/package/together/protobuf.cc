#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include <memory>

// A message whose type is made at run time, with descriptors and reflection, which the lite runtime lacks.
bool use_protobuf() {
  using namespace google::protobuf;
  DynamicMessageFactory factory;
  const std::unique_ptr<Message> message(factory.GetPrototype(FileDescriptorProto::descriptor())->New());
  message->GetReflection()->SetString(message.get(), message->GetDescriptor()->FindFieldByName("name"), "a.proto");
  FileDescriptorProto file;
  return file.ParseFromString(message->SerializeAsString()) && file.name() == "a.proto";
}
