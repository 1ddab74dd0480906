// Texts of a channel that are dated ahead: somebody signed them while a clock was wrong.
//
// A follower's time is never before the head that he has accepted (ChannelUpdate::time). So a head from a clock that
// ran ahead keeps out those that follow it and end before its date, whatever they bring.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/channel.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fardel {

inline constexpr std::uint64_t kClockSlackSeconds = 300;  // between the clocks of those who sign and of those who look

// "head 3 of mygame/stable is dated 2027-01-06 UTC, 40 days ahead of the clock here"; nothing within the slack. Safe to
// show.
std::optional<std::string> describe_ahead(ChannelText kind, const std::string& channel, std::uint64_t version,
                                          UnixTime created, UnixTime now);
// The same for the body of a text; nothing as well if it is none.
std::optional<std::string> describe_ahead(ChannelText kind, const std::string& body, UnixTime now);

// Whether those who have accepted the newest head accept the next one, which is made now and lasts so long. Error:
// rollback (it would end before the newest one is dated; the message says what to do).
Status verify_not_behind(const std::optional<ChannelHead>& newest, UnixTime now, std::uint64_t life_s);

}  // namespace fardel
