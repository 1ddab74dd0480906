#include "zip_links.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace fardel {
namespace {

Error link_denied(std::string_view what) { return Error(ErrorCode::denied, "a symbolic link " + std::string(what)); }

std::string_view folder_of_entry(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == name.npos ? std::string_view() : name.substr(0, slash);
}

// Puts the parts of a path before those that are left.
void push_parts(std::string_view path, std::deque<std::string>& left) {
    for (std::size_t end = path.size();;) {
        const std::size_t slash = path.substr(0, end).rfind('/');
        const std::size_t begin = slash == path.npos ? 0 : slash + 1;
        left.emplace_front(path.substr(begin, end - begin));
        if (begin == 0)
            return;
        end = slash;
    }
}

}  // namespace

ZipLinks::ZipLinks(std::span<const ZipEntry> entries, ReadLink read) : read_(std::move(read)) {
    if (std::ranges::none_of(entries, &ZipEntry::link))
        return;  // nothing will ask
    for (const ZipEntry& entry : entries)
        if (!entry.name.ends_with('/'))
            by_name_[entry.name] = &entry;
}

bool ZipLinks::is_folder(std::string_view name) const {
    const std::string inside = std::string(name) + '/';
    const auto at = by_name_.lower_bound(inside);
    return at != by_name_.end() && at->first.starts_with(inside);
}

Result<std::string> ZipLinks::text_of(const ZipEntry& link) {
    const auto known = texts_.find(&link);
    if (known != texts_.end())
        return known->second;
    if (link.raw_bytes > kZipLinkBytesMax)
        return link_denied("of more than " + std::to_string(kZipLinkBytesMax) + " bytes");
    FARDEL_TRY_ASSIGN(std::string text, read_(link));
    return texts_[&link] = std::move(text);
}

Result<std::string> ZipLinks::resolve(std::string_view path, std::size_t steps_left) {
    std::deque<std::string> left;
    push_parts(path, left);
    std::string done;
    while (!left.empty()) {
        const std::string part = std::move(left.front());
        left.pop_front();
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            if (done.empty())
                return link_denied("that leads out of its archive");
            done = folder_of_entry(done);
            continue;
        }
        const std::string next = done.empty() ? part : done + '/' + part;
        if (next.size() > limits::kNameBytesMax)
            return link_denied("to a name that is too long");
        const auto at = by_name_.find(next);
        if (at == by_name_.end() || !at->second->link) {
            done = next;
            continue;
        }
        if (steps_left-- == 0)
            return link_denied("that leads through more than " + std::to_string(kZipLinkStepsMax) + " links");
        FARDEL_TRY_ASSIGN(const std::string text, text_of(*at->second));
        if (text.empty() || text.starts_with('/'))
            return link_denied(text.empty() ? "without a text" : "that leads out of its archive");
        push_parts(text, left);
    }
    return done;
}

Status ZipLinks::show(const ZipEntry& link, const std::string& name, std::vector<std::string>& entered,
                      std::vector<Shown>& out) {
    FARDEL_TRY_ASSIGN(const std::string target, resolve(link.name, kZipLinkStepsMax));
    if (const auto at = by_name_.find(target); at != by_name_.end()) {
        out.push_back({name, at->second});
        return ok();
    }
    if (!target.empty() && !is_folder(target))
        return link_denied("that leads to nothing, \"" + printable(target) + "\"");
    const std::string folder = target.empty() ? "" : target + '/';
    // Each folder that is entered through a link is one that none of the links above is in.
    for (const std::string& one : entered)
        if (one.starts_with(folder))
            return link_denied("to a folder that it is in");
    entered.push_back(link.name.substr(0, link.name.rfind('/') + 1));
    entered.push_back(folder);
    for (auto at = by_name_.lower_bound(folder); at != by_name_.end() && at->first.starts_with(folder); ++at) {
        const std::string below = name + '/' + at->first.substr(folder.size());
        if (++shown_ > kZipLinkedMax)
            return Error(ErrorCode::limit,
                         "links to folders show more than " + std::to_string(kZipLinkedMax) + " files");
        if (!at->second->link)
            out.push_back({below, at->second});
        else if (Status shown = show(*at->second, below, entered, out);
                 !shown && shown.error().code() == ErrorCode::limit)
            return shown;  // other links that lead nowhere are reported under their own names
    }
    entered.resize(entered.size() - 2);
    return ok();
}

Result<std::vector<ZipLinks::Shown>> ZipLinks::follow(const ZipEntry& link) {
    std::vector<std::string> entered{link.name.substr(0, link.name.rfind('/') + 1)};
    std::vector<Shown> out;
    FARDEL_TRY(show(link, link.name, entered, out));
    return out;
}

}  // namespace fardel
