// The functions of fardel.h about reads in the background.

#include "c_handles.h"

#include <fardel/format/c_interface.h>
#include <fardel/vfs/read_queue.h>

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

struct fardel_queue {
    std::unique_ptr<fardel::ReadQueue> queue;
};

namespace fardel::c {
namespace {

constexpr std::size_t kReadRequestBytesLeast = offsetof(fardel_read_request, priority) + sizeof(std::int32_t);
constexpr std::size_t kRequestsMax = 1u << 20;  // of one call; more were never set

// The numbers of one batch. A read may end before submit() has returned its number, and its function is given it.
class BatchNumbers {
public:
    void set(std::vector<ReadId> reads) {
        {
            const std::scoped_lock lock(mutex_);
            reads_ = std::move(reads);
            known_ = true;
        }
        set_.notify_all();
    }
    fardel_read_id of(std::size_t index) {
        std::unique_lock lock(mutex_);
        set_.wait(lock, [this] { return known_; });
        return index < reads_.size() ? static_cast<fardel_read_id>(reads_[index]) : 0;
    }

private:
    std::mutex mutex_;
    std::condition_variable set_;
    std::vector<ReadId> reads_;
    bool known_ = false;
};

std::vector<ReadId> submit_batch(ReadQueue& queue, std::vector<ReadRequest> batch, BatchNumbers& numbers) {
    try {
        std::vector<ReadId> reads = queue.submit(std::move(batch));
        numbers.set(reads);
        return reads;
    } catch (...) {
        numbers.set({});  // without memory, a part may have been submitted, and a thread waits for its number
        throw;
    }
}

void report_read(const fardel_read_request& request, fardel_read_id read, const Result<std::size_t>& result) {
    if (request.done == nullptr)
        return;
    if (result)
        request.done(request.context, read, FARDEL_OK, *result, "");
    else
        request.done(request.context, read, code_of(result.error().code()), 0, result.error().message().c_str());
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_queue_start(uint32_t threads, fardel_queue** queue, fardel_error* error) {
    return open_handle(queue, true, error, [&] { return ReadQueue::start(threads); });
}

fardel_code fardel_queue_submit(fardel_queue* queue, const fardel_read_request* const* requests, size_t request_count,
                                fardel_read_id* reads, fardel_error* error) {
    return call(error, queue != nullptr && requests != nullptr && request_count <= kRequestsMax,
                [&](const Report& report) {
                    const auto numbers = std::make_shared<BatchNumbers>();
                    std::vector<ReadRequest> batch;
                    for (std::size_t i = 0; i < request_count; ++i) {
                        fardel_read_request given = FARDEL_READ_REQUEST_INIT;
                        if (requests[i] == nullptr)
                            return report.argument("a null pointer instead of a request");
                        const fardel_code bad = read_options(requests[i], kReadRequestBytesLeast, given, report);
                        if (bad != FARDEL_OK)
                            return bad;
                        if (given.file == nullptr || (given.buffer == nullptr && given.size_bytes != 0))
                            return report.argument("a request without a file or without a buffer");
                        batch.push_back({.file = given.file->file,
                                         .offset = given.offset,
                                         .out = {static_cast<std::byte*>(given.buffer), given.size_bytes},
                                         .priority = given.priority,
                                         .done = [given, numbers, i](const Result<std::size_t>& result) {
                                             report_read(given, numbers->of(i), result);
                                         }});
                    }
                    std::vector<ReadId> ids = submit_batch(*queue->queue, std::move(batch), *numbers);
                    for (std::size_t i = 0; reads != nullptr && i < ids.size(); ++i)
                        reads[i] = static_cast<fardel_read_id>(ids[i]);
                    return fardel_code{FARDEL_OK};
                });
}

int fardel_queue_cancel(fardel_queue* queue, fardel_read_id read) {
    int is_cancelled = 0;
    call(nullptr, queue != nullptr, [&](const Report&) {
        is_cancelled = queue->queue->cancel(ReadId{read}) ? 1 : 0;
        return fardel_code{FARDEL_OK};
    });
    return is_cancelled;
}

void fardel_queue_wait(fardel_queue* queue) {
    if (queue != nullptr)
        queue->queue->wait();
}

void fardel_queue_close(fardel_queue* queue) { delete queue; }
