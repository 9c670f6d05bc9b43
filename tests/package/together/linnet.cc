#include "../consumer/run.h"

bool use_linnet(const char* model) { return run(model, 100000).size() == 2; }
