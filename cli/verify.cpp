// fardel verify: verifies bundles completely, each one alone and several together.

#include "bundles/verify_report.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/trust_policy.h>
#include <fardel/verifier/verify_set.h>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace fardel {
namespace {

struct VerifyCommand {
    std::vector<std::string> files;
    std::string policy;
    std::uint64_t jobs = 0;
    bool json = false;
};

Result<VerifySetReport> verify_files(std::span<const VerifyInput> inputs, const VerifyOptions& options) {
    if (inputs.size() > 1)
        return verify_set(inputs, options);
    VerifySetReport report;
    FARDEL_TRY_ASSIGN(VerifyReport alone, verify_bundle(inputs.front().source, options));
    report.bundles.push_back(std::move(alone));
    return report;
}

Result<Exit> verify(const VerifyCommand& command, Console& console) {
    VerifyOptions options;
    std::optional<TrustPolicy> policy;
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(command.policy));
        options.policy = &*policy;
    }
    std::vector<VerifyInput> inputs;
    for (const std::string& file : command.files) {
        FARDEL_TRY_ASSIGN(auto source, open_file_source(file));
        inputs.push_back({std::move(source), file});
    }

    const Interrupt interrupt;
    options.now_s = now_s();
    options.jobs = static_cast<unsigned>(command.jobs);
    options.stop = interrupt.token();
    VerifyOutcome outcome{.files = command.files, .policy = command.policy};
    {
        ProgressBar bar(console, "verifying");
        options.progress = [&](const VerifyProgress& progress) {
            bar.show(progress.stored_bytes_done, progress.stored_bytes_total,
                     fmt::format("{} of {}", format_size(progress.stored_bytes_done),
                                 format_size(progress.stored_bytes_total)));
        };
        FARDEL_TRY_ASSIGN(outcome.set, verify_files(inputs, options));
    }
    FARDEL_TRY(print_result(
        console, command.json, [&] { return json_of(outcome); }, [&] { return format_outcome(outcome, console); }));
    return outcome.set.good() ? Exit::fine : Exit::refusal;
}

}  // namespace

Result<Exit> run_verify(Words words, Console& console) {
    CommandLine line(
        "verify", "FILE... [--trust POLICY] [--jobs N] [--json]",
        "Verifies every byte of bundles and lists everything that is wrong. Several files are also checked "
        "as a set that is mounted together.",
        "  fardel verify mygame.fardel\n"
        "  fardel verify mygame.fardel mod.fardel --trust policy.trust\n");
    VerifyCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles")->required();
    line.text("--trust", "POLICY", command.policy, "The policy whose signatures are required (default: none)");
    line.number("-j,--jobs", command.jobs, 0, 256, "Threads (default: one per core)");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    return verify(command, console);
}

}  // namespace fardel
