// fardel publish: writes bundles into a static tree, which any file server serves. docs/publishing.md is the manual.

#include "bundles/bundle_file.h"
#include "bundles/bundle_word.h"
#include "bundles/store_option.h"
#include "bundles/tree_option.h"
#include "bundles/whole_bundle.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "console/signing_key.h"
#include "registry/author_requests.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/base/shared_mode.h>
#include <fardel/format/name.h>
#include <fardel/format/trace.h>
#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>
#include <fardel/hosting/publish_trace.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

struct PublishCommand {
    std::vector<std::string> words;      // files, then the address of the tree
    std::vector<std::string> old_files;  // from which deltas lead to them
    std::string token_file;
    SigningKey key;      // for a registry
    std::string recall;  // a bundle id
    std::string reason;
    std::string trace;  // empty: none
    bool only_plans = false;
    bool prunes = false;
    std::vector<std::string> keep;  // bundle ids
    std::uint64_t grace_days = 30;
    bool shares = false;  // a folder, with its group
    bool json = false;
};

struct PublishedFile {
    std::string file;
    Publication publication;
    std::vector<DeltaPublication> deltas;
    TracePublication trace;
};

std::string format_published(const PublishedFile& published, bool only_plans) {
    const Publication& publication = published.publication;
    std::string text = fmt::format("{}  {}: {}{}\n", publication.bundle.hex(), printable(published.file),
                                   format_size(publication.file_bytes),
                                   publication.was_there ? ", was there"
                                   : only_plans          ? ", would be published"
                                                         : ", published");
    if (publication.added_signatures != 0)
        text += fmt::format("  {} beside it, which the published file lacks\n",
                            format_count(publication.added_signatures, "signature", "signatures"));
    for (const DeltaPublication& delta : published.deltas)
        text +=
            fmt::format("  delta from {}: {}\n", short_id(delta.old_bundle),
                        delta.path.empty() ? "not smaller than the bundle, left out" : format_size(delta.delta_bytes));
    if (published.trace.assets != 0)
        text += fmt::format("  trace: {}\n", format_count(published.trace.assets, "asset", "assets"));
    return text;
}

Json json_of(const DeltaPublication& delta) {
    return Json{{"old", delta.old_bundle.hex()},
                {"path", delta.path},
                {"was_there", delta.was_there},
                {"delta_bytes", delta.delta_bytes}};
}

Json json_of(const PublishedFile& published) {
    const Publication& publication = published.publication;
    return Json{{"file", published.file},
                {"bundle", publication.bundle.hex()},
                {"path", publication.path},
                {"was_there", publication.was_there},
                {"file_bytes", publication.file_bytes},
                {"added_signatures", publication.added_signatures},
                {"deltas", json_list(published.deltas, [](const DeltaPublication& one) { return json_of(one); })},
                {"traced_assets", published.trace.assets}};
}

Result<Publication> publish_file(const std::string& file, TreeTarget& tree, bool only_plans, const Interrupt& interrupt,
                                 Console& console) {
    FARDEL_TRY_ASSIGN(const auto source, open_bundle_file(file));
    FARDEL_TRY(
        // A file in a tree is never replaced, so a damaged one would stay until somebody removes it by hand.
        verify_whole_bundle(source, printable(file), "nothing was published", {.stop = interrupt.token()}, console));
    if (only_plans) {
        auto planned = plan_publication(source, tree);
        return planned ? std::move(planned) : std::move(planned).error().with_context(printable(file));
    }
    ProgressBar bar(console, "publishing");
    auto published =
        publish_bundle(source, tree,
                       {.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show_bytes(done, total); },
                        .stop = interrupt.token(),
                        .now = system_now()});
    return published ? std::move(published) : std::move(published).error().with_context(printable(file));
}

// ---- Pruning --------------------------------------------------------------------------------------------------------

std::string_view step_text(PruneStep step) {
    switch (step) {
        case PruneStep::kept: return "kept";
        case PruneStep::condemned: return "condemned";
        case PruneStep::waiting: return "waiting";
        case PruneStep::removed: return "removed";
    }
    return "";
}

std::string format_prune(const PruneReport& report, bool only_plans) {
    std::string text;
    std::uint64_t removed_bytes = 0;
    for (const PrunedFile& file : report.files) {
        text += fmt::format("{:<9}  {:>9}  {}\n", step_text(file.step), format_size(file.size_bytes), file.path);
        removed_bytes += file.step == PruneStep::removed ? file.size_bytes : 0;
    }
    for (const PrunedChannel& channel : report.channels)
        text += fmt::format("channel {}: what release {} names is kept\n", printable(channel.name),
                            channel.release_version);
    return text + fmt::format("{} bundles are kept; {} {}\n", report.kept_bundles, format_size(removed_bytes),
                              only_plans ? "would be removed" : "were removed");
}

Json json_of_prune(const PublishCommand& command, const PruneReport& report) {
    return Json{{"tree", command.words.back()},
                {"dry_run", command.only_plans},
                {"kept_bundles", report.kept_bundles},
                {"channels", json_list(report.channels,
                                       [](const PrunedChannel& channel) {
                                           return Json{{"name", channel.name}, {"release", channel.release_version}};
                                       })},
                {"files", json_list(report.files, [](const PrunedFile& file) {
                     return Json{{"path", file.path}, {"bytes", file.size_bytes}, {"step", step_text(file.step)}};
                 })}};
}

Result<Exit> prune(const PublishCommand& command, Console& console) {
    const Interrupt interrupt;
    PruneOptions options{.grace_s = command.grace_days * 24 * 3600,
                         .only_plans = command.only_plans,
                         .now = system_now,
                         .stop = interrupt.token()};
    FARDEL_TRY_ASSIGN(options.keep, parse_bundle_ids(command.keep));
    FARDEL_TRY_ASSIGN(const auto target, open_tree(command.words.back(), "", interrupt.token()));
    FARDEL_TRY_ASSIGN(const PruneReport report, prune_tree(*target, options));
    return print_result(
        console, command.json, [&] { return json_of_prune(command, report); },
        [&] { return format_prune(report, command.only_plans); });
}

// ---- Publishing -----------------------------------------------------------------------------------------------------

// The deltas from all the old bundles to one that is published.
Result<std::vector<DeltaPublication>> publish_deltas(const std::string& file, const std::vector<std::string>& old_files,
                                                     TreeTarget& tree, const Interrupt& interrupt, Console& console) {
    std::vector<DeltaPublication> deltas;
    FARDEL_TRY_ASSIGN(const auto target, open_bundle(file));
    for (const std::string& old_file : old_files) {
        FARDEL_TRY_ASSIGN(auto old, open_bundle(old_file));
        if (old->id() == target->id())
            continue;  // one command may publish the old bundle, too
        ProgressBar bar(console, "making a delta");
        auto delta = publish_delta(
            std::move(old), *target, tree,
            {.progress = [&bar](std::uint64_t done,
                                std::uint64_t total) { bar.show(done, total, format_count(done, "block", "blocks")); },
             .stop = interrupt.token()});
        if (!delta)
            return std::move(delta).error().with_context(printable(old_file));
        deltas.push_back(*std::move(delta));
    }
    return deltas;
}

Result<Exit> publish(const PublishCommand& command, Console& console) {
    const std::string& tree = command.words.back();
    const Interrupt interrupt;
    if (command.shares && !command.only_plans)
        FARDEL_TRY(share_with_group(tree));
    FARDEL_TRY_ASSIGN(const auto target, open_tree(tree, command.token_file, interrupt.token()));
    Trace trace;
    if (!command.trace.empty()) {
        FARDEL_TRY_ASSIGN(trace, read_trace(command.trace));
    }
    std::vector<PublishedFile> published;
    for (const std::string& file : std::span(command.words).first(command.words.size() - 1)) {
        FARDEL_TRY_ASSIGN(Publication publication, publish_file(file, *target, command.only_plans, interrupt, console));
        if (tree.find("://") == std::string::npos) {  // elsewhere, this would cost requests
            FARDEL_TRY_ASSIGN(const auto source, open_bundle_file(file));
            for (const std::string& remark : find_newer_versions(source, *target))
                console.say("fardel: " + remark);
        }
        std::vector<DeltaPublication> deltas;
        if (!command.only_plans) {
            FARDEL_TRY_ASSIGN(deltas, publish_deltas(file, command.old_files, *target, interrupt, console));
        }
        published.push_back({.file = file, .publication = std::move(publication), .deltas = std::move(deltas)});
        if (!trace.empty() && !command.only_plans) {
            FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
            FARDEL_TRY_ASSIGN(published.back().trace, publish_trace(*bundle, trace, *target));
        }
    }
    const bool is_of_use = std::ranges::any_of(published, [](const auto& one) { return one.trace.assets != 0; });
    if (!command.trace.empty() && !command.only_plans && !is_of_use)
        console.say(
            fmt::format("fardel: {}: lists nothing of these bundles, and was not published", printable(command.trace)));
    return print_result(
        console, command.json,
        [&] {
            return Json{{"tree", tree},
                        {"dry_run", command.only_plans},
                        {"published", json_list(published, [](const PublishedFile& one) { return json_of(one); })}};
        },
        [&] {
            return format_each(published,
                               [&](const PublishedFile& one) { return format_published(one, command.only_plans); });
        });
}

}  // namespace

Result<Exit> run_publish(Words words, Console& console) {
    CommandLine line("publish", "FILE... TREE | --prune [--keep ID...] TREE | --recall ID URL [options]",
                     "Verifies bundles and writes them into a tree that any file server can serve to 'fardel fetch'.",
                     "  fardel publish mygame.fardel maps.fardel /srv/www/mygame\n"
                     "  fardel publish game-1.1.fardel --delta-from game-1.0.fardel /srv/www/mygame\n"
                     "  fardel publish mygame.fardel --trace level1.trace /srv/www/mygame\n"
                     "  fardel publish mygame.fardel https://example.org --token-file token\n"
                     "  fardel publish castle.fardel https://hub.example --key author.key\n"
                     "  fardel publish --recall ID https://hub.example --key author.key --reason 'crashes'\n"
                     "  fardel publish mygame.fardel dav+https://example.org/mygame\n"
                     "  fardel publish mygame.fardel 's3://bucket/mygame?endpoint=https://s3.example.org&region=eu-1'\n"
                     "  fardel publish --prune --keep ID /srv/www/mygame --dry-run\n"
                     "  fardel publish --prune /srv/www/mygame            # keeps what channels name\n");
    PublishCommand command;
    line.texts("FILE", "FILE", command.words,
               "The bundles; the last word is TREE: the URL of a 'fardel serve', " + std::string(kTreeHelp))
        .required();
    add_token_option(line, command.token_file);
    add_signing_options(line, command.key)
        .description(
            "For a registry: the author's secret key file, which has signed the bundles; "
            "with --signer, the public key file");
    line.text("--recall", "ID", command.recall,
              "With --key: recall this bundle at the registry; nobody fetches or opens it any more");
    line.text("--reason", "TEXT", command.reason, "With --recall: why, for those who are affected");
    line.flag("--dry-run", command.only_plans,
              "Only report what is there already and what would be written; with --key, what the registry would "
              "refuse");
    line.texts("--delta-from", "OLD", command.old_files,
               "Also publish what leads from this older bundle to each FILE; may be repeated");
    line.text(
        "--trace", "TRACE", command.trace,
        "Also publish what a game opens first, and in which order: clients then fetch that first ('fardel trace')");
    line.flag("--prune", command.prunes,
              "Condemn the files of bundles that are not kept, and remove those condemned before the grace time");
    line.texts("--keep", "ID", command.keep,
               "With --prune: a bundle that is kept, with all that it needs, beside those of channels; repeatable");
    line.number("--grace", command.grace_days, kPruneGraceSecondsMin / (24 * 3600), 36'500,
                "With --prune: days between the two; normally 30");
    add_shared_option(line, "tree", command.shares);
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.shares && command.words.back().find("://") != std::string::npos)
        return line.mistake("--shared is for a tree in a folder", console);
    if (command.prunes) {
        if (command.words.size() != 1)
            return line.mistake("--prune takes one tree, and no files", console);
        return prune(command, console);
    }
    const bool is_server = command.words.back().starts_with("http");
    if (!command.key.key_path.empty() && !is_server)
        return line.mistake("--key is for the URL of a registry", console);
    if (command.recall.empty() != command.reason.empty() || (!command.recall.empty() && command.key.key_path.empty()))
        return line.mistake("--recall needs --reason and --key", console);
    if (!command.recall.empty() && command.only_plans)
        return line.mistake("--dry-run is for bundles; a recall would be made", console);
    const AuthorRequest author{
        .url = command.words.back(), .key = command.key, .only_asks = command.only_plans, .json = command.json};
    if (!command.recall.empty())
        return command.words.size() == 1
                   ? recall_at_registry(author, command.recall, command.reason, console)
                   : line.mistake("--recall takes the URL of the registry, and no files", console);
    if (!command.keep.empty())
        return line.mistake("--keep belongs to --prune", console);
    if (command.words.size() < 2)
        return line.mistake("name at least one bundle, and the tree", console);
    if (!command.key.key_path.empty()) {
        if (!command.token_file.empty() || !command.old_files.empty() || !command.trace.empty())
            return line.mistake("a registry takes bundles alone; leave the other options out", console);
        return upload_to_registry(author, std::span(command.words).first(command.words.size() - 1), console);
    }
    return publish(command, console);
}

}  // namespace fardel
