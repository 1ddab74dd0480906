#include <fardel/format/trust_policy.h>

#include "kit/files.h"
#include "signing_vectors.h"
#include "trust/threshold.h"

#include <fardel/format/limits.h>
#include <fardel/format/signing_rule.h>

#include <ctime>
#include <functional>

namespace fardel::tests::trust_policy_test {

constexpr UnixTime kNow{1'750'000'000};  // inside the document statement's dates

// Signers have numbers; their labels are p1, p2, …
SecretKey person(std::uint8_t number) { return numbered_key(number); }
std::unique_ptr<Signer> signer(std::uint8_t number) { return make_key_signer(person(number)); }
PublicKey key(std::uint8_t number) { return person(number).public_key(); }
std::string key_line(std::uint8_t number) { return "key p" + std::to_string(number) + " " + key(number).hex() + "\n"; }

TrustPolicy policy_of(std::string_view rules) {
    std::string text = "fardel-trust 1\n";
    for (std::uint8_t number = 1; number <= 6; ++number)
        text += key_line(number);
    return value_of(TrustPolicy::parse(text + std::string(rules)));
}

Envelope stated(std::uint8_t author, const std::function<void(Statement&)>& change = {}) {
    Statement statement = document_statement();
    if (change)
        change(statement);
    return value_of(sign_statement(statement, *signer(author)));
}

Envelope cosigned(const Envelope& statement, std::uint8_t author) {
    return cosign_statement(statement, *signer(author)).value();
}

Envelope countersigned(const Envelope& statement, std::uint8_t by, SignerRole role = SignerRole::registry,
                       std::optional<UnixTime> expires = {}) {
    CountersignRequest request;
    request.role = role;
    request.expires = expires;
    return countersign(statement, request, *signer(by)).value();
}

// The bundle of the document's statement, with the name and version that the first of these statements gives.
BundleIdentity identity_for(std::span<const Envelope> envelopes) {
    Statement named = document_statement();
    for (const Envelope& envelope : envelopes)
        if (const auto statement = decode_statement(envelope.payload)) {
            named.name = statement->name;
            named.version = statement->version;
            break;
        }
    return {.bundle = named.bundle, .layout = named.layouts[0], .name = named.name, .version = named.version};
}

TrustVerdict judged(const TrustPolicy& policy, std::vector<Envelope> envelopes, UnixTime now = kNow) {
    auto verdict = policy.evaluate(envelopes, identity_for(envelopes), now);
    REQUIRE(verdict);
    CHECK(verdict->trusted == !verdict->refusal);
    return *std::move(verdict);
}

// Returns the code of the refusal, or nothing if the bundle is trusted.
std::optional<ErrorCode> refused(const TrustPolicy& policy, std::vector<Envelope> envelopes, UnixTime now = kNow) {
    const TrustVerdict verdict = judged(policy, std::move(envelopes), now);
    return verdict.refusal ? std::optional(verdict.refusal->code()) : std::nullopt;
}

bool has_finding(const TrustVerdict& verdict, std::string_view kind, std::size_t envelope) {
    return std::ranges::any_of(verdict.findings, [&](const TrustFinding& finding) {
        return finding.kind == kind && finding.envelope == envelope;
    });
}

ErrorCode parse_code(std::string_view rules) {
    return code_of(TrustPolicy::parse("fardel-trust 1\n" + key_line(1) + key_line(2) + std::string(rules)));
}

TEST_CASE("trust verdict: a policy that requires another one accepts what both accept") {
    const TrustPolicy ours = policy_of("allow ** author=1:p1,p2\n");
    const TrustPolicy theirs = policy_of("allow ** author=1:p2,p3\n");
    const TrustPolicy both = ours.requiring(theirs);
    CHECK(refused(both, {stated(1)}) == ErrorCode::untrusted);
    CHECK(refused(both, {stated(3)}) == ErrorCode::untrusted);
    CHECK_FALSE(refused(both, {stated(2)}));
    CHECK(refused(both.requiring(policy_of("allow ** author=1:p4\n")), {stated(2)}) == ErrorCode::untrusted);
    // A recall in either of them counts.
    const std::string recall = "revoke key " + key(2).hex() + " stolen\n";
    CHECK(refused(policy_of("allow ** author=1:p2\n" + recall).requiring(theirs), {stated(2)}) == ErrorCode::revoked);
    CHECK(refused(ours.requiring(policy_of("allow ** author=1:p2\n" + recall)), {stated(2)}) == ErrorCode::revoked);
    // One that accepts anything leaves the verdict to the other.
    const TrustPolicy anything = policy_of("unsigned allow\n");
    CHECK(refused(anything.requiring(theirs), {stated(1)}) == ErrorCode::untrusted);
    const TrustVerdict verdict = judged(anything.requiring(theirs), {stated(3)});
    CHECK(verdict.trusted);
    CHECK_FALSE(verdict.tainted);
    CHECK(verdict.rule);
    CHECK(judged(anything, {stated(3)}).tainted);
}

TEST_CASE("trust verdict: for those who follow a channel, statements for another one do not count") {
    const auto stated_for = [](std::uint8_t author, const char* channel) {
        return stated(author, [channel](Statement& statement) { statement.channel = channel; });
    };
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n").for_channel("mygame/stable");
    CHECK_FALSE(refused(policy, {stated_for(1, "mygame/stable")}));
    CHECK_FALSE(refused(policy, {stated_for(1, "")}));
    CHECK(refused(policy, {stated_for(1, "mygame/beta")}) == ErrorCode::untrusted);
    CHECK_FALSE(refused(policy, {stated_for(1, "mygame/beta"), stated_for(1, "mygame/stable")}));
    CHECK(refused(policy, {stated_for(1, "mygame/beta"), stated_for(2, "mygame/stable")}) == ErrorCode::untrusted);
    CHECK_FALSE(refused(policy_of("allow ** author=1:p1\n"), {stated_for(1, "mygame/beta")}));
    // What nobody demands a signature of must not be meant for others, either.
    const TrustPolicy anything = policy_of("unsigned allow\n").for_channel("mygame/stable");
    CHECK(refused(anything, {stated_for(1, "mygame/beta")}) == ErrorCode::untrusted);
    CHECK(judged(anything, {stated_for(1, "mygame/stable")}).tainted);
    CHECK(judged(anything, {}).tainted);
    CHECK(refused(anything.requiring(policy), {stated_for(2, "")}) == ErrorCode::untrusted);
    const std::string stolen = "allow ** author=1:p1\nrevoke key " + key(1).hex() + " stolen\n";
    CHECK(refused(policy_of(stolen).for_channel("mygame/stable"), {stated_for(1, "mygame/beta")}) ==
          ErrorCode::revoked);  // A72
}

// ---- The file

TEST_CASE("trust policy: the document's example") {
    std::ifstream in(std::string(FARDEL_SOURCE_DIR) + "/docs/trust-policy.md");
    std::string text;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("```"))
            inside = line == "```fardel-trust";
        else if (inside)
            text += line + "\n";
    }
    const auto policy = value_of(TrustPolicy::parse(text));
    const TrustRules& rules = policy.rules();
    REQUIRE(rules.keys.size() == 3);
    CHECK(rules.keys[0] == PolicyKey{"alice", fixed_vector<PublicKey>("key-alice")});
    CHECK(rules.keys[2] == PolicyKey{"hub", fixed_vector<PublicKey>("key-hub")});
    REQUIRE(rules.allow.size() == 2);
    CHECK(rules.allow[0] ==
          AllowRule{"core", {{SignerRole::author, 2, {"alice", "bob"}}, {SignerRole::registry, 1, {"hub"}}}});
    CHECK(rules.allow[1] == AllowRule{"maps/*", {{SignerRole::author, 1, {"alice", "bob"}}}});
    REQUIRE(rules.revoked_keys.size() == 1);
    CHECK(rules.revoked_keys[0].reason == "stolen laptop, 2026-01-03");
    CHECK(rules.revoked_bundles.size() == 1);
    CHECK_FALSE(rules.unsigned_allowed);
}

TEST_CASE("trust policy: canonical text is the same again") {
    const std::string text = "fardel-trust 1\n" + key_line(1) + key_line(2) +
                             "allow core author=2:p1,p2\n"
                             "allow maps/** registry=1:p2 author=1:p1\n"
                             "revoke key " +
                             key(3).hex() + " lost\n" + "revoke bundle " + document_statement().bundle.hex() + "\n" +
                             "unsigned allow\n";
    const auto policy = TrustPolicy::parse(text);
    REQUIRE(policy);
    CHECK(policy->format() == text);
    CHECK(TrustPolicy::make(policy->rules()).value().rules() == policy->rules());
    for (std::size_t length = 0; length < text.size(); ++length) {
        CAPTURE(length);
        const bool whole_lines = length > 0 && text[length - 1] == '\n';
        CHECK(static_cast<bool>(TrustPolicy::parse(text.substr(0, length))) == whole_lines);
    }
}

TEST_CASE("trust policy: comments, empty lines and any order of unrelated lines are accepted") {
    const auto policy = TrustPolicy::parse("fardel-trust 1\n\n# who\nunsigned allow\n" + key_line(1) +
                                           "#\n\nallow ** author=1:p1\n" + key_line(2));
    REQUIRE(policy);
    CHECK(policy->format() ==
          "fardel-trust 1\n" + key_line(1) + key_line(2) + "allow ** author=1:p1\nunsigned allow\n");
    CHECK(TrustPolicy::parse("fardel-trust 1\n").value().rules() == TrustRules{});
}

TEST_CASE("trust policy: each flipped bit outside comments is refused or gives other rules") {
    const std::string text = "fardel-trust 1\n" + key_line(1) + "allow maps/* author=1:p1\nrevoke key " + key(3).hex() +
                             " x\nunsigned allow\n";
    const TrustRules rules = TrustPolicy::parse(text).value().rules();
    for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
        CAPTURE(bit);
        std::string flipped = text;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        if (const auto policy = TrustPolicy::parse(flipped))
            CHECK_FALSE(policy->rules() == rules);
    }
}

TEST_CASE("trust policy: its title is strict") {
    CHECK(code_of(TrustPolicy::parse("")) == ErrorCode::malformed);
    CHECK(code_of(TrustPolicy::parse("\n")) == ErrorCode::malformed);
    CHECK(code_of(TrustPolicy::parse("fardel-trust 1")) == ErrorCode::malformed);
    CHECK(code_of(TrustPolicy::parse("fardel-trust 2\n")) == ErrorCode::unsupported);
    CHECK(value_of(TrustPolicy::parse("fardel-trust 1\r\n")).rules() ==
          value_of(TrustPolicy::parse("fardel-trust 1\n")).rules());  // a line end of Windows
    CHECK(code_of(TrustPolicy::parse("fardel-trust 1\r\r\n")) == ErrorCode::unsupported);
    CHECK(code_of(TrustPolicy::parse("Fardel-trust 1\n")) == ErrorCode::malformed);
    CHECK(code_of(TrustPolicy::parse("\xef\xbb\xbf"
                                     "fardel-trust 1\n")) == ErrorCode::malformed);
}

TEST_CASE("trust policy: what is not a rule is refused, with its line") {
    const std::string hex = key(3).hex();
    for (const std::string& line : std::vector<std::string>{"alow ** author=1:p1",
                                                            "allow",
                                                            "allow **",
                                                            "allow ** ",
                                                            "allow ** author",
                                                            "allow ** author=",
                                                            "allow ** author=1",
                                                            "allow ** author=1:",
                                                            "allow ** author=0:p1",
                                                            "allow ** author=-1:p1",
                                                            "allow ** author=01:p1",
                                                            "allow ** author=+1:p1",
                                                            "allow ** author=17:p1",
                                                            "allow ** author=99999999999:p1",
                                                            "allow ** author=1:p9",
                                                            "allow ** author=1:p1,",
                                                            "allow ** author=1:p1,p1",
                                                            "allow ** author=1: p1",
                                                            "allow ** Author=1:p1",
                                                            "allow ** king=1:p1",
                                                            "allow ** author=1:p1 author=1:p2",
                                                            "allow  ** author=1:p1",
                                                            "allow ** author=1:p1 ",
                                                            "allow ** author=1:p1  registry=1:p2",
                                                            " allow ** author=1:p1",
                                                            "allow\t** author=1:p1",
                                                            "allow ** author=1:p1\r\r",
                                                            "allow maps/../core author=1:p1",
                                                            "allow maps/** /x author=1:p1",
                                                            "allow /maps author=1:p1",
                                                            "allow maps/x** author=1:p1",
                                                            "allow a//b author=1:p1",
                                                            "allow ** author=3:p1,p2",             // can never be met
                                                            "allow ** author=1:p1 registry=1:p1",  // one key, two roles
                                                            "allow ** author=2:p1,p2 registry=1:p1,p2",
                                                            "key p3",
                                                            "key p3 " + hex.substr(0, 16),
                                                            "key p3 " + hex + " x",
                                                            "key p1 " + hex,
                                                            "key a,b " + hex,
                                                            "key  " + hex,
                                                            "key p3 " + std::string(64, 'A'),
                                                            "key " + hex,
                                                            "key " + std::string(65, 'x') + " " + hex,
                                                            "revoke",
                                                            "revoke key",
                                                            "revoke key " + hex.substr(0, 16),
                                                            "revoke user " + hex,
                                                            "revoke key " + hex + " a\x1b[31mb",
                                                            "revoke bundle xyz",
                                                            "unsigned",
                                                            "unsigned allow ",
                                                            "unsigned deny",
                                                            "Unsigned allow",
                                                            "# a\rb",
                                                            std::string("# a\0b", 5),
                                                            "# \xff"}) {
        CAPTURE(line);
        const auto policy = TrustPolicy::parse("fardel-trust 1\n" + key_line(1) + key_line(2) + line + "\n");
        CHECK(code_of(policy) == ErrorCode::malformed);
        CHECK(policy.error().message().find("line 4: ") != std::string::npos);
        CHECK(policy.error().message().find('\x1b') == std::string::npos);
    }
}

TEST_CASE("trust policy: a key under two labels counts as one key") {  // A55
    CHECK(parse_code("key other " + key(1).hex() + "\nallow ** author=2:p1,other\n") == ErrorCode::malformed);
    CHECK(TrustPolicy::parse("fardel-trust 1\n" + key_line(1) + key_line(2) + "key other " + key(1).hex() +
                             "\nallow ** author=2:p1,other,p2\n"));
}

TEST_CASE("trust policy: sizes are accepted at their limit and refused one past it") {
    const auto comments = [](std::size_t lines) {
        std::string text = "fardel-trust 1\n";
        for (std::size_t i = 1; i < lines; ++i)
            text += "#\n";
        return text;
    };
    CHECK(TrustPolicy::parse(comments(limits::kTrustPolicyLinesMax)));
    CHECK(code_of(TrustPolicy::parse(comments(limits::kTrustPolicyLinesMax + 1))) == ErrorCode::limit);
    std::string longest = "fardel-trust 1\n#";
    longest.resize(limits::kTrustPolicyBytesMax - 1, 'x');
    longest += "\n";
    CHECK(TrustPolicy::parse(longest));
    CHECK(code_of(TrustPolicy::parse("#" + longest)) == ErrorCode::limit);

    const std::string label(limits::kLabelBytesMax, 'x');
    CHECK(TrustPolicy::parse("fardel-trust 1\nkey " + label + " " + key(1).hex() + "\nallow ** author=1:" + label +
                             "\n"));
    CHECK(parse_code("revoke key " + key(1).hex() + " " + std::string(limits::kCommentBytesMax, 'x') + "x\n") ==
          ErrorCode::limit);
    CHECK(parse_code("allow " + std::string(limits::kNameBytesMax + 1, 'x') + " author=1:p1\n") == ErrorCode::limit);

    TrustRules rules;
    for (std::uint32_t i = 0; i < limits::kTrustPolicyLinesMax; ++i)
        rules.keys.push_back({"k" + std::to_string(i), PublicKey{}});
    CHECK(code_of(TrustPolicy::make(rules)) == ErrorCode::limit);
}

TEST_CASE("trust policy: values meet the same rules as text") {
    TrustRules rules;
    rules.keys = {{"p1", key(1)}};
    rules.allow = {{"my map", {{SignerRole::author, 1, {"p1"}}}}};
    CHECK(code_of(TrustPolicy::make(rules)) == ErrorCode::malformed);
    rules.allow = {{"my?map", {{SignerRole{9}, 1, {"p1"}}}}};
    CHECK(code_of(TrustPolicy::make(rules)) == ErrorCode::malformed);
    rules.allow = {{"my?map", {{SignerRole::author, 1, {"p1"}}}}};
    rules.revoked_keys = {{key(2), "a\nunsigned allow"}};
    CHECK(code_of(TrustPolicy::make(rules)) == ErrorCode::malformed);
    rules.revoked_keys = {{key(2), "first"}, {key(2), "second"}};
    const auto policy = TrustPolicy::make(rules);
    REQUIRE(policy);
    REQUIRE(policy->rules().revoked_keys.size() == 1);
    CHECK(policy->rules().revoked_keys[0].reason == "first");
    CHECK(TrustPolicy::parse(policy->format()).value().rules() == policy->rules());
}

TEST_CASE("trust policy: a rule bounds what its bundles publish by the folder that its pattern begins with") {  // A124
    const auto scope_of = [](std::string_view words) {
        const TrustPolicy policy = policy_of("allow " + std::string(words) + " author=1:p1\n");
        const auto scope = find_name_scope(policy.rules().allow.at(0));
        if (!scope)
            return std::string("everything");
        std::string text;
        for (const std::string& glob : scope->publish)
            text += glob + " ";
        text += "/";
        for (const std::string& glob : scope->overrides)
            text += " " + glob;
        return text;
    };
    CHECK(scope_of("**") == "everything");
    CHECK(scope_of("core") == "everything");
    CHECK(scope_of("core*") == "everything");
    CHECK(scope_of("*/x") == "everything");
    CHECK(scope_of("maps/*") == "maps/** /");
    CHECK(scope_of("maps/**") == "maps/** /");
    CHECK(scope_of("maps/dm01") == "maps/** /");
    CHECK(scope_of("mods/x/*") == "mods/x/** /");
    CHECK(scope_of("mods/*/x") == "mods/** /");
    CHECK(scope_of("my?mods/*") == "my?mods/** /");
    CHECK(scope_of("maps/* publish=**") == "** /");
    CHECK(scope_of("maps/* publish=maps/** publish=textures/**") == "maps/** textures/** /");
    CHECK(scope_of("maps/* override=maps/base/*") == "maps/** / maps/base/*");
    CHECK(scope_of("** publish=**") == "** /");  // may add, and not override
    CHECK(scope_of("core override=default.cfg") == "** / default.cfg");

    const NameScope scope = find_name_scope({.pattern = "maps/*", .overrides = {"maps/a"}}).value();
    CHECK(scope.may_publish("maps/a"));
    CHECK(scope.may_publish("maps/a/b"));
    CHECK_FALSE(scope.may_publish("maps"));
    CHECK_FALSE(scope.may_publish("Maps/a"));
    CHECK_FALSE(scope.may_publish("default.cfg"));
    CHECK(scope.may_override("maps/a"));
    CHECK_FALSE(scope.may_override("maps/b"));
    CHECK(scope.describe() == "the rule maps/* lets it publish maps/**");
}

TEST_CASE("trust policy: the patterns of names that a rule may publish and override round-trip") {
    const TrustPolicy policy = policy_of(
        "allow maps/* author=1:p1 registry=1:p2 publish=maps/** publish=my?names/* override=maps/a\n"
        "expired-content allow\n");
    const AllowRule& rule = policy.rules().allow.at(0);
    CHECK(rule.roles.size() == 2);
    CHECK(rule.publish == std::vector<std::string>{"maps/**", "my?names/*"});
    CHECK(rule.overrides == std::vector<std::string>{"maps/a"});
    CHECK(policy.rules().expired_content_allowed);
    CHECK(TrustPolicy::parse(policy.format()).value().rules() == policy.rules());
    CHECK(TrustPolicy::make(policy.rules()).value().rules() == policy.rules());

    CHECK(parse_code("allow maps/* author=1:p1 publish=\n") == ErrorCode::malformed);
    CHECK(parse_code("allow maps/* author=1:p1 publish=../x\n") == ErrorCode::malformed);
    CHECK(parse_code("allow maps/* author=1:p1 override=a//b\n") == ErrorCode::malformed);
    CHECK(parse_code("allow maps/* publish=maps/**\n") == ErrorCode::malformed);  // no role
    CHECK(parse_code("expired-content\n") == ErrorCode::malformed);
    std::string many = "allow maps/* author=1:p1";
    for (std::uint32_t i = 0; i < limits::kRuleGlobsMax; ++i)
        many += " publish=a" + std::to_string(i);
    CHECK(TrustPolicy::parse("fardel-trust 1\n" + key_line(1) + many + "\n"));
    CHECK(parse_code(many + " publish=b\n") == ErrorCode::limit);
    TrustRules rules = policy.rules();
    rules.allow[0].publish = {"a b"};
    CHECK(code_of(TrustPolicy::make(rules)) == ErrorCode::malformed);
}

TEST_CASE("trust policy: the classes that a rule lets bring round-trip, in one spelling") {  // A137
    const auto written = [](const std::string& words) {
        const TrustPolicy policy = policy_of("allow ** author=1:p1" + words + "\n");
        CHECK(TrustPolicy::parse(policy.format()).value().rules() == policy.rules());
        return std::string(content_class_name(policy.rules().allow.at(0).brings));
    };
    CHECK(written("") == "code");
    CHECK(written(" classes=data,script,code") == "code");
    CHECK(written(" classes=data,script") == "script");
    CHECK(written(" classes=data publish=a/**") == "data");
    CHECK(policy_of("allow ** author=1:p1 classes=data,script\n").format().ends_with(" classes=data,script\n"));
    for (const std::string_view bad : {"", "script", "code", "data,code", "script,data", "data,data", "Data", "data,",
                                       "data,script,code,", "data script", "data classes=data"}) {
        CAPTURE(bad);
        CHECK(parse_code("allow ** author=1:p1 classes=" + std::string(bad) + "\n") == ErrorCode::malformed);
    }
    TrustRules rules = policy_of("allow ** author=1:p1\n").rules();
    rules.allow[0].brings = ContentClass{3};
    CHECK(code_of(TrustPolicy::make(rules)) == ErrorCode::malformed);
}

TEST_CASE("trust verdict: it says what the rule lets bring, and of two policies the less") {  // A137
    const TrustPolicy data = policy_of("allow ** author=1:p2 classes=data\n");
    const TrustPolicy scripts = policy_of("allow ** author=1:p2 classes=data,script\n");
    const TrustPolicy development = policy_of("allow ** author=1:p1 classes=data\nunsigned allow\n");
    CHECK(judged(data, {stated(2)}).brings == ContentClass::data);
    CHECK(judged(scripts, {stated(2)}).brings == ContentClass::script);
    CHECK(judged(data.requiring(scripts), {stated(2)}).brings == ContentClass::data);
    CHECK(judged(scripts.requiring(data), {stated(2)}).brings == ContentClass::data);
    CHECK(judged(development, {stated(2)}).brings == ContentClass::code);  // tainted: no rule accepted it
    CHECK(judged(development.requiring(data), {stated(2)}).brings == ContentClass::data);
    CHECK(judged(data.requiring(development), {stated(2)}).brings == ContentClass::data);
}

TEST_CASE("signing rule: a key signs what the rule for the name lists it for") {
    const TrustPolicy policy =
        policy_of("allow core author=1:p1\nallow maps/* author=1:p2 registry=1:p3 classes=data\nrevoke key " +
                  key(4).hex() + "\n");
    const auto rule = find_signing_rule(policy, "maps/x", key(2), SignerRole::author);
    REQUIRE(rule);
    CHECK(rule->brings == ContentClass::data);
    CHECK(find_signing_rule(policy, "maps/x", key(3), SignerRole::registry));
    CHECK(code_of(find_signing_rule(policy, "core", key(2), SignerRole::author)) == ErrorCode::untrusted);
    CHECK(code_of(find_signing_rule(policy, "maps/x", key(2), SignerRole::registry)) == ErrorCode::untrusted);
    CHECK(code_of(find_signing_rule(policy, "other", key(2), SignerRole::author)) == ErrorCode::untrusted);
    CHECK(code_of(find_signing_rule(policy, "maps/x", key(4), SignerRole::author)) == ErrorCode::revoked);
}

TEST_CASE("trust verdict: it names the rule that accepted the statement, and only then") {
    const TrustPolicy policy = policy_of("allow core author=1:p1\nallow maps/* author=1:p2 publish=maps/**\n");
    const TrustVerdict map = judged(policy, {stated(2)});
    REQUIRE(map.rule);
    CHECK(*map.rule == policy.rules().allow.at(1));
    CHECK_FALSE(judged(policy, {stated(1)}).rule);
    const TrustPolicy development = policy_of("allow maps/* author=1:p2\nunsigned allow\n");
    CHECK(judged(development, {stated(1)}).tainted);
    CHECK_FALSE(judged(development, {stated(1)}).rule);
}

TEST_CASE("trust time: the default is the system's clock, and ignoring dates has to be asked for") {  // A135
    const UnixTime before{static_cast<std::uint64_t>(std::time(nullptr))};
    const auto now = TrustTime().now();
    REQUIRE(now);
    CHECK(*now >= before);
    CHECK(*now <= before + 60);
    CHECK(TrustTime::system().now().has_value());
    CHECK(TrustTime::at({}).now() == UnixTime{});
    CHECK(TrustTime::at({7}).now() == UnixTime{7});
    CHECK_FALSE(TrustTime::ignored().now());
}

TEST_CASE("trust verdict: without a time nothing has expired") {
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    const std::vector<Envelope> old = {stated(1, [](Statement& s) { s.expires = s.created + 1; })};
    const BundleIdentity bundle = identity_for(old);
    CHECK(policy.evaluate(old, bundle, kNow)->refusal->code() == ErrorCode::expired);
    CHECK(policy.evaluate(old, bundle, UnixTime{})->trusted);
    CHECK(policy.evaluate(old, bundle, TrustTime::ignored().now())->trusted);
}

TEST_CASE("trust policy: make_policy creates a policy from keys and a pattern") {
    const PolicyKey alice{"alice", key(1)};
    const PolicyKey bob{"bob", key(2)};
    const PolicyKey hub{"hub", key(3)};
    CHECK(make_policy(std::vector{alice, bob}, std::vector{hub}, "maps/**").value().format() ==
          "fardel-trust 1\nkey alice " + key(1).hex() + "\nkey bob " + key(2).hex() + "\nkey hub " + key(3).hex() +
              "\nallow maps/** author=1:alice,bob registry=1:hub\n");
    CHECK(make_policy(std::vector{alice}, {}).value().rules().allow[0].pattern == "**");
    CHECK(code_of(make_policy({}, {})) == ErrorCode::malformed);
    CHECK(code_of(make_policy(std::vector{alice}, std::vector{alice})) == ErrorCode::malformed);  // one key, two roles
}

TEST_CASE("trust policy: a file is read, and an error names the file") {
    const ScratchFolder folder;
    const std::string path = folder.path("policy");
    CHECK(code_of(read_trust_policy(path)) == ErrorCode::missing);
    write_file(path, "fardel-trust 1\nnonsense\n");
    const auto bad = read_trust_policy(path);
    CHECK(code_of(bad) == ErrorCode::malformed);
    CHECK(bad.error().message().starts_with(path + ": trust policy: line 2: "));
    write_file(path, "fardel-trust 1\n");
    CHECK(read_trust_policy(path));
}

// ---- Thresholds

TEST_CASE("threshold: each role gets its own distinct keys") {
    const PublicKey a = key(1), b = key(2), c = key(3);
    const auto met = [](std::vector<RoleKeys> roles) { return thresholds_met(roles); };
    CHECK(met({}));
    CHECK(met({{1, {a}}}));
    CHECK_FALSE(met({{1, {}}}));
    CHECK_FALSE(met({{2, {a, a}}}));
    CHECK(met({{2, {a, b, a}}}));
    CHECK_FALSE(met({{1, {a}}, {1, {a}}}));
    CHECK(met({{1, {a, b}}, {1, {a, b}}}));
    CHECK(met({{1, {a}}, {1, {a, b}}}));
    CHECK_FALSE(met({{1, {a, b}}, {1, {a, b}}, {1, {a, b}}}));
    CHECK(met({{1, {a, b}}, {1, {a, b}}, {1, {c}}}));
    CHECK_FALSE(met({{2, {a, b}}, {1, {b}}, {1, {c}}}));
}

// ---- The verdict

TEST_CASE("trust verdict: a statement of a trusted author is trusted") {
    const TrustVerdict verdict = judged(policy_of("allow maps/* author=1:p1\n"), {stated(1)});
    CHECK(verdict.trusted);
    CHECK_FALSE(verdict.tainted);
    CHECK(verdict.layout_signed);
    CHECK(verdict.findings.empty());
    REQUIRE(verdict.statement);
    CHECK(verdict.statement->name == "maps/dm01");
    CHECK(verdict.statement->epoch == 7);
    REQUIRE(verdict.signers.size() == 1);
    CHECK(verdict.signers[0].label == "p1");
    CHECK(verdict.signers[0].role == SignerRole::author);
    CHECK(verdict.signers[0].key == key(1));
}

TEST_CASE("trust verdict: a layout that the statement does not list is local") {
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    const std::vector<Envelope> envelopes = {stated(1)};
    BundleIdentity bundle = identity_for(envelopes);
    bundle.layout = filled_id<LayoutId>(0x22);
    CHECK(policy.evaluate(envelopes, bundle, kNow)->layout_signed);
    bundle.layout = filled_id<LayoutId>(0x33);
    const auto other = policy.evaluate(envelopes, bundle, kNow);
    CHECK(other->trusted);
    CHECK_FALSE(other->layout_signed);
}

TEST_CASE("trust verdict: a statement that gives another name or version than the manifest does not count") {  // A123
    const TrustPolicy policy = policy_of("allow maps/* author=1:p1\nallow core author=1:p2\n");
    const std::vector<Envelope> as_map = {stated(1)};
    BundleIdentity core = identity_for(as_map);
    core.name = "core";
    const TrustVerdict renamed = policy.evaluate(as_map, core, kNow).value();
    REQUIRE(renamed.refusal);
    CHECK(renamed.refusal->code() == ErrorCode::untrusted);
    CHECK(renamed.refusal->message().find("'maps/dm01'") != std::string::npos);
    CHECK(renamed.refusal->message().find("'core'") != std::string::npos);
    CHECK(has_finding(renamed, "wrong-name", 0));
    CHECK_FALSE(renamed.statement);

    BundleIdentity other_version = identity_for(as_map);
    other_version.version = "9";
    CHECK(policy.evaluate(as_map, other_version, kNow)->refusal);
    BundleIdentity nameless = identity_for(as_map);
    nameless.name.clear();
    CHECK(policy.evaluate(as_map, nameless, kNow)->refusal);

    // The true statement beside it counts.
    const std::vector<Envelope> both = {stated(1), stated(2, [](Statement& s) { s.name = "core"; })};
    const TrustVerdict true_one = policy.evaluate(both, core, kNow).value();
    CHECK(true_one.trusted);
    CHECK(true_one.signers.at(0).label == "p2");
}

TEST_CASE("trust verdict: no signature, an unknown signer's, another bundle's and a damaged one are refused") {  // A54
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    CHECK(refused(policy, {}) == ErrorCode::untrusted);
    CHECK(refused(TrustPolicy::parse("fardel-trust 1\n").value(), {stated(1)}) == ErrorCode::untrusted);

    const TrustVerdict unknown = judged(policy, {stated(99)});
    CHECK(unknown.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(unknown, "unknown-signer", 0));
    CHECK_FALSE(unknown.layout_signed);
    CHECK(refused(policy, {stated(2)}) == ErrorCode::untrusted);  // a known key that the rule does not list

    const TrustVerdict other = judged(policy, {stated(1, [](Statement& s) { s.bundle.bytes[31] ^= 1; })});
    CHECK(other.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(other, "wrong-bundle", 0));
    CHECK_FALSE(other.statement);

    Envelope broken = stated(1);
    broken.signatures[0].signature.bytes[40] ^= 1;
    const TrustVerdict bad = judged(policy, {broken});
    CHECK(bad.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(bad, "bad-signature", 0));
    CHECK(has_finding(bad, "no-author-signature", 0));

    Envelope garbage = stated(1);
    garbage.payload.assign(100, std::byte{7});
    CHECK(has_finding(judged(policy, {garbage}), "bad-payload", 0));
    CHECK_FALSE(refused(policy, {garbage, stated(1)}));  // an appended envelope changes nothing
}

TEST_CASE("trust verdict: each flipped bit of a signed trailer is refused, or is not part of what counts") {  // A21
    const TrustPolicy policy = policy_of("allow ** author=1:p1 registry=1:p2\n");
    const Envelope statement = stated(1);
    std::vector<std::byte> trailer;
    for (const Envelope& envelope : {statement, countersigned(statement, 2)}) {
        const auto bytes = encode_envelope(envelope).value();
        trailer.insert(trailer.end(), bytes.begin(), bytes.end());
    }
    for (std::size_t bit = 0; bit < trailer.size() * 8; ++bit) {
        CAPTURE(bit);
        auto flipped = trailer;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        const auto envelopes = decode_trailer(flipped);
        if (!envelopes)
            continue;
        CHECK(refused(policy, *envelopes));
    }
}

TEST_CASE("trust verdict: an appended statement of a stranger changes nothing") {
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    const TrustVerdict verdict = judged(policy, {stated(1), stated(99, [](Statement& s) { s.epoch = 1000; }),
                                                 stated(99, [](Statement& s) { s.epoch = 1000, s.name = "evil"; })});
    CHECK(verdict.trusted);
    CHECK(verdict.statement->name == "maps/dm01");
    CHECK(verdict.statement->epoch == 7);
    CHECK(has_finding(verdict, "unknown-signer", 1));
    CHECK(has_finding(verdict, "wrong-name", 2));
}

TEST_CASE("trust verdict: distinct public keys count") {  // A55
    const TrustPolicy two = policy_of("allow ** author=2:p1,p2,p3\n");
    const Envelope statement = stated(1);
    CHECK(refused(two, {statement}) == ErrorCode::untrusted);
    CHECK_FALSE(refused(two, {statement, cosigned(statement, 2)}));

    // Two signatures of one key, in one envelope and in two.
    Envelope twice = statement;
    twice.signatures.push_back(twice.signatures[0]);
    const TrustVerdict repeated = judged(two, {twice});
    CHECK(repeated.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(repeated, "duplicate-key", 0));
    CHECK(refused(two, {statement, statement}) == ErrorCode::untrusted);

    // One key under two labels.
    const auto aliased = TrustPolicy::parse("fardel-trust 1\n" + key_line(1) + key_line(2) + "key other " +
                                            key(1).hex() + "\nallow ** author=2:p1,other,p2\n")
                             .value();
    CHECK(refused(aliased, {statement}) == ErrorCode::untrusted);
    CHECK_FALSE(refused(aliased, {statement, cosigned(statement, 2)}));

    // One key in two roles.
    const TrustPolicy roles = policy_of("allow ** author=1:p1,p2 registry=1:p1,p2\n");
    const TrustVerdict both = judged(roles, {statement, countersigned(statement, 1)});
    CHECK(both.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(both, "duplicate-key", 0));
    CHECK_FALSE(refused(roles, {statement, countersigned(statement, 2)}));
}

TEST_CASE("trust verdict: many bad signatures do not make up for one good signature too few") {  // A56
    const TrustPolicy policy = policy_of("allow ** author=3:p1,p2,p3,p4,p5,p6\n");
    Envelope statement = stated(1);
    statement.signatures.push_back(cosigned(stated(1), 2).signatures[0]);
    for (std::uint8_t number = 3; number <= 6; ++number) {
        statement.signatures.push_back(statement.signatures[0]);
        statement.signatures.back().key = key(number);
    }
    CHECK(refused(policy, {statement}) == ErrorCode::untrusted);
    statement.signatures.push_back(cosigned(stated(1), 3).signatures[0]);
    CHECK_FALSE(refused(policy, {statement}));
}

TEST_CASE("trust verdict: too many signatures are refused before any is verified") {  // A56
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    Envelope statement = stated(1);
    statement.signatures.resize(limits::kSignaturesMax, statement.signatures[0]);
    CHECK_FALSE(refused(policy, {statement}));
    statement.signatures.resize(limits::kSignaturesMax + 1, statement.signatures[0]);
    const BundleIdentity bundle = identity_for(std::span(&statement, 1));
    CHECK(code_of(policy.evaluate(std::vector{statement}, bundle, kNow)) == ErrorCode::limit);
    statement.signatures.resize(50'000, statement.signatures[0]);
    CHECK(code_of(policy.evaluate(std::vector{statement}, bundle, kNow)) == ErrorCode::limit);
    CHECK(code_of(policy.evaluate(std::vector(17, stated(1)), bundle, kNow)) == ErrorCode::limit);
}

TEST_CASE("trust verdict: author and registry must both have signed the same statement and signature") {  // A57
    const TrustPolicy policy = policy_of("allow ** author=1:p1 registry=1:p2\n");
    const Envelope statement = stated(1);
    const Envelope countersignature = countersigned(statement, 2);
    const TrustVerdict good = judged(policy, {statement, countersignature});
    CHECK(good.trusted);
    CHECK(good.signers.size() == 2);
    CHECK(refused(policy, {countersignature, statement}) == std::nullopt);  // the order does not matter

    CHECK(refused(policy, {statement}) == ErrorCode::untrusted);       // the registry's stripped
    const TrustVerdict stripped = judged(policy, {countersignature});  // the author's stripped
    CHECK(stripped.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(stripped, "stray-countersignature", 0));

    // Moved to another statement of the same author about the same bundle.
    const Envelope other = stated(1, [](Statement& s) { s.version = "6.6.6"; });
    const TrustVerdict moved = judged(policy, {other, countersignature});
    CHECK(moved.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(moved, "stray-countersignature", 1));

    // The same statement, whose author's signature was replaced by a bad one or another author's.
    Envelope resigned = statement;
    resigned.signatures[0].signature.bytes[0] ^= 1;
    CHECK(refused(policy, {resigned, countersignature}) == ErrorCode::untrusted);
    CHECK(refused(policy, {cosigned(statement, 3), countersignature}) == ErrorCode::untrusted);

    // A countersignature by the wrong key, in the wrong role, or with its role changed outside the payload.
    CHECK(refused(policy, {statement, countersigned(statement, 3)}) == ErrorCode::untrusted);
    CHECK(refused(policy, {statement, countersigned(statement, 2, SignerRole::release)}) == ErrorCode::untrusted);
    Envelope relabelled = countersigned(statement, 2, SignerRole::release);
    relabelled.signatures[0].role = SignerRole::registry;
    CHECK(has_finding(judged(policy, {statement, relabelled}), "wrong-role", 1));
    CHECK(refused(policy, {statement, relabelled}) == ErrorCode::untrusted);
    Envelope other_signer = countersignature;
    other_signer.signatures[0].key = key(3);
    other_signer.signatures[0].signature = person(3).sign(signed_message(other_signer.type, other_signer.payload));
    CHECK(has_finding(judged(policy, {statement, other_signer}), "wrong-signer", 1));

    // A registry's signature directly on the author's statement is not a countersignature.
    Envelope direct = cosigned(statement, 2);
    direct.signatures[0].role = SignerRole::registry;
    CHECK(refused(policy, {statement, direct}) == ErrorCode::untrusted);
}

TEST_CASE("trust verdict: a countersignature that differs in one detail does not count") {  // A57
    const TrustPolicy policy = policy_of("allow ** author=1:p1 registry=1:p2\n");
    const Envelope statement = stated(1);
    const auto with = [&](const std::function<void(Countersignature&)>& change) {
        Envelope envelope = countersigned(statement, 2);
        auto countersignature = decode_countersignature(envelope.payload).value();
        change(countersignature);
        envelope.payload = encode_countersignature(countersignature).value();
        envelope.signatures[0].signature = person(2).sign(signed_message(envelope.type, envelope.payload));
        CHECK(verify_envelope_signature(envelope, envelope.signatures[0]));
        return refused(policy, {statement, envelope});
    };
    CHECK_FALSE(with([](Countersignature&) {}));
    CHECK(with([](Countersignature& c) { c.bundle.bytes[0] ^= 1; }) == ErrorCode::untrusted);
    CHECK(with([](Countersignature& c) { c.statement.bytes[0] ^= 1; }) == ErrorCode::untrusted);
    CHECK(with([](Countersignature& c) { c.author = key(3); }) == ErrorCode::untrusted);
    CHECK(with([](Countersignature& c) { c.author_signature.bytes[0] ^= 1; }) == ErrorCode::untrusted);
    CHECK(with([](Countersignature& c) { c.signer = key(3); }) == ErrorCode::untrusted);
    CHECK(with([](Countersignature& c) { c.role = SignerRole::release; }) == ErrorCode::untrusted);
}

TEST_CASE("trust verdict: a countersignature of a second author's signature does not count for the author") {  // A57
    const TrustPolicy policy = policy_of("allow ** author=1:p1,p3 registry=1:p2\n");
    const Envelope statement = stated(1);
    const Envelope second = cosigned(statement, 3);
    Envelope envelope = countersigned(statement, 2);
    auto countersignature = decode_countersignature(envelope.payload).value();
    countersignature.author = key(3);
    countersignature.author_signature = second.signatures[0].signature;
    envelope.payload = encode_countersignature(countersignature).value();
    envelope.signatures[0].signature = person(2).sign(signed_message(envelope.type, envelope.payload));
    CHECK(refused(policy, {statement, second, envelope}) == ErrorCode::untrusted);
}

TEST_CASE("trust verdict: a rule may name only a registry, and then an author's signature is still needed") {  // A73
    const TrustPolicy policy = policy_of("allow ** registry=1:p2\n");
    const Envelope statement = stated(99);
    CHECK_FALSE(refused(policy, {statement, countersigned(statement, 2)}));
    CHECK(refused(policy, {statement}) == ErrorCode::untrusted);
    CHECK(refused(policy, {countersigned(statement, 2)}) == ErrorCode::untrusted);
}

TEST_CASE("trust verdict: all roles of a rule are required, including release") {
    const TrustPolicy policy = policy_of("allow ** author=1:p1 registry=1:p2 release=1:p3\n");
    const Envelope statement = stated(1);
    CHECK(refused(policy, {statement, countersigned(statement, 2)}) == ErrorCode::untrusted);
    CHECK_FALSE(
        refused(policy, {statement, countersigned(statement, 2), countersigned(statement, 3, SignerRole::release)}));
}

TEST_CASE("trust verdict: unknown algorithms and roles never count") {  // A60
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    for (const unsigned algorithm : {0u, 2u, 0xffffu}) {
        Envelope statement = stated(1);
        statement.signatures[0].algorithm = static_cast<SignatureAlgorithm>(algorithm);
        const TrustVerdict verdict = judged(policy, {statement});
        CHECK(verdict.refusal->code() == ErrorCode::untrusted);
        CHECK(has_finding(verdict, "unknown-algorithm", 0));
    }
    Envelope statement = stated(1);
    statement.signatures[0].role = SignerRole{9};
    CHECK(has_finding(judged(policy, {statement}), "wrong-role", 0));
    CHECK(refused(policy, {statement}) == ErrorCode::untrusted);
}

TEST_CASE("trust verdict: keys are compared in all their bytes") {  // A61
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    PublicKey similar = key(1);
    similar.bytes[31] ^= 1;  // the same key id
    CHECK(key_id(similar) == key_id(key(1)));
    const auto other =
        TrustPolicy::parse("fardel-trust 1\nkey p1 " + similar.hex() + "\nallow ** author=1:p1\n").value();
    CHECK(refused(other, {stated(1)}) == ErrorCode::untrusted);
}

TEST_CASE("trust verdict: a key counts only for the names it is allowed") {  // A69
    const TrustPolicy policy = policy_of(
        "allow core author=1:p1\nallow maps/* author=1:p2\nallow maps/deep/** author=1:p3\nallow skin/? author=1:p4\n");
    const auto named = [&](std::uint8_t author, const char* name) {
        return refused(policy, {stated(author, [&](Statement& s) { s.name = name; })});
    };
    CHECK_FALSE(named(1, "core"));
    CHECK(named(2, "core") == ErrorCode::untrusted);
    CHECK_FALSE(named(2, "maps/dm01"));
    CHECK(named(2, "maps") == ErrorCode::untrusted);
    CHECK(named(2, "maps/deep/er") == ErrorCode::untrusted);
    CHECK_FALSE(named(3, "maps/deep/er"));
    CHECK(named(1, "maps/dm01") == ErrorCode::untrusted);
    CHECK(named(2, "other") == ErrorCode::untrusted);
    // Case variants, which a case-insensitive system would take for the same.
    CHECK(named(2, "Maps/dm01") == ErrorCode::untrusted);
    CHECK(named(1, "CORE") == ErrorCode::untrusted);
    CHECK_FALSE(named(4, "skin/é"));
}

TEST_CASE("trust verdict: the first rule for a name decides alone, its case variants included") {  // A69
    const TrustPolicy policy = policy_of("allow core author=1:p1\nallow ** author=1:p2\n");
    const auto named = [&](std::uint8_t author, const char* name) {
        return refused(policy, {stated(author, [&](Statement& s) { s.name = name; })});
    };
    CHECK_FALSE(named(1, "core"));
    CHECK(named(2, "core") == ErrorCode::untrusted);
    CHECK(named(2, "Core") == ErrorCode::untrusted);
    CHECK(named(1, "Core") == ErrorCode::untrusted);
    CHECK_FALSE(named(2, "core2"));
    CHECK_FALSE(named(2, "Other"));
}

TEST_CASE("trust verdict: a signed statement whose name contains '..' is a bad payload") {  // A69
    auto payload = encode_statement(document_statement()).value();
    const std::string_view from = "maps/dm01";
    const auto at = std::search(payload.begin(), payload.end(), from.begin(), from.end(),
                                [](std::byte a, char b) { return a == static_cast<std::byte>(b); });
    REQUIRE(at != payload.end());
    std::memcpy(&*at, "map/../co", from.size());
    Envelope envelope;
    envelope.payload = payload;
    envelope.signatures = {{SignatureAlgorithm::ed25519, SignerRole::author, fixed_vector<PublicKey>("key-alice"),
                            secret_key("alice").sign(signed_message(EnvelopeType::statement, payload))}};
    CHECK(verify_envelope_signature(envelope, envelope.signatures[0]));
    const auto policy = TrustPolicy::parse("fardel-trust 1\nkey alice " + fixed_vector<PublicKey>("key-alice").hex() +
                                           "\nallow ** author=1:alice\n")
                            .value();
    const TrustVerdict verdict = judged(policy, {envelope});
    CHECK(verdict.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(verdict, "bad-payload", 0));
}

TEST_CASE("trust verdict: a withdrawn key never counts") {  // A72
    const Envelope statement = stated(1);
    const TrustPolicy author = policy_of("allow ** author=1:p1\nrevoke key " + key(1).hex() + " stolen\n");
    const TrustVerdict verdict = judged(author, {statement});
    CHECK(verdict.refusal->code() == ErrorCode::revoked);
    CHECK(verdict.refusal->message().find("has been withdrawn: stolen") != std::string::npos);
    CHECK(has_finding(verdict, "revoked-key", 0));

    const TrustPolicy registry = policy_of("allow ** author=1:p1 registry=1:p2,p3\nrevoke key " + key(2).hex() + "\n");
    CHECK(refused(registry, {statement, countersigned(statement, 2)}) == ErrorCode::revoked);
    CHECK(refused(registry, {statement}) == ErrorCode::untrusted);
    CHECK_FALSE(refused(registry, {statement, countersigned(statement, 2), countersigned(statement, 3)}));

    // A statement whose author's key is withdrawn does not count, even if the rule requires only a registry.
    const TrustPolicy registry_only = policy_of("allow ** registry=1:p2\nrevoke key " + key(99).hex() + "\n");
    const Envelope strange = stated(99);
    CHECK(refused(registry_only, {strange, countersigned(strange, 2)}) == ErrorCode::revoked);

    // The withdrawal of a second author's key leaves the first author's statement valid.
    const TrustPolicy second = policy_of("allow ** author=1:p1,p2\nrevoke key " + key(2).hex() + "\n");
    CHECK_FALSE(refused(second, {statement, cosigned(statement, 2)}));
}

TEST_CASE("trust verdict: a withdrawn bundle is refused, whoever signed it") {  // A72
    const std::string revocation = "revoke bundle " + document_statement().bundle.hex() + " has a bug\n";
    const TrustVerdict verdict = judged(policy_of("allow ** author=1:p1\n" + revocation), {stated(1)});
    CHECK(verdict.refusal->code() == ErrorCode::revoked);
    CHECK(verdict.refusal->message().find("has a bug") != std::string::npos);
    CHECK(verdict.signers.empty());
    CHECK_FALSE(verdict.layout_signed);
    CHECK(refused(policy_of("unsigned allow\n" + revocation), {}) == ErrorCode::revoked);
}

TEST_CASE("trust verdict: a statement is valid until it expires") {
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    const UnixTime expires = *document_statement().expires;
    CHECK_FALSE(refused(policy, {stated(1)}, expires - 1));
    CHECK(refused(policy, {stated(1)}, expires) == ErrorCode::expired);
    CHECK_FALSE(refused(policy, {stated(1)}, {}));  // a slow clock causes no refusal
    CHECK_FALSE(refused(policy, {stated(1, [](Statement& s) { s.expires.reset(); })}, {UINT64_MAX}));
    CHECK(refused(policy, {stated(1, [](Statement& s) { s.expires = UnixTime{UINT64_MAX}; })}, {UINT64_MAX}) ==
          ErrorCode::expired);
    CHECK(judged(policy, {stated(1)}, expires).refusal->message().find("2027-01-15") != std::string::npos);
    // An expired statement by an unknown signer is untrusted, not expired.
    CHECK(refused(policy, {stated(99)}, expires) == ErrorCode::untrusted);

    const TrustPolicy registry = policy_of("allow ** author=1:p1 registry=1:p2\n");
    const Envelope statement = stated(1);
    const Envelope until = countersigned(statement, 2, SignerRole::registry, kNow);
    CHECK_FALSE(refused(registry, {statement, until}, kNow - 1));
    const TrustVerdict late = judged(registry, {statement, until});
    CHECK(late.refusal->code() == ErrorCode::expired);
    CHECK(has_finding(late, "expired-countersignature", 1));
    CHECK_FALSE(refused(registry, {statement, until, countersigned(statement, 2)}));
}

TEST_CASE("trust verdict: of several statements one that passes counts before others, then the newest") {
    const TrustPolicy policy = policy_of("allow maps/* author=1:p1,p2\n");
    const auto comment_of = [&](std::vector<Envelope> envelopes) {
        const TrustVerdict verdict = judged(policy, envelopes);
        CHECK(verdict.trusted);
        std::ranges::reverse(envelopes);
        CHECK(judged(policy, envelopes).statement == verdict.statement);  // their order in the trailer does not matter
        return verdict.statement->comment;
    };
    const auto statement = [](std::uint8_t author, std::uint64_t epoch, UnixTime created, const char* comment) {
        return stated(author, [&](Statement& s) { s.epoch = epoch, s.created = created, s.comment = comment; });
    };
    CHECK(comment_of({statement(1, 1, {10}, "low"), statement(2, 2, {9}, "high")}) == "high");
    CHECK(comment_of({statement(1, 2, {9}, "old"), statement(2, 2, {10}, "new")}) == "new");
    CHECK(comment_of({statement(3, UINT64_MAX, {10}, "not-allowed"), statement(2, 1, {1}, "allowed")}) == "allowed");
    const auto tie = comment_of({statement(1, 1, {1}, "x"), statement(1, 1, {1}, "y")});
    CHECK((tie == "x" || tie == "y"));
    // Signed and repacked within one second: whichever hash is greater, the statement about this file counts.
    for (const char* const said : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        const Envelope before = stated(1, [&](Statement& s) { s.layouts.clear(), s.comment = said; });
        CHECK(comment_of({stated(1, [](Statement& s) { s.comment = "this file"; }), before}) == "this file");
    }
}

TEST_CASE("trust verdict: development mode accepts what is merely untrusted, and says so") {
    const TrustPolicy policy = policy_of("allow ** author=1:p1\nunsigned allow\n");
    const TrustVerdict none = judged(policy, {});
    CHECK(none.trusted);
    CHECK(none.tainted);
    CHECK_FALSE(none.layout_signed);
    CHECK(none.signers.empty());
    CHECK(has_finding(none, "unsigned-allowed", 0));
    const TrustVerdict stranger = judged(policy, {stated(99)});
    CHECK(stranger.tainted);
    CHECK_FALSE(stranger.layout_signed);
    const TrustVerdict good = judged(policy, {stated(1)});
    CHECK(good.trusted);
    CHECK_FALSE(good.tainted);
    CHECK(good.layout_signed);
    CHECK(refused(policy, {stated(1)}, {UINT64_MAX}) == ErrorCode::expired);
    CHECK(refused(policy_of("unsigned allow\nrevoke key " + key(1).hex() + "\n"), {stated(1)}) == ErrorCode::revoked);
}

TEST_CASE("trust verdict: a statement of a later major version is unsupported, not untrusted") {  // A27
    const TrustPolicy policy = policy_of("allow ** author=1:p1\n");
    Envelope later = stated(1);
    later.payload[8] = std::byte{2};
    const TrustVerdict verdict = judged(policy, {later});
    CHECK(verdict.refusal->code() == ErrorCode::unsupported);
    CHECK(has_finding(verdict, "unsupported-payload", 0));
    CHECK_FALSE(refused(policy, {later, stated(1)}));

    Envelope optional = stated(1);
    optional.type = EnvelopeType{0x8001};
    const TrustVerdict ignored = judged(policy, {optional});  // A28: listed, worth nothing
    CHECK(ignored.refusal->code() == ErrorCode::untrusted);
    CHECK(has_finding(ignored, "unknown-envelope", 0));
}

TEST_CASE("trust verdict: its messages are safe to print") {  // A74
    const TrustPolicy policy = policy_of("allow maps/* author=1:p1\nrevoke key " + key(2).hex() +
                                         " \xe2\x80\xae"
                                         "gnp.exe\n");
    Statement statement = document_statement();
    statement.comment = "\xe2\x80\xae";
    std::vector<Envelope> envelopes = {stated(2), stated(99), stated(1, [](Statement& s) { s.name = "x"; })};
    const TrustVerdict verdict = judged(policy, envelopes);
    CHECK(verdict.findings.size() >= 2);
    for (const TrustFinding& finding : verdict.findings)
        CHECK(finding.text.find("\xe2\x80\xae") == std::string::npos);
    CHECK(verdict.refusal->message().find("\xe2\x80\xae") == std::string::npos);
}

}  // namespace fardel::tests::trust_policy_test
