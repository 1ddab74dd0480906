// fardel trust test: would these bundles be accepted under a policy, and why?

#include "bundles/bundle_file.h"
#include "console/figures.h"
#include "console/json.h"
#include "trust_verbs.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct Tested {
    std::string file;
    BundleId bundle;
    std::string name;
    std::string version;
    TrustVerdict verdict;
    HiddenNames hidden;
};

// Judges what the signers may bring, as mounts, fetches and releases do.
Status test_content(const std::shared_ptr<const ByteSource>& source, const TrustPolicy& policy, Tested& tested) {
    FARDEL_TRY_ASSIGN(const auto bundle,
                      Bundle::open(source, {.policy = &policy, .time = {}, .cache = {}, .label = {}}));
    Status allowed = verify_content_use(*bundle, &policy, {});
    if (!allowed && allowed.error().code() != ErrorCode::denied && allowed.error().code() != ErrorCode::expired)
        return allowed;
    if (!allowed) {
        tested.verdict.trusted = false;
        tested.verdict.refusal = std::move(allowed).error();
        return ok();
    }
    FARDEL_TRY_ASSIGN(tested.hidden, find_hidden_names(*bundle, tested.verdict.rule));
    return ok();
}

Result<Tested> test(const std::string& file, const TrustPolicy& policy) {
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    Tested tested{.file = file, .bundle = bundle->id()};
    FARDEL_TRY_ASSIGN(tested.name, bundle_text(*bundle, "name"));
    FARDEL_TRY_ASSIGN(tested.version, bundle_text(*bundle, "version"));
    const BundleIdentity identity{
        .bundle = bundle->id(), .layout = bundle->layout_id(), .name = tested.name, .version = tested.version};
    FARDEL_TRY_ASSIGN(tested.verdict, policy.evaluate(bundle->envelopes(), identity, TrustTime::system().now()));
    if (tested.verdict.trusted)
        FARDEL_TRY(test_content(bundle->source(), policy, tested));
    return tested;
}

std::string format(const Tested& tested) {
    const TrustVerdict& verdict = tested.verdict;
    std::string text =
        fmt::format("{}: {}\n  {}, bundle {}\n", printable(tested.file, 1000),
                    !verdict.trusted  ? "REFUSED, " + std::string(error_code_name(verdict.refusal->code()))
                    : verdict.tainted ? "accepted without a trusted signature (development)"
                                      : "accepted",
                    format_title(printable(tested.name), tested.version), tested.bundle.hex());
    if (verdict.refusal)
        text += fmt::format("  {}\n", verdict.refusal->message());
    if (verdict.rule)
        text += fmt::format("  by the rule for {}\n", printable(verdict.rule->pattern));
    if (verdict.brings < ContentClass::code)
        text += fmt::format("  may bring {}\n", format_classes(verdict.brings));
    if (tested.hidden.count != 0)
        text += fmt::format("  {}\n", tested.hidden.describe());
    for (const TrustedSigner& signer : verdict.signers)
        text += fmt::format("  signed by {} as {}, key {}\n", signer.label, role_name(signer.role), signer.key.hex());
    for (const TrustFinding& finding : verdict.findings)
        text += fmt::format("  {}: {}\n", finding.kind, finding.text);
    return text;
}

Json json_of(const Tested& tested) {
    const TrustVerdict& verdict = tested.verdict;
    const auto signer = [](const TrustedSigner& one) {
        return Json{{"label", one.label}, {"role", role_name(one.role)}, {"key", one.key.hex()}};
    };
    const auto finding = [](const TrustFinding& one) { return Json{{"kind", one.kind}, {"text", one.text}}; };
    return Json{{"file", tested.file},
                {"bundle", tested.bundle.hex()},
                {"name", tested.name},
                {"version", tested.version},
                {"accepted", verdict.trusted},
                {"tainted", verdict.tainted},
                {"refusal", verdict.refusal ? Json{{"code", error_code_name(verdict.refusal->code())},
                                                   {"text", verdict.refusal->message()}}
                                            : Json()},
                {"classes", split_text(format_classes(verdict.brings), ',')},
                {"hidden_names", tested.hidden.count},
                {"rule", verdict.rule ? Json(verdict.rule->pattern) : Json()},
                {"signers", json_list(verdict.signers, signer)},
                {"findings", json_list(verdict.findings, finding)}};
}

Result<Exit> test_all(const std::string& path, const std::vector<std::string>& files, bool json, Console& console) {
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, read_trust_policy(path));
    std::vector<Tested> all;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(Tested tested, test(file, policy));
        all.push_back(std::move(tested));
    }
    const bool accepted = std::ranges::all_of(all, [](const Tested& tested) { return tested.verdict.trusted; });
    return print_result(
        console, json,
        [&] {
            return Json{{"policy", path},
                        {"accepted", accepted},
                        {"bundles", json_list(all, [](const Tested& tested) { return json_of(tested); })}};
        },
        [&] { return format_each(all, [](const Tested& tested) { return format(tested); }); },
        accepted ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_trust_test(Words words, Console& console) {
    CommandLine line("trust test", "POLICY FILE... [--json]",
                     "Says for each bundle whether it would be accepted under a policy today, by which rule and "
                     "which signatures, or why not. Of the content, only first bytes are read, if the rule says "
                     "which classes of content it may have; 'fardel verify --trust' reads all.",
                     "  fardel trust test policy.trust castle.fardel\n");
    std::string path;
    std::vector<std::string> files;
    bool json = false;
    line.text("POLICY", "POLICY", path, "The policy file").required();
    line.texts("FILE", "FILE", files, "A bundle; may be repeated").required();
    line.json(json);
    return line.run(words, console, [&] { return test_all(path, files, json, console); });
}

}  // namespace fardel
