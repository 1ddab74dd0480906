#include "transfer/single_range.h"

#include "transfer/request_server.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <thread>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kStopPolled{50};

// What was received counts even if the file turns out to be shorter.
class ByteCollector final : public RangeReceiver {
public:
    explicit ByteCollector(CollectedRange& collected) : collected_(collected) {}
    Status begin(std::uint64_t file_bytes) override {
        collected_.file_bytes = file_bytes;
        return ok();
    }
    Status receive(std::span<const std::byte> bytes) override {
        collected_.bytes.insert(collected_.bytes.end(), bytes.begin(), bytes.end());
        return ok();
    }
    void retry_after(std::chrono::seconds wait) override { collected_.asked_wait = wait; }
    void leave_for(std::size_t other) override { collected_.left_for = other; }
    void end(Status result) override {
        if (!result)
            collected_.failure = std::move(result).error();
    }

private:
    CollectedRange& collected_;
};

// Whether that is the whole range, or the file ends before it does.
bool is_all(const CollectedRange& part, const HttpRange& range) {
    const std::uint64_t end = range.offset + range.length_bytes;
    return part.file_bytes && range.offset + part.bytes.size() >= std::min(end, *part.file_bytes);
}

}  // namespace

std::unique_ptr<RangeReceiver> make_byte_collector(CollectedRange& collected) {
    return std::make_unique<ByteCollector>(collected);
}

std::vector<std::string> urls_in(std::span<const std::string> trees, const std::string& url) {
    std::vector<std::string> urls{url};
    const auto is_own = [&](const std::string& tree) { return url.starts_with(tree + "/"); };
    const auto own = std::ranges::find_if(trees, is_own);
    for (const std::string& tree : trees)
        if (own != trees.end() && tree != *own)
            urls.push_back(tree + url.substr(own->size()));
    return urls;
}

Result<CollectedRange> fetch_range(RangeClient& client, const std::vector<std::string>& urls, HttpRange range,
                                   unsigned attempts_max, const std::stop_token& stop, const AcceptBytes& accept) {
    const SteadyTime patient_until = SteadyClock::now() + kOptionalPatience;
    const HttpRange whole = range;
    std::vector<CollectedRange> parts(urls.size());  // what each server has sent
    range.restarts = true;
    for (RequestServer server(attempts_max);;) {
        server.choose(client, urls, 0, range);
        CollectedRange& part = parts[server.index()];
        const std::size_t before = part.bytes.size();
        part = {.bytes = std::move(part.bytes), .file_bytes = part.file_bytes, .server = server.index()};
        range.offset = whole.offset + before;
        range.length_bytes = whole.length_bytes - before;
        range.file_bytes = whole.file_bytes ? whole.file_bytes : part.file_bytes;
        SingleRange queue({range, make_byte_collector(part)});
        FARDEL_TRY(client.run(queue, stop));
        if (part.left_for) {
            server.leave_for(*part.left_for);
            continue;
        }
        if (is_all(part, whole))
            part.failure.reset();
        if (!part.failure && accept && !accept(part.bytes)) {
            client.note_failure(range.url);
            part.failure = Error(ErrorCode::malformed, printable(range.url, 400) + ": the server sends something else");
        }
        if (!part.failure)
            return std::move(part);
        server.note_progress(part.bytes.size() - before, client.sends_whole_files(range.url) ? range.offset : 0);
        // It may be another file than the one that gave the first part.
        if (part.bytes.size() == before)
            part.bytes.clear();
        if (part.bytes.empty())
            part.file_bytes.reset();
        const SteadyTime now = SteadyClock::now();
        const auto wait = server.fail(*part.failure, part.asked_wait, now);
        if (!wait || (wait->count() != 0 && now + *wait > patient_until))
            return CollectedRange{.failure = server.failure()};
        FARDEL_TRY(wait_until(now + *wait, stop));
    }
}

Status wait_until(SteadyTime time, const std::stop_token& stop) {
    while (SteadyClock::now() < time) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "the transfer was stopped");
        std::this_thread::sleep_for(kStopPolled);
    }
    return ok();
}

bool ends_fetch(const Error& error) noexcept {
    return error.code() == ErrorCode::cancelled || error.code() == ErrorCode::no_space ||
           error.code() == ErrorCode::denied;
}

}  // namespace fardel
