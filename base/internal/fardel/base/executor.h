// Executor: other threads on which a call's work is done: those of a game's job system, or threads of Fardel's own.
// Its threads stay; those of parallel.h are started for one call, which has work for seconds.
//
// The thread that calls takes part in the work and never waits for a task that has not begun. So an executor that is
// busy makes a call slower and cannot stop it, and tasks may share work themselves.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace fardel {

class Executor {
public:
    virtual ~Executor() = default;
    // How many tasks may run at once, besides the thread that calls; at least 1.
    virtual unsigned thread_count() const noexcept = 0;
    // Has some thread call `task` once, now or later. Tasks do not throw. Any thread may call this function; it must
    // not throw, but bad_alloc, when the task is not called.
    virtual void run(std::function<void()> task) = 0;
};

// Starts 1 to 64 threads, or as many of them as the system gives; nullptr: it gives none. They end with the object.
std::shared_ptr<Executor> start_executor(unsigned threads);

// False: there is no memory for the task, which is then never called; the caller's thread has to do without.
bool try_run(Executor& executor, std::function<void()> task);

// Calls work(i) once for each i < count, in ascending order of beginning, on this thread and on those of the executor;
// nullptr: on this thread alone. Returns when all have ended. Throws what a call of `work` has thrown; others may then
// not have been called.
void share_work(Executor* executor, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace fardel
