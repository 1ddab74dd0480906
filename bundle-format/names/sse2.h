// FARDEL_SSE2: every processor of the target has SSE2, so code may use it without asking. It has a portable twin, which
// tests compare it with.
#pragma once

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define FARDEL_SSE2 1
#endif
