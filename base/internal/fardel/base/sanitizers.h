// Which sanitizers the program is built with: a process that has one needs more memory and time, and other addresses.
// 1 or 0, also for the preprocessor.
#pragma once

#if defined(__has_feature)
#define FARDEL_HAS_FEATURE(name) __has_feature(name)
#else
#define FARDEL_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FARDEL_HAS_FEATURE(address_sanitizer)
#define FARDEL_ADDRESS_SANITIZER 1
#else
#define FARDEL_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || FARDEL_HAS_FEATURE(thread_sanitizer)
#define FARDEL_THREAD_SANITIZER 1
#else
#define FARDEL_THREAD_SANITIZER 0
#endif

namespace fardel {

inline constexpr bool kAddressSanitizer = FARDEL_ADDRESS_SANITIZER != 0;
inline constexpr bool kThreadSanitizer = FARDEL_THREAD_SANITIZER != 0;
inline constexpr bool kSanitized = kAddressSanitizer || kThreadSanitizer;

}  // namespace fardel
