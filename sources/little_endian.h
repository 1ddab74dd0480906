#pragma once

#include <fardel/base/little_endian.h>
