#include "c_handles.h"

#include <fardel/base/text_fields.h>

#include <string_view>

namespace fardel::c {
namespace {

constexpr std::size_t kServerOptionsBytesLeast = offsetof(fardel_server_options, flags) + sizeof(std::uint32_t);
constexpr std::size_t kTrustOptionsBytesLeast = offsetof(fardel_trust_options, flags) + sizeof(std::uint32_t);
constexpr unsigned kConnectionsMax = 64;

// ---- Values in their plain form -------------------------------------------------------------------------------------

fardel_planned_fetch plain_planned(const PlannedFetch& planned, std::vector<const char*>& signers) {
    for (const std::string& signer : planned.signers)
        signers.push_back(signer.c_str());
    return {.struct_size = sizeof(fardel_planned_fetch),
            .bundle = plain_id(planned.bundle),
            .name = planned.name.c_str(),
            .version = planned.version.c_str(),
            .licence = planned.licence.c_str(),
            .signers = signers.data(),
            .signer_count = signers.size(),
            .file_bytes = planned.file_bytes,
            .tables_bytes = planned.tables_bytes,
            .fetch_bytes = planned.fetch_bytes,
            .left_bytes = planned.left_bytes,
            .requests = planned.requests};
}

// Returns false if the text has no end.
bool read_lines(const fardel_foreign_urls& foreign, std::vector<std::string>& urls) {
    std::string_view text(foreign.lines, sizeof foreign.lines);
    text = text.substr(0, text.find('\0'));
    if (text.size() == sizeof foreign.lines)
        return false;
    while (!text.empty())
        urls.emplace_back(read_until(text, '\n'));
    return true;
}

}  // namespace

PlainPlan::PlainPlan(const FetchPlan& plan) : signers_(plan.bundles.size()) {
    for (std::size_t i = 0; i < plan.bundles.size(); ++i)
        bundles_.push_back(plain_planned(plan.bundles[i], signers_[i]));
    for (const fardel_planned_fetch& one : bundles_)
        pointers_.push_back(&one);
    plan_ = {.struct_size = sizeof plan_,
             .bundles = pointers_.data(),
             .bundle_count = pointers_.size(),
             .fetch_bytes = plan.fetch_bytes,
             .requests = plan.requests};
}

fardel_fetch_progress plain_progress(const FetchProgress& progress) {
    return {.struct_size = sizeof(fardel_fetch_progress),
            .received_bytes = progress.received_bytes,
            .total_bytes = progress.total_bytes,
            .bytes_per_second = progress.bytes_per_second,
            .seconds_left = progress.seconds_left ? static_cast<std::int64_t>(*progress.seconds_left) : -1};
}

// ---- What the caller gives ------------------------------------------------------------------------------------------

fardel_code read_subject(const fardel_channel_options* given, bool is_named_elsewhere, fardel_channel_options& options,
                         ChannelSubject& subject, const Report& report) {
    if (const fardel_code bad = read_options(given, kChannelOptionsBytesLeast, options, report); bad != FARDEL_OK)
        return bad;
    if ((options.name == nullptr && !is_named_elsewhere) || options.state_folder == nullptr)
        return report.argument("a channel needs a name and a state_folder");
    subject.name = options.name != nullptr ? options.name : "";
    subject.root = options.root_text != nullptr ? options.root_text : "";
    subject.state_folder = options.state_folder;
    return FARDEL_OK;
}

fardel_code read_servers(const fardel_server_options* given, ServerChoice& out, const Report& report) {
    fardel_server_options taken = FARDEL_SERVER_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kServerOptionsBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    // An unknown flag is refused, because it could be a restriction on which the caller relies.
    if ((taken.flags & ~std::uint32_t{FARDEL_SERVERS_PUBLIC_ONLY}) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    std::vector<std::string> urls;
    ServerRule rule;
    if ((taken.flags & FARDEL_SERVERS_PUBLIC_ONLY) != 0 || taken.foreign_urls != nullptr)
        rule = ServerRule::public_https();
    if (!read_texts(taken.urls, taken.url_count, urls) ||
        !read_texts(taken.allowed_hosts, taken.allowed_host_count, rule.allowed_hosts))
        return report.argument("a null pointer among the URLs or allowed hosts, or too many of them");
    if (taken.foreign_urls != nullptr && !read_lines(*taken.foreign_urls, urls))
        return report.argument("the URLs of strangers do not end: the text must be that of a function");
    out.list = ServerList(std::move(urls), std::move(rule));
    if (taken.connections > kConnectionsMax)
        return report.fail(FARDEL_ERROR_LIMIT, "at most 64 connections at once");
    if (taken.connections != 0)
        out.connections = taken.connections;
    out.bytes_per_second_max = taken.bytes_per_second_max;
    return FARDEL_OK;
}

fardel_code read_trust(const fardel_trust_options* given, TrustChoice& out, const Report& report) {
    if (given == nullptr)
        return FARDEL_OK;
    fardel_trust_options taken = FARDEL_TRUST_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kTrustOptionsBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    if ((taken.flags & ~std::uint32_t{FARDEL_TRUST_IGNORE_DATES}) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    if ((taken.policy_path == nullptr) == (taken.policy_text == nullptr))
        return report.argument("exactly one of policy_path and policy_text must be given");
    out.time = (taken.flags & FARDEL_TRUST_IGNORE_DATES) != 0 ? TrustTime::ignored() : time_of(taken.now_s);
    return report.end(read_policy(taken.policy_path, taken.policy_text), [&](std::optional<TrustPolicy> policy) {
        out.policy = std::make_shared<const TrustPolicy>(*std::move(policy));
    });
}

// ---- What the caller gets -------------------------------------------------------------------------------------------

void report_bundles(const std::vector<BundleId>& bundles, fardel_bundle_named named, void* context) {
    for (const BundleId& bundle : bundles) {
        const fardel_id id = plain_id(bundle);
        named(context, &id);
    }
}

}  // namespace fardel::c
