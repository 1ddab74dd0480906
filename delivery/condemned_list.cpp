#include <fardel/delivery/condemned_list.h>
#include <fardel/delivery/tree_target.h>

#include <charconv>

namespace fardel {
namespace {

constexpr std::string_view kFirstLine = "fardel-condemned 1\n";
constexpr std::string_view kCondemned = "condemned ";
constexpr std::string_view kRemoving = "removing ";

Error damaged(std::size_t line) {
    return Error(ErrorCode::malformed, "the list of condemned files is damaged, line " + std::to_string(line));
}

}  // namespace

std::string format_condemned_list(const CondemnedList& list) {
    std::string text(kFirstLine);
    for (const auto& [path, file] : list) {
        text += file.is_being_removed ? kRemoving : kCondemned;
        text += std::to_string(file.since_s);
        text += ' ';
        text += path;
        text += '\n';
    }
    return text;
}

Result<CondemnedList> parse_condemned_list(std::string_view text) {
    if (!text.starts_with(kFirstLine))
        return damaged(1);
    CondemnedList list;
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
        const auto [last, failure] = std::from_chars(line.data(), line.data() + line.size(), file.since_s);
        line.remove_prefix(static_cast<std::size_t>(last - line.data()));
        if (failure != std::errc() || !line.starts_with(' ') || !is_tree_path(line.substr(1)))
            return damaged(number);
        const std::string path(line.substr(1));
        if (!list.empty() && list.rbegin()->first >= path)
            return damaged(number);
        list.emplace_hint(list.end(), path, file);
    }
    if (format_condemned_list(list) != text)  // numbers with zeros in front
        return damaged(1);
    return list;
}

bool is_removal_alive(const CondemnedFile& file, std::uint64_t now_s) noexcept {
    return file.is_being_removed && (file.since_s > now_s || now_s - file.since_s < kRemovalLeaseSeconds);
}

}  // namespace fardel
