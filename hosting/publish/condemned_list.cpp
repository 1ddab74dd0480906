#include "publish/condemned_list.h"
#include <fardel/base/text_fields.h>
#include <fardel/hosting/tree_target.h>

namespace fardel {
namespace {

constexpr std::string_view kFirstLine = "fardel-condemned 1\n";
constexpr std::string_view kCondemned = "condemned ";
constexpr std::string_view kRemoving = "removing ";

Error damaged(std::size_t line) {
    return Error(ErrorCode::malformed, "the list of condemned files is damaged, line " + std::to_string(line));
}

}  // namespace

std::string format_condemned_list(const CondemnedFiles& list) {
    std::string text(kFirstLine);
    for (const auto& [path, file] : list) {
        text += file.is_being_removed ? kRemoving : kCondemned;
        text += std::to_string(file.since.seconds);
        text += ' ';
        text += path;
        text += '\n';
    }
    return text;
}

Result<CondemnedFiles> parse_condemned_list(std::string_view text) {
    if (!text.starts_with(kFirstLine))
        return damaged(1);
    CondemnedFiles list;
    std::string_view rest = text.substr(kFirstLine.size());
    for (std::size_t number = 2; !rest.empty(); ++number) {
        const auto end = rest.find('\n');
        if (end == std::string_view::npos)
            return damaged(number);
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        CondemnedFile file{.is_being_removed = line.starts_with(kRemoving)};
        if (!file.is_being_removed && !line.starts_with(kCondemned))
            return damaged(number);
        line.remove_prefix(file.is_being_removed ? kRemoving.size() : kCondemned.size());
        const auto since = parse_decimal(read_until(line, ' '), UINT64_MAX);
        if (!since || !is_tree_path(line))
            return damaged(number);
        file.since.seconds = *since;
        const std::string path(line);
        if (!list.empty() && list.rbegin()->first >= path)
            return damaged(number);
        list.emplace_hint(list.end(), path, file);
    }
    return list;
}

bool is_removal_alive(const CondemnedFile& file, std::optional<UnixTime> now) noexcept {
    return file.is_being_removed && (!now || file.since > *now || *now - file.since < kRemovalLeaseSeconds);
}

}  // namespace fardel
