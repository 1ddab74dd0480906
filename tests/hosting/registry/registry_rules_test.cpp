// The rules of a registry and the requests of authors: their form, and what whoever records a request can do with it.
#include "kit/ids.h"
#include "kit/test.h"

#include <fardel/hosting/registry_request.h>
#include <fardel/hosting/registry_rules.h>

namespace fardel::tests::registry_rules_test {

const std::string kKeyText = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";
const std::string kRulesText = "fardel-registry 1\nurl https://hub.example\nchannel hub/stable\nowner core " +
                               kKeyText + "\nopen maps/*\nlicence CC0-1.0\nbytes_max 1000\nversions_max 7\n";

ErrorCode refusal_of(const std::string& text) {
    const auto rules = parse_registry_rules(text);
    REQUIRE_FALSE(rules);
    return rules.error().code();
}

TEST_CASE("registry rules: what is read is written again, and what is unknown is refused with its line") {
    const RegistryRules rules = value_of(parse_registry_rules(kRulesText));
    CHECK(format_registry_rules(rules) == kRulesText);
    CHECK(rules.find_owners("core") != nullptr);
    CHECK(rules.find_owners("core2") == nullptr);
    CHECK(rules.is_open("maps/castle"));
    CHECK_FALSE(rules.is_open("maps/a/b"));
    CHECK(value_of(parse_registry_rules(kRulesText + "# note\n\n")) == rules);
    CHECK(value_of(parse_registry_rules(kRulesText + "license MIT\n")) ==
          value_of(parse_registry_rules(kRulesText + "licence MIT\n")));
    for (std::size_t size = 0; size < kRulesText.size(); ++size)
        if (const auto cut = parse_registry_rules(kRulesText.substr(0, size)); cut)
            CHECK(kRulesText[size - 1] == '\n');  // whole lines alone
    for (const char* const line :
         {"lisence MIT", "bytes_max 0", "bytes_max 1", "bytes_max -1", "versions_max 01", "open a**", "open a b",
          "owner core", "owner core zz", "channel other", "url ftp://x", "url https://u:p@x",
          "url https://hub.example/", "licence ", "licence a\tb", "open", " open maps/*", "owner core\t"})
        CHECK(refusal_of(kRulesText + line + "\n") == ErrorCode::malformed);
    CHECK(refusal_of("fardel-registry 2\n") == ErrorCode::unsupported);
    CHECK(refusal_of("fardel-registry 1\nchannel hub/stable\n") == ErrorCode::malformed);
    CHECK(refusal_of(std::string((1u << 20) + 1, '\n')) == ErrorCode::limit);
}

TEST_CASE("registry names: those that look alike, hide a page or leave the folder are refused") {  // A69
    for (const char* const good : {"core", "maps/castle", "studio/base-2.0", "a_b"})
        CHECK(verify_registry_name(good));
    for (const char* const bad : {"", "Core", "maps/../core", "maps//core", "/core", "core/", ".core", "maps/.core",
                                  "c\xd0\xberre", "core ", "maps/castle.html", "maps.html/x", "a\\b", "a\nb"})
        CHECK_FALSE(verify_registry_name(bad));
    CHECK_FALSE(verify_registry_name(std::string(101, 'a')));
}

TEST_CASE("registry requests: a signature is for one action, bundle, registry and time") {  // A79
    const auto signer = make_key_signer(SecretKey::generate());
    const std::vector<std::string> urls{"https://hub.example", "https://mirror.example"};
    constexpr UnixTime kNow{1'700'000'000};
    RegistryRequest asked{.action = RegistryAction::upload,
                          .url = urls[1],
                          .channel = "hub/stable",
                          .bundle = filled_id<BundleId>(7),
                          .reason = {}};
    const std::string header = value_of(sign_registry_request(asked, kNow, *signer));
    const auto code = [&](const RegistryRequest& request, const std::string& text, UnixTime now,
                          const std::vector<std::string>& own) {
        const auto key = verify_registry_request(text, request, own, now);
        return key ? std::string("good") : std::string(error_code_name(key.error().code()));
    };
    CHECK(value_of(verify_registry_request(header, asked, urls, kNow)) == signer->public_key());
    CHECK(code(asked, header, kNow + kRegistryRequestLifeSeconds, urls) == "good");
    CHECK(code(asked, header, kNow + kRegistryRequestLifeSeconds + 1, urls) == "expired");
    CHECK(code(asked, header, kNow - kRegistryRequestLifeSeconds - 1, urls) == "expired");
    CHECK(code(asked, header, kNow, {urls[0]}) == "untrusted");
    RegistryRequest other = asked;
    other.bundle = filled_id<BundleId>(8);
    CHECK(code(other, header, kNow, urls) == "untrusted");
    other = asked;
    other.channel = "hub/beta";
    CHECK(code(other, header, kNow, urls) == "untrusted");
    other = asked;
    other.action = RegistryAction::recall;
    CHECK(code(other, header, kNow, urls) == "untrusted");
    for (std::size_t i = 0; i < header.size(); ++i) {
        std::string wrong = header;
        wrong[i] = wrong[i] == '0' ? '1' : '0';
        CHECK(code(asked, wrong, kNow, urls) != "good");
        CHECK(code(asked, header.substr(0, i), kNow, urls) != "good");
    }
    CHECK(code(asked, header + "0", kNow, urls) != "good");
    CHECK(code(asked, "Bearer " + std::string(64, '0'), kNow, urls) == "malformed");
}

}  // namespace fardel::tests::registry_rules_test
