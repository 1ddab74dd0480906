// The functions of fardel_pure.h, over PureServer and the Vfs.

#include "c_handles.h"
#include "c_text.h"

#include <fardel/base/random.h>
#include <fardel/format/appended_record.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/reader_source.h>
#include <fardel/vfs/fardel_pure.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/vfs_path.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct fardel_pure_server {
    fardel::PureServer server;
};

namespace fardel {
namespace {

using namespace fardel::c;

static_assert(FARDEL_PURE_OFFER_BYTES == kPureOfferBytes && FARDEL_PURE_ANSWER_BYTES == kPureAnswerBytes &&
              FARDEL_PURE_VERDICT_BYTES == kPureVerdictBytes);
static_assert(FARDEL_PURE_EXTRA == static_cast<int>(PureFault::extra) && kPureFaults == 6);
constexpr std::size_t kServerOptionsBytesLeast = offsetof(fardel_pure_server_options, flags) + sizeof(std::uint32_t);

std::span<const std::byte> bytes_of(const void* bytes, std::size_t count) {
    return {static_cast<const std::byte*>(bytes), count};
}

Hash random_hash() {
    Hash hash;
    fill_random(std::as_writable_bytes(std::span(hash.bytes)));
    return hash;
}

UnixTime moment_of(std::uint64_t now_s) { return *time_of(now_s).now(); }  // it is never TrustTime::ignored()

void report_bundles(const PurePolicy& policy, fardel_pure_bundle_listed listed, void* context) {
    if (listed == nullptr)
        return;
    for (const PureBundle& bundle : policy.rules().bundles) {
        const fardel_pure_bundle plain{.struct_size = sizeof(fardel_pure_bundle),
                                       .bundle = plain_id(bundle.bundle),
                                       .mount_point = bundle.mount_point.c_str(),
                                       .name = bundle.name.c_str(),
                                       .fold_case = bundle.case_rule == CaseRule::fold ? 1 : 0};
        listed(context, &plain);
    }
}

void report_problems(const PureReport& report, fardel_pure_problem_found found, void* context, std::size_t* count) {
    if (count != nullptr)
        *count = report.problems().size();
    if (found == nullptr)
        return;
    for (const PureProblem& problem : report.problems()) {
        const fardel_pure_problem plain{.struct_size = sizeof(fardel_pure_problem),
                                        .fault = static_cast<fardel_pure_fault>(problem.fault),
                                        .has_bundle = problem.bundle.is_zero() ? 0 : 1,
                                        .bundle = plain_id(problem.bundle),
                                        .name = problem.name.c_str(),
                                        .text = problem.text.c_str()};
        found(context, &plain);
    }
}

Result<std::vector<PureAxis>> read_axes(const char* variants) {
    FARDEL_TRY_ASSIGN(VariantPreference preference, parse_variant_preference(variants != nullptr ? variants : ""));
    std::vector<PureAxis> axes;
    for (AxisPreference& axis : preference) {
        if (axis.most)  // a bound is no tag
            continue;
        // The order of preference is the game's affair; the policy knows sets of tags.
        std::ranges::sort(axis.values);
        axes.push_back({.axis = std::move(axis.axis), .tags = std::move(axis.values)});
    }
    return axes;
}

Result<PureReply> answer(const Vfs& vfs, std::span<const std::byte> offer_bytes, const char* connection,
                         const char* variants) {
    FARDEL_TRY_ASSIGN(const PureOffer offer, decode_pure_offer(offer_bytes));
    FARDEL_TRY_ASSIGN(const auto axes, read_axes(variants));
    return vfs.answer_pure(offer, axes, connection);
}

using ByteSources = std::vector<std::shared_ptr<const ByteSource>>;

Result<std::vector<std::shared_ptr<const Bundle>>> open_bundles(const fardel_pure_server_options& options,
                                                                ByteSources sources) {
    std::vector<std::shared_ptr<const Bundle>> bundles;
    for (std::size_t i = 0; i < options.bundle_path_count; ++i) {
        FARDEL_TRY_ASSIGN(auto source, open_bundle_source(options.bundle_paths[i]));
        FARDEL_TRY_ASSIGN(auto bundle, open_pure_bundle(std::move(source), options.bundle_paths[i]));
        bundles.push_back(std::move(bundle));
    }
    for (auto& source : sources) {
        FARDEL_TRY_ASSIGN(auto bundle, open_pure_bundle(std::move(source), "a reader of the server"));
        bundles.push_back(std::move(bundle));
    }
    return bundles;
}

Result<PureServer> create_server(const fardel_pure_server_options& options, ByteSources sources) {
    FARDEL_TRY_ASSIGN(const auto bundles, open_bundles(options, std::move(sources)));
    FARDEL_TRY_ASSIGN(PurePolicy policy, PurePolicy::parse(options.policy_text));
    PureServerOptions how;
    how.sources.assign(options.sources, options.sources + options.source_count);
    const auto choose = [](std::uint32_t& value, std::uint32_t given) { value = given != 0 ? given : value; };
    choose(how.valid_s, options.valid_s);
    choose(how.offers_per_minute, options.offers_per_minute);
    choose(how.offers_at_once, options.offers_at_once);
    FARDEL_TRY_ASSIGN(PureServer server, PureServer::create(std::move(policy), bundles, std::move(how)));
    FARDEL_TRY(server.begin_epoch(random_hash()));
    return server;
}

// Whether all pointers that the options need are there.
bool are_complete(const fardel_pure_server_options& options) {
    const auto is_list = [](const auto* list, std::size_t count) {
        return count == 0 ||
               (list != nullptr && std::all_of(list, list + count, [](const char* text) { return text != nullptr; }));
    };
    return options.policy_text != nullptr && is_list(options.bundle_paths, options.bundle_path_count) &&
           is_list(options.sources, options.source_count) && (options.reader_count == 0 || options.readers != nullptr);
}

Result<PureVerdict> judge(PureServer& server, std::span<const std::byte> answer_bytes, const char* connection,
                          const char* report_text, std::uint64_t now_s) {
    FARDEL_TRY_ASSIGN(const PureAnswer answer, decode_pure_answer(answer_bytes));
    std::optional<PureReport> report;
    if (report_text != nullptr) {
        FARDEL_TRY_ASSIGN(report, PureReport::parse(report_text));
    }
    return server.check(answer, connection, report ? &*report : nullptr, moment_of(now_s));
}

}  // namespace
}  // namespace fardel

using namespace fardel;
using namespace fardel::c;

extern "C" {

// ---- Policies and reports -------------------------------------------------------------------------------------------

fardel_code fardel_pure_read_policy(const char* policy_text, fardel_pure_bundle_listed listed, void* context,
                                    fardel_id* digest, size_t* count, fardel_error* error) {
    return call(error, policy_text != nullptr, [&](const Report& report) {
        return report.end(PurePolicy::parse(policy_text), [&](const PurePolicy& policy) {
            if (digest != nullptr)
                *digest = plain_id(policy.digest());
            if (count != nullptr)
                *count = policy.rules().bundles.size();
            report_bundles(policy, listed, context);
        });
    });
}

fardel_code fardel_pure_read_channels(const char* policy_text, fardel_pure_channel_listed listed, void* context,
                                      size_t* count, fardel_error* error) {
    return call(error, policy_text != nullptr, [&](const Report& report) {
        return report.end(PurePolicy::parse(policy_text), [&](const PurePolicy& policy) {
            if (count != nullptr)
                *count = policy.rules().channels.size();
            for (const PureChannel& channel : policy.rules().channels) {
                const fardel_id id = plain_id(channel.id);
                if (listed != nullptr)
                    listed(context, channel.name.c_str(), &id);
            }
        });
    });
}

fardel_code fardel_pure_problems(const fardel_vfs* vfs, fardel_pure_problem_found found, void* context, size_t* count,
                                 fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report& report) {
        const auto problems = vfs->vfs.pure_report();
        if (!problems)
            return report.fail(FARDEL_ERROR_DENIED, "not in pure mode: fardel_enter_pure() comes first");
        report_problems(*problems, found, context, count);
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_pure_read_report(const char* report_text, fardel_pure_problem_found found, void* context,
                                    size_t* count, fardel_error* error) {
    return call(error, report_text != nullptr, [&](const Report& report) {
        return report.end(PureReport::parse(report_text),
                          [&](const PureReport& parsed) { report_problems(parsed, found, context, count); });
    });
}

// ---- Client ---------------------------------------------------------------------------------------------------------

fardel_code fardel_pure_read_offer(const void* offer, size_t offer_bytes, fardel_id* digest,
                                   fardel_foreign_urls* sources, fardel_error* error) {
    return call(error, offer != nullptr, [&](const Report& report) {
        const auto decoded = decode_pure_offer(bytes_of(offer, offer_bytes));
        if (!decoded)
            return report.fail(decoded.error());
        if (digest != nullptr)
            *digest = plain_id(decoded->policy);
        if (sources != nullptr) {
            *sources = {};
            std::string text;
            for (const ForeignUrl& source : decoded->sources)
                text += source.named() + "\n";
            static_assert(sizeof sources->lines > kPureSourcesBytes);
            text.copy(sources->lines, kPureSourcesBytes);
        }
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_pure_answer(const fardel_vfs* vfs, const void* offer, size_t offer_bytes, const char* connection,
                               const char* variants, void* answer, fardel_pure_report_made made, void* context,
                               fardel_error* error) {
    const bool given = vfs != nullptr && offer != nullptr && connection != nullptr && answer != nullptr;
    return call(error, given, [&](const Report& report) {
        return report.end(fardel::answer(vfs->vfs, bytes_of(offer, offer_bytes), connection, variants),
                          [&](const PureReply& reply) {
                              const auto bytes = encode_pure_answer(reply.answer);
                              std::memcpy(answer, bytes.data(), bytes.size());
                              const std::string text = reply.report.format();
                              if (made != nullptr)
                                  made(context, text.c_str(), text.size());
                          });
    });
}

fardel_code fardel_pure_read_verdict(const void* verdict, size_t verdict_bytes, fardel_pure_refused refused,
                                     void* context, int32_t* welcome, fardel_error* error) {
    return call(error, verdict != nullptr && welcome != nullptr, [&](const Report& report) {
        return report.end(decode_pure_verdict(bytes_of(verdict, verdict_bytes)), [&](const PureVerdict& decoded) {
            *welcome = decoded.welcome() ? 1 : 0;
            if (refused != nullptr)
                for (const PureRefusalText& refusal : refusal_texts(decoded))
                    refused(context, refusal.word.data(), refusal.sentence.data());
        });
    });
}

// ---- Server ---------------------------------------------------------------------------------------------------------

fardel_code fardel_pure_server_create(const fardel_pure_server_options* options, fardel_pure_server** server,
                                      fardel_error* error) {
    if (server != nullptr)
        *server = nullptr;
    return call(error, options != nullptr && server != nullptr, [&](const Report& report) {
        fardel_pure_server_options taken = FARDEL_PURE_SERVER_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kServerOptionsBytesLeast, taken, report); bad != FARDEL_OK)
            return bad;
        if (taken.flags != 0)
            return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
        if (!are_complete(taken))
            return report.argument("a text or list of the options is missing");
        ByteSources readers;
        if (const fardel_code bad = adopt_readers(taken.readers, taken.reader_count, readers, report); bad != FARDEL_OK)
            return bad;
        return report.end(create_server(taken, std::move(readers)),
                          [&](PureServer created) { *server = new fardel_pure_server{std::move(created)}; });
    });
}

void fardel_pure_server_destroy(fardel_pure_server* server) { delete server; }

fardel_code fardel_pure_server_begin_epoch(fardel_pure_server* server, fardel_error* error) {
    return call(error, server != nullptr,
                [&](const Report& report) { return report.end(server->server.begin_epoch(random_hash())); });
}

fardel_code fardel_pure_server_offer(fardel_pure_server* server, const char* address, const char* connection,
                                     uint64_t now_s, void* offer, fardel_error* error) {
    const bool given = server != nullptr && address != nullptr && connection != nullptr && offer != nullptr;
    return call(error, given, [&](const Report& report) {
        const auto made = server->server.offer(random_hash(), address, connection, moment_of(now_s));
        if (!made)
            return report.fail(made.error());
        return report.end(encode_pure_offer(*made),
                          [&](const auto& bytes) { std::memcpy(offer, bytes.data(), bytes.size()); });
    });
}

fardel_code fardel_pure_server_check(fardel_pure_server* server, const void* answer, size_t answer_bytes,
                                     const char* connection, const char* report_text, uint64_t now_s, void* verdict,
                                     int32_t* welcome, fardel_error* error) {
    const bool given = server != nullptr && answer != nullptr && connection != nullptr;
    return call(error, given, [&](const Report& report) {
        return report.end(judge(server->server, bytes_of(answer, answer_bytes), connection, report_text, now_s),
                          [&](const PureVerdict& judged) {
                              const auto bytes = encode_pure_verdict(judged);
                              if (verdict != nullptr)
                                  std::memcpy(verdict, bytes.data(), bytes.size());
                              if (welcome != nullptr)
                                  *welcome = judged.welcome() ? 1 : 0;
                          });
    });
}

}  // extern "C"
