#include "serve/server_metrics.h"

#include <string_view>

namespace fardel {
namespace {

void add_metric(std::string& text, std::string_view name, std::string_view kind, std::string_view help,
                const std::string& value) {
    text += "# HELP fardel_" + std::string(name) + " " + std::string(help) + "\n# TYPE fardel_" + std::string(name) +
            " " + std::string(kind) + "\nfardel_" + std::string(name) + " " + value + "\n";
}

// With six digits behind the point.
std::string format_seconds_of(std::uint64_t microseconds) {
    const std::string fraction = std::to_string(1'000'000 + microseconds % 1'000'000);
    return std::to_string(microseconds / 1'000'000) + "." + fraction.substr(1);
}

}  // namespace

void ServerMetrics::count_request(unsigned status, std::uint64_t body_bytes, bool is_complete,
                                  std::uint64_t microseconds) noexcept {
    ++requests_[status < kStatuses ? status : 0];
    microseconds_ += microseconds;
    if (is_complete)
        body_bytes_ += body_bytes;
    else
        ++broken_answers_;
}

std::string ServerMetrics::format(const ConnectionCounts& connections, std::uint64_t dropped_log_lines) const {
    std::string text =
        "# HELP fardel_requests_total Requests by the status of the answer; 0: the client left before.\n"
        "# TYPE fardel_requests_total counter\n";
    for (std::size_t status = 0; status < kStatuses; ++status)
        if (const std::uint64_t count = requests_[status]; count != 0)
            text += "fardel_requests_total{status=\"" + std::to_string(status) + "\"} " + std::to_string(count) + "\n";
    add_metric(text, "sent_bytes_total", "counter", "Bytes of the bodies of answers that were sent whole.",
               std::to_string(body_bytes_));
    add_metric(text, "broken_answers_total", "counter", "Answers that were not sent to their end.",
               std::to_string(broken_answers_));
    add_metric(text, "request_seconds_total", "counter", "Time from the heads of requests to the ends of answers.",
               format_seconds_of(microseconds_));
    add_metric(text, "connections", "gauge", "Open connections.", std::to_string(connections.open));
    add_metric(text, "connections_waiting", "gauge", "Open connections that wait for a request.",
               std::to_string(connections.waiting));
    add_metric(text, "connections_accepted_total", "counter", "Connections that were accepted.",
               std::to_string(connections.accepted));
    add_metric(text, "connections_refused_total", "counter", "Connections above a limit.",
               std::to_string(connections.refused));
    add_metric(text, "connections_displaced_total", "counter",
               "Connections that waited or were slow and were ended for new ones.",
               std::to_string(connections.displaced));
    add_metric(text, "connections_silent_total", "counter", "Connections that were ended without a request in time.",
               std::to_string(connections.silent));
    add_metric(text, "connections_slow_total", "counter", "Connections that were ended because they were too slow.",
               std::to_string(connections.slow));
    add_metric(text, "log_lines_dropped_total", "counter", "Lines of the access log that could not be written.",
               std::to_string(dropped_log_lines));
    return text;
}

}  // namespace fardel
