// FARDEL_SSE2 is defined if every processor of the target has SSE2, so code may use it without a run-time test. Such
// code has a portable counterpart; tests compare the two.
#pragma once

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define FARDEL_SSE2 1
#endif
