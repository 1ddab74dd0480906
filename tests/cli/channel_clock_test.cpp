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

// What the program writes about channel mygame/stable of `owner` while its clock is wrong.
Outcome owner_at(const std::string& moved, const ChannelOwner& owner, const char* verb, const Arguments& more) {
    Arguments words{"channel", verb, owner.tree(), "--channel", "mygame/stable"};
    words.insert(words.end(), more.begin(), more.end());
    return run_with_moved_clock(moved, words, {});
}

TEST_CASE(
    "channel clock: a head that was signed by one that ran ahead is named to who follows it up, with what to do") {
    if (!can_move_clock())
        return;
    const ChannelOwner owner;
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    const Arguments by_head{"--key", owner.key("head")};
    CHECK(owner_at("+964h", owner, "head", by_head).exit_code == 0);  // nothing here knows better
    owner.release({"--recall-bundle", base, "--reason", "eats saves"});
    for (const char* const verb : {"head", "status"}) {
        CAPTURE(verb);
        const Outcome behind = run(
            verb == std::string_view("head")
                ? Arguments{"channel", "head", owner.tree(), "--channel", "mygame/stable", "--key", owner.key("head")}
                : Arguments{"channel", "status", owner.tree(), "--channel", "mygame/stable"});
        CAPTURE(behind.out);
        CAPTURE(behind.err);
        CHECK(behind.exit_code == 1);
        const std::string text = behind.out + behind.err;
        check_has(text, "head 1 of mygame/stable is dated ");
        check_has(text, "40 days ahead of the clock here");
        check_has(text, "--replace LABEL=NEW.key.pub");
        check_has(text, "[rollback]");
        CHECK(text.find("what is installed") == std::string::npos);  // a sentence for players
    }
    CHECK(owner.head_file().find("version 1\n") != std::string::npos);
    // As the message says.
    make_key(owner.scratch, "head2");
    owner.owner({"channel", "rotate", owner.scratch.path("1.root"), "-o", owner.scratch.path("2.root"), "--replace",
                 "head=" + owner.pub("head2")});
    owner.sign_text("2.root", {"ra", "rb"});
    owner.owner({"channel", "publish", owner.scratch.path("2.root"), owner.tree()});
    owner.head({}, "head2");
    CHECK(run({"channel", "status", owner.tree(), "--channel", "mygame/stable"}).exit_code == 0);
}

TEST_CASE("channel clock: texts that are dated ahead are remarked by who signs and publishes them, and not refused") {
    if (!can_move_clock())
        return;
    const ChannelOwner owner;
    owner.release({owner.bundle("base", "1.0")});
    const std::string file = owner.scratch.path("next.head");
    CHECK(owner_at("+150m", owner, "head", {"-o", file}).exit_code == 0);
    for (const Arguments& words : {Arguments{"channel", "sign", file, "--key", owner.key("head")},
                                   Arguments{"channel", "publish", file, owner.tree()}}) {
        const Outcome outcome = run(words);
        CHECK(outcome.exit_code == 0);
        check_has(outcome.err, "fardel: head 1 of mygame/stable is dated ");
        check_has(outcome.err, "2 hours ahead of the clock here");
    }
    const Outcome status = run({"channel", "status", owner.tree(), "--channel", "mygame/stable"});
    CHECK(status.exit_code == 0);
    check_has(status.out, "note: head 1 of mygame/stable is dated ");
    const Outcome next =
        run({"channel", "head", owner.tree(), "--channel", "mygame/stable", "--key", owner.key("head")});
    CHECK(next.exit_code == 0);
    check_has(next.err, "2 hours ahead of the clock here");
    // A clock that differs by minutes is none that is wrong.
    CHECK(owner_at("+4m", owner, "head", {"--key", owner.key("head")}).exit_code == 0);
    CHECK(run({"channel", "status", owner.tree(), "--channel", "mygame/stable"}).out.find("ahead") ==
          std::string::npos);
}

}  // namespace fardel::tests::channel_clock_test
