#include <grpcpp/grpcpp.h>

bool use_grpc() { return grpc::CreateChannel("localhost:1", grpc::InsecureChannelCredentials()) != nullptr; }
