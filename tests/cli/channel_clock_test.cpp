// Players whose clocks are wrong: the program under Debian's faketime.
#include "channel_owner.h"

#include "kit/program.h"

namespace fardel::tests::channel_clock_test {

// A channel of 50 days ago, with a fresh head 3, and a head with a higher number that lasted from 40 to 33 days ago.
struct AgedChannel {
    AgedChannel() {
        base = owner.bundle("base", "1.0");
        owner.release({base});
        owner.head();
        head(40);
        expired = owner.forge(owner.channel_path("head"), "version 2\n", "version 9\n", {"head"});
        head(0);
        fresh = owner.head_file();
    }
    void head(std::uint64_t days_ago) const {
        const std::string date = std::to_string((system_now() - days_ago * kDayOfSeconds).seconds);
        const Outcome made =
            run({"channel", "head", owner.tree(), "--channel", "mygame/stable", "--key", owner.key("head")},
                {.variables = {{"SOURCE_DATE_EPOCH", date}}});
        CAPTURE(made.err);
        REQUIRE(made.exit_code == 0);
    }
    void serve_head(const std::string& head) const { owner.serve(owner.channel_path("head"), head); }

    const ChannelOwner owner{50 * kDayOfSeconds};
    std::string base;
    std::string expired;
    std::string fresh;
};

Outcome fetch_at(const std::string& moved, const ChannelPlayer& player) {
    return run_with_moved_clock(moved, player.fetch_words(), player.surroundings());
}

TEST_CASE("channel clock: one that is set back revives no head from before the accepted one") {  // A64
    if (!can_move_clock())
        return;
    const AgedChannel channel;
    const ChannelPlayer player(channel.owner, "ann"), newcomer(channel.owner, "bob");
    player.fetch_well();
    channel.serve_head(channel.expired);
    CHECK(fetch_at("-35d", newcomer).exit_code == 0);  // by that clock, it is good
    CHECK(player.refusal_of(fetch_at("-35d", player)) == "expired");
    CHECK(player.refusal() == "expired");
    channel.serve_head(channel.fresh);
    CHECK(fetch_at("-35d", player).exit_code == 0);  // nothing is locked
    CHECK(player.fetch_well()["channel"]["head"] == 3);
}

TEST_CASE(
    "channel clock: one that is set ahead expires the head, says so, and locks nothing once it is right") {  // A64
    if (!can_move_clock())
        return;
    const AgedChannel channel;
    const ChannelPlayer player(channel.owner, "ann");
    player.fetch_well();
    const Outcome ahead = fetch_at("+40d", player);
    CHECK(player.refusal_of(ahead) == "expired");
    CHECK(ahead.err.find("the head 3 has expired") != std::string::npos);
    CHECK(ahead.err.find("what is installed stays as it is") != std::string::npos);
    CHECK(player.has(channel.base));
    CHECK(player.fetch_well()["channel"]["stale"] == false);  // the clock is right again

    // A head that was accepted by a clock that ran ahead keeps out none that follows.
    channel.head(0);
    CHECK(fetch_at("+3d", player).exit_code == 0);
    channel.head(0);
    CHECK(player.fetch_well()["channel"]["head"] == 5);
}

}  // namespace fardel::tests::channel_clock_test
