// fardel diff: shows what changed from one bundle to another.

#include "bundles/bundle_file.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/verifier/bundle_diff.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct DiffCommand {
    std::string before;
    std::string after;
    bool summary = false;
    bool json = false;
};

// ---- For people -----------------------------------------------------------------------------------------------------

std::string shown(std::string_view text) { return printable(text, 2000); }

std::string format_tagged(std::string_view tags) { return tags.empty() ? "" : fmt::format(" [{}]", shown(tags)); }

std::uint64_t raw_bytes_of(const DiffName& name) {
    std::uint64_t bytes = 0;
    for (const DiffVariant& variant : name.variants)
        bytes += variant.raw_bytes;
    return bytes;
}

std::string format_name(const DiffName& name) {
    if (name.tombstone())
        return fmt::format("{}  (tombstone)", shown(name.text));
    const std::string variants = name.variants.size() > 1 ? fmt::format(", {} variants", name.variants.size()) : "";
    return fmt::format("{}  ({}, {}{}{})", shown(name.text), format_size(raw_bytes_of(name)),
                       shown(name.variants.front().content_type), variants, name.published ? "" : ", not published");
}

std::string format_variant(std::string_view sign, const DiffVariant& variant) {
    return fmt::format("    {}{} asset {}, {}, {}\n", sign, format_tagged(variant.tags), short_id(variant.asset),
                       format_size(variant.raw_bytes), shown(variant.content_type));
}

std::string format_change(const DiffChange& change) {
    std::string aspects;
    for (const DiffAspect aspect : change.aspects)
        aspects += (aspects.empty() ? "" : ", ") + std::string(diff_aspect_name(aspect));
    std::string text = fmt::format("~ {}  ({})\n", shown(change.after.text), aspects);
    if (change.before.variants != change.after.variants) {
        for (const DiffVariant& variant : change.before.variants)
            text += format_variant("-", variant);
        for (const DiffVariant& variant : change.after.variants)
            text += format_variant("+", variant);
    }
    if (change.before.published != change.after.published)
        text += fmt::format("    {}\n", change.after.published ? "now published" : "no longer published");
    if (change.before.extends != change.after.extends)
        text += fmt::format("    {}\n", change.after.extends ? "now adds variants to another bundle's"
                                                             : "no longer adds variants to another bundle's");
    return text;
}

std::string format_item(const ContentConsume& consume) {
    return fmt::format("consumes {}{}", shown(consume.text), consume.optional ? " (optional)" : "");
}

std::string format_item(const ContentDependency& dependency) {
    return fmt::format("{} {} {}", dependency.is_static ? "static dependency" : "dependency",
                       format_title(printable(dependency.name), printable(dependency.version)),
                       short_id(dependency.bundle));
}

std::string format_item(const ContentMetadata& entry) {
    return fmt::format("{} {} = {}", entry.creator ? "creator metadata" : "metadata", shown(entry.key),
                       shown(format_value(entry.value)));
}

template <class Value>
std::string format_pairs(const std::vector<DiffPair<Value>>& pairs) {
    std::string text;
    for (const DiffPair<Value>& pair : pairs) {
        if (pair.before)
            text += fmt::format("- {}\n", format_item(*pair.before));
        if (pair.after)
            text += fmt::format("+ {}\n", format_item(*pair.after));
    }
    return text;
}

std::string format_names(const BundleDiff& diff) {
    std::string text;
    for (const DiffName& name : diff.removed)
        text += fmt::format("- {}\n", format_name(name));
    for (const DiffName& name : diff.added)
        text += fmt::format("+ {}\n", format_name(name));
    for (const DiffChange& change : diff.renamed)
        text += fmt::format("> {}\n    was {}\n", format_name(change.after), shown(change.before.text));
    for (const DiffChange& change : diff.changed)
        text += format_change(change);
    return text;
}

std::string format_verdict(const BundleDiff& diff) {
    if (diff.empty())
        return "no difference\n";
    if (diff.same_bundle())
        return fmt::format(
            "the same bundle; only {} {}\n",
            diff.layout_only() ? (diff.signatures ? "its layout and signatures" : "its layout") : "its signatures",
            diff.layout_only() && !diff.signatures ? "differs" : "differ");
    return fmt::format("{} added, {} removed, {} renamed, {} changed\n", format_count(diff.added.size()),
                       format_count(diff.removed.size()), format_count(diff.renamed.size()),
                       format_count(diff.changed.size()));
}

std::string format_summary(const BundleDiff& diff) {
    std::string text = format_verdict(diff);
    if (diff.empty())
        return text;
    text += fmt::format("raw {}; stored {}; file {}\n", format_step(diff.before.raw_bytes, diff.after.raw_bytes),
                        format_step(diff.before.stored_bytes, diff.after.stored_bytes),
                        format_step(diff.before.file_bytes, diff.after.file_bytes));
    return text + fmt::format("with the first bundle at hand, a client fetches {} of the second, in {}\n",
                              format_size(diff.fetch_bytes), format_count(diff.fetch_blocks, "block", "blocks"));
}

std::string format_text(const BundleDiff& diff, bool summary) {
    if (summary)
        return format_summary(diff);
    return format_names(diff) + format_pairs(diff.consumes) + format_pairs(diff.dependencies) +
           (diff.dependency_order ? "~ the order of dependencies\n" : "") + format_pairs(diff.metadata) +
           format_summary(diff);
}

// ---- For programs ---------------------------------------------------------------------------------------------------

Json json_of(const std::vector<DiffVariant>& variants) {
    return json_list(variants, [](const DiffVariant& variant) {
        return Json{{"tags", variant.tags},
                    {"asset", variant.asset.hex()},
                    {"size", variant.raw_bytes},
                    {"type", variant.content_type}};
    });
}

Json json_of(const DiffName& name) {
    return Json{{"name", name.text},
                {"published", name.published},
                {"extends", name.extends},
                {"tombstone", name.tombstone()},
                {"variants", json_of(name.variants)}};
}

Json json_of(const DiffChange& change) {
    return Json{{"name", change.after.text},
                {"aspects", json_list(change.aspects, diff_aspect_name)},
                {"before", json_of(change.before)},
                {"after", json_of(change.after)}};
}

Json json_of(const ContentConsume& consume) {
    return Json{{"name", consume.text}, {"pattern", consume.pattern}, {"optional", consume.optional}};
}

Json json_of(const ContentDependency& dependency) {
    return Json{{"bundle", dependency.bundle.hex()},
                {"name", dependency.name},
                {"version", dependency.version},
                {"static", dependency.is_static}};
}

Json json_of(const ContentMetadata& entry) {
    return Json{{"key", entry.key},
                {"creator", entry.creator},
                {"value", std::visit([](const auto& value) { return Json(value); }, entry.value)}};
}

template <class Value>
Json json_of(const DiffPair<Value>& pair) {
    return Json{{"before", pair.before ? json_of(*pair.before) : Json()},
                {"after", pair.after ? json_of(*pair.after) : Json()}};
}

template <class Value>
Json json_all(const std::vector<Value>& values) {
    return json_list(values, [](const Value& value) { return json_of(value); });
}

Json json_of_side(const Bundle& bundle, const BundleId& id, const LayoutId& layout, const DiffSizes& sizes) {
    return Json{{"file", bundle.label()},
                {"bundle", id.hex()},
                {"layout", layout.hex()},
                {"assets", sizes.assets},
                {"names", sizes.names},
                {"raw_bytes", sizes.raw_bytes},
                {"stored_bytes", sizes.stored_bytes},
                {"file_bytes", sizes.file_bytes}};
}

Json json_renamed(const std::vector<DiffChange>& renamed) {
    return json_list(renamed, [](const DiffChange& change) {
        return Json{
            {"from", change.before.text}, {"to", change.after.text}, {"variants", json_of(change.after.variants)}};
    });
}

Json json_of(const BundleDiff& diff, const Bundle& before, const Bundle& after) {
    return Json{
        {"same", diff.empty()},
        {"layout_only", diff.layout_only()},
        {"signatures_differ", diff.signatures},
        {"before", json_of_side(before, diff.before_id, diff.before_layout, diff.before)},
        {"after", json_of_side(after, diff.after_id, diff.after_layout, diff.after)},
        {"fetch_bytes", diff.fetch_bytes},
        {"fetch_blocks", diff.fetch_blocks},
        {"added", json_all(diff.added)},
        {"removed", json_all(diff.removed)},
        {"renamed", json_renamed(diff.renamed)},
        {"changed", json_all(diff.changed)},
        {"consumes", json_all(diff.consumes)},
        {"dependencies", json_all(diff.dependencies)},
        {"dependency_order_differs", diff.dependency_order},
        {"metadata", json_all(diff.metadata)},
    };
}

Result<Exit> diff(const DiffCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const auto before, open_bundle(command.before));
    FARDEL_TRY_ASSIGN(const auto after, open_bundle(command.after));
    FARDEL_TRY_ASSIGN(const BundleDiff found, diff_bundles(*before, *after));
    return print_result(
        console, command.json, [&] { return json_of(found, *before, *after); },
        [&] { return format_text(found, command.summary); }, found.empty() ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_diff(Words words, Console& console) {
    CommandLine line("diff", "A B [--summary] [--json]",
                     "Shows what changed from bundle A to bundle B, and how much of B a client fetches that has A.",
                     "  fardel diff game-1.0.fardel game-1.1.fardel\n"
                     "  fardel diff game-1.0.fardel game-1.1.fardel --summary\n"
                     "  fardel diff old.fardel new.fardel --json\n");
    DiffCommand command;
    line.text("A", "A", command.before, "The older bundle").required();
    line.text("B", "B", command.after, "The newer bundle").required();
    line.flag("-s,--summary", command.summary, "Print only counts and sizes");
    line.json(command.json);
    return line.run(words, console, [&] { return diff(command, console); });
}

}  // namespace fardel
