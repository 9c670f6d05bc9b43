#pragma once

/// Marks what liblinnet exports; everything else is hidden.
#define LINNET_API __attribute__((visibility("default")))
