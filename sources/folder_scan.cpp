#include "source_listing.h"

#include "folder_blob.h"
#include "ignore_file.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <fardel/base/path_text.h>
#include <fardel/sources/secret_files.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kLinkedItemsMax = 1u << 17;  // of one source, below folders that links lead to

Error not_a_file(FileKind kind) {
    return Error(ErrorCode::malformed, std::string(file_kind_text(kind)) + ", not a file");
}

// Where a file lies: links may give it another name than its path.
struct Place {
    std::shared_ptr<const FolderRoot> root;
    std::string path;  // below the root; empty: the root itself

    Place operator/(const std::string& item) const { return {root, path.empty() ? item : path + '/' + item}; }
    std::string on_disk() const { return path.empty() ? root->path : root->path + '/' + path; }
};

// A folder into which links may lead.
struct LinkRoot {
    std::string real_path;
    std::shared_ptr<const FolderRoot> root;
};

class FolderScan {
public:
    FolderScan(std::shared_ptr<const FolderRoot> root, SourceListing& listing)
        : root_(std::move(root)), source_(root_->path + '/'), listing_(listing) {}

    Status list() { return list(root_->descriptor, {root_, ""}, ""); }

private:
    // `name` is that of the folder in the listing, empty for the source itself. The depth of the recursion is bounded
    // by that of names.
    Status list(const Descriptor& folder, const Place& place, const std::string& name) {
        const std::string origin = origin_of(name);
        const std::size_t seen = listing_.seen.size();
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(folder, origin));
        listing_.seen.push_back({.path = place.on_disk(), .stamp = stamp_of(status, now_ns_), .files = {}});
        FARDEL_TRY_ASSIGN(const std::vector<std::string> items, list_names(folder, origin));
        entered_.push_back(status);
        const std::size_t ignoring = ignores_.size();
        if (std::ranges::binary_search(items, kIgnoreFileName))
            FARDEL_TRY(read_ignore_file(folder, seen, name));
        for (const std::string& item : items)
            FARDEL_TRY(list_item(folder, seen, item, place / item, name.empty() ? item : name + '/' + item));
        ignores_.erase(ignores_.begin() + static_cast<std::ptrdiff_t>(ignoring), ignores_.end());
        entered_.pop_back();
        return ok();
    }

    // `seen` is the index of the folder in the listing's seen paths.
    Status list_item(const Descriptor& folder, std::size_t seen, const std::string& item, const Place& place,
                     const std::string& name) {
        const std::string origin = origin_of(name);
        // Links to folders that have links to folders can show a few files under very many names.
        if (links_entered_ > 0 && ++linked_items_ > kLinkedItemsMax)
            return Error(ErrorCode::limit, origin + ": links to folders show more than " +
                                               std::to_string(kLinkedItemsMax) + " files; exclude some of the links");
        auto found = file_status({folder, item}, origin, Links::refused);
        if (!found)
            return vanished(std::move(found).error(), origin);
        const FileStatus& status = *found;
        if (is_ignored(name, status.is_folder(), origin))
            return ok();
        if (status.is_folder())
            return list_subfolder(folder, item, place, name, origin);
        if (status.kind == FileKind::link)
            return list_link(place, name, origin);
        std::optional<AssetName> accepted = listing_.accept(name, origin);
        if (!accepted)
            return ok();
        if (!status.is_file()) {
            listing_.refuse(name, origin, not_a_file(status.kind));
            return ok();
        }
        if (listing_.options().observes_files)
            listing_.seen[seen].files.push_back({.name = item, .stamp = stamp_of(status, now_ns_)});
        add_file(std::move(*accepted), name, place, status);
        return ok();
    }

    // `listed`: its name in the listing, before it was renamed.
    void add_file(AssetName name, const std::string& listed, const Place& place, const FileStatus& status) {
        // Only links and renamed files have another name on the disk.
        const SharedText path = shared_if_equal(name, place.path);
        EntryOrigin origin(source_, shared_if_equal(name, printable(listed, SIZE_MAX)));
        auto blob = blobs_.add(place.root, path, FileStamp(status), stamp_of(status, now_ns_).young);
        listing_.entries.push_back({.name = std::move(name),
                                    .origin = std::move(origin),
                                    .size_bytes = status.size_bytes,
                                    .blob = std::move(blob)});
    }

    Status list_subfolder(const Descriptor& folder, const std::string& item, const Place& place,
                          const std::string& name, const std::string& origin) {
        if (!listing_.accept_folder(name, origin))
            return ok();
        auto subfolder = open_folder({folder, item}, origin, {.links = Links::refused});
        if (!subfolder)
            return vanished(std::move(subfolder).error(), origin);
        return list(*subfolder, place, name);
    }

    // ---- What .fardelignore excludes ----

    struct Ignores {
        std::string folder;  // its name in the listing, with '/' at the end; empty: the source itself
        IgnoreFile file;
    };

    Status read_ignore_file(const Descriptor& folder, std::size_t seen, const std::string& name) {
        const std::string path(kIgnoreFileName);
        const std::string shown = origin_of(name.empty() ? path : name + '/' + path);
        auto opened = open_file({folder, path}, shown, {.links = Links::refused});
        if (!opened)
            return vanished(std::move(opened).error(), shown);
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(*opened, shown));
        if (status.size_bytes > kIgnoreFileBytesMax)
            return Error(ErrorCode::limit, shown + ": longer than " + std::to_string(kIgnoreFileBytesMax) + " bytes");
        std::string text(static_cast<std::size_t>(status.size_bytes), '\0');
        FARDEL_TRY_ASSIGN(const std::size_t size,
                          read_whole_at(*opened, 0, std::as_writable_bytes(std::span(text)), shown));
        listing_.seen[seen].files.push_back({.name = path, .stamp = stamp_of(status, now_ns_)});
        ignores_.push_back({name.empty() ? "" : name + '/', IgnoreFile(std::string_view(text).substr(0, size))});
        return ok();
    }

    // Of several files that say something, the one in the deepest folder counts, as in git.
    bool is_ignored(const std::string& name, bool is_folder, const std::string& origin) {
        if (ignores_.empty())
            return false;
        const std::string shown_name = is_folder ? name + '/' : name;
        if (!is_folder && name.substr(name.rfind('/') + 1) == kIgnoreFileName) {
            listing_.exclude(shown_name, origin, std::string(kIgnoreFileName));
            return true;
        }
        for (auto ignores = ignores_.rbegin(); ignores != ignores_.rend(); ++ignores) {
            const auto* const pattern =
                ignores->file.find(std::string_view(name).substr(ignores->folder.size()), is_folder);
            if (pattern == nullptr)
                continue;
            if (!pattern->takes_back)
                listing_.exclude(shown_name, origin,
                                 ignores->folder + std::string(kIgnoreFileName) + ": " + pattern->line);
            return !pattern->takes_back;
        }
        return false;
    }

    // ---- Links ----

    Status list_link(const Place& place, const std::string& name, const std::string& origin) {
        FARDEL_TRY(open_link_roots());
        const Result<Place> target = follow(place);
        const Result<Descriptor> opened = target ? open_place(*target, origin) : Result<Descriptor>(target.error());
        if (!opened) {
            if (listing_.accept(name, origin))
                listing_.refuse(name, origin, opened.error());
            return ok();
        }
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(*opened, origin));
        if (status.is_folder())
            return list_linked_folder(*opened, status, *target, name, origin);
        std::optional<AssetName> accepted = listing_.accept(name, origin);
        if (!accepted)
            return ok();
        // The name of the link does not say so.
        if (has_secret_name(target->path)) {
            listing_.refuse(name, origin,
                            Error(ErrorCode::denied, "a symbolic link to \"" + printable(target->path) +
                                                         "\": a file of this name has secrets"));
            return ok();
        }
        if (!status.is_file()) {
            listing_.refuse(name, origin, not_a_file(status.kind));
            return ok();
        }
        listing_.seen.push_back({.path = target->on_disk(), .stamp = stamp_of(status, now_ns_), .files = {}});
        add_file(std::move(*accepted), name, *target, status);
        return ok();
    }

    Status list_linked_folder(const Descriptor& folder, const FileStatus& status, const Place& place,
                              const std::string& name, const std::string& origin) {
        if (is_ignored(name, true, origin) || !listing_.accept_folder(name, origin))
            return ok();
        const auto is_it = [&](const FileStatus& entered) { return entered.same_file_as(status); };
        if (std::ranges::any_of(entered_, is_it)) {
            listing_.refuse(name, origin, Error(ErrorCode::denied, "a symbolic link to a folder that it is in"));
            return ok();
        }
        ++links_entered_;
        FARDEL_TRY(list(folder, place, name));
        --links_entered_;
        return ok();
    }

    // Where a link leads, at the end of all links. Another program may change them: what is opened there is opened part
    // by part below the root, and no link is followed then. Error: denied.
    Result<Place> follow(const Place& link) const {
        const auto real = real_path(link.on_disk(), "a symbolic link");
        if (!real && real.error().code() == ErrorCode::missing)
            return Error(ErrorCode::denied, "a symbolic link that leads to nothing");
        if (!real)
            return Error(ErrorCode::denied, real.error().message());
        for (const LinkRoot& allowed : link_roots_) {
            if (*real == allowed.real_path)
                return Place{allowed.root, ""};
            const std::string folder = allowed.real_path == "/" ? "/" : allowed.real_path + '/';
            if (real->starts_with(folder))
                return Place{allowed.root, real->substr(folder.size())};
        }
        return Error(ErrorCode::denied, "a symbolic link that leads out of its source, to " +
                                            printable(*real, SIZE_MAX) +
                                            "; name a folder above that with --follow-links, or in 'follow_links'");
    }

    static Result<Descriptor> open_place(const Place& place, const std::string& origin) {
        Descriptor folder;
        std::size_t at = 0;
        const auto parent = [&]() -> const Descriptor& { return folder ? folder : place.root->descriptor; };
        for (std::size_t slash; (slash = place.path.find('/', at)) != place.path.npos; at = slash + 1) {
            FARDEL_TRY_ASSIGN(Descriptor next, open_folder({parent(), place.path.substr(at, slash - at)}, origin,
                                                           {.links = Links::refused}));
            folder = std::move(next);
        }
        const std::string last = place.path.empty() ? "." : place.path.substr(at);
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status({parent(), last}, origin, Links::refused));
        if (status.is_folder())
            return open_folder({parent(), last}, origin, {.links = Links::refused});
        return open_file({parent(), last}, origin, {.links = Links::refused, .location_only = true});
    }

    Status open_link_roots() {
        if (!link_roots_.empty())
            return ok();
        FARDEL_TRY_ASSIGN(std::string real, real_path(root_->path, root_->path));
        link_roots_.push_back({std::move(real), root_});
        for (const std::string& path : listing_.options().link_roots) {
            FARDEL_TRY_ASSIGN(std::string root, real_path(path, printable(path, SIZE_MAX)));
            FARDEL_TRY_ASSIGN(Descriptor descriptor, open_folder(root, printable(path, SIZE_MAX)));
            link_roots_.push_back({root, std::make_shared<const FolderRoot>(FolderRoot{std::move(descriptor), root})});
        }
        return ok();
    }

    // An item that was listed and is missing, or is now a link, is a change.
    static Error vanished(Error error, const std::string& origin) {
        if (error.code() == ErrorCode::missing || error.system_number() == ELOOP)
            return Error(ErrorCode::conflict,
                         origin + ": changes while the folder is scanned; wait until no program writes to it");
        return error;
    }

    std::string origin_of(const std::string& name) const {
        return name.empty() ? root_->path : root_->path + '/' + printable(name, SIZE_MAX);
    }

    std::shared_ptr<const FolderRoot> root_;
    const SharedText source_;  // of all origins
    SourceListing& listing_;
    FolderBlobs blobs_;
    const std::int64_t now_ns_ = wall_clock_ns();
    std::vector<LinkRoot> link_roots_;  // the source first; empty until the first link
    std::vector<Ignores> ignores_;      // of the folders that are being listed
    std::vector<FileStatus> entered_;   // the folders that are being listed
    std::size_t links_entered_ = 0;     // links to folders among them
    std::size_t linked_items_ = 0;
};

}  // namespace

Status list_folder(const std::string& path, SourceListing& listing) {
    FARDEL_TRY_ASSIGN(Descriptor descriptor, open_folder(path, path));
    std::string shown(without_end_slashes(printable(path, SIZE_MAX)));
    const auto root = std::make_shared<const FolderRoot>(FolderRoot{std::move(descriptor), std::move(shown)});
    listing.conflicts_refused = true;
    return FolderScan(root, listing).list();
}

}  // namespace fardel
