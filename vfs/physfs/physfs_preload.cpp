// libfardel-physfs-preload.so: an unmodified program that uses the shared PhysicsFS mounts bundles.
//
//     LD_PRELOAD=libfardel-physfs-preload.so FARDEL_TRUST=game.policy game
//
// It replaces PHYSFS_init(), calls the real one, and registers the archiver. FARDEL_TRUST is a policy file;
// FARDEL_ALLOW_UNSIGNED=1 mounts unsigned bundles too. With neither, or with a policy that cannot be read, every bundle
// is refused. FARDEL_REQUIRE_DEPENDENCIES=1 refuses bundles whose static dependencies are not in the same mount.
// Refusals and missing dependencies are reported on standard error.
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/physfs_archiver.h>

#include <dlfcn.h>
#include <physfs.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace {

// Names come from archives and from the program: escape sequences must not reach the terminal.
void say(const std::string& text) { std::fprintf(stderr, "fardel: %s\n", fardel::printable(text, 8000).c_str()); }

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

void say_missing(std::string_view bundle_file, const fardel::BundleId& missing) {
    say(std::string(bundle_file) + ": its static dependency " + missing.hex() +
        " is not in the same mount; references into it lead nowhere");
}

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_on(const char* name) {
    const char* value = environment(name);
    return value != nullptr && std::string_view(value) == "1";
}

void register_archiver() {
    fardel::PhysfsArchiverOptions options;
    options.on_refused = say_refused;
    options.on_missing_dependency = say_missing;
    options.allow_unsigned = is_on("FARDEL_ALLOW_UNSIGNED");
    options.require_dependencies = is_on("FARDEL_REQUIRE_DEPENDENCIES");
    if (const char* path = environment("FARDEL_TRUST")) {
        auto policy = fardel::read_trust_policy(path);
        if (policy) {
            options.policy = *std::move(policy);
        } else {
            options.allow_unsigned = false;  // a policy was asked for; without it nothing is trusted
            say("FARDEL_TRUST: " + policy.error().text() + "; no bundle will be mounted");
        }
    }
    if (const auto done = fardel::register_physfs_archiver(std::move(options)); !done)
        say(done.error().text());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int PHYSFS_init(const char* argv0) {
    using Init = int (*)(const char*);
    const auto init = reinterpret_cast<Init>(::dlsym(RTLD_NEXT, "PHYSFS_init"));
    if (init == nullptr) {
        say("this program has no shared PhysicsFS");
        return 0;
    }
    const int done = init(argv0);
    if (done != 0)
        register_archiver();
    return done;
}
