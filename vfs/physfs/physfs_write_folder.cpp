// A WritableFolder as PhysicsFS's write folder, and as an archive that reads it.
#include "physfs_mounts.h"
#include "physfs_token.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/base/random.h>
#include <fardel/format/name.h>
#include <fardel/sources/physfs_io.h>
#include <fardel/vfs/physfs_archiver.h>

#include <physfs.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

// ---- WritableMounts -------------------------------------------------------------------------------------------------

void WritableMounts::add(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    names_.insert(name);
}

void WritableMounts::remove(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    names_.erase(name);
}

bool WritableMounts::has(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    return names_.contains(name);
}

// Never destroyed, as shown_vfs().
WritableMounts& writable_mounts() {
    static auto* const mounts = new WritableMounts;
    return *mounts;
}

namespace {

constexpr const char* kWritableExtension = "fardel-saves";

// What PhysicsFS has open: its write folder, or an element of its search path.
struct OpenFolder {
    WritableFolder folder;
    std::string mounted_name;  // empty: the write folder
    PHYSFS_Io* io = nullptr;   // destroyed with this
};

const OpenFolder& open_folder(void* opaque) noexcept { return *static_cast<const OpenFolder*>(opaque); }
const WritableFolder& folder_of(void* opaque) noexcept { return open_folder(opaque).folder; }

struct FolderToken final : PhysfsToken {
    FolderToken(WritableFolder of, std::string as) : folder(std::move(of)), name(std::move(as)) {}
    const WritableFolder folder;
    const std::string name;
};

// A write folder has no PHYSFS_Io of ours: PhysicsFS opens a file by its name. This one is expected while
// write_through_physfs() calls PHYSFS_setWriteDir().
struct ExpectedWrite {
    std::string file;
    WritableFolder folder;
};
std::mutex expecting;      // one write_through_physfs() at a time; taken before PhysicsFS's own lock
std::mutex expected_lock;  // taken after it
std::optional<ExpectedWrite> expected_write;

void expect_write(std::optional<ExpectedWrite> expected) {
    const std::scoped_lock lock(expected_lock);
    expected_write = std::move(expected);
}

std::optional<WritableFolder> find_expected(std::string_view file) {
    const std::scoped_lock lock(expected_lock);
    if (!expected_write || expected_write->file != file)
        return std::nullopt;
    return expected_write->folder;
}

int write_failed(PHYSFS_ErrorCode code) noexcept {
    PHYSFS_setErrorCode(code);
    return 0;
}

int write_failed(const Error& error) noexcept {
    // A name that no file here can have is the caller's fault, not damage.
    if (error.code() == ErrorCode::malformed || error.code() == ErrorCode::limit)
        return write_failed(PHYSFS_ERR_BAD_FILENAME);
    set_physfs_error(error);
    return 0;
}

// ---- A file that is being written -----------------------------------------------------------------------------------

// PHYSFS_close() flushes; only so can it fail. In newer versions of PhysicsFS than 3.0, a game that buffers may flush
// earlier and write on: then each flush replaces the file.
class PhysfsWriting {
public:
    PhysfsWriting(WritableFolder folder, std::string name, WritableFile file, std::uint64_t size_bytes) noexcept
        : folder_(std::move(folder)), name_(std::move(name)), file_(std::move(file)), size_bytes_(size_bytes) {}

    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

    Status write(std::span<const std::byte> bytes) {
        if (!file_) {
            FARDEL_TRY_ASSIGN(auto continued, continue_file(folder_, name_));
            file_ = std::move(continued.file);
        }
        FARDEL_TRY(file_->write(bytes));
        size_bytes_ += bytes.size();
        return ok();
    }

    Status flush() {
        if (!file_)
            return ok();
        Status done = file_->commit();
        file_.reset();
        return done;
    }

    struct Continued {
        WritableFile file;
        std::uint64_t size_bytes;
    };
    // A file that begins with what it has now.
    static Result<Continued> continue_file(const WritableFolder& folder, const std::string& name) {
        FARDEL_TRY_ASSIGN(WritableFile file, folder.create(name));
        auto old = folder.open_file(name);
        if (!old && old.error().code() == ErrorCode::missing)
            return Continued{.file = std::move(file), .size_bytes = 0};
        FARDEL_TRY(old);
        std::vector<std::byte> part(64u << 10);
        const std::uint64_t size_bytes = (*old)->size_bytes();
        for (std::uint64_t offset = 0; offset < size_bytes;) {
            const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), size_bytes - offset));
            const std::span bytes(part.data(), length);
            FARDEL_TRY((*old)->read_at(offset, bytes));
            FARDEL_TRY(file.write(bytes));
            offset += length;
        }
        return Continued{.file = std::move(file), .size_bytes = size_bytes};
    }

private:
    const WritableFolder folder_;
    const std::string name_;
    std::optional<WritableFile> file_;  // nothing: committed
    std::uint64_t size_bytes_;
};

PhysfsWriting& writing_of(PHYSFS_Io* io) noexcept { return *static_cast<PhysfsWriting*>(io->opaque); }

PHYSFS_sint64 refuse_read(PHYSFS_Io*, void*, PHYSFS_uint64) noexcept {
    PHYSFS_setErrorCode(PHYSFS_ERR_OPEN_FOR_WRITING);
    return -1;
}

PHYSFS_sint64 write_bytes(PHYSFS_Io* io, const void* from, PHYSFS_uint64 count) noexcept {
    const std::span bytes(static_cast<const std::byte*>(from), static_cast<std::size_t>(count));
    if (const Status done = writing_of(io).write(bytes); !done) {
        write_failed(done.error());
        return -1;
    }
    return static_cast<PHYSFS_sint64>(count);
}

// Files are written from their start to their end.
int seek_in_writing(PHYSFS_Io* io, PHYSFS_uint64 offset) noexcept {
    return offset == writing_of(io).size_bytes() ? 1 : write_failed(PHYSFS_ERR_UNSUPPORTED);
}

PHYSFS_sint64 written_bytes(PHYSFS_Io* io) noexcept { return static_cast<PHYSFS_sint64>(writing_of(io).size_bytes()); }

PHYSFS_Io* refuse_duplicate(PHYSFS_Io*) noexcept {
    PHYSFS_setErrorCode(PHYSFS_ERR_UNSUPPORTED);
    return nullptr;
}

int flush_writing(PHYSFS_Io* io) noexcept {
    const Status done = writing_of(io).flush();
    return done ? 1 : write_failed(done.error());
}

void destroy_writing(PHYSFS_Io* io) noexcept {
    delete &writing_of(io);
    delete io;
}

PHYSFS_Io* make_writing_io(PhysfsWriting writing) {
    return new PHYSFS_Io{.version = 0,
                         .opaque = new PhysfsWriting(std::move(writing)),
                         .read = refuse_read,
                         .write = write_bytes,
                         .seek = seek_in_writing,
                         .tell = written_bytes,
                         .length = written_bytes,
                         .duplicate = refuse_duplicate,
                         .flush = flush_writing,
                         .destroy = destroy_writing};
}

// ---- The archiver ---------------------------------------------------------------------------------------------------

PHYSFS_Io* open_write(void* opaque, const char* name) noexcept {
    const WritableFolder& folder = folder_of(opaque);
    auto file = folder.create(name);
    if (!file) {
        write_failed(file.error());
        return nullptr;
    }
    return make_writing_io(PhysfsWriting(folder, name, *std::move(file), 0));
}

PHYSFS_Io* open_append(void* opaque, const char* name) noexcept {
    const WritableFolder& folder = folder_of(opaque);
    auto continued = PhysfsWriting::continue_file(folder, name);
    if (!continued) {
        write_failed(continued.error());
        return nullptr;
    }
    return make_writing_io(PhysfsWriting(folder, name, std::move(continued->file), continued->size_bytes));
}

int remove_written(void* opaque, const char* name) noexcept {
    const auto removed = folder_of(opaque).remove(name);
    if (!removed)
        return write_failed(removed.error());
    return *removed ? 1 : write_failed(PHYSFS_ERR_NOT_FOUND);
}

// Folders come with their first file.
int make_no_folder(void* opaque, const char* name) noexcept {
    const auto found = folder_of(opaque).find_stat(name);
    if (!found)
        return write_failed(found.error());
    return !*found || (*found)->is_folder ? 1 : write_failed(PHYSFS_ERR_DUPLICATE);
}

PHYSFS_Io* open_written(void* opaque, const char* name) noexcept {
    auto bytes = folder_of(opaque).open_file(name);
    if (!bytes) {
        write_failed(bytes.error());
        return nullptr;
    }
    return make_physfs_io(*std::move(bytes));
}

int stat_written(void* opaque, const char* name, PHYSFS_Stat* out) noexcept {
    *out = PHYSFS_Stat{.filesize = 0,
                       .modtime = -1,
                       .createtime = -1,
                       .accesstime = -1,
                       .filetype = PHYSFS_FILETYPE_DIRECTORY,
                       .readonly = 0};
    if (*name == '\0')
        return 1;
    const auto found = folder_of(opaque).find_stat(name);
    if (!found)
        return write_failed(found.error());
    if (!*found) {
        // Before PhysicsFS writes a file, it wants to see the folders above it.
        return open_folder(opaque).mounted_name.empty() ? 1 : write_failed(PHYSFS_ERR_NOT_FOUND);
    }
    out->modtime = static_cast<PHYSFS_sint64>((*found)->modified.seconds);
    if (!(*found)->is_folder) {
        out->filesize = static_cast<PHYSFS_sint64>((*found)->size_bytes);
        out->filetype = PHYSFS_FILETYPE_REGULAR;
    }
    return 1;
}

PHYSFS_EnumerateCallbackResult enumerate_written(void* opaque, const char* folder, PHYSFS_EnumerateCallback callback,
                                                 const char* shown_folder, void* callback_context) noexcept {
    const auto entries = folder_of(opaque).list(folder);
    if (!entries) {
        write_failed(entries.error());
        return PHYSFS_ENUM_ERROR;
    }
    for (const WritableEntry& entry : *entries) {
        const PHYSFS_EnumerateCallbackResult wish = callback(callback_context, shown_folder, entry.name.c_str());
        if (wish == PHYSFS_ENUM_ERROR)
            PHYSFS_setErrorCode(PHYSFS_ERR_APP_CALLBACK);
        if (wish != PHYSFS_ENUM_OK)
            return wish;
    }
    return PHYSFS_ENUM_OK;
}

void* open_writable(PHYSFS_Io* io, const char* name, int for_write, int* claimed) noexcept {
    if (const auto token = std::dynamic_pointer_cast<const FolderToken>(find_token(io))) {
        *claimed = 1;
        writable_mounts().add(token->name);
        return new OpenFolder{.folder = token->folder, .mounted_name = token->name, .io = io};
    }
    if (for_write != 0) {
        if (const auto folder = find_expected(name)) {
            *claimed = 1;
            return new OpenFolder{.folder = *folder, .mounted_name = {}, .io = io};
        }
    }
    PHYSFS_setErrorCode(PHYSFS_ERR_UNSUPPORTED);
    return nullptr;
}

void close_writable(void* opaque) noexcept {
    auto* const open = static_cast<OpenFolder*>(opaque);
    if (!open->mounted_name.empty())
        writable_mounts().remove(open->mounted_name);
    open->io->destroy(open->io);
    delete open;
}

constexpr PHYSFS_Archiver kWritableArchiver{
    .version = 0,
    .info = {.extension = kWritableExtension,
             .description = "Fardel's writable folder",
             .author = "The Fardel authors",
             .url = "docs/saves.md",
             .supportsSymlinks = 0},
    .openArchive = open_writable,
    .enumerate = enumerate_written,
    .openRead = open_written,
    .openWrite = open_write,
    .openAppend = open_append,
    .remove = remove_written,
    .mkdir = make_no_folder,
    .stat = stat_written,
    .closeArchive = close_writable,
};

bool is_registered() {
    for (const PHYSFS_ArchiveInfo** info = PHYSFS_supportedArchiveTypes(); *info != nullptr; ++info)
        if (std::string_view((*info)->extension) == kWritableExtension)
            return true;
    return false;
}

// An empty file, which PhysicsFS empties once more when it opens it.
Result<std::string> make_write_file() {
    std::uint64_t random = 0;
    fill_random(std::as_writable_bytes(std::span(&random, 1)));
    FARDEL_TRY_ASSIGN(const std::string folder, find_temporary_folder());
    std::string path = joined_path(folder, "fardel-" + std::to_string(random) + "." + kWritableExtension);
    FARDEL_TRY(create_file(path, "a temporary file", 0600));
    return path;
}

Status set_write_folder(const WritableFolder& folder) {
    FARDEL_TRY_ASSIGN(const std::string file, make_write_file());
    expect_write(ExpectedWrite{.file = file, .folder = folder});
    Status status = ok();
    if (PHYSFS_setWriteDir(file.c_str()) == 0)
        status = physfs_refuses("cannot set the write folder");
    expect_write(std::nullopt);
    static_cast<void>(remove_file(file, "a temporary file"));
    return status;
}

}  // namespace

Status write_through_physfs(const WritableFolder& folder, std::string_view mount_point) {
    if (PHYSFS_isInit() == 0)
        return Error(ErrorCode::io, "PhysicsFS is not initialised; PHYSFS_init() comes first");
    if (mount_point.substr(0, mount_point.find('/')).find_first_of("<>|?*\"") == std::string_view::npos)
        return Error(ErrorCode::malformed, "the first part of the mount point \"" + printable(mount_point) +
                                               "\" needs a character that no published name has, one of < > | ? * \"");
    const std::scoped_lock one_at_a_time(expecting);
    if (!is_registered() && PHYSFS_registerArchiver(&kWritableArchiver) == 0)
        return physfs_refuses("cannot register the archiver for writable folders");
    const std::string& name = folder.path();
    if (PHYSFS_getMountPoint(name.c_str()) != nullptr)
        return Error(ErrorCode::conflict, "\"" + printable(name) + "\" is in PhysicsFS's search path already");
    PHYSFS_Io* const token = make_token_io(std::make_shared<const FolderToken>(folder, name));
    if (PHYSFS_mountIo(token, name.c_str(), std::string(mount_point).c_str(), 1) == 0) {
        Error error = physfs_refuses("cannot mount \"" + printable(name) + "\"");
        token->destroy(token);
        return error;
    }
    Status status = set_write_folder(folder);
    if (!status)
        PHYSFS_unmount(name.c_str());
    return status;
}

}  // namespace fardel
