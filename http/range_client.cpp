#include <fardel/http/range_client.h>

#include "curl_library.h"
#include "rate_limit.h"
#include "response_head.h"
#include "server_gate.h"
#include "server_rates.h"

#include <fardel/base/clock.h>
#include <fardel/base/fits.h>
#include <fardel/format/name.h>
#include <fardel/http/http_connection.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kRefusalBytesMax = 64u << 10;  // of an error page, read so that the connection can be reused
constexpr long kStalledBytesPerSecond = 1024;
constexpr int kPollMilliseconds = 200;  // how long a stop request may wait
constexpr long kHttpOk = 200;
constexpr long kHttpPartial = 206;

const CurlLibrary& library() { return *find_curl_library(); }

// Under a low limit, a transfer may be slow because the others are in turn.
long stalled_bytes_per_second(const RangeClientOptions& options) {
    const std::uint64_t share = options.bytes_per_second_max / (4ull * std::max(options.connections, 1u));
    return options.bytes_per_second_max == 0
               ? kStalledBytesPerSecond
               : static_cast<long>(std::clamp<std::uint64_t>(share, 1, kStalledBytesPerSecond));
}

// Whether the error says something about the server, and not about this file or this machine.
bool is_fault_of_server(ErrorCode code) noexcept {
    return code == ErrorCode::unreachable || code == ErrorCode::busy || code == ErrorCode::corrupt ||
           code == ErrorCode::malformed || code == ErrorCode::untrusted;
}

// What all transfers of a client have in common.
struct SharedState {
    RateLimit limit;
    std::shared_ptr<ServerRates> rates;
    std::uint64_t received_bytes_max = 0;
    TransferCounts counts{};

    bool is_spent() const noexcept { return received_bytes_max != 0 && counts.received_bytes > received_bytes_max; }
    std::string spent_text() const {
        return "the servers send more than the " + std::to_string(received_bytes_max) + " bytes that are allowed";
    }
};

// One transfer. libcurl calls the static functions.
class Transfer {
public:
    Transfer(RangeJob job, Curl handle, SharedState& shared)
        : job_(std::move(job)), handle_(std::move(handle)), shared_(shared) {}

    void set_up(const RangeClientOptions& options) {
        CURL* const handle = handle_.get();
        set_common_options(handle);
        const HttpRange& range = job_.range;
        const std::string bytes =
            std::to_string(range.offset) + "-" + std::to_string(range.offset + range.length_bytes - 1);
        library().easy_setopt(handle, CURLOPT_URL, range.url.c_str());
        library().easy_setopt(handle, CURLOPT_ERRORBUFFER, message_.data());
        gate_.apply(options.servers, handle, range.url);
        rule_ = &options.servers;
        retry_after_max_ = options.times.retry_after_max;
        library().easy_setopt(handle, CURLOPT_RANGE, bytes.c_str());
        library().easy_setopt(handle, CURLOPT_PRIVATE, this);
        library().easy_setopt(handle, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
        library().easy_setopt(handle, CURLOPT_HEADERDATA, this);
        library().easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
        library().easy_setopt(handle, CURLOPT_WRITEDATA, this);
        library().easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                              static_cast<long>(options.times.connect_timeout.count()));
        // One connection for all with HTTP/2, which the handshake of TLS agrees on. Without TLS, libcurl would wait for
        // the first answer on a new connection before it opens another.
        if (range.url.starts_with("https:"))
            library().easy_setopt(handle, CURLOPT_PIPEWAIT, 1L);
        library().easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, stalled_bytes_per_second(options));
        library().easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.times.stall_timeout.count()));
        if (range.bypasses_caches) {
            append_header(headers_, "Cache-Control: no-cache");
            append_header(headers_, "Pragma: no-cache");
        }
        library().easy_setopt(handle, CURLOPT_HTTPHEADER, headers_.get());
    }

    CURL* handle() const noexcept { return handle_.get(); }
    void resume() {
        if (std::exchange(is_paused_, false))
            library().easy_pause(handle_.get(), CURLPAUSE_CONT);
    }

    const HttpRange& range() const noexcept { return job_.range; }
    RecentRate& rate() noexcept { return rate_; }
    std::uint64_t left_bytes() const noexcept { return job_.range.length_bytes - received_bytes_; }
    void leave_for(std::size_t other) {
        job_.receiver->leave_for(other);
        stop(Error(ErrorCode::unreachable,
                   printable(job_.range.url, 400) + ": another server sends the rest of it sooner"));
    }
    void stop(Error error) {
        error_ = std::move(error);
        is_stopped_ = true;
        end(CURLE_OK);
    }
    // What the server has sent counts for it, unless that was refused.
    void end(CURLcode code) {
        const bool is_served = !error_ && received_bytes_ != 0;
        Status result = outcome(code);
        const bool failed = !result && !is_served && !is_stopped_ && is_fault_of_server(result.error().code());
        shared_.rates->end(job_.range.url, rate_, failed, SteadyClock::now());
        job_.receiver->end(std::move(result));
    }
    Curl take_handle() && { return std::move(handle_); }

private:
    static std::size_t on_header(char* text, std::size_t, std::size_t size, void* self) {
        return static_cast<Transfer*>(self)->add_header({text, size}) ? size : 0;
    }
    static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        transfer.is_paused_ = !transfer.shared_.limit.try_spend(size);
        if (transfer.is_paused_)
            return CURL_WRITEFUNC_PAUSE;
        return transfer.add_body(std::as_bytes(std::span(bytes, size))) ? size : 0;
    }

    bool add_header(std::string_view line) {
        return head_.add_line(line) ||
               fail(ErrorCode::malformed, "more than " + std::to_string(kResponseHeadBytesMax) + " bytes of headers");
    }

    bool add_body(std::span<const std::byte> bytes) {
        if (!begun_ && !begin())
            return false;
        shared_.counts.received_bytes += bytes.size();
        if (shared_.is_spent())
            return fail(ErrorCode::limit, shared_.spent_text());
        if (skipped_bytes_ == kRefused) {
            const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            refusal_text_ += text.substr(0, kRefusalTextBytes - std::min(kRefusalTextBytes, refusal_text_.size()));
            refusal_bytes_ += bytes.size();
            return refusal_bytes_ <= kRefusalBytesMax;
        }
        rate_.add(bytes.size());
        const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(skipped_bytes_, bytes.size()));
        skipped_bytes_ -= skipped;
        bytes = bytes.subspan(skipped);
        const std::uint64_t missing = job_.range.length_bytes - received_bytes_;
        bytes = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), missing)));
        if (bytes.empty())
            return received_bytes_ < job_.range.length_bytes;  // the rest of a whole file is not wanted
        if (Status received = job_.receiver->receive(bytes); !received) {
            error_ = std::move(received).error();
            return false;
        }
        received_bytes_ += bytes.size();
        return true;
    }

    // Judges the head of the response.
    bool begin() {
        begun_ = true;
        library().easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status_);
        if (status_ != kHttpPartial && status_ != kHttpOk) {
            skipped_bytes_ = kRefused;
            return true;
        }
        if (const std::string& encoding = head_.content_encoding(); !encoding.empty() && encoding != "identity")
            return fail(ErrorCode::corrupt, "the server answers in the encoding " + printable(encoding, 40) +
                                                ", which was not requested: a proxy may have compressed the file");
        std::uint64_t total = 0;
        if (status_ == kHttpPartial) {
            const auto range = find_content_range(head_.content_range());
            if (!range || range->first != job_.range.offset || range->last - range->first >= job_.range.length_bytes)
                return fail(ErrorCode::corrupt, "the server answers with the range \"" +
                                                    printable(head_.content_range(), 80) +
                                                    "\", which was not requested");
            total = range->total;
        } else {
            // The server ignores ranges and sends the whole file.
            curl_off_t length = -1;
            library().easy_getinfo(handle_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
            if (length < 0)
                return fail(ErrorCode::corrupt, "the server sends neither a range nor the size of the file");
            total = static_cast<std::uint64_t>(length);
            skipped_bytes_ = job_.range.offset;
        }
        if (job_.range.file_bytes && *job_.range.file_bytes != total)
            return fail(ErrorCode::corrupt, "the file has " + std::to_string(total) + " bytes instead of " +
                                                std::to_string(*job_.range.file_bytes) +
                                                page_remark(head_.content_type()));
        if (status_ == kHttpOk && !is_all_of(total))
            shared_.rates->note_whole_files(job_.range.url);
        if (Status good = job_.receiver->begin(total); !good) {
            error_ = std::move(good).error();
            return false;
        }
        return true;
    }

    bool is_all_of(std::uint64_t file_bytes) const noexcept {
        return job_.range.offset == 0 && job_.range.length_bytes >= file_bytes;
    }

    bool fail(ErrorCode code, std::string text) {
        error_ = Error(code, printable(job_.range.url, 400) + ": " + text);
        return false;
    }

    Status outcome(CURLcode code) {
        const std::string& url = job_.range.url;
        if (received_bytes_ == job_.range.length_bytes)
            return ok();  // whatever came after it
        if (error_)
            return std::move(*error_);
        if (!begun_ && gate_.has_refused(code))
            return ServerGate::refusal(url);
        if (!begun_ && code == CURLE_OK)
            library().easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status_);
        if (is_absence_status(status_))
            return Error(ErrorCode::missing, printable(url, 400) + ": the server does not have it");
        if (status_ != 0 && status_ != kHttpPartial && status_ != kHttpOk) {
            if (const auto wait = find_retry_after(head_.retry_after(), retry_after_max_))
                job_.receiver->retry_after(*wait);
            return status_error({.status = status_,
                                 .location = head_.location(),
                                 .content_type = head_.content_type(),
                                 .body = refusal_text_},
                                url);
        }
        if (code != CURLE_OK)
            // Once for each server: many transfers may fail by one certificate.
            return transfer_error(code, message_, url,
                                  shared_.rates->has_failed(url, SteadyClock::now()) ? nullptr : rule_);
        return Error(ErrorCode::corrupt, printable(url, 400) + ": the server sent " + std::to_string(received_bytes_) +
                                             " bytes of " + std::to_string(job_.range.length_bytes) +
                                             page_remark(head_.content_type()));
    }

    static constexpr std::uint64_t kRefused = UINT64_MAX;

    RangeJob job_;
    Curl handle_;
    SharedState& shared_;
    CurlHeaders headers_;
    ResponseHead head_;
    ServerGate gate_;
    const ServerRule* rule_ = nullptr;  // of the client
    RecentRate rate_{SteadyClock::now()};
    std::chrono::seconds retry_after_max_{0};
    bool is_paused_ = false;   // by the limit
    bool is_stopped_ = false;  // by this side
    bool begun_ = false;
    long status_ = 0;
    std::uint64_t skipped_bytes_ = 0;  // still to be skipped; kRefused: the body is an error page
    std::uint64_t received_bytes_ = 0;
    std::uint64_t refusal_bytes_ = 0;
    std::string refusal_text_;
    CurlMessage message_{};
    std::optional<Error> error_;
};

struct MultiDeleter {
    void operator()(CURLM* multi) const noexcept { library().multi_cleanup(multi); }
};

}  // namespace

struct RangeClient::Impl {
    RangeClientOptions options;
    SharedState shared;
    std::unique_ptr<CURLM, MultiDeleter> multi;
    std::vector<Curl> idle;
    std::vector<std::unique_ptr<Transfer>> transfers;

    void start(RangeJob job) {
        Curl handle = idle.empty() ? Curl(library().easy_init()) : std::move(idle.back());
        if (!idle.empty())
            idle.pop_back();
        if (!handle) {
            job.receiver->end(Error(ErrorCode::io, "libcurl creates no handle"));
            return;
        }
        auto transfer = std::make_unique<Transfer>(std::move(job), std::move(handle), shared);
        transfer->set_up(options);
        shared.rates->begin(transfer->range().url);
        if (library().multi_add_handle(multi.get(), transfer->handle()) != CURLM_OK) {
            transfer->stop(Error(ErrorCode::io, "libcurl accepts no further transfer"));
            return;
        }
        ++shared.counts.requests;
        transfers.push_back(std::move(transfer));
    }

    // Returns the transfer, which is no longer under way.
    std::unique_ptr<Transfer> remove(CURL* handle) {
        library().multi_remove_handle(multi.get(), handle);
        const auto found = std::ranges::find(transfers, handle, [](const auto& one) { return one->handle(); });
        auto transfer = std::move(*found);
        transfers.erase(found);
        return transfer;
    }

    // Ends those that another server would complete sooner.
    void leave_slow_servers() {
        const SteadyTime now = SteadyClock::now();
        double sum = 0;
        for (const auto& transfer : transfers)
            sum += transfer->rate().per_second(now);
        // Under the user's own limit, servers are slow because the limit is.
        if (2 * sum > static_cast<double>(options.bytes_per_second_max) && options.bytes_per_second_max != 0)
            return;
        for (std::size_t i = transfers.size(); i-- > 0;) {
            Transfer& transfer = *transfers[i];
            const HttpRange& range = transfer.range();
            const std::uint64_t left = transfer.left_bytes();
            const auto other = shared.rates->find_sooner(
                {.url = range.url, .left_bytes = left, .again_bytes = range.restarts ? range.length_bytes : left},
                transfer.rate(), range.others, now);
            if (!other)
                continue;
            remove(transfer.handle())->leave_for(*other);
        }
    }

    void end_finished() {
        int waiting = 0;
        while (const CURLMsg* const message = library().multi_info_read(multi.get(), &waiting)) {
            if (message->msg != CURLMSG_DONE)
                continue;
            const CURLcode code = message->data.result;
            const auto transfer = remove(message->easy_handle);
            transfer->end(code);
            idle.push_back(std::move(*transfer).take_handle());
            library().easy_reset(idle.back().get());
        }
    }

    Status stop_all(ErrorCode code, const std::string& reason) {
        while (!transfers.empty())
            remove(transfers.back()->handle())->stop(Error(code, reason));
        return Error(code, reason);
    }

    Status run(RangeQueue& queue, const std::stop_token& stop) {
        for (;;) {
            if (shared.is_spent())
                return stop_all(ErrorCode::limit, shared.spent_text());
            while (transfers.size() < options.connections) {
                auto job = queue.next();
                if (!job)
                    break;
                start(*std::move(job));
            }
            if (transfers.empty())
                return ok();
            if (stop.stop_requested())
                return stop_all(ErrorCode::cancelled, "the transfer was stopped");
            // Nobody may receive now: transfers go on when the time has paid for their bytes.
            if (const auto pause = shared.limit.pause(RateLimit::Clock::now()); pause.count() > 0) {
                std::this_thread::sleep_for(pause);
                continue;
            }
            for (const auto& transfer : transfers)
                transfer->resume();
            int running = 0;
            int ready = 0;
            if (library().multi_perform(multi.get(), &running) != CURLM_OK ||
                library().multi_poll(multi.get(), nullptr, 0, running == 0 ? 0 : kPollMilliseconds, &ready) != CURLM_OK)
                return stop_all(ErrorCode::io, "libcurl cannot go on");
            end_finished();
            leave_slow_servers();
        }
    }
};

RangeClient::RangeClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RangeClient::~RangeClient() = default;
RangeClient::RangeClient(RangeClient&&) noexcept = default;
RangeClient& RangeClient::operator=(RangeClient&&) noexcept = default;

Result<RangeClient> RangeClient::open(const RangeClientOptions& options) {
    if (find_curl_library() == nullptr)
        return Error(ErrorCode::missing, "libcurl is not installed or cannot be initialised; fetching needs it");
    for (const std::string& host : options.servers.allowed_hosts)
        FARDEL_TRY(verify_allowed_host(host));
    std::unique_ptr<Impl> impl(
        new Impl{.options = options,
                 .shared = {.limit = RateLimit(options.bytes_per_second_max, RateLimit::Clock::now()),
                            .rates = options.servers.known ? options.servers.known : std::make_shared<ServerRates>(),
                            .received_bytes_max = options.received_bytes_max}});
    impl->multi.reset(library().multi_init());
    if (!impl->multi)
        return Error(ErrorCode::io, "libcurl creates no handle");
    return RangeClient(std::move(impl));
}

Status RangeClient::run(RangeQueue& queue, const std::stop_token& stop) { return impl_->run(queue, stop); }

std::size_t RangeClient::quickest(const std::vector<std::string>& urls, std::size_t first) const {
    return impl_->shared.rates->quickest(urls, first, SteadyClock::now());
}
bool RangeClient::has_failed(const std::string& url) const {
    return impl_->shared.rates->has_failed(url, SteadyClock::now());
}
void RangeClient::note_failure(const std::string& url) { impl_->shared.rates->note_failure(url, SteadyClock::now()); }
bool RangeClient::sends_whole_files(const std::string& url) const {
    return impl_->shared.rates->sends_whole_files(url);
}
const TransferCounts& RangeClient::counts() const noexcept { return impl_->shared.counts; }

void RangeClient::wake() noexcept { library().multi_wakeup(impl_->multi.get()); }

}  // namespace fardel
