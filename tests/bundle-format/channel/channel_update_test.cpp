// Following a channel: what a hostile server, a replay or a stolen key gets out of it.
#include "channel_samples.h"

namespace fardel::tests::channel_update_test {

// A head, with the release that it names.
struct Published {
    std::string release;
    std::string head;
};

Published published(std::uint64_t head_version, std::uint64_t release_version) {
    Published texts;
    texts.release = release_file(sample_release(release_version));
    texts.head = head_file(head_for(head_version, texts.release, release_version));
    return texts;
}

Published published(std::uint64_t head_version, const ChannelRelease& release) {
    Published texts;
    texts.release = release_file(release);
    texts.head = head_file(head_for(head_version, texts.release, release.version));
    return texts;
}

// What an update that was refused must leave as it was.
void check_unchanged(const ChannelUpdate& update, const ChannelFiles& before) { CHECK(update.files() == before); }

Status add_texts(ChannelUpdate& update, const Published& texts) {
    FARDEL_TRY(update.add_head(texts.head));
    return update.wanted_release() ? update.add_release(texts.release) : ok();
}

TEST_CASE("channel update: a first update takes root, head and release, and the next one what is newer") {
    ChannelFiles files;
    files.root = root_file(sample_root());
    ChannelUpdate first = begun(files);
    const Published one = published(1, 1);
    REQUIRE(first.add_head(one.head));
    const auto wanted = first.wanted_release();
    REQUIRE(wanted);
    CHECK(wanted->version == 1);
    CHECK(wanted->file_bytes == one.release.size());
    check_unchanged(first, files);  // a head without its release is not accepted
    REQUIRE(first.add_release(one.release));
    CHECK(first.files() == ChannelFiles{files.root, one.release, one.head});

    ChannelUpdate second = begun(first.files());
    REQUIRE(add_texts(second, published(2, 4)));
    CHECK(second.release()->version == 4);
    CHECK(second.head()->version == 2);
    // The same head once more changes nothing, and a newer head for the same release asks for nothing.
    ChannelUpdate third = begun(second.files());
    REQUIRE(third.add_head(second.files().head));
    CHECK_FALSE(third.wanted_release());
    check_unchanged(third, second.files());
    REQUIRE(third.add_head(published(9, 4).head));
    CHECK_FALSE(third.wanted_release());
    CHECK(third.head()->version == 9);
    CHECK(third.files().release == second.files().release);
}

TEST_CASE("channel update: an older head or release is a rollback") {  // A62
    const ChannelFiles files = accepted_files(5, 3);
    ChannelUpdate update = begun(files);
    check_error(update.add_head(published(4, 3).head), ErrorCode::rollback, "head is 4");
    check_error(update.add_head(published(6, 2).head), ErrorCode::rollback, "release is 2");
    check_unchanged(update, files);
    ChannelRelease release = sample_release(4);
    release.epoch = 0;
    ChannelRelease accepted = sample_release(3);
    accepted.epoch = 1;
    ChannelFiles later = files;
    later.release = release_file(accepted);
    later.head = head_file(head_for(5, later.release, 3));
    ChannelUpdate other = begun(later);
    check_error(add_texts(other, published(6, release)), ErrorCode::rollback, "epoch is 0");
    check_unchanged(other, later);
    // The epoch of a bundle.
    release = sample_release(4);
    release.bundles[0].epoch = 2;
    check_error(add_texts(update, published(6, release)), ErrorCode::rollback, "mygame/base");
    check_unchanged(update, files);
}

TEST_CASE("channel update: one version with two contents is a rollback") {  // A63
    const ChannelFiles files = accepted_files(5, 3);
    ChannelUpdate update = begun(files);
    check_error(update.add_head(published(5, 4).head), ErrorCode::rollback, "two contents");
    ChannelRelease other = sample_release(3);
    other.created = other.created + 1;
    check_error(update.add_head(published(6, other).head), ErrorCode::rollback, "two contents");
    check_unchanged(update, files);
}

TEST_CASE("channel update: an expired head is refused, whatever the clock says before it") {  // A64
    const ChannelFiles files = accepted_files(5, 3);
    const Published next = published(6, 4);
    const UnixTime end = kChannelNow + 7 * kChannelDay;
    ChannelUpdate in_time = begun(files, end - 1);
    CHECK(add_texts(in_time, next));
    ChannelUpdate late = begun(files, end);
    check_error(late.add_head(next.head), ErrorCode::expired, "what is installed stays");
    check_unchanged(late, files);

    // The clock was set back: the accepted head's date is the floor.
    ChannelHead fresh = head_for(6, files.release, 3);
    fresh.created = end + kChannelDay;
    fresh.expires = end + 8 * kChannelDay;
    ChannelFiles with_fresh = files;
    with_fresh.head = head_file(fresh);
    ChannelUpdate set_back = begun(with_fresh, kChannelNow - 100 * kChannelDay);
    CHECK(set_back.time() == fresh.created);
    ChannelHead replayed = head_for(7, files.release, 3);
    check_error(set_back.add_head(head_file(replayed)), ErrorCode::expired, "");
    // A clock that was far ahead leaves nothing behind.
    ChannelUpdate ahead = begun(files, kChannelNow + 1000 * kChannelDay);
    CHECK(code_of(ahead.add_head(next.head)) == ErrorCode::expired);
    ChannelUpdate right_again = begun(ahead.files(), kChannelNow);
    CHECK(add_texts(right_again, next));
}

TEST_CASE("channel update: a fast-forward by a stolen key ends with the rotation of that key") {  // A65
    // Of those who have accepted no head yet.
    const ChannelFiles files = {.root = root_file(sample_root()), .release = {}, .head = {}};
    constexpr std::uint64_t last = (1ull << 53) - 1;
    const std::string third = release_file(sample_release(3));
    ChannelUpdate update = begun(files);
    REQUIRE(update.add_head(head_file(head_for(last, third, 3))));  // the thief has the head key
    REQUIRE(update.add_release(third));
    const ChannelFiles forwarded = update.files();
    ChannelUpdate stuck = begun(forwarded);
    CHECK(code_of(stuck.add_head(published(6, 4).head)) == ErrorCode::rollback);

    ChannelRoot rotated = sample_root(2);
    rotated.trust.keys.push_back(policy_key(kOtherKey));
    rotated.head.labels = {key_label(kOtherKey)};
    ChannelUpdate mended = begun(forwarded);
    REQUIRE(mended.add_root(root_file(rotated)));
    CHECK_FALSE(mended.head());
    CHECK(mended.release());  // its keys are the same
    const std::string release = release_file(sample_release(4));
    check_error(mended.add_head(head_file(head_for(6, release, 4, 2), kHeadKey)), ErrorCode::untrusted, "0 good");
    REQUIRE(mended.add_head(head_file(head_for(6, release, 4, 2), kOtherKey)));
    REQUIRE(mended.add_release(release));
    CHECK(mended.head()->version == 6);
    // The release key was not rotated: its release is still protected.
    ChannelUpdate after = begun(mended.files());
    const std::string old_release = release_file(sample_release(2));
    CHECK(code_of(after.add_head(head_file(head_for(7, old_release, 2, 2), kOtherKey))) == ErrorCode::rollback);

    // A release of the highest version and epoch, by stolen keys of both roles.
    ChannelRelease highest = sample_release(last);
    highest.bundles[1].bundle = sample_bundle(9);
    highest.epoch = last;
    ChannelUpdate both = begun(files);
    REQUIRE(add_texts(both, published(last, highest)));
    rotated.trust.keys.push_back(policy_key(8));
    rotated.release.labels = {key_label(8)};
    ChannelUpdate recovered = begun(both.files());
    REQUIRE(recovered.add_root(root_file(rotated)));
    CHECK_FALSE(recovered.release());
    const std::string again = release_file(sample_release(4), 8);
    REQUIRE(recovered.add_head(head_file(head_for(6, again, 4, 2), kOtherKey)));
    REQUIRE(recovered.add_release(again));
    CHECK(recovered.release()->version == 4);
}

TEST_CASE("channel update: a fast-forward by a stolen key is refused by those who follow, as are other leaps") {  // A65
    const ChannelFiles files = accepted_files(5, 3);
    for (const std::uint64_t step : {kChannelStepMax + 1, kChannelNumberMax - 5}) {
        ChannelUpdate update = begun(files);
        check_error(update.add_head(head_file(head_for(5 + step, files.release, 3))), ErrorCode::limit,
                    "5 was accepted");
        const std::string release = release_file(sample_release(3 + step));
        check_error(update.add_head(head_file(head_for(6, release, 3 + step))), ErrorCode::limit, "3 was accepted");
        ChannelRelease later = sample_release(4);
        later.epoch = begun(files).release()->epoch + step;
        const Published published_later = published(6, later);
        REQUIRE(update.add_head(published_later.head));
        check_error(update.add_release(published_later.release), ErrorCode::limit, "epoch");
        CHECK(update.files() == files);
        CHECK(add_texts(update, published(6, 4)));  // the owner goes on, without a rotation
    }
    ChannelUpdate update = begun(files);
    CHECK(add_texts(update, published(5 + kChannelStepMax, 3 + kChannelStepMax)));
}

TEST_CASE("channel update: a release that is not the one of the head is not combined with it") {  // A66
    const ChannelFiles files = accepted_files(5, 3);
    const Published four = published(6, 4);
    const Published five = published(7, 5);
    ChannelUpdate update = begun(files);
    REQUIRE(update.add_head(five.head));
    check_error(update.add_release(four.release), ErrorCode::conflict, "not the release");
    check_error(update.add_release(five.release.substr(1)), ErrorCode::conflict, "not the release");
    check_unchanged(update, files);
    CHECK(update.add_release(five.release));
    // Without a head, there is no release to add.
    ChannelUpdate without = begun(files);
    CHECK(code_of(without.add_release(five.release)) == ErrorCode::conflict);
    // The head calls the release by another version than its own.
    ChannelUpdate misnamed = begun(files);
    REQUIRE(misnamed.add_head(head_file(head_for(8, five.release, 6))));
    check_error(misnamed.add_release(five.release), ErrorCode::conflict, "number 6");
    check_unchanged(misnamed, files);
}

TEST_CASE("channel update: texts of another channel are refused, also with good signatures") {  // A67
    const ChannelFiles files = accepted_files(5, 3);
    ChannelUpdate update = begun(files);
    ChannelHead head = head_for(6, files.release, 3);
    head.channel = "mygame/beta";
    check_error(update.add_head(head_file(head)), ErrorCode::untrusted, "mygame/beta");
    ChannelRelease beta = sample_release(4);
    beta.channel = "mygame/beta";
    check_error(add_texts(update, published(6, beta)), ErrorCode::untrusted, "mygame/beta");
    ChannelRoot root = sample_root(2);
    root.channel = "mygame/beta";
    check_error(update.add_root(root_file(root)), ErrorCode::untrusted, "mygame/beta");
    root = sample_root(2);
    root.id.bytes.fill(0x33);
    check_error(update.add_root(root_file(root)), ErrorCode::untrusted, "another channel of the name");
    check_unchanged(update, files);
}

TEST_CASE("channel update: roots follow one another, signed by the old and the new keys") {  // A70
    const ChannelFiles files = accepted_files(5, 3);
    ChannelRoot next = sample_root(2);
    for (const std::uint8_t number : {std::uint8_t{11}, std::uint8_t{12}})
        next.trust.keys.push_back(policy_key(number));
    std::ranges::sort(next.trust.keys, {}, &PolicyKey::label);
    next.root = {2, {key_label(11), key_label(12)}};
    ChannelUpdate update = begun(files);
    check_error(update.add_root(root_file(next, {11, 12})), ErrorCode::untrusted, "root 1");
    check_error(update.add_root(root_file(next, {kRootKeyA, kRootKeyB})), ErrorCode::untrusted, "root 2");
    check_error(update.add_root(root_file(next, {kRootKeyA, 11, 12})), ErrorCode::untrusted, "root 1");
    check_unchanged(update, files);
    REQUIRE(update.add_root(root_file(next, {kRootKeyA, kRootKeyC, 11, 12})));  // B is lost
    CHECK(update.root().version == 2);
    CHECK(update.files().head == files.head);  // neither head nor release keys have changed
    // A gap, the same number again, an older one.
    for (const std::uint64_t version : {1u, 2u, 4u}) {
        next.version = version;
        check_error(update.add_root(root_file(next, {kRootKeyA, kRootKeyC, 11, 12})), ErrorCode::rollback,
                    "cannot follow root 2");
    }
}

TEST_CASE("channel update: at most 256 roots come in one update") {  // A70
    ChannelUpdate update = begun(accepted_files());
    for (std::uint64_t version = 2; version <= 257; ++version)
        REQUIRE(update.add_root(root_file(sample_root(version))));
    CHECK(code_of(update.add_root(root_file(sample_root(258)))) == ErrorCode::limit);
    CHECK(update.root().version == 257);
    ChannelUpdate next = begun(update.files());
    CHECK(next.add_root(root_file(sample_root(258))));
}

TEST_CASE("channel update: only the last root must not have expired") {  // A71
    const ChannelFiles files = accepted_files(5, 3);
    ChannelRoot expired = sample_root(2);
    expired.expires = kChannelNow - 1;
    ChannelUpdate update = begun(files);
    REQUIRE(update.add_root(root_file(expired)));
    const std::string release = release_file(sample_release(4));
    const std::string head = head_file(head_for(6, release, 4, 2));
    check_error(update.add_head(head), ErrorCode::expired, "root 2 has expired");
    REQUIRE(update.add_root(root_file(sample_root(3))));
    CHECK(update.add_head(head));
}

TEST_CASE("channel update: a server that withholds a root is found out by the head") {
    const ChannelFiles files = accepted_files(5, 3);
    ChannelUpdate update = begun(files);
    const std::string release = release_file(sample_release(4));
    check_error(update.add_head(head_file(head_for(6, release, 4, 2))), ErrorCode::conflict, "needs root 2");
    check_unchanged(update, files);
}

TEST_CASE("channel update: what is recalled stays so until the epoch rises") {  // A72
    ChannelRelease recalling = sample_release(3);
    recalling.recalled_bundles.push_back({sample_bundle(1), "crashes"});
    recalling.recalled_keys.push_back({numbered_key(kAuthorKey).public_key(), "stolen"});
    ChannelFiles files = accepted_files(5, 3);
    files.release = release_file(recalling);
    files.head = head_file(head_for(5, files.release, 3));
    ChannelUpdate update = begun(files);
    check_error(add_texts(update, published(6, 4)), ErrorCode::rollback, "lacks a recall");
    ChannelRelease only_bundle = sample_release(4);
    only_bundle.recalled_bundles = recalling.recalled_bundles;
    check_error(add_texts(update, published(6, only_bundle)), ErrorCode::rollback, "lacks a recall");
    check_unchanged(update, files);
    ChannelRelease next_epoch = sample_release(4);
    next_epoch.epoch = 1;
    CHECK(add_texts(update, published(6, next_epoch)));
}

TEST_CASE("channel update: each role signs its own texts and no others") {  // A73
    const ChannelFiles files = accepted_files(5, 3);
    ChannelUpdate update = begun(files);
    // Head key alone: no release, no root.
    const std::string by_head = release_file(sample_release(4), kHeadKey);
    REQUIRE(update.add_head(head_file(head_for(6, by_head, 4))));
    check_error(update.add_release(by_head), ErrorCode::untrusted, "0 good");
    check_error(update.add_root(root_file(sample_root(2), {kHeadKey, kReleaseKey})), ErrorCode::untrusted, "0 good");
    // Release key alone: no head.
    const std::string by_release = release_file(sample_release(4));
    check_error(update.add_head(head_file(head_for(6, by_release, 4), kReleaseKey)), ErrorCode::untrusted, "0 good");
    // One root key of two.
    check_error(update.add_root(root_file(sample_root(2), {kRootKeyA})), ErrorCode::untrusted, "1 good");
    // An author's key, and a stranger's.
    check_error(update.add_head(head_file(head_for(6, by_release, 4), kAuthorKey)), ErrorCode::untrusted, "0 good");
    check_error(update.add_head(head_file(head_for(6, by_release, 4), kOtherKey)), ErrorCode::untrusted, "0 good");
    check_unchanged(update, files);
}

TEST_CASE("channel update: what was kept must belong together") {  // A77
    ChannelFiles files = accepted_files(5, 3);
    CHECK(code_of(ChannelUpdate::begin({}, kChannelNow)) == ErrorCode::malformed);
    ChannelFiles mixed = files;
    mixed.release = release_file(sample_release(4));
    CHECK(code_of(ChannelUpdate::begin(mixed, kChannelNow)) == ErrorCode::conflict);
    mixed.release.clear();
    CHECK(code_of(ChannelUpdate::begin(mixed, kChannelNow)) == ErrorCode::conflict);
    mixed = files;
    mixed.head.clear();
    CHECK(ChannelUpdate::begin(mixed, kChannelNow));
    ChannelRoot other = sample_root();
    other.channel = "other";
    mixed = files;
    mixed.root = root_file(other);
    CHECK(code_of(ChannelUpdate::begin(mixed, kChannelNow)) == ErrorCode::conflict);
}

TEST_CASE("channel update: recalls reach the policies by which bundles are judged") {
    ChannelRoot root = sample_root();
    root.trust.allow.push_back({"**", {{SignerRole::author, 1, {key_label(kAuthorKey)}}}, {}, {}});
    root.trust.revoked_keys.push_back({numbered_key(9).public_key(), "in the root"});
    ChannelRelease release = sample_release();
    release.recalled_bundles.push_back({sample_bundle(1), "crashes"});
    const TrustPolicy own = value_of(TrustPolicy::parse(
        "fardel-trust 1\nkey a " + numbered_key(kAuthorKey).public_key().hex() + "\nallow ** author=1:a\n"));
    const TrustPolicy with = value_of(with_recalls(own, root, release));
    CHECK(with.rules().allow == own.rules().allow);
    CHECK(with.rules().revoked_bundles == release.recalled_bundles);
    CHECK(with.rules().revoked_keys == root.trust.revoked_keys);
    const auto of_channel = value_of(channel_policy(root, release));
    REQUIRE(of_channel);
    CHECK(of_channel->rules().allow == root.trust.allow);
    CHECK(of_channel->rules().revoked_bundles == release.recalled_bundles);
    root.trust.allow.clear();
    CHECK_FALSE(value_of(channel_policy(root, release)));
}

}  // namespace fardel::tests::channel_update_test
