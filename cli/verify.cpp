// fardel verify: verifies bundles completely, each one alone and several together.

#include "bundles/bundle_file.h"
#include "bundles/license_file.h"
#include "bundles/store_option.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "pure/pure_files.h"
#include "pure/pure_verbs.h"
#include "verbs.h"
#include "verify/rebuilt_project.h"
#include "verify/verify_outcome.h"
#include "verify/verify_provenance.h"
#include "verify/verify_whole.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/packer/game_profile.h>
#include <fardel/verifier/verify_bundle.h>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

struct VerifyCommand {
    std::vector<std::string> files;
    std::string channel;  // of the tree that is the only file; empty: none
    std::string root;
    std::string policy;
    std::string profile;
    std::string pure;
    std::string provenance;
    std::string rebuild;  // the folder of a project; empty: none
    std::uint64_t share = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> licenses;
    std::string store;
    FindingOptions findings;
    std::uint64_t jobs = 0;
    bool json = false;
};

// ---- The bundles ----------------------------------------------------------------------------------------------------

Result<VerifyOutcome> verify_files(const std::vector<std::string>& files, const VerifyOptions& options) {
    std::vector<VerifyInput> inputs;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(auto source, open_bundle_file(file));
        inputs.push_back({std::move(source), file});
    }
    VerifyOutcome outcome{.files = files, .policy = {}, .set = {}, .whole = {}, .subject = {}};
    if (inputs.size() > 1) {
        FARDEL_TRY_ASSIGN(outcome.set, verify_set(inputs, options));
        return outcome;
    }
    FARDEL_TRY_ASSIGN(VerifyReport alone, verify_bundle(inputs.front().source, options));
    outcome.set.bundles.push_back(std::move(alone));
    return outcome;
}

Result<VerifyOutcome> verify_all(const VerifyCommand& command, const VerifyOptions& options) {
    if (!command.channel.empty())
        return verify_channel({.address = command.files.front(), .name = command.channel, .root = command.root},
                              system_now(), options);
    if (!command.files.empty())
        return verify_files(command.files, options);
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    return verify_store(store, options);
}

// ---- A server's pure policy -----------------------------------------------------------------------------------------

ErrorCode error_code_of(PureFault fault) {
    switch (fault) {
        case PureFault::missing: return ErrorCode::missing;
        case PureFault::wrong: return ErrorCode::conflict;
        case PureFault::unsigned_: return ErrorCode::untrusted;
        case PureFault::revoked: return ErrorCode::revoked;
        case PureFault::not_allowed:
        case PureFault::extra: break;
    }
    return ErrorCode::denied;
}

// Why a server with that pure policy would refuse a client that has mounted the files.
Status add_pure_findings(const VerifyCommand& command, VerifySetReport& set) {
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.pure));
    FARDEL_TRY_ASSIGN(const PureClient client, mount_for_pure(command.files, policy, command.policy));
    FARDEL_TRY_ASSIGN(const auto problems, find_problems({}, policy, client, false));  // every byte was read
    for (const PureProblem& problem : problems)
        add_finding(
            set, "pure-refused", problem.name,
            Error(error_code_of(problem.fault), fmt::format("{}: {}", pure_fault_text(problem.fault), problem.text)));
    return ok();
}

// ---- The verb -------------------------------------------------------------------------------------------------------

// The tokens of the files and of the store.
Result<std::vector<Envelope>> find_licenses(const VerifyCommand& command) {
    FARDEL_TRY_ASSIGN(auto tokens, read_license_tokens(command.licenses));
    if (command.store.empty())
        return tokens;
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(command.store, false));
    FARDEL_TRY_ASSIGN(const auto stored, store.licenses());
    tokens.insert(tokens.end(), stored.begin(), stored.end());
    return tokens;
}

Result<Exit> verify(const VerifyCommand& command, Console& console) {
    VerifyOptions options;
    std::optional<TrustPolicy> policy;
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(command.policy));
        options.policy = &*policy;
    }
    std::vector<Envelope> licenses;
    if (policy && (!command.licenses.empty() || !command.store.empty())) {
        FARDEL_TRY_ASSIGN(licenses, find_licenses(command));
        options.licenses = &licenses;
    }
    if (!command.profile.empty()) {
        FARDEL_TRY_ASSIGN(const auto profile, load_game_profile(command.profile));
        for (const Placement& one : profile->placements)
            options.placements.push_back({.files = one.files, .within = one.within, .why = one.why});
    }
    const Interrupt interrupt;
    options.jobs = static_cast<unsigned>(command.jobs);
    options.stop = interrupt.token();
    VerifyOutcome outcome;
    // The bar ends before anything is written to standard output.
    {
        ProgressBar bar(console, "verifying");
        options.progress = [&](const VerifyProgress& progress) {
            bar.show_bytes(progress.stored_bytes_done, progress.stored_bytes_total);
        };
        FARDEL_TRY_ASSIGN(outcome, verify_all(command, options));
        outcome.policy = command.policy;
        if (!command.pure.empty())
            FARDEL_TRY(add_pure_findings(command, outcome.set));
    }
    if (!command.provenance.empty()) {
        FARDEL_TRY_ASSIGN(const auto claim, add_provenance(outcome, command.provenance, options.policy));
        if (claim && !command.rebuild.empty())
            FARDEL_TRY(add_rebuild(outcome, *claim,
                                   {.project = command.rebuild,
                                    .jobs = command.jobs,
                                    .share = command.share != 0 ? command.share : 100,
                                    .seed = command.seed,
                                    .stop = options.stop},
                                   console));
    }
    if (command.findings.wanted())
        FARDEL_TRY(write_findings(command.findings, findings_of(outcome)));
    return print_result(
        console, command.json, [&] { return json_of(outcome); }, [&] { return format_outcome(outcome, console); },
        outcome.set.good() ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_verify(Words words, Console& console) {
    CommandLine line(
        "verify",
        "FILE... | --store DIR | TREE --channel NAME [--root ROOT] [--trust POLICY] [--license TOKEN] "
        "[--profile NAME|FILE] [--pure POLICY] [--provenance FILE [--rebuild DIR [--share N] [--seed N]]] "
        "[--sarif OUT] [--junit OUT] [--jobs N] [--json]",
        "Verifies every byte of bundles and lists everything that is wrong. "
        "Several files are also checked as a set that is mounted together. "
        "Without a FILE, a whole store is verified; with --channel, a channel and all that its release names.",
        "  fardel verify mygame.fardel\n"
        "  fardel verify mygame.fardel mod.fardel --trust policy.trust\n"
        "  fardel verify pack.fardel --trust policy.trust --license ann.license\n"
        "  fardel verify base.fardel map.fardel --pure server.pure --trust client.trust --junit pure.xml\n"
        "  fardel verify mygame.fardel --provenance mygame.provenance.json --trust policy.trust\n"
        "  fardel verify mygame.fardel --provenance mygame.provenance.json --rebuild src/mygame\n"
        "  fardel verify --store ~/.local/share/fardel --junit store.xml\n"
        "  fardel verify /srv/www/mygame --channel mygame/stable\n"
        "  fardel verify build/*.fardel --sarif findings.sarif --junit findings.xml\n");
    VerifyCommand command;
    line.texts("FILE", "FILE", command.files,
               "The bundles; with --channel the tree, or with --root the URL of a tree on a server");
    line.text("--channel", "NAME", command.channel, "Verify this channel of the tree, and the bundles of its release");
    line.text("--root", "ROOT", command.root, "The file of a root that is known to be right: ask a server as a client");
    line.text("--trust", "POLICY", command.policy, "The policy whose signatures are required (default: none)");
    line.texts("--license", "TOKEN", command.licenses,
               "A licence token; may be repeated. Bundles that require one are judged as by a mount. Needs --trust");
    line.text("--store", "DIR", command.store,
              "Without a FILE: verify everything in this store. With --trust, its licence tokens count, too");
    line.text(
        "--profile", "NAME|FILE", command.profile,
        "The conventions that names must follow: daemon, darkplaces, gltf, quake3, or a file .toml (default: none)");
    line.text("--pure", "POLICY", command.pure,
              "A server's pure policy: would it let a client play that has mounted these files? "
              "Needs --trust, unless the policy allows unsigned content");
    line.text("--provenance", "FILE", command.provenance,
              "What 'fardel build --provenance' wrote: are the bundles those that it is about, and with --trust, has a "
              "key signed it that the policy's rule for each bundle lists?");
    line.text("--rebuild", "DIR", command.rebuild,
              "Build the project in this folder again, without any cache, and name what is other than the provenance "
              "says: sources, programs, jobs and bundles. Its programs run as in a build. Needs --provenance");
    line.number("--share", command.share, 1, 100,
                "Of 100 jobs, --rebuild runs so many, and takes the results of the others from the project's caches; "
                "all when left out");
    line.number("--seed", command.seed, 1, UINT32_MAX,
                "Choose other jobs for --share; when left out, the ids of the bundles choose them");
    add_finding_options(line, command.findings);
    line.number("-j,--jobs", command.jobs, 0, 256, "Threads (default: one per core)");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.policy.empty() && (!command.licenses.empty() || (!command.store.empty() && !command.files.empty())))
        return line.mistake("--license and --store need --trust: the policy says whose tokens count", console);
    if (command.files.empty() && command.store.empty())
        return line.mistake("name bundles, or a store with --store", console);
    if (!command.channel.empty() && command.files.size() != 1)
        return line.mistake("--channel needs one TREE", console);
    if (!command.pure.empty() && (command.files.empty() || !command.channel.empty()))
        return line.mistake("--pure needs the bundles of a client", console);
    if (!command.provenance.empty() && (command.files.empty() || !command.channel.empty()))
        return line.mistake("--provenance needs the bundles that it is about", console);
    if (command.rebuild.empty() && (command.share != 0 || command.seed != 0))
        return line.mistake("--share and --seed are for --rebuild", console);
    if (!command.rebuild.empty() && command.provenance.empty())
        return line.mistake("--rebuild needs --provenance: it says what was built", console);
    if (command.channel.empty() && !command.root.empty())
        return line.mistake("--root needs --channel", console);
    return verify(command, console);
}

}  // namespace fardel
