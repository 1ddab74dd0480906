// AccessLog: one line per request, in the common log format or as JSON. What a client sent is escaped. A writer thread
// writes; if the reader of the log is slow, lines are dropped and counted, and no client waits. Any thread.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/parallel.h>
#include <fardel/base/unix_time.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace fardel {

enum class AccessLogForm : unsigned char { common, json };

struct AccessRecord {
    std::string_view peer;
    UnixTime time;
    std::string_view method;
    std::string_view target;
    unsigned status = 0;  // 0: the connection ended before there was an answer
    std::uint64_t body_bytes = 0;
    std::uint64_t microseconds = 0;  // from the headers of the request to the end of the answer
    bool is_complete = true;         // the answer was sent to its end
};

// With the line feed. At most 1 KiB of method and target.
std::string format_access(const AccessRecord& record, AccessLogForm form);

class AccessLog {
public:
    AccessLog(Descriptor file, AccessLogForm form);
    ~AccessLog();  // writes what is pending
    void add(const AccessRecord& record);
    std::uint64_t dropped_lines() const;

private:
    void write_pending(const std::stop_token& stop);

    const Descriptor file_;
    const AccessLogForm form_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::string pending_;
    std::uint64_t dropped_lines_ = 0;
    WorkerThreads writer_;
};

}  // namespace fardel
