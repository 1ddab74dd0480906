#include "serve/access_log.h"

#include <fardel/base/file.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <stop_token>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kPendingBytesMax = 1u << 20;
constexpr std::size_t kFieldBytesMax = 512;

// Printable ASCII stays, except quotes and backslashes.
std::string escaped(std::string_view text, AccessLogForm form) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string safe;
    for (const char character : text.substr(0, kFieldBytesMax)) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7f && character != '"' && character != '\\') {
            safe += character;
            continue;
        }
        safe += form == AccessLogForm::json ? "\\u00" : "\\x";
        safe += kDigits[byte >> 4];
        safe += kDigits[byte & 15];
    }
    return safe.empty() ? "-" : safe;
}

struct CivilTime {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    unsigned hour = 0;
    unsigned minute = 0;
    unsigned second = 0;
};

CivilTime civil_time(UnixTime unix_time) {
    const auto time = std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(unix_time.seconds)));
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    return {.year = static_cast<int>(date.year()),
            .month = static_cast<unsigned>(date.month()),
            .day = static_cast<unsigned>(date.day()),
            .hour = static_cast<unsigned>(clock.hours().count()),
            .minute = static_cast<unsigned>(clock.minutes().count()),
            .second = static_cast<unsigned>(clock.seconds().count())};
}

template <class... Values>
std::string formatted(const char* pattern, Values... values) {
    std::array<char, 64> text{};
    const int size = std::snprintf(text.data(), text.size(), pattern, values...);
    return {text.data(), static_cast<std::size_t>(size)};
}

std::string format_common_time(UnixTime unix_time) {
    constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const CivilTime time = civil_time(unix_time);
    return formatted("%02u/%s/%04d:%02u:%02u:%02u +0000", time.day, kMonths.at(time.month - 1), time.year, time.hour,
                     time.minute, time.second);
}

std::string format_json_time(UnixTime unix_time) {
    const CivilTime time = civil_time(unix_time);
    return formatted("%04d-%02u-%02uT%02u:%02u:%02uZ", time.year, time.month, time.day, time.hour, time.minute,
                     time.second);
}

}  // namespace

std::string format_access(const AccessRecord& record, AccessLogForm form) {
    const std::string method = escaped(record.method, form);
    const std::string target = escaped(record.target, form);
    const std::string peer = escaped(record.peer, form);
    if (form == AccessLogForm::common)
        return peer + " - - [" + format_common_time(record.time) + "] \"" + method + " " + target + " HTTP/1.1\" " +
               std::to_string(record.status) + " " +
               (record.is_complete ? std::to_string(record.body_bytes) : std::string("-")) + "\n";
    return "{\"time\":\"" + format_json_time(record.time) + "\",\"peer\":\"" + peer + "\",\"method\":\"" + method +
           "\",\"target\":\"" + target + "\",\"status\":" + std::to_string(record.status) +
           ",\"body_bytes\":" + std::to_string(record.body_bytes) +
           ",\"whole\":" + (record.is_complete ? "true" : "false") +
           ",\"microseconds\":" + std::to_string(record.microseconds) + "}\n";
}

AccessLog::AccessLog(Descriptor file, AccessLogForm form) : file_(std::move(file)), form_(form) {
    static_cast<void>(writer_.try_start([this](const std::stop_token& stop) { write_pending(stop); }));
}

AccessLog::~AccessLog() { writer_.stop(); }

void AccessLog::add(const AccessRecord& record) {
    const std::string line = format_access(record, form_);
    const std::scoped_lock lock(mutex_);
    if (writer_.size() == 0 || pending_.size() + line.size() > kPendingBytesMax) {
        ++dropped_lines_;
        return;
    }
    pending_ += line;
    changed_.notify_one();
}

std::uint64_t AccessLog::dropped_lines() const {
    const std::scoped_lock lock(mutex_);
    return dropped_lines_;
}

void AccessLog::write_pending(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, stop, [this] { return !pending_.empty(); });
        if (pending_.empty())
            return;  // stopped
        const std::string lines = std::exchange(pending_, {});
        lock.unlock();
        const Status written = write_whole(file_, std::as_bytes(std::span(lines)), "the access log");
        lock.lock();
        if (!written)
            ++dropped_lines_;
    }
}

}  // namespace fardel
