// The scenarios of the conformance suite of TUF, The Update Framework, in terms of channels: root is root, release is
// targets and snapshot, head is timestamp. tests/ATTACKS.md lists each test of that suite with the case that shows it.
#include "channel_samples.h"

#include <functional>

namespace fardel::tests::channel_conformance_test {

ChannelFiles first_files() { return {.root = root_file(sample_root()), .release = {}, .head = {}}; }

Status add_release_and_head(ChannelUpdate& update, std::uint64_t number, std::uint8_t release_key = kReleaseKey,
                            std::uint8_t head_key = kHeadKey) {
    const std::string release = release_file(sample_release(number), release_key);
    FARDEL_TRY(update.add_head(head_file(head_for(number, release, number, update.root().version), head_key)));
    return update.wanted_release() ? update.add_release(release) : ok();
}

ChannelRoot changed_root(std::uint64_t version, const std::function<void(ChannelRoot&)>& change) {
    ChannelRoot root = sample_root(version);
    root.trust.keys.push_back(policy_key(kOtherKey));
    change(root);
    return root;
}

// A role at one moment, and who signs then: keys by their numbers.
struct RoleStep {
    std::vector<std::uint8_t> keys;
    std::uint32_t threshold;
    std::vector<std::uint8_t> signers;
};

ChannelRole add_role(ChannelRoot& root, const RoleStep& step) {
    ChannelRole role{step.threshold, {}};
    for (const std::uint8_t number : step.keys) {
        role.labels.push_back(key_label(number));
        root.trust.keys.push_back(policy_key(number));
    }
    std::ranges::sort(root.trust.keys, {}, &PolicyKey::label);
    return role;
}

std::string root_of(std::uint64_t version, const RoleStep& step) {
    ChannelRoot root = sample_root(version);
    root.root = add_role(root, step);
    return root_file(root, step.signers);
}

TEST_CASE("channel conformance: a client with a good root follows") {
    ChannelUpdate update = begun(first_files());
    REQUIRE(add_release_and_head(update, 1));
    CHECK(update.files().release == release_file(sample_release(1)));  // byte for byte as it came
    ChannelUpdate again = begun(update.files());
    REQUIRE(again.add_head(update.files().head));
    CHECK(again.files() == update.files());
}

TEST_CASE("channel conformance: a chain of roots ends at the last one") {
    ChannelUpdate update = begun(first_files());
    for (std::uint64_t version = 2; version <= 9; ++version)
        REQUIRE(update.add_root(root_file(sample_root(version))));
    CHECK(update.root().version == 9);
    REQUIRE(add_release_and_head(update, 1));
}

TEST_CASE("channel conformance: a root needs the keys of both") {  // A70
    const ChannelRoot next = changed_root(2, [](ChannelRoot& root) {
        root.root = {2, {key_label(kRootKeyC), key_label(kOtherKey)}};
    });
    for (const auto& keys : {std::initializer_list<std::uint8_t>{kRootKeyA, kRootKeyB},
                             std::initializer_list<std::uint8_t>{kRootKeyC, kOtherKey},
                             std::initializer_list<std::uint8_t>{kRootKeyA, kOtherKey}}) {
        ChannelUpdate update = begun(first_files());
        CHECK(code_of(update.add_root(root_file(next, keys))) == ErrorCode::untrusted);
        CHECK(update.root().version == 1);
    }
    ChannelUpdate update = begun(first_files());
    CHECK(update.add_root(root_file(next, {kRootKeyA, kRootKeyC, kOtherKey})));
}

TEST_CASE("channel conformance: roots rotate their keys and thresholds, or do not") {  // A70
    struct Rotation {
        const char* name;
        bool is_accepted;  // the last root; those before it always are
        std::vector<RoleStep> roots;
    };
    const Rotation rotations[] = {
        {"one key for another", true, {{{21}, 1, {21}}, {{22}, 1, {22, 21}}, {{22}, 1, {22}}}},
        {"with signatures of others",
         true,
         {{{21}, 1, {23, 21, 24}}, {{22}, 1, {23, 22, 21, 24}}, {{22}, 1, {22, 24}}}},
        {"three of five, each time others",
         true,
         {{{20, 21, 22, 23, 24}, 3, {20, 22, 24}},
          {{20, 21, 22, 23, 24}, 3, {20, 24, 21}},
          {{20, 21, 22, 23, 24}, 3, {20, 21, 23}},
          {{20, 21, 22, 23, 24}, 3, {20, 21, 23}}}},
        {"one of five", true, {{{20, 21, 22, 23, 24}, 3, {20, 22, 24}}, {{20, 21, 23, 24, 25}, 3, {20, 24, 21}}}},
        {"one of five, in two steps",
         true,
         {{{20, 21, 22, 23, 24}, 3, {20, 22, 24}},
          {{20, 21, 23, 24, 25}, 3, {20, 22, 24, 25}},
          {{20, 21, 23, 24, 25}, 3, {20, 24, 25}}}},
        {"all of five, in two steps",
         true,
         {{{20, 21, 22, 23, 24}, 3, {20, 22, 24}},
          {{25, 26, 27, 28, 29}, 3, {20, 22, 24, 25, 26, 27}},
          {{25, 26, 27, 28, 29}, 3, {25, 26, 27}}}},
        {"a higher threshold", true, {{{21, 22, 23}, 1, {21}}, {{21, 22, 23}, 2, {21, 22}}}},
        {"a lower threshold",
         true,
         {{{21, 22, 23}, 2, {21, 22}}, {{21, 22, 23}, 1, {21, 22}}, {{21, 22, 23}, 1, {21}}}},
        {"a second key", true, {{{21}, 1, {21}}, {{21, 22}, 2, {21, 22}}}},
        {"not by the old key", false, {{{21}, 1, {21}}, {{22}, 1, {22, 23, 24}}}},
        {"not by the new key", false, {{{21}, 1, {21}}, {{22}, 1, {21, 23, 24}}}},
        {"not by three of the new keys",
         false,
         {{{20, 21, 22, 23, 24}, 3, {20, 22, 24}}, {{20, 21, 23, 24, 25}, 3, {20, 22, 24}}}},
        {"not by three of the old keys",
         false,
         {{{20, 21, 22, 23, 24}, 3, {20, 22, 24}}, {{20, 21, 23, 24, 25}, 3, {20, 24, 25}}}},
        {"a higher threshold that is not met", false, {{{21, 22, 23}, 1, {21}}, {{21, 22, 23}, 2, {22}}}},
        {"a lower threshold, by too few of the old", false, {{{21, 22, 23}, 2, {21, 22}}, {{21, 22, 23}, 1, {21}}}},
    };
    for (const Rotation& rotation : rotations) {
        CAPTURE(rotation.name);
        ChannelFiles files = first_files();
        files.root = root_of(1, rotation.roots[0]);
        ChannelUpdate update = begun(files);
        for (std::size_t i = 1; i < rotation.roots.size(); ++i) {
            const std::string next = root_of(i + 1, rotation.roots[i]);
            const bool is_accepted = rotation.is_accepted || i + 1 < rotation.roots.size();
            const std::string expected = is_accepted ? next : update.files().root;
            const Status added = update.add_root(next);
            CHECK(static_cast<bool>(added) == is_accepted);
            CHECK((added || added.error().code() == ErrorCode::untrusted));
            CHECK(update.files().root == expected);
        }
    }
}

TEST_CASE("channel conformance: heads and releases count if the threshold of their role has signed") {
    struct Signing {
        bool is_accepted;
        RoleStep role;
    };
    const Signing signings[] = {
        {true, {{22}, 1, {22}}},
        {true, {{21}, 1, {23, 21, 24}}},
        {false, {{22}, 1, {21, 23, 24}}},
        {false, {{20, 21, 23, 24, 25}, 3, {20, 22, 24}}},
        {false, {{20, 21, 23, 24, 25}, 3, {20, 24}}},
        {true, {{20, 21, 22, 23, 24}, 3, {20, 22, 24}}},
        {true, {{20, 21, 22, 23, 24}, 3, {20, 24, 21}}},
        {true, {{20, 21, 22, 23, 24}, 3, {20, 21, 23}}},
        {true, {{20, 21, 22, 23, 24}, 3, {21, 22, 23}}},
        {true, {{20, 21, 22, 23, 24}, 3, {22, 23, 24}}},
    };
    for (const auto& [is_accepted, role] : signings) {
        const std::string good = release_file(sample_release(1));
        ChannelRoot root = sample_root();
        root.head = add_role(root, role);
        ChannelUpdate update = begun({.root = root_file(root), .release = {}, .head = {}});
        const std::string head = value_of(format_channel_head(head_for(1, good, 1)));
        const Status by_role = update.add_head(signed_file(ChannelText::head, head, role.signers));
        CHECK(static_cast<bool>(by_role) == is_accepted);
        CHECK((by_role || by_role.error().code() == ErrorCode::untrusted));

        root = sample_root();
        root.release = add_role(root, role);
        ChannelUpdate other = begun({.root = root_file(root), .release = {}, .head = {}});
        const std::string release =
            signed_file(ChannelText::release, value_of(format_channel_release(sample_release(1))), role.signers);
        REQUIRE(other.add_head(head_file(head_for(1, release, 1))));
        const Status released = other.add_release(release);
        CHECK(static_cast<bool>(released) == is_accepted);
        CHECK((released || released.error().code() == ErrorCode::untrusted));
        CHECK(static_cast<bool>(other.head()) == is_accepted);
    }
}

TEST_CASE("channel conformance: a root is the next one or none") {  // A70
    for (const std::uint64_t version : {1, 3, 4}) {
        ChannelUpdate update = begun(first_files());
        CHECK(code_of(update.add_root(root_file(sample_root(version)))) == ErrorCode::rollback);
    }
    ChannelUpdate update = begun(first_files());
    REQUIRE(update.add_root(root_file(sample_root(2))));
    CHECK(code_of(update.add_root(root_file(sample_root(2)))) == ErrorCode::rollback);
}

TEST_CASE("channel conformance: only the date of the last root counts") {  // A71
    const ChannelRoot expired = changed_root(2, [](ChannelRoot& root) { root.expires = kChannelNow - 1; });
    ChannelUpdate update = begun(first_files());
    REQUIRE(update.add_root(root_file(expired)));
    CHECK(code_of(add_release_and_head(update, 1)) == ErrorCode::expired);
    CHECK(update.root().version == 2);
    REQUIRE(update.add_root(root_file(sample_root(3))));
    CHECK(add_release_and_head(update, 1));
}

TEST_CASE("channel conformance: a kept text that has expired is renewed") {  // A64, A71
    const ChannelFiles kept = accepted_files(5, 3);
    UnixTime now = kChannelNow + 30 * kChannelDay;
    std::uint64_t root_version = 1;
    SUBCASE("the head") {}
    SUBCASE("the root") {
        now = sample_root().expires;
        root_version = 2;
    }
    ChannelHead head = head_for(6, kept.release, 3, root_version);
    head.created = now;
    head.expires = now + kChannelDay;
    ChannelUpdate update = begun(kept, now);
    if (root_version == 2) {
        ChannelHead without_root = head;
        without_root.root_version = 1;
        CHECK(code_of(update.add_head(head_file(without_root))) == ErrorCode::expired);
        CHECK(update.files() == kept);
        REQUIRE(update.add_root(root_file(changed_root(2, [&](ChannelRoot& root) {
            root.created = now;
            root.expires = now + kChannelDay;
        }))));
    }
    REQUIRE(update.add_head(head_file(head)));
    CHECK_FALSE(update.wanted_release());
    CHECK(update.head()->version == 6);
    CHECK(update.release()->version == 3);
}

TEST_CASE("channel conformance: too few signatures are none") {
    ChannelUpdate update = begun(first_files());
    CHECK(code_of(update.add_root(root_file(sample_root(2), {kRootKeyA}))) == ErrorCode::untrusted);
    const std::string body = value_of(format_channel_root(sample_root(2)));
    CHECK(code_of(update.add_root(body)) == ErrorCode::malformed);
    // A threshold of two for heads.
    const ChannelRoot two = changed_root(2, [](ChannelRoot& root) {
        root.head = {2, {key_label(kHeadKey), key_label(kOtherKey)}};
    });
    REQUIRE(update.add_root(root_file(two)));
    CHECK(code_of(add_release_and_head(update, 1)) == ErrorCode::untrusted);
}

TEST_CASE("channel conformance: a key counts once") {  // A55
    const std::string once = root_file(sample_root(2), {kRootKeyA});
    const std::string twice = once + once.substr(once.find("signature "));
    ChannelUpdate update = begun(first_files());
    CHECK(code_of(update.add_root(twice)) == ErrorCode::malformed);
    // Two labels for one key do not make two signers.
    const ChannelRoot doubled = changed_root(2, [](ChannelRoot& root) {
        root.trust.keys.push_back({"again", policy_key(kRootKeyA).key});
        root.root = {2, {key_label(kRootKeyA), "again"}};
    });
    CHECK(code_of(format_channel_root(doubled)) == ErrorCode::malformed);
}

TEST_CASE("channel conformance: other keys' signatures change nothing") {
    ChannelUpdate update = begun(first_files());
    CHECK(update.add_root(root_file(sample_root(2), {kRootKeyA, kRootKeyB, kOtherKey, kAuthorKey})));
    CHECK(code_of(update.add_root(root_file(sample_root(3), {kRootKeyA, kOtherKey, kAuthorKey, kHeadKey}))) ==
          ErrorCode::untrusted);
}

TEST_CASE("channel conformance: a wrong signature beside enough good ones changes nothing") {
    const ChannelRoot root = changed_root(2, [](ChannelRoot& one) {
        one.head.labels = {key_label(kHeadKey), key_label(kOtherKey)};
    });
    ChannelUpdate update = begun(first_files());
    REQUIRE(update.add_root(root_file(root)));
    const std::string release = release_file(sample_release(1));
    const std::string body = value_of(format_channel_head(head_for(1, release, 1, 2)));
    SignedText head =
        value_of(parse_signed_text(ChannelText::head, signed_file(ChannelText::head, body, {kHeadKey, kOtherKey})));
    head.signatures[0].signature.bytes[7] ^= 1;
    REQUIRE(update.add_head(format_signed_text(head)));
    head.signatures[1].signature.bytes[7] ^= 1;
    CHECK(code_of(update.add_head(format_signed_text(head))) == ErrorCode::untrusted);
}

TEST_CASE("channel conformance: a root with impossible roles is malformed") {
    const std::string body = value_of(format_channel_root(sample_root(2)));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = body;
        const auto at = changed.find(from);
        REQUIRE(at != std::string::npos);
        changed.replace(at, from.size(), to);
        ChannelUpdate update = begun(first_files());
        return code_of(update.add_root(signed_file(ChannelText::root, changed, {kRootKeyA, kRootKeyB})));
    };
    CHECK(with("role head 1", "role head 0") == ErrorCode::malformed);
    CHECK(with("role head 1", "role head 2") == ErrorCode::malformed);
    CHECK(with("role head 1 key5", "role head 1 nobody") == ErrorCode::malformed);
    CHECK(with("role head 1 key5", "role head 1") == ErrorCode::malformed);
    CHECK(with("role head 1 key5\n", "") == ErrorCode::malformed);
    CHECK(with("role head 1 key5\n", "role head 1 key5\nrole mirror 1 key5\n") == ErrorCode::malformed);
    CHECK(with("role release 1", "role targets 1") == ErrorCode::malformed);
}

TEST_CASE("channel conformance: a new key ends what the old one signed") {
    ChannelUpdate update = begun(first_files());
    REQUIRE(add_release_and_head(update, 5));
    REQUIRE(update.add_root(
        root_file(changed_root(2, [](ChannelRoot& root) { root.head.labels = {key_label(kOtherKey)}; }))));
    CHECK_FALSE(update.head());
    CHECK(update.release());
    CHECK(code_of(add_release_and_head(update, 6)) == ErrorCode::untrusted);
    REQUIRE(add_release_and_head(update, 6, kReleaseKey, kOtherKey));
    REQUIRE(update.add_root(root_file(changed_root(3, [](ChannelRoot& root) {
        root.release.labels = {key_label(kOtherKey)};
        root.head.labels = {key_label(kOtherKey)};
    }))));
    CHECK_FALSE(update.release());
    CHECK(code_of(add_release_and_head(update, 7, kReleaseKey, kOtherKey)) == ErrorCode::untrusted);
    CHECK(add_release_and_head(update, 1, kOtherKey, kOtherKey));
}

TEST_CASE("channel conformance: a release has the length and the hash that the head names") {  // A66
    const std::string release = release_file(sample_release(1));
    for (const auto& [length, hash_of] :
         {std::pair(release.size() + 1, release), std::pair(release.size() - 1, release),
          std::pair(release.size(), release + "x")}) {
        ChannelHead head = head_for(1, release, 1);
        head.release_bytes = length;
        head.release_hash = blake3(std::as_bytes(std::span(hash_of)));
        ChannelUpdate update = begun(first_files());
        REQUIRE(update.add_head(head_file(head)));
        CHECK(code_of(update.add_release(release)) == ErrorCode::conflict);
        CHECK_FALSE(update.release());
        CHECK_FALSE(update.head());
    }
}

TEST_CASE("channel conformance: a release has the number that the head names") {
    const std::string release = release_file(sample_release(1));
    ChannelUpdate update = begun(first_files());
    REQUIRE(update.add_head(head_file(head_for(1, release, 2))));
    CHECK(code_of(update.add_release(release)) == ErrorCode::conflict);
}

TEST_CASE("channel conformance: a text of another kind, version or form is refused") {
    ChannelUpdate update = begun(first_files());
    const std::string release = release_file(sample_release(1));
    CHECK(code_of(update.add_root(release)) == ErrorCode::malformed);
    CHECK(code_of(update.add_head(root_file(sample_root()))) == ErrorCode::untrusted);
    // A head's text that release keys have signed, and the other way round.
    const std::string head = value_of(format_channel_head(head_for(1, release, 1)));
    CHECK(code_of(update.add_head(signed_file(ChannelText::release, head, {kHeadKey}))) == ErrorCode::untrusted);
    CHECK(code_of(update.add_head(signed_file(ChannelText::head, "fardel-channel-head 2\n", {kHeadKey}))) ==
          ErrorCode::unsupported);
    CHECK(code_of(update.add_head(signed_file(ChannelText::head, "{}\n", {kHeadKey}))) == ErrorCode::malformed);
    CHECK(code_of(update.add_head("")) == ErrorCode::malformed);
    // One key for both roles makes neither text the other.
    ChannelUpdate shared = begun(first_files());
    REQUIRE(shared.add_root(root_file(changed_root(2, [](ChannelRoot& root) {
        root.release.labels = {key_label(kReleaseKey), key_label(kHeadKey)};
    }))));
    CHECK(code_of(shared.add_head(release_file(sample_release(1), kHeadKey))) == ErrorCode::untrusted);
}

}  // namespace fardel::tests::channel_conformance_test
