// fardel repack: writes the same bundle again, compressed at another level. Its id and its signatures stay.

#include "build/build_command.h"
#include "bundles/bundle_file.h"
#include "bundles/whole_bundle.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/signing_key.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/author_statement.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/envelope.h>
#include <fardel/format/plan_of_bundle.h>
#include <fardel/format/printable.h>
#include <fardel/format/statement.h>
#include <fardel/packer/bundle_target.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace fardel {
namespace {

struct RepackCommand {
    std::string file;
    std::string out;
    SigningKey key;
    OutputOptions output;
};

// Returns `about` with what the author said of the bundle before. With a smaller epoch it would not count beside that.
Result<Statement> restate(const Bundle& bundle, Statement about, const PublicKey& author) {
    if (const auto before = newest_statement(bundle, author)) {
        about.channel = before->statement.channel;
        about.epoch = before->statement.epoch;
        about.expires = before->statement.expires;
        about.comment = before->statement.comment;
    }
    FARDEL_TRY_ASSIGN(about.created, creation_time());
    return about;
}

// Writes the file, and commits it only if it is the same bundle.
Result<BundleWriteSummary> write(const std::shared_ptr<const Bundle>& bundle, const RepackCommand& command,
                                 Console& console) {
    const Interrupt interrupt;
    // First, because opening it may ask for a passphrase, and writing may take minutes.
    std::unique_ptr<Signer> signer;
    if (!command.key.key_path.empty()) {
        FARDEL_TRY_ASSIGN(signer, open_signer(command.key));
    }
    FARDEL_TRY_ASSIGN(BundlePlan planned, plan_of(bundle));
    StageProgress bars(console);
    FARDEL_TRY_ASSIGN(StagedBundle staged,
                      write_bundle(std::move(planned), command.out,
                                   {.purpose = command.output.find_purpose().value_or(BundlePurpose::balanced),
                                    .level = command.output.zstd_level(),
                                    .jobs = static_cast<unsigned>(command.output.jobs),
                                    .progress =
                                        [&](const BundleWriteProgress& at) {
                                            bars.show({.stage = "packing",
                                                       .done = at.assets_done,
                                                       .total = at.assets_total,
                                                       .raw_bytes = at.raw_bytes});
                                        },
                                    .stop = interrupt.token()}));
    if (staged.summary().bundle != bundle->id())
        return in_bundle(*bundle,
                         Error(ErrorCode::unsupported, "this version of fardel would write it as another bundle, " +
                                                           staged.summary().bundle.hex() + "; nothing was written"));
    for (const Envelope& envelope : bundle->envelopes())
        FARDEL_TRY(staged.append(envelope));
    if (signer != nullptr) {
        FARDEL_TRY_ASSIGN(const Statement statement,
                          restate(*bundle, statement_about(staged.summary()), signer->public_key()));
        FARDEL_TRY_ASSIGN(const Envelope envelope, sign_statement(statement, *signer));
        FARDEL_TRY(staged.append(envelope));
    }
    FARDEL_TRY(staged.commit());
    return staged.summary();
}

Result<Exit> repack(const RepackCommand& command, Console& console) {
    FARDEL_TRY(verify_bundle_target(command.out, std::vector{command.file}));
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(command.file));
    {
        const Interrupt interrupt;
        VerifyOptions verify;
        verify.stop = interrupt.token();
        verify.local_layout_allowed = true;  // a bundle that was repacked before
        FARDEL_TRY(
            verify_whole_bundle(bundle->source(), bundle->label(), "nothing was written", std::move(verify), console));
    }
    FARDEL_TRY_ASSIGN(const BundleWriteSummary written, write(bundle, command, console));
    FARDEL_TRY_ASSIGN(const auto made, open_bundle(command.out));
    const std::uint64_t before = bundle->source()->size_bytes();
    const std::uint64_t after = made->source()->size_bytes();
    const bool resigned = made->envelopes().size() > bundle->envelopes().size();
    return print_result(
        console, command.output.json,
        [&] {
            return Json{{"file", command.out},
                        {"bundle", written.bundle.hex()},
                        {"layout", written.layout.hex()},
                        {"file_bytes_before", before},
                        {"file_bytes", after},
                        {"raw_bytes", written.raw_bytes},
                        {"stored_bytes", written.stored_bytes},
                        {"envelopes", made->envelopes().size()},
                        {"layout_signed", resigned || made->layout_id() == bundle->layout_id()}};
        },
        [&] {
            std::string text = fmt::format("repacked {}\n  bundle  {}, as before\n  file    {}, before {}\n",
                                           printable(command.out, 1000), written.bundle.hex(), format_size(after),
                                           format_size(before));
            if (resigned)
                text += "  signed  as before, and by its author for the new layout\n";
            else if (!bundle->envelopes().empty() && made->layout_id() != bundle->layout_id())
                text +=
                    "  signed  as before, which mounts accept; 'fardel verify' and registries want the author's\n"
                    "          signature for the new layout, too: 'fardel sign', or --key here\n";
            return text;
        });
}

}  // namespace

Result<Exit> run_repack(Words words, Console& console) {
    CommandLine line("repack", "BUNDLE -o OUT [options]",
                     "Writes the same bundle again, compressed otherwise. Its id and its signatures stay; every "
                     "byte is verified.",
                     "  fardel repack mygame.fardel -o small/mygame.fardel --for size\n"
                     "  fardel repack mygame.fardel -o fast/mygame.fardel --level 1 --key author.key\n");
    RepackCommand command;
    line.text("BUNDLE", "BUNDLE", command.file, "The bundle; it is not changed").required();
    line.text("-o,--output", "OUT", command.out, "The bundle to write; replaces an older one in one step").required();
    add_signing_options(line, command.key);
    add_output_options(line, command.output);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.output))
        return line.mistake(*mistake, console);
    return repack(command, console);
}

}  // namespace fardel
