// libfardel-physfs-preload.so: an unmodified program that uses the shared PhysicsFS mounts bundles.
//
//     LD_PRELOAD=libfardel-physfs-preload.so FARDEL_TRUST=game.policy game
//
// It replaces PHYSFS_init(), calls the real one, and registers the archiver. FARDEL_TRUST is a policy file;
// FARDEL_ALLOW_UNSIGNED=1 mounts unsigned bundles too. With neither, or with a policy that cannot be read, every bundle
// is refused. FARDEL_VARIANTS="texture=astc,png lang=fr" says which variants are taken. FARDEL_REQUIRE_DEPENDENCIES=1
// refuses bundles whose static dependencies are not in the same mount. Refusals and missing dependencies are reported
// on standard error.
//
//     FARDEL_PURE=server.pure FARDEL_PURE_FILES=base.fardel:map.fardel
//
// puts the whole search path under a server's policy, from PHYSFS_init() to PHYSFS_deinit(): these bundles, and nothing
// that the program mounts (physfs_preload_mounts.cpp). If anything is wrong with them, PHYSFS_init() fails.
#include "preload_mounts.h"

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/physfs_archiver.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_mounts.h>

#include <dlfcn.h>
#include <physfs.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// Names come from archives and from the program: escape sequences must not reach the terminal.
void say_from_preload(const std::string& text) { std::fprintf(stderr, "fardel: %s\n", printable(text, 8000).c_str()); }

}  // namespace fardel

namespace {

void say(const std::string& text) { fardel::say_from_preload(text); }

void say_refused(std::string_view archive, const fardel::Error& error) {
    std::string_view reason = error.message();
    if (const std::string label = std::string(archive) + ": "; reason.starts_with(label))
        reason.remove_prefix(label.size());
    std::string text = std::string(archive) + " is not mounted: " + std::string(fardel::error_code_name(error.code())) +
                       ": " + std::string(reason);
    if (error.code() == fardel::ErrorCode::untrusted)
        text +=
            "; FARDEL_TRUST names the policy file that says whom to trust, FARDEL_ALLOW_UNSIGNED=1 is for development";
    say(text);
}

void say_missing(std::string_view bundle_file, const fardel::MissingDependency& missing) {
    say(std::string(bundle_file) + ": " +
        (missing.requirement.empty() ? "its dependency " + missing.bundle.hex() + " is not in the same mount"
                                     : "what it requires is not in the same mount: " + missing.reason) +
        "; references into it lead nowhere");
}

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_on(const char* name) {
    const char* value = environment(name);
    return value != nullptr && std::string_view(value) == "1";
}

struct Policies {
    fardel::PhysfsArchiverOptions options;
    bool readable = true;
};

Policies read_policies() {
    Policies policies;
    fardel::PhysfsArchiverOptions& options = policies.options;
    options.on_refused = say_refused;
    options.on_missing_dependency = say_missing;
    options.allow_unsigned = is_on("FARDEL_ALLOW_UNSIGNED");
    options.require_dependencies = is_on("FARDEL_REQUIRE_DEPENDENCIES");
    if (const char* variants = environment("FARDEL_VARIANTS")) {
        auto preference = fardel::parse_variant_preference(variants);
        if (preference)
            options.preference = *std::move(preference);
        else
            say("FARDEL_VARIANTS: " + preference.error().text() + "; the first variant of each name is taken");
    }
    if (const char* path = environment("FARDEL_TRUST")) {
        auto policy = fardel::read_trust_policy(path);
        if (policy) {
            options.policy = *std::move(policy);
        } else {
            policies.readable = false;
            options.allow_unsigned = false;  // a policy was asked for; without it nothing is trusted
            say("FARDEL_TRUST: " + policy.error().text() + "; no bundle will be mounted");
        }
    }
    return policies;
}

// ---- Pure mode ------------------------------------------------------------------------------------------------------

// Lives until PHYSFS_deinit(), or longer than everything that the program does at its end.
std::optional<fardel::PhysfsPureLock>& pure_lock() {
    static auto* const lock = new std::optional<fardel::PhysfsPureLock>;
    return *lock;
}

// "a:b" → "a", "b", as in PATH.
std::vector<std::string> split_paths(std::string_view list) {
    std::vector<std::string> paths;
    while (!list.empty()) {
        const std::string_view path = list.substr(0, list.find(':'));
        if (!path.empty())
            paths.emplace_back(path);
        list.remove_prefix(std::min(list.size(), path.size() + 1));
    }
    return paths;
}

void say_problem(const fardel::PureProblem& problem) {
    say("pure mode: " + std::string(fardel::pure_fault_text(problem.fault)) + ": " +
        (problem.name.empty() ? problem.bundle.hex() : problem.name) + ": " + problem.text);
}

// Returns what is wrong, and then is not in pure mode.
fardel::Result<fardel::PureReport> enter_pure(const fardel::PhysfsArchiverOptions& options) {
    FARDEL_TRY_ASSIGN(const fardel::PurePolicy policy, fardel::read_pure_policy(environment("FARDEL_PURE")));
    const auto vfs = std::make_shared<fardel::Vfs>(fardel::VfsOptions{.cache_bytes = options.cache_bytes});
    vfs->prefer(options.preference);
    const fardel::MountOptions mount{.policy = options.policy ? &*options.policy : nullptr,
                                     .time = options.time,
                                     .allow_unsigned = options.allow_unsigned || !options.policy,
                                     .require_dependencies = options.require_dependencies,
                                     .archives = fardel::make_archive_reader()};
    std::vector<fardel::PureProblem> problems;
    const char* const files = environment("FARDEL_PURE_FILES");
    for (const std::string& file : split_paths(files != nullptr ? files : ""))
        if (auto problem = fardel::mount_pure_file(*vfs, policy, file, mount))
            problems.push_back(*std::move(problem));
    FARDEL_TRY(fardel::mount_into_physfs(vfs, {.name = "fardel", .mount_point = "/"}));
    FARDEL_TRY_ASSIGN(fardel::PhysfsPureLock lock, fardel::PhysfsPureLock::enter(vfs, policy));
    pure_lock().emplace(std::move(lock));
    const fardel::PureReport judged = pure_lock()->report();
    problems.insert(problems.end(), judged.problems().begin(), judged.problems().end());
    // With half of the content the program must not run; what is wrong fails PHYSFS_init().
    if (problems.empty())
        fardel::hidden_mounts().begin();
    else
        pure_lock().reset();
    return fardel::PureReport(std::move(problems));
}

// Reports why not.
bool is_pure_entered(const Policies& policies) {
    if (!policies.readable)
        return false;
    const auto report = enter_pure(policies.options);
    if (!report) {
        say("pure mode: " + report.error().text());
        return false;
    }
    for (const fardel::PureProblem& problem : report->problems())
        say_problem(problem);
    if (report->empty())
        say("pure mode: only the content of the server is visible");
    return report->empty();
}

int (*physfs_deinit())() { return reinterpret_cast<int (*)()>(::dlsym(RTLD_NEXT, "PHYSFS_deinit")); }

}  // namespace

extern "C" __attribute__((visibility("default"))) int PHYSFS_init(const char* argv0) {
    using Init = int (*)(const char*);
    const auto init = reinterpret_cast<Init>(::dlsym(RTLD_NEXT, "PHYSFS_init"));
    if (init == nullptr) {
        say("this program has no shared PhysicsFS");
        return 0;
    }
    if (init(argv0) == 0)
        return 0;
    const Policies policies = read_policies();
    const auto registered = fardel::register_physfs_archiver(policies.options);
    if (!registered)
        say(registered.error().text());
    if (environment("FARDEL_PURE") == nullptr || (registered && is_pure_entered(policies)))
        return 1;
    physfs_deinit()();
    return 0;
}

extern "C" __attribute__((visibility("default"))) int PHYSFS_deinit() {
    const int done = physfs_deinit()();
    if (done != 0) {
        fardel::hidden_mounts().end();
        pure_lock().reset();
    }
    return done;
}
