// What authors and operators send to a registry, and its record of names: rules that parse are those of their own text,
// names that parse have one text, a question that parses is one again when it is written, and no request is good
// without a signature.
#include "registry/registry_names.h"
#include "registry/upload_facts.h"
#include "require.h"

#include <fardel/format/name.h>
#include <fardel/hosting/registry_request.h>
#include <fardel/hosting/registry_rules.h>

#include <cstdint>
#include <span>

using namespace fardel;

int fuzz_registry(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto rules = parse_registry_rules(text);
    if (rules) {
        const auto again = parse_registry_rules(format_registry_rules(*rules));
        require(again.has_value() && *again == *rules);
    } else {
        require(printable(rules.error().message(), 2000) == rules.error().message());
    }
    const auto names = RegistryNames::parse(text);
    if (names)
        require(names->format() == text);
    else
        require(printable(names.error().message(), 2000) == names.error().message());
    if (verify_registry_name(text))
        require(!text.empty() && text.size() <= 100 && text.front() != '/' && printable(text) == text);
    const auto facts = parse_upload_question(BundleId{}, std::as_bytes(std::span(data, size)));
    if (facts) {
        const auto body = format_upload_question(*facts);
        require(!body || parse_upload_question(BundleId{}, *body).has_value());
    } else {
        require(printable(facts.error().message(), 2000) == facts.error().message());
    }
    const std::vector<std::string> urls{"https://hub.example"};
    const RegistryRequest request{
        .action = RegistryAction::upload, .url = {}, .channel = "hub/stable", .bundle = {}, .reason = {}};
    const auto key = verify_registry_request(text, request, urls, UnixTime{1'700'000'000});
    require(!key.has_value());
    return 0;
}
