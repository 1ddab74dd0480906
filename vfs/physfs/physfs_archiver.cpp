#include <fardel/vfs/physfs_archiver.h>

#include "bundle_set_text.h"
#include "physfs_mounts.h"
#include "physfs_source.h"
#include "physfs_token.h"

#include <fardel/base/folder.h>
#include <fardel/format/name.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/physfs_io.h>
#include <fardel/vfs/inspect.h>

#include <physfs.h>

#include <array>
#include <mutex>
#include <span>
#include <utility>

namespace fardel {
namespace {

// A bundle is mounted below this folder of its Vfs, so that what ids give stays hidden.
constexpr std::string_view kMountPoint = "t";

// ---- The registration. PhysicsFS passes no context to an archiver, so it is global. ---------------------------------

std::mutex registration;     // taken before PhysicsFS's own lock
std::mutex registered_lock;  // taken after it
std::shared_ptr<const PhysfsArchiverOptions> registered;

std::shared_ptr<const PhysfsArchiverOptions> registered_options() {
    const std::lock_guard lock(registered_lock);
    return registered;
}

// ---- An archive -----------------------------------------------------------------------------------------------------

struct Archive {
    std::shared_ptr<const Vfs> vfs;
    std::string root;         // a folder of the Vfs without '/' at its end; empty: its root
    std::string name;         // in the search path, of what mount_into_physfs() mounts
    PHYSFS_Io* io = nullptr;  // destroyed with the archive; nullptr: another object owns it
};

const Archive& archive_of(void* opaque) noexcept { return *static_cast<const Archive*>(opaque); }

// The whole tree of a Vfs is shown without what ids give.
TreeView view_of(const Archive& archive) noexcept {
    return archive.root.empty() ? TreeView::names : TreeView::everything;
}

bool is_path_of_names(PathKind kind) noexcept {
    return kind == PathKind::root || kind == PathKind::published || kind == PathKind::assets ||
           kind == PathKind::bundles;
}

// The path of the Vfs for PhysicsFS's `name`; nothing for a name that no bundle can have or that must stay hidden.
std::optional<std::string> find_path(const Archive& archive, std::string_view name) {
    std::string path = archive.root;
    if (!name.empty())
        path.append("/").append(name);
    if (path.empty())
        path = "/";
    const auto parts = parse_path_parts(path);
    if (!parts || (view_of(archive) == TreeView::names && !is_path_of_names(parts->kind)))
        return std::nullopt;
    return path;
}

int fail(PHYSFS_ErrorCode code) noexcept {
    PHYSFS_setErrorCode(code);
    return 0;
}

int stat(void* opaque, const char* name, PHYSFS_Stat* out) noexcept {
    const Archive& archive = archive_of(opaque);
    const auto path = find_path(archive, name);
    if (!path)
        return fail(PHYSFS_ERR_NOT_FOUND);
    *out = PHYSFS_Stat{.filesize = 0,
                       .modtime = -1,
                       .createtime = -1,
                       .accesstime = -1,
                       .filetype = PHYSFS_FILETYPE_DIRECTORY,
                       .readonly = 1};
    const auto found = archive.vfs->find_stat(*path, view_of(archive));
    if (!found) {
        // PHYSFS_enumerate() uses the type even so: with "folder" it enumerates this archive, which fails, instead of
        // skipping it.
        set_physfs_error(found.error());
        return 0;
    }
    if (!*found)
        return fail(PHYSFS_ERR_NOT_FOUND);
    if ((*found)->kind != NodeKind::folder) {
        out->filesize = static_cast<PHYSFS_sint64>((*found)->size_bytes);
        out->filetype = PHYSFS_FILETYPE_REGULAR;
    }
    return 1;
}

class FileBytes final : public ByteSource {
public:
    explicit FileBytes(File file) : file_(std::move(file)) {}

    std::uint64_t size_bytes() const noexcept override { return file_.size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY(file_.read_at(offset, out));
        return ok();
    }

private:
    File file_;
};

PHYSFS_Io* refuse(PHYSFS_ErrorCode code) noexcept {
    PHYSFS_setErrorCode(code);
    return nullptr;
}

// PhysicsFS takes a failed open for "not in this archive" and asks the next one. A damaged name must not become another
// archive's file, so it opens, and then every read of it fails.
PHYSFS_Io* open_read(void* opaque, const char* name) noexcept {
    const Archive& archive = archive_of(opaque);
    const auto path = find_path(archive, name);
    if (!path)
        return refuse(PHYSFS_ERR_NOT_FOUND);
    auto file = archive.vfs->find(*path);
    if (!file)
        return make_physfs_io(std::move(file).error());
    if (*file)
        return make_physfs_io(std::shared_ptr<const ByteSource>(std::make_shared<FileBytes>(**std::move(file))));
    auto folder = archive.vfs->find_stat(*path, view_of(archive));
    if (!folder)
        return make_physfs_io(std::move(folder).error());
    return refuse(*folder ? PHYSFS_ERR_NOT_A_FILE : PHYSFS_ERR_NOT_FOUND);
}

PHYSFS_EnumerateCallbackResult enumerate_failed(PHYSFS_ErrorCode code) noexcept {
    PHYSFS_setErrorCode(code);
    return PHYSFS_ENUM_ERROR;
}

PHYSFS_EnumerateCallbackResult enumerate_failed(const Error& error) noexcept {
    set_physfs_error(error);
    return PHYSFS_ENUM_ERROR;
}

PHYSFS_EnumerateCallbackResult enumerate(void* opaque, const char* folder, PHYSFS_EnumerateCallback callback,
                                         const char* shown_folder, void* callback_context) noexcept {
    const Archive& archive = archive_of(opaque);
    const auto path = find_path(archive, folder);
    if (!path)
        return enumerate_failed(PHYSFS_ERR_NOT_FOUND);
    auto listing = archive.vfs->open_listing(*path, view_of(archive));
    if (!listing)
        return enumerate_failed(listing.error());
    while (true) {
        const auto entry = listing->next();
        if (!entry)
            return enumerate_failed(entry.error());
        if (!*entry)
            return PHYSFS_ENUM_OK;
        const PHYSFS_EnumerateCallbackResult wish = callback(callback_context, shown_folder, (*entry)->name.c_str());
        if (wish == PHYSFS_ENUM_ERROR)
            return enumerate_failed(PHYSFS_ERR_APP_CALLBACK);
        if (wish == PHYSFS_ENUM_STOP)
            return PHYSFS_ENUM_STOP;
    }
}

PHYSFS_Io* refuse_open(void*, const char*) noexcept { return refuse(PHYSFS_ERR_READ_ONLY); }

int refuse_change(void*, const char*) noexcept { return fail(PHYSFS_ERR_READ_ONLY); }

void close_archive(void* opaque) noexcept {
    auto* archive = static_cast<Archive*>(opaque);
    shown_vfs().remove(archive->name);
    if (archive->io != nullptr)
        archive->io->destroy(archive->io);
    delete archive;
}

// How mount_into_physfs() passes a Vfs to open_archive().
struct ArchiveToken final : PhysfsToken {
    explicit ArchiveToken(Archive of) : archive(std::move(of)) {}
    const Archive archive;
};

// ---- Opening --------------------------------------------------------------------------------------------------------

MountOptions mount_options(const PhysfsArchiverOptions& options, std::string label) {
    return {.mount_point = std::string(kMountPoint),
            .policy = options.policy ? &*options.policy : nullptr,
            .time = options.time,
            .allow_unsigned = options.allow_unsigned,
            .require_dependencies = options.require_dependencies,
            .label = std::move(label),
            .archives = make_archive_reader()};
}

Archive archive_showing(std::shared_ptr<const Vfs> vfs) {
    return {.vfs = std::move(vfs), .root = "/" + std::string(kMountPoint)};
}

void report_missing(const Vfs& vfs, const PhysfsArchiverOptions& options) {
    if (!options.on_missing_dependency)
        return;
    for (const MountDescription& mount : vfs.mounts())
        for (const MissingDependency& missing : mount.missing_dependencies)
            options.on_missing_dependency(mount.label, missing);
}

Result<Archive> open_bundle(std::shared_ptr<PhysfsSource> source, const std::string& name,
                            const PhysfsArchiverOptions& options) {
    const auto vfs = std::make_shared<Vfs>(VfsOptions{.cache_bytes = options.cache_bytes});
    vfs->prefer(options.preference);
    FARDEL_TRY(vfs->mount(source, mount_options(options, name)));
    // Until the mount has succeeded, PhysicsFS destroys the reader itself.
    source->own();
    report_missing(*vfs, options);
    return archive_showing(vfs);
}

// The path without links of a bundle that a set file in `folder` names. Error: denied (a link leads out of the folder).
Result<std::string> path_in_set(const std::string& folder, const std::string& named) {
    FARDEL_TRY_ASSIGN(std::string path, real_path(joined_path(folder, named), printable(named)));
    if (!is_at_or_below_path(folder, path))
        return Error(ErrorCode::denied, printable(named) + ": a link leads out of the folder of the set file");
    return path;
}

Result<Archive> open_set(const PhysfsSource& source, const std::string& name, const PhysfsArchiverOptions& options) {
    if (source.size_bytes() > kBundleSetBytesMax)
        return Error(ErrorCode::limit, "a set file has at most " + std::to_string(kBundleSetBytesMax) + " bytes");
    std::string text(static_cast<std::size_t>(source.size_bytes()), '\0');
    FARDEL_TRY(source.read_at(0, std::as_writable_bytes(std::span(text))));
    FARDEL_TRY_ASSIGN(const auto paths, parse_bundle_set(text));
    const auto vfs =
        std::make_shared<Vfs>(VfsOptions{.cache_bytes = options.cache_bytes, .digest_folder = options.digest_folder});
    FARDEL_TRY_ASSIGN(const std::string folder, real_path(folder_of_path(name), "the folder of the set file"));
    MountChange change;
    for (const std::string& named : paths) {
        FARDEL_TRY_ASSIGN(std::string path, path_in_set(folder, named));
        change.mount.push_back({.subject = std::move(path), .options = mount_options(options, {})});
    }
    // All bundles of a set in one change, so that they find each other's dependencies, in whichever order they are
    // listed.
    vfs->prefer(options.preference);
    FARDEL_TRY(vfs->apply(std::move(change)));
    report_missing(*vfs, options);
    return archive_showing(vfs);
}

// The first bytes of a bundle or set file.
constexpr std::size_t kStartBytes = 11;
constexpr std::string_view kBundleStart = "FARDEL\r\n";
static_assert(kBundleSetStart.size() == kStartBytes);

// Nothing: neither a bundle nor a set file.
Result<std::optional<Archive>> find_archive(PHYSFS_Io* io, const std::string& name,
                                            const PhysfsArchiverOptions& options, int& claimed) {
    FARDEL_TRY_ASSIGN(auto source, PhysfsSource::open(io));
    std::array<char, kStartBytes> start{};
    if (source->size_bytes() < start.size())
        return std::optional<Archive>();
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(start))));
    const std::string_view text(start.data(), start.size());
    claimed = text.starts_with(kBundleStart) || text == kBundleSetStart ? 1 : 0;
    if (claimed == 0)
        return std::optional<Archive>();
    if (shown_vfs().is_locked())
        return Error(ErrorCode::denied, printable(name) + ": nothing is mounted beside the content of a server");
    if (text.starts_with(kBundleStart)) {
        FARDEL_TRY_ASSIGN(auto archive, open_bundle(std::move(source), name, options));
        return std::optional(std::move(archive));
    }
    FARDEL_TRY_ASSIGN(auto archive, open_set(*source, name, options));
    archive.io = io;
    return std::optional(std::move(archive));
}

void* open_archive(PHYSFS_Io* io, const char* name, int for_write, int* claimed) noexcept {
    const auto options = registered_options();
    if (io == nullptr || !options)
        return refuse(PHYSFS_ERR_UNSUPPORTED);
    if (const auto token = std::dynamic_pointer_cast<const ArchiveToken>(find_token(io))) {
        *claimed = 1;
        if (!shown_vfs().add(token->archive.name, token->archive.vfs))
            return refuse(PHYSFS_ERR_PERMISSION);
        auto* archive = new Archive(token->archive);
        archive->io = io;
        return archive;
    }
    if (for_write != 0)
        return refuse(PHYSFS_ERR_READ_ONLY);
    auto archive = find_archive(io, name, *options, *claimed);
    if (!archive) {
        // PhysicsFS has a code for an error and no text, so the reason goes to the game directly.
        if (*claimed != 0 && options->on_refused)
            options->on_refused(name, archive.error());
        set_physfs_error(archive.error());
        return nullptr;
    }
    if (!*archive)
        return refuse(PHYSFS_ERR_UNSUPPORTED);
    return new Archive(**std::move(archive));
}

constexpr PHYSFS_Archiver kArchiver{
    .version = 0,
    .info = {.extension = "fardel",
             .description = "Fardel bundles",
             .author = "The Fardel authors",
             .url = "docs/physfs.md",
             .supportsSymlinks = 0},
    .openArchive = open_archive,
    .enumerate = enumerate,
    .openRead = open_read,
    .openWrite = refuse_open,
    .openAppend = refuse_open,
    .remove = refuse_change,
    .mkdir = refuse_change,
    .stat = stat,
    .closeArchive = close_archive,
};

// PhysicsFS 3.0.2 crashes when its first call ever is one that fails.
Status verify_physfs_runs() {
    if (PHYSFS_isInit() == 0)
        return Error(ErrorCode::io, "PhysicsFS is not initialised; PHYSFS_init() comes first");
    return ok();
}

}  // namespace

Error physfs_refuses(const std::string& what) {
    const PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();  // which clears it
    const char* const reason = PHYSFS_getErrorByCode(code);
    return Error(code == PHYSFS_ERR_DUPLICATE ? ErrorCode::conflict : ErrorCode::io,
                 what + ": PhysicsFS says: " + (reason != nullptr ? reason : "nothing"));
}

Status register_physfs_archiver(PhysfsArchiverOptions options) {
    FARDEL_TRY(verify_physfs_runs());
    const std::lock_guard one_at_a_time(registration);
    auto kept = std::make_shared<const PhysfsArchiverOptions>(std::move(options));
    if (PHYSFS_registerArchiver(&kArchiver) == 0)
        return physfs_refuses("cannot register the archiver for bundles");
    const std::lock_guard lock(registered_lock);
    registered = std::move(kept);
    return ok();
}

Status mount_into_physfs(std::shared_ptr<const Vfs> vfs, const PhysfsMount& mount) {
    FARDEL_TRY(verify_physfs_runs());
    FARDEL_TRY(parse_path_parts(mount.folder));
    if (PHYSFS_getMountPoint(mount.name.c_str()) != nullptr)
        return Error(ErrorCode::conflict, "\"" + printable(mount.name) + "\" is in PhysicsFS's search path already");
    std::string root = mount.folder == "/" ? std::string() : mount.folder;
    if (!root.empty() && root.front() != '/')
        root.insert(0, "/");
    const Archive archive{.vfs = std::move(vfs), .root = std::move(root), .name = mount.name};
    PHYSFS_Io* token = make_token_io(std::make_shared<const ArchiveToken>(archive));
    if (PHYSFS_mountIo(token, mount.name.c_str(), mount.mount_point.empty() ? nullptr : mount.mount_point.c_str(),
                       mount.append ? 1 : 0) == 0) {
        Error error = physfs_refuses("cannot mount \"" + printable(mount.name) + "\"");
        token->destroy(token);
        return error;
    }
    return ok();
}

}  // namespace fardel
