#include "left_out.h"

#include "console/figures.h"

#include <fardel/format/name.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace fardel {
namespace {

std::string format_refused(const RefusedName& refused) {
    return fmt::format("{}: {}", refused.origin, printable(refused.reason.message(), 2000));
}

std::string format_overridden(const OverriddenName& hidden) {
    const std::string by = hidden.by_name == hidden.name ? "" : fmt::format(" ({})", hidden.by_name.text());
    return fmt::format("{} by {}{}", hidden.origin, hidden.by_origin, by);
}

std::string format_excluded(const ExcludedName& excluded) {
    return fmt::format("{} by {}", excluded.origin, printable(excluded.pattern));
}

std::string format_renamed(const RenamedFile& renamed) {
    return fmt::format("{} as {}", renamed.origin, renamed.name.text());
}

std::string format_remark(const std::string& remark) { return remark; }

Json json_of_refused(const RefusedName& refused) {
    return Json{{"name", refused.printable_name},
                {"origin", refused.origin},
                {"code", error_code_name(refused.reason.code())},
                {"reason", refused.reason.message()}};
}

Json json_of_overridden(const OverriddenName& hidden) {
    return Json{{"name", hidden.name.text()},
                {"origin", hidden.origin},
                {"by_name", hidden.by_name.text()},
                {"by_origin", hidden.by_origin},
                {"same_source", hidden.same_source}};
}

Json json_of_excluded(const ExcludedName& excluded) {
    return Json{{"name", excluded.name}, {"origin", excluded.origin}, {"pattern", excluded.pattern}};
}

Json json_of_renamed(const RenamedFile& renamed) {
    return Json{{"name", renamed.name.text()}, {"origin", renamed.origin}, {"was", renamed.printable_name}};
}

std::string format_counts_of(const ScanReport& report) {
    std::string text;
    const auto add = [&](std::size_t count, std::string_view kind) {
        if (count != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), kind);
    };
    add(report.refused.size(), "refused");
    add(report.overridden.size(), "hidden");
    add(report.excluded.size(), "excluded");
    const std::size_t all = report.refused.size() + report.overridden.size() + report.excluded.size();
    return text.empty() ? "" : fmt::format("left out: {} ({})\n", format_count(all), text);
}

bool is_empty(const ScanReport& report) {
    return report.refused.empty() && report.overridden.empty() && report.excluded.empty() && report.remarks.empty() &&
           report.renamed.empty();
}

// A path as all spellings of it look that differ in case and in how folders end.
std::string plain_path(std::string_view path) {
    std::string plain(path.substr(std::min(path.find_first_not_of('/'), path.size())));
    std::ranges::replace(plain, '\\', '/');
    return fold_name(plain);
}

bool is_or_contains(std::string_view left_out, const std::string& path) {
    const std::string plain = plain_path(left_out);
    return plain == path || (plain.ends_with('/') && path.starts_with(plain));
}

template <class Paint>
std::string format_lists(const ScanReport& report, const Paint& loss, std::string_view more) {
    std::string text = format_counts_of(report);
    text += format_cut_list(loss("not packed"), report.refused, kLeftOutShownMax, format_refused, more);
    std::vector<OverriddenName> by_later = report.overridden;
    std::vector<OverriddenName> by_own;
    std::ranges::copy_if(by_later, std::back_inserter(by_own), &OverriddenName::same_source);
    std::erase_if(by_later, [](const OverriddenName& hidden) { return hidden.same_source; });
    text += format_cut_list("hidden by a later source", by_later, kLeftOutShownMax, format_overridden, more);
    text += format_cut_list(loss("hidden by a later file of their own source"), by_own, kLeftOutShownMax,
                            format_overridden, more);
    text += format_cut_list("excluded", report.excluded, kLeftOutShownMax, format_excluded, more);
    text += format_cut_list("renamed", report.renamed, kLeftOutShownMax, format_renamed, more);
    text += format_cut_list(loss("remarks on archives"), report.remarks, kLeftOutShownMax, format_remark, more);
    return text;
}

}  // namespace

std::string format_left_out(const ScanReport& report, const Console& console, std::string_view more) {
    return format_lists(
        report, [&](std::string_view title) { return console.paint(Colour::yellow, title); }, more);
}

void set_left_out(Json& json, const ScanReport& report) {
    json.set("refused", json_list(report.refused, json_of_refused));
    json.set("overridden", json_list(report.overridden, json_of_overridden));
    json.set("excluded", json_list(report.excluded, json_of_excluded));
    json.set("renamed", json_list(report.renamed, json_of_renamed));
    json.set("remarks", report.remarks);
}

std::vector<LeftOutFile> left_out_files(const ScanReport& report) {
    std::vector<LeftOutFile> files;
    for (const RefusedName& refused : report.refused)
        files.push_back({refused.origin, "not packed", refused.reason.message(), true});
    for (const OverriddenName& hidden : report.overridden)
        files.push_back({hidden.origin, "hidden", "by " + hidden.by_origin, hidden.same_source});
    for (const ExcludedName& excluded : report.excluded)
        files.push_back({excluded.origin, "excluded", "by " + excluded.pattern, false});
    return files;
}

void say_left_out(const Vfs& vfs, Console& console) {
    for (const MountDescription& mount : vfs.mounts()) {
        if (mount.left_out == nullptr || is_empty(*mount.left_out))
            continue;
        const auto plain = [](std::string_view title) { return std::string(title); };
        std::string text = format_lists(*mount.left_out, plain, "; 'fardel audit --json' lists all");
        text.pop_back();
        // Lines that begin with spaces go on with a message.
        for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
            text.insert(at + 1, "  ");
        console.say(fmt::format("fardel: {}: {}", printable(mount.label), text));
    }
}

void set_left_out(Json& json, const Vfs& vfs) {
    std::vector<MountDescription> mounts = vfs.mounts();
    std::erase_if(mounts,
                  [](const MountDescription& mount) { return mount.left_out == nullptr || is_empty(*mount.left_out); });
    json.set("left_out", json_list(mounts, [](const MountDescription& mount) {
                 Json one{{"file", mount.label}};
                 set_left_out(one, *mount.left_out);
                 return one;
             }));
}

std::optional<std::string> find_left_out(const Vfs& vfs, std::string_view path) {
    const std::string plain = plain_path(path);
    for (const MountDescription& mount : vfs.mounts()) {
        if (mount.left_out == nullptr)
            continue;
        for (const RefusedName& refused : mount.left_out->refused)
            if (is_or_contains(refused.printable_name, plain))
                return format_refused(refused);
        for (const OverriddenName& hidden : mount.left_out->overridden)
            if (is_or_contains(hidden.name.view(), plain))
                return "hidden: " + format_overridden(hidden);
        for (const ExcludedName& excluded : mount.left_out->excluded)
            if (is_or_contains(excluded.name, plain))
                return "excluded: " + format_excluded(excluded);
    }
    return std::nullopt;
}

}  // namespace fardel
