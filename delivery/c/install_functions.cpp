// The functions of fardel_fetch.h about bundles that are installed by name.

#include "c_handles.h"

#include <fardel/delivery/install.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct fardel_install {
    std::optional<fardel::Install> install;  // its callbacks keep a pointer to this struct
    std::vector<std::string> authors;        // once there is an outcome
};

namespace fardel::c {
namespace {

constexpr std::size_t kInstallOptionsBytesLeast = offsetof(fardel_install_options, flags) + sizeof(std::uint32_t);

// ---- Callbacks ------------------------------------------------------------------------------------------------------

// Reports a set whose plain form exists during the call.
template <class Reported>
void with_plain_set(std::uint64_t release, const std::vector<InstalledBundle>& bundles, const TrustPolicy* policy,
                    const fardel_fetch_plan* fetch, const Reported& reported) {
    std::vector<std::vector<fardel_id>> resolved(bundles.size());
    std::vector<fardel_installed_bundle> plain;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
        const InstalledBundle& one = bundles[i];
        for (const BundleId& id : one.resolved)
            resolved[i].push_back(plain_id(id));
        plain.push_back({.struct_size = sizeof(fardel_installed_bundle),
                         .bundle = plain_id(one.bundle),
                         .name = one.name.c_str(),
                         .version = one.version.c_str(),
                         .root = one.root.empty() ? nullptr : one.root.c_str(),
                         .resolved = resolved[i].data(),
                         .resolved_count = resolved[i].size(),
                         .author = one.author ? one.author->bytes.data() : nullptr});
    }
    std::vector<const fardel_installed_bundle*> pointers;
    for (const fardel_installed_bundle& one : plain)
        pointers.push_back(&one);
    const std::string policy_text = policy != nullptr ? policy->format() : "";
    const fardel_installed_set out{.struct_size = sizeof out,
                                   .release = release,
                                   .bundles = pointers.data(),
                                   .bundle_count = pointers.size(),
                                   .policy_text = policy != nullptr ? policy_text.c_str() : nullptr,
                                   .fetch = fetch};
    reported(out);
}

void report_end(const fardel_install_options& options, fardel_install* install, const Result<InstallSummary>& outcome) {
    const fardel_fetch_outcome out{.struct_size = sizeof out,
                                   .text = outcome ? "" : outcome.error().message().c_str(),
                                   .received_bytes = outcome ? outcome->received_bytes : 0,
                                   .requests = outcome ? outcome->plan.fetch.requests : 0,
                                   .code = outcome ? fardel_code{FARDEL_OK} : code_of(outcome.error().code())};
    if (!outcome)
        return options.ended(options.context, install, &out, nullptr);
    const InstalledSet& set = outcome->installed;
    with_plain_set(set.release, set.bundles, set.policy.get(), nullptr, [&](const fardel_installed_set& installed) {
        options.ended(options.context, install, &out, &installed);
    });
}

InstallCallbacks callbacks_of(const fardel_install_options& options, fardel_install* install) {
    InstallCallbacks callbacks;
    if (options.planned != nullptr)
        callbacks.planned = [options, install](const InstallPlan& plan) {
            const PlainPlan fetch(plan.fetch);
            with_plain_set(plan.release, plan.bundles, nullptr, &fetch.get(),
                           [&](const fardel_installed_set& set) { options.planned(options.context, install, &set); });
        };
    if (options.progress != nullptr)
        callbacks.progress = [options, install](const FetchProgress& now) {
            const fardel_fetch_progress out = plain_progress(now);
            options.progress(options.context, install, &out);
        };
    if (options.ended != nullptr)
        callbacks.ended = [options, install](const Result<InstallSummary>& outcome) {
            report_end(options, install, outcome);
        };
    return callbacks;
}

// ---- What the caller gives ------------------------------------------------------------------------------------------

fardel_code read_work(const fardel_install_options& options, InstallWork& work, const Report& report) {
    if (options.lock == nullptr || options.channel == nullptr)
        return report.argument("an installation needs a lock file and a channel");
    fardel_channel_options channel = FARDEL_CHANNEL_OPTIONS_INIT;
    if (const fardel_code bad = read_subject(options.channel, true, channel, work.channel, report); bad != FARDEL_OK)
        return bad;
    if (channel.servers != nullptr) {
        ServerChoice servers;
        if (const fardel_code bad = read_servers(channel.servers, servers, report); bad != FARDEL_OK)
            return bad;
        work.servers = std::move(servers.list);
        work.bytes_per_second_max = servers.bytes_per_second_max;
        work.connections = servers.connections;
    }
    if (!read_texts(options.names, options.name_count, work.names))
        return report.argument("a null pointer in the names, or too many");
    std::vector<std::string> authors;
    if (!read_texts(options.accepted_authors, options.accepted_author_count, authors))
        return report.argument("a null pointer in the accepted authors, or too many");
    for (const std::string& text : authors) {
        auto accepted = AcceptedAuthor::parse(text);
        if (!accepted)
            return report.end(std::move(accepted), [](const AcceptedAuthor&) {});
        work.accepted_authors.push_back(*std::move(accepted));
    }
    if ((options.flags & ~std::uint32_t{FARDEL_INSTALL_UPDATE}) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    work.lock = options.lock;
    work.change = (options.flags & FARDEL_INSTALL_UPDATE) != 0 ? InstallChange::update : InstallChange::install;
    work.time = time_of(channel.now_s);
    return FARDEL_OK;
}

}  // namespace
}  // namespace fardel::c

// ---- The functions --------------------------------------------------------------------------------------------------

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_install_start(const fardel_store* store, const fardel_install_options* options,
                                 fardel_install** install, fardel_error* error) {
    if (install != nullptr)
        *install = nullptr;
    return call(error, store != nullptr && options != nullptr && install != nullptr, [&](const Report& report) {
        fardel_install_options taken = FARDEL_INSTALL_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kInstallOptionsBytesLeast, taken, report); bad != FARDEL_OK)
            return bad;
        InstallWork work;
        if (const fardel_code bad = read_work(taken, work, report); bad != FARDEL_OK)
            return bad;
        auto handle = std::make_unique<fardel_install>();
        return report.end(Install::start(store->store, std::move(work), callbacks_of(taken, handle.get())),
                          [&](Install started) {
                              handle->install.emplace(std::move(started));
                              *install = handle.release();
                          });
    });
}

fardel_code fardel_install_poll(fardel_install* install, uint32_t wait_max_ms, int32_t* has_ended,
                                fardel_error* error) {
    if (has_ended != nullptr)
        *has_ended = 0;
    return call(error, install != nullptr, [&](const Report&) {
        const bool ended = install->install->poll(std::chrono::milliseconds(wait_max_ms));
        if (ended && install->authors.empty())
            for (const AuthorChange& one : install->install->author_changes())
                if (one.after)
                    install->authors.push_back(one.name + "=" + one.after->key.hex());
        if (has_ended != nullptr)
            *has_ended = ended ? 1 : 0;
        return fardel_code{FARDEL_OK};
    });
}

void fardel_install_accept(fardel_install* install) {
    call(nullptr, install != nullptr, [&](const Report&) {
        install->install->accept();
        return fardel_code{FARDEL_OK};
    });
}

void fardel_install_refuse(fardel_install* install, const char* reason) {
    call(nullptr, install != nullptr, [&](const Report&) {
        install->install->refuse(Error(ErrorCode::denied, reason != nullptr ? reason : "the plan was refused"));
        return fardel_code{FARDEL_OK};
    });
}

void fardel_install_cancel(fardel_install* install) {
    if (install != nullptr)
        install->install->cancel();
}

void fardel_install_close(fardel_install* install) { delete install; }

const char* fardel_install_conflict(const fardel_install* install, size_t number) {
    if (install == nullptr || number >= install->install->conflicts().size())
        return nullptr;
    return install->install->conflicts()[number].c_str();
}

const char* fardel_install_author(const fardel_install* install, size_t number) {
    return install == nullptr || number >= install->authors.size() ? nullptr : install->authors[number].c_str();
}

fardel_code fardel_install_read(const fardel_store* store, const char* lock, const fardel_channel_options* channel,
                                fardel_installed_reported reported, void* context, fardel_error* error) {
    const bool is_complete = store != nullptr && lock != nullptr && channel != nullptr && reported != nullptr;
    return call(error, is_complete, [&](const Report& report) {
        fardel_channel_options taken = FARDEL_CHANNEL_OPTIONS_INIT;
        ChannelSubject subject;
        if (const fardel_code bad = read_subject(channel, true, taken, subject, report); bad != FARDEL_OK)
            return bad;
        return report.end(
            read_installed(store->store, lock, subject, {.time = time_of(taken.now_s)}), [&](const InstalledSet& set) {
                with_plain_set(set.release, set.bundles, set.policy.get(), nullptr,
                               [&](const fardel_installed_set& installed) { reported(context, &installed); });
            });
    });
}

fardel_code fardel_install_remove(const fardel_store* store, const char* lock, const char* const* names,
                                  size_t name_count, fardel_error* error) {
    return call(error, store != nullptr && lock != nullptr, [&](const Report& report) {
        std::vector<std::string> taken;
        if (!read_texts(names, name_count, taken))
            return report.argument("a null pointer in the names, or too many");
        return report.end(remove_installed(store->store, lock, taken), [](const auto&) {});
    });
}
