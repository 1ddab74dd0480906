// ZipLinks: where the symbolic links of a zip lead, by the names in it; none leads out of it.
//
// The texts of links are hostile: each is read once and bounded, and a chain of links has at most kZipLinkStepsMax.
#pragma once

#include "zip_directory.h"

#include <fardel/base/result.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kZipLinkBytesMax = 4096;
inline constexpr std::size_t kZipLinkStepsMax = 40;
inline constexpr std::size_t kZipLinkedMax = 1u << 17;  // entries below links to folders, together

class ZipLinks {
public:
    using ReadLink = std::function<Result<std::string>(const ZipEntry& link)>;

    // `entries` stay where they are while this object lives. Of entries with one name the last counts.
    ZipLinks(std::span<const ZipEntry> entries, ReadLink read);

    // An entry that a link shows: under the name of the link, or below it.
    struct Shown {
        std::string name;
        const ZipEntry* entry = nullptr;
    };
    // Error: denied (it leads to nothing, out of the zip, to a folder that it is in, or through too many links), limit
    // (links to folders show too many entries), those of reading it.
    Result<std::vector<Shown>> follow(const ZipEntry& link);

private:
    // The name of the entry or folder that a path leads to, through all links in it.
    Result<std::string> resolve(std::string_view path, std::size_t steps_left);
    Result<std::string> text_of(const ZipEntry& link);
    bool is_folder(std::string_view name) const;
    Status show(const ZipEntry& link, const std::string& name, std::vector<std::string>& entered,
                std::vector<Shown>& out);

    const ReadLink read_;
    std::map<std::string, const ZipEntry*, std::less<>> by_name_;  // files and links
    std::map<const ZipEntry*, std::string> texts_;
    std::size_t shown_ = 0;
};

}  // namespace fardel
