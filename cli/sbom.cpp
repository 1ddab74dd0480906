// fardel sbom: writes an SPDX document with the licences and origins of what is in bundles.

#include "bundles/bundle_file.h"
#include "console/clock.h"
#include "console/command_line.h"
#include "console/output_file.h"
#include "sbom/spdx_document.h"
#include "verbs.h"

#include <memory>
#include <string>
#include <vector>

namespace fardel {
namespace {

struct SbomCommand {
    std::vector<std::string> files;
    std::string out;
};

Result<Exit> write_sbom(const SbomCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const UnixTime created, source_date());
    std::vector<std::shared_ptr<const Bundle>> bundles;
    for (const std::string& file : command.files) {
        FARDEL_TRY_ASSIGN(bundles.emplace_back(), open_bundle(file));
    }
    FARDEL_TRY_ASSIGN(const std::string text, format_spdx_document(bundles, created));
    if (command.out.empty())
        return console.print(text);
    FARDEL_TRY(write_file(command.out, text));
    return Exit::fine;
}

}  // namespace

Result<Exit> run_sbom(Words words, Console& console) {
    CommandLine line("sbom", "BUNDLE... [-o OUT]",
                     "Writes an SPDX 2.3 document, in JSON: each name in bundles with its licence, its origin and the "
                     "hash of its bytes, and the bundles that they depend on.",
                     "  fardel sbom mygame.fardel -o mygame.spdx.json\n"
                     "  fardel sbom mygame.fardel mod.fardel\n");
    SbomCommand command;
    line.texts("BUNDLE", "BUNDLE", command.files, "The bundles that the document is about").required();
    line.text("-o,--output", "OUT", command.out, "The file to write, replaced if it exists (default: print it)");
    return line.run(words, console, [&] { return write_sbom(command, console); });
}

}  // namespace fardel
