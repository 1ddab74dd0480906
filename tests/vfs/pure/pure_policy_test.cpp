#include <fardel/vfs/pure_policy.h>

#include "vfs/test_bundle.h"

#include <fardel/format/content_set.h>
#include <fardel/format/hash.h>

namespace fardel::tests::pure_policy_test {

std::string hex_of(char digit) { return std::string(64, digit); }

// Every kind of line, in canonical order.
std::string full_text() {
    return "fardel-pure 1\n"
           "bundle " +
           hex_of('b') +
           " exact / base/core\n"
           "bundle " +
           hex_of('a') +
           " fold /mods/x mod with spaces\n"
           "bundle " +
           hex_of('c') +
           " exact /\n"
           "variant lang en,fr\n"
           "variant texture astc,bc7\n"
           "except huds/* " +
           hex_of('1') +
           " gfx/hud/**\n"
           "except lang/** " +
           hex_of('2') +
           " **\n"
           "loose autoexec.cfg\n"
           "loose screenshots/**\n"
           "revoke key " +
           hex_of('9') +
           " stolen, 2026\n"
           "revoke bundle " +
           hex_of('8') +
           "\n"
           "unsigned allow\n";
}

std::string refusal_of(const std::string& lines) {
    const auto policy = PurePolicy::parse("fardel-pure 1\n" + lines);
    REQUIRE_FALSE(policy);
    return policy.error().text();
}

TEST_CASE("pure policy: every kind of line is parsed, and formatting gives the same text") {
    const auto policy = PurePolicy::parse(full_text());
    REQUIRE_MESSAGE(policy, policy.error().text());
    const PureRules& rules = policy->rules();
    REQUIRE(rules.bundles.size() == 3);
    CHECK(rules.bundles[0] == PureBundle{bundle_of('b'), CaseRule::exact, "", "base/core"});
    CHECK(rules.bundles[1] == PureBundle{bundle_of('a'), CaseRule::fold, "mods/x", "mod with spaces"});
    CHECK(rules.bundles[2] == PureBundle{bundle_of('c'), CaseRule::exact, "", ""});
    CHECK(rules.variants == std::vector<PureAxis>{{"lang", {"en", "fr"}}, {"texture", {"astc", "bc7"}}});
    CHECK(rules.exceptions ==
          std::vector<PureException>{{"huds/*", key_of('1'), "gfx/hud/**"}, {"lang/**", key_of('2'), "**"}});
    CHECK(rules.loose == std::vector<std::string>{"autoexec.cfg", "screenshots/**"});
    CHECK(rules.revoked_keys == std::vector<Revocation<PublicKey>>{{key_of('9'), "stolen, 2026"}});
    CHECK(rules.revoked_bundles == std::vector<Revocation<BundleId>>{{bundle_of('8'), ""}});
    CHECK(rules.unsigned_allowed);
    CHECK(policy->format() == full_text());
    const BundleId order[] = {bundle_of('b'), bundle_of('a'), bundle_of('c')};
    CHECK(std::ranges::equal(policy->content().bundles(), order));

    const auto made = PurePolicy::make(rules);
    REQUIRE(made);
    CHECK(made->format() == full_text());
    CHECK(made->digest() == policy->digest());
}

TEST_CASE("pure policy: the order of bundles changes the digest; comments and the order of other rules do not") {
    const std::string a = "bundle " + hex_of('a') + " exact /\n", b = "bundle " + hex_of('b') + " exact /\n";
    const auto digest = [](const std::string& lines) {
        return PurePolicy::parse("fardel-pure 1\n" + lines).value().digest();
    };
    CHECK(digest(a + b) == digest("# the base\n\n" + a + "# and the map\n" + b));
    CHECK(digest(a + b) != digest(b + a));
    CHECK(digest(a) != digest(a + "unsigned allow\n"));
    CHECK(digest("loose a\nloose b\nvariant t x,y\n") == digest("variant t y,x\nloose b\nloose a\n"));

    // The digest follows the formula in the header.
    const std::string text = "fardel-pure 1\n" + a;
    std::string hashed_text = std::string("\x14\0\0\0\0\0\0\0", 8) + "fardel pure policy 1" +
                              static_cast<char>(text.size()) + std::string(7, '\0') + text;
    CHECK(digest(a) == blake3(bytes_of(hashed_text)));
}

TEST_CASE("pure policy: a line that is not a valid rule is refused with its line number") {
    const std::string id = hex_of('a');
    const std::vector<std::string> lines{"bundles x",
                                         "bundle " + id,
                                         "bundle " + id + " exact",
                                         "bundle " + id + " Exact /",
                                         "bundle " + id + " exact mods",
                                         "bundle " + hex_of('A') + " exact /",
                                         "bundle abc exact /",
                                         "bundle " + id + " exact /../x",
                                         "bundle " + id + " exact // x",
                                         "bundle " + id + " exact / ../x",
                                         "variant texture",
                                         "variant texture a,,b",
                                         "variant texture a,a",
                                         "variant te/x a",
                                         "except huds/* " + id,
                                         "except huds/* key gfx/**",
                                         "except hu[ " + hex_of('g') + " x",
                                         "loose",
                                         "loose a b",
                                         "loose /x",
                                         "loose ../x",
                                         "revoke key " + id.substr(1),
                                         "revoke bundle",
                                         "revoke bundle " + id + "  two spaces",
                                         "revoke",
                                         "unsigned",
                                         "unsigned allow ",
                                         " unsigned allow",
                                         "loose a\r\r",
                                         "loose a\tb",
                                         "loose \xff"};
    for (const std::string& line : lines) {
        CAPTURE(line);
        const std::string refusal = refusal_of("# two\n" + line + "\n");
        CHECK(refusal.starts_with("malformed: pure policy: line 3: "));
        CHECK(refusal.find('\r') == std::string::npos);
    }
    CHECK(refusal_of("bundle " + id + " exact /assets\n").starts_with("denied: "));  // A15
    CHECK(refusal_of("loose a").starts_with("malformed: pure policy: does not end"));
    CHECK(PurePolicy::parse("fardel-pure 2\n").error().code() == ErrorCode::unsupported);
    CHECK(PurePolicy::parse("fardel-trust 1\n").error().code() == ErrorCode::malformed);
    CHECK(PurePolicy::parse("").error().code() == ErrorCode::malformed);
}

TEST_CASE("pure policy: an exception may want keys in a role, and channels say where the content set comes from") {
    const std::string text = "fardel-pure 1\nexcept huds/* registry=2:" + hex_of('1') + "," + hex_of('2') +
                             " gfx/hud/**\nexcept lang/** " + hex_of('2') + " **\nchannel fort/beta " + hex_of('4') +
                             "\nchannel fort/stable " + hex_of('3') + "\n";
    const PurePolicy policy = value_of(PurePolicy::parse(text));
    const PureRole role{SignerRole::registry, 2, {key_of('1'), key_of('2')}};
    CHECK(policy.rules().exceptions ==
          std::vector<PureException>{{"huds/*", {}, "gfx/hud/**", role}, {"lang/**", key_of('2'), "**", {}}});
    CHECK(policy.rules().channels ==
          std::vector<PureChannel>{{"fort/beta", filled_id<Hash>(0x44)}, {"fort/stable", filled_id<Hash>(0x33)}});
    CHECK(policy.format() == text);
    CHECK(value_of(PurePolicy::make(policy.rules())).digest() == policy.digest());

    const std::string keys = hex_of('2') + "," + hex_of('1');
    const auto code = [](const std::string& line) { return outcome_of(PurePolicy::parse("fardel-pure 1\n" + line)); };
    // The order of the keys is no part of the meaning.
    CHECK(value_of(PurePolicy::parse("fardel-pure 1\nexcept a author=1:" + keys + " **\n")).format() ==
          "fardel-pure 1\nexcept a author=1:" + hex_of('1') + "," + hex_of('2') + " **\n");
    for (const std::string& bad : std::vector<std::string>{
             "author=3:" + keys, "author=0:" + keys, "player=1:" + keys, "author:" + keys, "author=1:" + keys + ",",
             "author=1:" + hex_of('1') + "," + hex_of('1'), "author=1:alice", "author=1:", "author=01:" + keys})
        CHECK_MESSAGE(code("except a " + bad + " **\n") == "malformed", bad);
    std::string many = "author=1:" + hex_of('f');
    for (int i = 1; i < 16; ++i)
        many += "," + std::string(63, '0') + "123456789abcdef"[i - 1];
    CHECK(code("except a " + many + " **\n") == "ok");
    CHECK(code("except a " + many + "," + hex_of('e') + " **\n") == "limit");
    for (const std::string& bad :
         std::vector<std::string>{"fort/stable", "Fort " + hex_of('3'), "fort " + hex_of('3') + " x", "fort abc"})
        CHECK_MESSAGE(code("channel " + bad + "\n") == "malformed", bad);
    const std::string channel = "channel fort " + hex_of('3') + "\n";
    CHECK(code(channel + channel) == "malformed");
    std::string channels;
    for (int i = 0; i < 64; ++i)
        channels += "channel fort/" + std::to_string(i) + " " + hex_of('3') + "\n";
    CHECK(code(channels) == "ok");
    CHECK(code(channels + channel) == "limit");
}

TEST_CASE("pure policy: rules that contradict one another are refused") {
    const std::string id = hex_of('a');
    CHECK(refusal_of("bundle " + id + " exact /\nbundle " + id + " exact /x\n").starts_with("conflict: "));
    CHECK(has(refusal_of("bundle " + id + " exact /\nrevoke bundle " + id + "\n"), "withdrawn"));
    CHECK(has(refusal_of("variant t a\nvariant t b\n"), "twice"));
    CHECK(has(refusal_of("loose a\nloose a\n"), "twice"));
    CHECK(has(refusal_of("revoke key " + id + "\nrevoke key " + id + " again\n"), "twice"));
}

// Known attack: a server that tolerates every loose *.cfg tolerates everything that an engine reads from one.
TEST_CASE("pure policy: no pattern tolerates one kind of loose file everywhere") {
    for (const std::string_view pattern : {"**", "*", "*.cfg", "**/*.cfg", "*/config/x", "?onfig/**", "con*/x"}) {
        CAPTURE(pattern);
        CHECK(has(refusal_of("loose " + std::string(pattern) + "\n"), "plain part"));
    }
    CHECK(PurePolicy::parse("fardel-pure 1\nloose config/**/*.cfg\n"));
}

TEST_CASE("pure policy: each count and size is accepted at its limit and refused one past it") {
    const auto lines = [](std::size_t count, auto line) {
        std::string text = "fardel-pure 1\n";
        for (std::size_t i = 0; i < count; ++i)
            text += line(std::to_string(i));
        return PurePolicy::parse(text);
    };
    const auto id = [](const std::string& number) { return std::string(64 - number.size(), '0') + number; };
    const auto bundle = [&](const std::string& n) { return "bundle " + id(n) + " exact / maps/" + n + "\n"; };
    const auto axis = [](const std::string& n) { return "variant axis" + n + " a\n"; };
    const auto loose = [](const std::string& n) { return "loose f" + n + "\n"; };
    const auto except = [&](const std::string& n) { return "except " + n + " " + id(n) + " **\n"; };
    const auto code = [](const auto& result) {
        return result ? std::string("ok") : std::string(error_code_name(result.error().code()));
    };
    CHECK(code(lines(ContentSet::kBundlesMax, bundle)) == "ok");
    CHECK(code(lines(ContentSet::kBundlesMax + 1, bundle)) == "limit");
    CHECK(code(lines(PurePolicy::kAxesMax, axis)) == "ok");
    CHECK(code(lines(PurePolicy::kAxesMax + 1, axis)) == "limit");
    CHECK(code(lines(PurePolicy::kPatternsMax, loose)) == "ok");
    CHECK(code(lines(PurePolicy::kPatternsMax + 1, loose)) == "limit");
    CHECK(code(lines(PurePolicy::kPatternsMax, except)) == "ok");
    CHECK(code(lines(PurePolicy::kPatternsMax + 1, except)) == "limit");
    std::string tags = "variant t ";
    for (std::size_t i = 0; i < PurePolicy::kTagsMax; ++i)
        tags += (i == 0 ? "x" : ",x") + std::to_string(i);
    CHECK(code(PurePolicy::parse("fardel-pure 1\n" + tags + "\n")) == "ok");
    CHECK(code(PurePolicy::parse("fardel-pure 1\n" + tags + ",y\n")) == "limit");
    std::string comment = "fardel-pure 1\n#";
    comment.resize(PurePolicy::kBytesMax - 1, 'x');
    CHECK(code(PurePolicy::parse(comment + "\n")) == "ok");
    CHECK(code(PurePolicy::parse(comment + "x\n")) == "limit");
}

TEST_CASE("pure policy: a truncated text is refused or has another digest") {
    const std::string text = full_text();
    const Hash digest = PurePolicy::parse(text)->digest();
    for (std::size_t size = 0; size < text.size(); ++size)
        if (const auto cut = PurePolicy::parse(std::string_view(text).substr(0, size)))
            CHECK(cut->digest() != digest);
}

// A128
TEST_CASE("pure policy: patterns of one kind with more than 64 KiB together are limit") {
    PureRules rules;
    for (std::size_t i = 0; i < 70; ++i)
        rules.loose.push_back("mods/" + std::string(990, 'a') + std::to_string(100 + i));
    CHECK(outcome_of(PurePolicy::make(rules)) == "limit");
    rules.loose.resize(60);
    CHECK(outcome_of(PurePolicy::make(rules)) == "ok");
}

}  // namespace fardel::tests::pure_policy_test
