#include <fardel/base/parallel.h>

#include <mutex>

namespace fardel {

#ifdef FARDEL_WITHOUT_THREADS
unsigned worker_count(unsigned, unsigned) noexcept { return 1; }
#else
unsigned worker_count(unsigned jobs, unsigned workers_max) noexcept {
    const unsigned wanted = jobs != 0 ? jobs : std::thread::hardware_concurrency();
    return std::clamp(wanted, 1u, std::max(workers_max, 1u));
}
#endif

void run_on_threads(unsigned workers, const std::function<void()>& work) { run_on_threads(workers, work, work); }

void run_on_threads(unsigned workers, const std::function<void()>& work, const std::function<void()>& own_work) {
    WorkerThreads others;
    for (unsigned i = 1; i < workers; ++i)
        if (!others.try_start(work))
            break;
    own_work();
}

void OrderedWork::note(std::size_t part, Status done) {
    if (done)
        return;
    const std::scoped_lock lock(mutex_);
    if (part < end_) {
        end_ = part;
        error_ = std::move(done).error();
    }
}

}  // namespace fardel
