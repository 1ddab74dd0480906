#pragma once
#include <fardel/base/result.h>
