// fardel publish: writes bundles into a static tree, which any file server serves. docs/delivery.md is the manual.

#include "bundles/whole_bundle.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/delivery/publish.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {
namespace {

struct PublishCommand {
    std::vector<std::string> words;  // files, then the folder of the tree
    bool json = false;
};

struct PublishedFile {
    std::string file;
    Publication publication;
};

std::string format_published(const PublishedFile& published) {
    const Publication& publication = published.publication;
    return fmt::format("{}  {}: {}\n", publication.bundle.hex(), printable(published.file),
                       publication.was_there ? "is published already" : format_size(publication.file_bytes));
}

Json json_of(const PublishedFile& published) {
    const Publication& publication = published.publication;
    return Json{{"file", published.file},
                {"bundle", publication.bundle.hex()},
                {"path", publication.path},
                {"was_there", publication.was_there},
                {"file_bytes", publication.file_bytes}};
}

Result<Publication> publish_file(const std::string& file, TreeTarget& tree, const Interrupt& interrupt,
                                 Console& console) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(file));
    FARDEL_TRY(
        verify_whole_bundle(source, printable(file), "nothing was published", {.stop = interrupt.token()}, console));
    ProgressBar bar(console, "publishing");
    auto published =
        publish_bundle(source, tree,
                       {.progress =
                            [&bar](std::uint64_t done, std::uint64_t total) {
                                bar.show(done, total, fmt::format("{} of {}", format_size(done), format_size(total)));
                            },
                        .stop = interrupt.token()});
    return published ? std::move(published) : std::move(published).error().with_context(printable(file));
}

Result<Exit> publish(const PublishCommand& command, Console& console) {
    const std::string& tree = command.words.back();
    const auto target = make_folder_target(tree);
    const Interrupt interrupt;
    std::vector<PublishedFile> published;
    for (const std::string& file : std::span(command.words).first(command.words.size() - 1)) {
        FARDEL_TRY_ASSIGN(Publication publication, publish_file(file, *target, interrupt, console));
        published.push_back({.file = file, .publication = std::move(publication)});
    }
    return print_result(
        console, command.json,
        [&] {
            return Json{{"tree", tree},
                        {"published", json_list(published, [](const PublishedFile& one) { return json_of(one); })}};
        },
        [&] { return format_each(published, format_published); });
}

}  // namespace

Result<Exit> run_publish(Words words, Console& console) {
    CommandLine line("publish", "FILE... TREE [--json]",
                     "Verifies bundles and writes them into a folder that any file server can serve to 'fardel fetch'.",
                     "  fardel publish mygame.fardel maps.fardel /srv/www/mygame\n");
    PublishCommand command;
    line.texts("FILE", "FILE", command.words, "The bundles; the last word is TREE, the folder")->required();
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.words.size() < 2)
        return line.mistake("name at least one bundle, and the folder of the tree", console);
    return publish(command, console);
}

}  // namespace fardel
