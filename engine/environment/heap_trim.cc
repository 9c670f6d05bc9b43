#include "environment/heap_trim.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace linnet {

HeapTrim::~HeapTrim() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace linnet
