#include "cancellation.h"

using namespace linnet::c_api;

linnet_status linnet_cancellation_create(linnet_cancellation** cancellation) {
  return create_handle(cancellation, "cancellation", [] { return new linnet_cancellation; });
}
linnet_status linnet_cancellation_cancel(linnet_cancellation* cancellation) {
  return guarded([&] { valid(cancellation, "cancellation").token->cancel(); });
}
linnet_status linnet_cancellation_free(linnet_cancellation* cancellation) {
  return free_handle(cancellation, "cancellation");
}
