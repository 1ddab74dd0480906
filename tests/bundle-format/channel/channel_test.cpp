// The texts of a channel: one body for one value, and everything else refused with its line.
#include "channel_samples.h"
#include "kit/files.h"

namespace fardel::tests::channel_test {

// A page of docs/ has one text of each kind, fenced.
std::string document_body(std::string_view title) {
    const std::string page = read_file(std::string(FARDEL_SOURCE_DIR) + "/docs/channels.md");
    const std::size_t at = page.find("```\n" + std::string(title));
    REQUIRE(at != std::string::npos);
    const std::size_t from = at + 4;
    return page.substr(from, page.find("```", from) - from);
}

template <class Parse>
void check_every_cut(const std::string& body, Parse parse) {
    for (std::size_t size = 0; size < body.size(); ++size)
        if (const auto cut = parse(std::string_view(body).substr(0, size)))
            CHECK(body[size - 1] == '\n');  // what is optional comes last
}

TEST_CASE("channel: the texts of the document have these values, and their values these bytes") {
    const std::string root = document_body("fardel-channel-root 1");
    const auto parsed_root = value_of(parse_channel_root(root));
    CHECK(parsed_root.channel == kSampleChannel);
    CHECK(parsed_root.version == 2);
    CHECK(parsed_root.root == ChannelRole{2, {"alice", "bob"}});
    CHECK(parsed_root.trust.allow.size() == 1);
    CHECK(parsed_root.trust.revoked_keys.size() == 1);
    CHECK(value_of(format_channel_root(parsed_root)) == root);

    const std::string release = document_body("fardel-channel-release 1");
    const auto parsed_release = value_of(parse_channel_release(release));
    REQUIRE(parsed_release.bundles.size() == 1);
    CHECK(parsed_release.bundles[0].name == "mygame/base");
    CHECK(parsed_release.bundles[0].version.text() == "1.2.0");
    CHECK(parsed_release.bundles[0].file_bytes == 20'480);
    REQUIRE(parsed_release.recalled_bundles.size() == 1);
    CHECK(parsed_release.recalled_bundles[0].reason == "crashes on the second level");
    CHECK(parsed_release.recalled_keys.size() == 1);
    CHECK(value_of(format_channel_release(parsed_release)) == release);

    const std::string head = document_body("fardel-channel-head 1");
    const auto parsed_head = value_of(parse_channel_head(head));
    CHECK(parsed_head.root_version == 2);
    CHECK(parsed_head.release_version == 17);
    CHECK(parsed_head.release_bytes == 4096);
    CHECK(value_of(format_channel_head(parsed_head)) == head);

    check_every_cut(root, parse_channel_root);
    check_every_cut(release, parse_channel_release);
    check_every_cut(head, parse_channel_head);
}

TEST_CASE("channel: what a root lets bring is in its text, in one spelling") {  // A137
    ChannelRoot root = sample_root();
    root.trust.allow.push_back({.pattern = "skins/*", .roles = {{SignerRole::author, 1, {key_label(kAuthorKey)}}}});
    root.trust.allow.back().brings = ContentClass::data;
    const std::string text = value_of(format_channel_root(root));
    CHECK(text.find("\nallow skins/* author=1:key6 classes=data\n") != std::string::npos);
    CHECK(value_of(parse_channel_root(text)).trust.allow.back().brings == ContentClass::data);
    const auto policy = value_of(channel_policy(root, std::nullopt));
    REQUIRE(policy);
    CHECK(policy->find_rule("skins/x")->brings == ContentClass::data);
    // All classes are written by leaving them out.
    std::string needless = text;
    needless.replace(needless.find("classes=data"), 12, "classes=data,script,code");
    CHECK(code_of(parse_channel_root(needless)) == ErrorCode::malformed);
}

TEST_CASE("channel: a wrong line is refused with its number") {
    const std::string root = document_body("fardel-channel-root 1");
    const std::string release = document_body("fardel-channel-release 1");
    const std::string head = document_body("fardel-channel-head 1");
    const auto root_with = [&](std::string_view from, std::string_view to) {
        return parse_channel_root(replaced(root, from, to));
    };
    const auto release_with = [&](std::string_view from, std::string_view to) {
        return parse_channel_release(replaced(release, from, to));
    };
    const auto head_with = [&](std::string_view from, std::string_view to) {
        return parse_channel_head(replaced(head, from, to));
    };
    check_error(root_with("root 1", "root 2"), ErrorCode::unsupported, "line 1");
    check_error(root_with("root 1\n", "root 1\r\n"), ErrorCode::malformed, "line 1: ends in CR LF; save it with LF");
    check_error(root_with("version 2", "version 0"), ErrorCode::malformed, "line 4");
    check_error(root_with("version 2", "version 02"), ErrorCode::malformed, "line 4");
    check_error(root_with("version 2", "version 9007199254740992"), ErrorCode::malformed, "line 4");
    check_error(root_with("id 2222", "id 222"), ErrorCode::malformed, "line 3");
    check_error(root_with("expires 1763072000", "expires 1700000000"), ErrorCode::malformed, "ends before");
    check_error(root_with("role root 2 alice,bob", "role root 3 alice,bob"), ErrorCode::malformed, "3 of 2");
    check_error(root_with("role root 2 alice,bob", "role root 0 alice,bob"), ErrorCode::malformed, "0 of 2");
    check_error(root_with("role root 2 alice,bob", "role root 1 alice,alice"), ErrorCode::malformed, "twice");
    check_error(root_with("role root 2 alice,bob", "role root 1 mallory"), ErrorCode::malformed, "mallory");
    check_error(root_with("role release 1 alice\n", ""), ErrorCode::malformed, "line 11");
    check_error(root_with("allow ** author=1:bob", "allow ** author=1:eve"), ErrorCode::malformed, "line 13");
    check_error(root_with("allow **", "unsigned allow\nallow **"), ErrorCode::malformed, "unsigned");
    check_error(root_with("allow **", "# a comment\nallow **"), ErrorCode::malformed, "order");
    check_error(root_with("channel mygame/stable", "channel MyGame/stable"), ErrorCode::malformed, "a-z");
    for (const char* const name : {"../stable", "my?game", "my#game", "my%2fgame", "/stable", "my//game", "a\\b"})
        check_error(root_with("channel mygame/stable", "channel " + std::string(name)), ErrorCode::malformed, "");
    // One key with two labels counts once (A55).
    check_error(root_with("8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c",
                          "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"),
                ErrorCode::malformed, "stands twice");

    check_error(release_with("1.2.0 mygame/base", "1.2.0 mygame/../base"), ErrorCode::malformed, "line 6");
    check_error(release_with(" 1.2.0 ", "  "), ErrorCode::malformed, "line 6");
    check_error(release_with("recall key", "bundle 4041 1 1 1 a\nrecall key"), ErrorCode::malformed, "line 8");
    check_error(release_with("crashes on the second level", "x\x1b[31m"), ErrorCode::malformed, "line 7");
    check_error(release_with(" crashes on the second level", ""), ErrorCode::malformed, "reason");
    check_error(head_with("expires 1700604800", "expires 1702592001"), ErrorCode::malformed, "30 days");
    check_error(head_with("release 17 4096", "release 17 0"), ErrorCode::malformed, "number");
    check_error(head_with("release 17", "release 17\nrelease 17"), ErrorCode::malformed, "line 7");
    check_error(parse_channel_head(head + "more\n"), ErrorCode::malformed, "line 8");
    CHECK(code_of(parse_channel_head(head + std::string(9000, 'x') + "\n")) == ErrorCode::limit);
}

TEST_CASE("channel: bundles and recalls of a release are sorted, each once") {
    ChannelRelease release = sample_release();
    std::swap(release.bundles[0], release.bundles[1]);
    CHECK(code_of(format_channel_release(release)) == ErrorCode::malformed);
    release = sample_release();
    release.bundles.push_back(release.bundles.back());
    check_error(format_channel_release(release), ErrorCode::malformed, "twice in one version");
    release.bundles.back().version = value_of(BundleVersion::parse("3"));
    CHECK(format_channel_release(release));
    release.recalled_bundles = {{sample_bundle(2), "b"}, {sample_bundle(1), "a"}};
    CHECK(code_of(format_channel_release(release)) == ErrorCode::malformed);
    release.recalled_bundles.assign(kChannelRecallsMax + 1, {sample_bundle(1), "a"});
    CHECK(code_of(format_channel_release(release)) == ErrorCode::limit);
}

TEST_CASE("channel: signatures stand behind the body, each key once, at most sixteen") {
    const std::string body = value_of(format_channel_head(head_for(1, "x", 1)));
    const std::string file = signed_file(ChannelText::head, body, {3, 1, 2});
    const SignedText text = value_of(parse_signed_text(ChannelText::head, file));
    CHECK(text.body == body);
    REQUIRE(text.signatures.size() == 3);
    CHECK(format_signed_text(text) == file);

    SignedText again = text;
    const auto signer = make_key_signer(numbered_key(2));
    CHECK(code_of(sign_text(ChannelText::head, again, *signer)) == ErrorCode::conflict);
    CHECK(code_of(parse_signed_text(ChannelText::head, body)) == ErrorCode::malformed);
    CHECK(code_of(parse_signed_text(ChannelText::head, "")) == ErrorCode::malformed);
    check_error(parse_signed_text(ChannelText::head, with_windows_ends(file)), ErrorCode::malformed,
                "line 1 ends in CR LF; save it with LF");
    // Swapped, repeated, cut.
    again = text;
    std::swap(again.signatures[0], again.signatures[1]);
    CHECK(code_of(parse_signed_text(ChannelText::head, format_signed_text(again))) == ErrorCode::malformed);
    again.signatures[0] = again.signatures[1];
    CHECK(code_of(parse_signed_text(ChannelText::head, format_signed_text(again))) == ErrorCode::malformed);
    CHECK(code_of(parse_signed_text(ChannelText::head, file.substr(0, file.size() - 1))) == ErrorCode::malformed);
    again = text;
    again.signatures.clear();
    for (std::uint8_t number = 1; number <= 17; ++number) {
        const auto one = make_key_signer(numbered_key(number));
        const Status status = sign_text(ChannelText::head, again, *one);
        CHECK(static_cast<bool>(status) == (number <= 16));
    }
    SignedText seventeen = again;
    seventeen.signatures.push_back({PublicKey{{0xff, 0xff}}, {}});
    CHECK(code_of(parse_signed_text(ChannelText::head, format_signed_text(seventeen))) == ErrorCode::limit);  // A56
}

TEST_CASE("channel: a threshold counts distinct keys of the role with good signatures") {  // A55, A56
    const ChannelRoot root = sample_root();
    const std::string body = value_of(format_channel_root(root));
    const auto verdict = [&](const SignedText& text) {
        return verify_signers(ChannelText::root, text, root, root.root);
    };
    const auto signed_by = [&](std::initializer_list<std::uint8_t> keys) {
        return value_of(parse_signed_text(ChannelText::root, signed_file(ChannelText::root, body, keys)));
    };
    CHECK(verdict(signed_by({kRootKeyA, kRootKeyC})));
    CHECK(verdict(signed_by({kRootKeyA, kRootKeyB, kRootKeyC, kOtherKey})));
    check_error(verdict(signed_by({kRootKeyA})), ErrorCode::untrusted, "1 good");
    check_error(verdict(signed_by({kRootKeyA, kOtherKey, kHeadKey})), ErrorCode::untrusted, "1 good");
    SignedText wrong = signed_by({kRootKeyA, kRootKeyB});
    wrong.signatures[0].signature.bytes[5] ^= 1;
    check_error(verdict(wrong), ErrorCode::untrusted, "1 good");
    SignedText changed = signed_by({kRootKeyA, kRootKeyB});
    changed.body += "\n";
    check_error(verdict(changed), ErrorCode::untrusted, "0 good");
    // Signed as a text of another kind (A54).
    const SignedText other_kind =
        value_of(parse_signed_text(ChannelText::root, signed_file(ChannelText::release, body, {kRootKeyA, kRootKeyB})));
    check_error(verdict(other_kind), ErrorCode::untrusted, "0 good");
}

}  // namespace fardel::tests::channel_test
