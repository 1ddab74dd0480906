// fardel pack: sources → plan → staged file → signature → file in place.

#include "clock.h"
#include "figures.h"
#include "interrupt.h"
#include "json.h"
#include "pack_report.h"
#include "pack_target.h"
#include "progress_bar.h"
#include "signing_key.h"
#include "verbs.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/format/envelope.h>
#include <fardel/format/name.h>
#include <fardel/packer/pack.h>

#include <fmt/format.h>

#include <chrono>
#include <memory>

namespace fardel {
namespace {

struct PackCommand {
    std::vector<std::string> sources;
    std::string out;
    std::vector<std::string> excludes;
    std::string name;
    std::string version;
    std::uint64_t level = kLevelDefault;
    std::uint64_t jobs = 0;
    SigningKey key;
    bool json = false;
};

Result<PackPlan> plan(const PackCommand& command) {
    PackOptions options{.name = command.name, .version = command.version};
    options.excludes.insert(options.excludes.end(), command.excludes.begin(), command.excludes.end());
    FARDEL_TRY_ASSIGN(PackPlan plan, pack_sources(command.sources, options));
    if (plan.plan.assets.empty())
        return Error(ErrorCode::unresolved, "the sources hold nothing that can be packed; check the paths and the --exclude patterns");
    return plan;
}

Result<StagedBundle> write(const BundlePlan& plan, const PackCommand& command, const Interrupt& interrupt, Console& console) {
    ProgressBar bar(console, "packing");
    WriteOptions options{.level = static_cast<int>(command.level), .jobs = static_cast<unsigned>(command.jobs), .progress = {}, .stop = interrupt.token()};
    options.progress = [&](const WriteProgress& progress) {
        bar.show(progress.assets_done, progress.assets_total,
                 fmt::format("{} of {}, {}", format_count(progress.assets_done), format_count(progress.assets_total, "asset", "assets"), format_size(progress.raw_bytes)));
    };
    FARDEL_TRY_ASSIGN(auto file, stage_file(command.out));
    return write_bundle(plan, std::move(file), options);
}

// Returns the signature's size.
Result<std::uint64_t> sign(StagedBundle& staged, const PackCommand& command, std::uint64_t created, Signer& signer) {
    Statement statement = statement_about(staged.summary());
    statement.name = command.name;
    statement.version = command.version;
    statement.created_s = created;
    FARDEL_TRY_ASSIGN(const Envelope envelope, sign_statement(statement, signer));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(envelope));
    FARDEL_TRY(staged.append(envelope));
    return bytes.size();
}

Result<Exit> pack(const PackCommand& command, Console& console) {
    const auto start = std::chrono::steady_clock::now();
    FARDEL_TRY(verify_pack_target(command.out, command.sources));
    FARDEL_TRY_ASSIGN(const std::uint64_t created, created_s());
    std::unique_ptr<Signer> signer;
    if (!command.key.key_path.empty()) {
        FARDEL_TRY_ASSIGN(signer, open_signer(command.key));
    }
    FARDEL_TRY_ASSIGN(PackPlan planned, plan(command));

    PackReport report{.file = command.out, .name = command.name, .version = command.version};
    {
        const Interrupt interrupt;   // from here on there is something to clean up
        FARDEL_TRY_ASSIGN(StagedBundle staged, write(planned.plan, command, interrupt, console));
        report.written = staged.summary();
        report.file_bytes = report.written.file_bytes;
        if (signer) {
            FARDEL_TRY_ASSIGN(const std::uint64_t signature_bytes, sign(staged, command, created, *signer));
            report.file_bytes += signature_bytes;
            report.signed_by = signer->public_key();
        }
        FARDEL_TRY(staged.commit());
    }
    report.scan = std::move(planned.report);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    FARDEL_TRY(console.write(command.json ? format_json(json_of(report)) + "\n" : format_report(report, console)));
    return Exit::fine;
}

}  // namespace

Result<Exit> run_pack(Words words, Console& console) {
    CommandLine line("pack", "SOURCE... -o OUT [options]", "Makes one bundle from folders and game archives (pk3, zip, 7z, ...); of equal names the later source's wins.",
                     "  fardel pack mygame/ -o mygame.fardel --name mygame --version 1.0 --key author.key\n"
                     "  fardel pack baseoa/*.pk3 -o openarena.fardel\n"
                     "  fardel pack art/ -o art.fardel --exclude '**/*.psd' --exclude 'wip/**'\n");
    PackCommand command;
    line.texts("SOURCE", "SOURCE", command.sources, "Folders and archives; later ones win")->required();
    line.text("-o,--output", "OUT", command.out, "The bundle to write; replaces an older one in one step")->required();
    line.text("--name", "NAME", command.name, "The bundle's name; OUT without folder and ending when left out");
    line.text("--version", "VERSION", command.version, "The bundle's version");
    add_signing_options(line, command.key);
    line.number("--level", command.level, 1, 19, "Compression, 1 (fast) to 19 (small); 9 when left out");
    line.number("-j,--jobs", command.jobs, 0, 256, "Threads; one a core when left out. The bundle is the same");
    line.texts("--exclude", "GLOB", command.excludes, "Names to leave out; may be repeated");
    line.flag("--json", command.json, "Report as JSON, with complete lists");
    if (const auto over = line.parse(words, console))
        return *over;

    if (command.name.empty()) {
        command.name = name_of_target(command.out);
        if (!verify_name(command.name))
            return line.mistake(fmt::format("'{}' makes no good name for the bundle; give it one with --name", command.name), console);
    }
    return pack(command, console);
}

}  // namespace fardel
