#include "figures.h"

#include <array>
#include <charconv>
#include <chrono>

namespace fardel {

std::string format_count(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3;)
        digits.insert(at -= 3, ",");
    return digits;
}

std::string format_count(std::uint64_t count, std::string_view one, std::string_view several) {
    return fmt::format("{} {}", format_count(count), count == 1 ? one : several);
}

std::string format_step(std::uint64_t before, std::uint64_t after) {
    return before == after
               ? format_size(after)
               : fmt::format("{} → {} ({}{})", format_size(before), format_size(after), after > before ? "+" : "-",
                             format_size(after > before ? after - before : before - after));
}

std::string format_seconds(double seconds) {
    if (seconds < 60)
        return fmt::format("{:.2f} s", seconds);
    const auto whole = static_cast<std::uint64_t>(seconds);
    return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string format_time_left(double seconds) {
    return seconds < 60 ? fmt::format("{:.0f} s", seconds) : format_seconds(seconds);
}

std::string format_date(UnixTime unix_time) {
    using namespace std::chrono;
    constexpr std::uint64_t kLast = 253'402'300'799;  // 9999-12-31 23:59:59
    if (unix_time.seconds > kLast)
        return fmt::format("{} s after 1970", unix_time.seconds);
    const sys_seconds moment{seconds(static_cast<std::int64_t>(unix_time.seconds))};
    const sys_days day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss time(moment - day);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

std::string format_title(std::string_view name, std::string_view version) {
    return fmt::format("{}{}{}", name.empty() ? "(no name)" : name, version.empty() ? "" : " ", version);
}

std::string short_id(const Hash& id) { return id.hex().substr(0, 16) + "…"; }

std::optional<std::int64_t> find_duration(std::string_view text) {
    constexpr std::int64_t kMost = 36'500ll * 24 * 3600;
    if (text.empty())
        return std::nullopt;
    if (text == "0")  // of anything
        return 0;
    const char unit = text.back();
    const std::int64_t seconds = unit == 'd' ? 24 * 3600 : unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
    const auto number = find_number(text.substr(0, text.size() - 1));
    if (seconds == 0 || !number || *number > static_cast<std::uint64_t>(kMost / seconds))
        return std::nullopt;
    return static_cast<std::int64_t>(*number) * seconds;
}

}  // namespace fardel
