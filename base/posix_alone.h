// For -DFARDEL_PORTABLE=ON, which hides from base/ what is not POSIX: libstdc++ needs these names nevertheless.
#pragma once

#include <pthread.h>

extern "C" {
int pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
int pthread_mutex_clocklock(pthread_mutex_t*, clockid_t, const struct timespec*);
int pthread_rwlock_clockrdlock(pthread_rwlock_t*, clockid_t, const struct timespec*);
int pthread_rwlock_clockwrlock(pthread_rwlock_t*, clockid_t, const struct timespec*);
long syscall(long, ...) noexcept;
}
