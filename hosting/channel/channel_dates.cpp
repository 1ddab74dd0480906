#include <fardel/hosting/channel_dates.h>

#include <fardel/format/printable.h>
#include <fardel/format/shown_date.h>

#include <string_view>

namespace fardel {
namespace {

constexpr std::uint64_t kMinuteSeconds = 60;
constexpr std::uint64_t kHourSeconds = 60 * kMinuteSeconds;
constexpr std::uint64_t kDaySeconds = 24 * kHourSeconds;
constexpr std::uint64_t kHeadDaysMax = 30;  // of 'fardel channel head --days'

std::string describe_span(std::uint64_t seconds) {
    const auto count = [&](std::uint64_t unit, std::string_view name) {
        const std::uint64_t number = seconds / unit;
        return std::to_string(number) + " " + std::string(name) + (number == 1 ? "" : "s");
    };
    return seconds >= kDaySeconds    ? count(kDaySeconds, "day")
           : seconds >= kHourSeconds ? count(kHourSeconds, "hour")
                                     : count(kMinuteSeconds, "minute");
}

template <class Value>
std::optional<std::string> describe(ChannelText kind, const Result<Value>& text, UnixTime now) {
    return text ? describe_ahead(kind, text->channel, text->version, text->created, now) : std::nullopt;
}

}  // namespace

std::optional<std::string> describe_ahead(ChannelText kind, const std::string& channel, std::uint64_t version,
                                          UnixTime created, UnixTime now) {
    if (created <= now + kClockSlackSeconds)
        return std::nullopt;
    return std::string(channel_text_name(kind)) + " " + std::to_string(version) + " of " + printable(channel) +
           " is dated " + shown_date(created) + ", " + describe_span(created - now) + " ahead of the clock here";
}

std::optional<std::string> describe_ahead(ChannelText kind, const std::string& body, UnixTime now) {
    switch (kind) {
        case ChannelText::root: return describe(kind, parse_channel_root(body), now);
        case ChannelText::release: return describe(kind, parse_channel_release(body), now);
        case ChannelText::head: break;
    }
    return describe(kind, parse_channel_head(body), now);
}

Status verify_not_behind(const std::optional<ChannelHead>& newest, UnixTime now, std::uint64_t life_s) {
    if (!newest || newest->created < now + life_s)
        return ok();
    const std::uint64_t ahead_s = newest->created - now;
    const std::uint64_t days = ahead_s / kDaySeconds + 1;
    const std::string wait = days <= kHeadDaysMax
                                 ? "; or make one that lasts for " + std::to_string(days) + " days or more (--days)"
                                 : "; or wait until " +
                                       shown_date(UnixTime{now.seconds + (ahead_s - kHeadDaysMax * kDaySeconds)}) +
                                       ", from when on one of " + std::to_string(kHeadDaysMax) + " days counts";
    return Error(ErrorCode::rollback,
                 "head " + std::to_string(newest->version) + " of " + printable(newest->channel) + " is dated " +
                     shown_date(newest->created) + ", " + describe_span(ahead_s) +
                     " ahead of the clock here, and who has accepted it refuses a head that ends before then. If the "
                     "clock is wrong, set it; otherwise replace the head keys, which makes that head void ('fardel "
                     "channel rotate ROOT -o NEXT --replace LABEL=NEW.key.pub')" +
                     wait);
}

}  // namespace fardel
