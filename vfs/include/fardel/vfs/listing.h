// Listing: walks the entries of one folder of a Vfs, in order, in memory that does not grow with the folder.
//
// It sees the mounts as they were when it was opened. Entries are sorted by the bytes of their names, a folder as if
// its name ended in '/'. Each name is returned once, and is what open() finds at its path. A Listing may be used by one
// thread at a time.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace fardel {

enum class NodeKind : std::uint8_t {
    folder,
    file,  // "/assets/<id>", "/bundles/<id>/<name>"
    link,  // a published name; read_link() returns its target
};

// What of the tree is shown. `names`: only published names and their folders; "/assets" and "/bundles" are there only
// if published names are below them.
enum class TreeView : std::uint8_t { everything, names };

struct ListingEntry {
    std::string name;  // one part of a path
    NodeKind kind = NodeKind::file;
    friend bool operator==(const ListingEntry&, const ListingEntry&) = default;
};

class Listing {
public:
    Listing(Listing&&) noexcept;
    Listing& operator=(Listing&&) noexcept;
    ~Listing();

    // The next entry, or nothing at the end. Errors: corrupt, malformed, io; after one, the listing has ended.
    Result<std::optional<ListingEntry>> next();

private:
    friend class Vfs;
    struct Impl;
    explicit Listing(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
