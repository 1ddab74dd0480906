// fardel registry recall: the operator of a registry withdraws a bundle.

#include "bundles/bundle_word.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "registry/registry_signers.h"
#include "registry/registry_verbs.h"

#include <fardel/format/name.h>
#include <fardel/hosting/registry.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {
namespace {

struct RecallCommand {
    std::string folder;
    std::string bundle;
    std::string reason;
    RegistrySignerOptions signers;
    bool json = false;
};

Result<Exit> recall(const RecallCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleId id, parse_bundle_id(command.bundle));
    RegistryOptions options{.folder = command.folder, .signers = {}, .now = system_now};
    FARDEL_TRY_ASSIGN(options.signers, open_registry_signers(command.signers));
    FARDEL_TRY_ASSIGN(const auto registry, Registry::open(std::move(options)));
    FARDEL_TRY_ASSIGN(const RegistryAnswer answer, registry->recall(id, command.reason, nullptr));
    if (answer.outcome == RegistryOutcome::refused)
        return Error(ErrorCode::missing, answer.refusals.front().text);
    return print_result(
        console, command.json,
        [&] {
            return Json{{"bundle", answer.bundle.hex()},
                        {"name", answer.name},
                        {"version", answer.version},
                        {"release", answer.release_version}};
        },
        [&] {
            return fmt::format("recalled {} {} with release {}\n", printable(answer.name), printable(answer.version),
                               answer.release_version);
        });
}

}  // namespace

Result<Exit> run_registry_recall(Words words, Console& console) {
    CommandLine line(
        "registry recall", "FOLDER ID --reason TEXT --registry-key KEY --release-key KEY --head-key KEY [options]",
        "Recalls a bundle of a registry: no client fetches or opens it any more. The registry may be served meanwhile. "
        "Authors recall their own bundles with 'fardel publish --recall'.",
        "  fardel registry recall /srv/www/hub 6f0c...2d1a --reason 'contains stolen textures' --signer hub-signer "
        "--registry-key registry.key.pub --release-key release.key.pub --head-key head.key.pub\n");
    RecallCommand command;
    line.text("FOLDER", "FOLDER", command.folder, "The folder of the registry").required();
    line.text("ID", "ID", command.bundle, "All 64 digits of the bundle's id").required();
    line.text("--reason", "TEXT", command.reason, "Why, for those who are affected").required();
    add_registry_signing_options(line, command.signers);
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (!command.signers.all())
        return line.mistake("give --registry-key, --release-key and --head-key", console);
    return recall(command, console);
}

}  // namespace fardel
