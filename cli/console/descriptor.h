// A file descriptor that closes itself, and errno as an Error. For files named *_posix.cpp.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/system_error.h>
