#include <fardel/vfs/writable_folder.h>

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/base/text_fields.h>
#include <fardel/base/user_folder.h>
#include <fardel/format/file_source.h>
#include <fardel/format/name.h>
#include <fardel/format/short_alias.h>
#include <fardel/format/staged_file.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Temporary files of StagedFile, and the lock.
constexpr std::string_view kOwnStart = ".fardel";
constexpr std::string_view kLockName = ".fardel-lock";
constexpr int kDepthMax = 64;  // of a name

using SharedFolder = std::shared_ptr<const Descriptor>;

bool is_own_name(std::string_view part) { return fold_name(part).starts_with(kOwnStart); }

Status verify_writable_name(std::string_view name) {
    FARDEL_TRY(verify_name(name));
    for (std::string_view rest = name; !rest.empty();)
        if (is_own_name(read_until(rest, '/')))
            return Error(ErrorCode::malformed,
                         "\"" + printable(name) + "\": names that begin with .fardel are Fardel's own");
    return ok();
}

// Refuses what leads elsewhere or is no content.
Status verify_plain(const FileStatus& status, std::string_view subject) {
    if (status.is_file() || status.is_folder())
        return ok();
    return Error(ErrorCode::denied, std::string(subject) + ": " + std::string(file_kind_text(status.kind)) +
                                        ", which a writable folder does not follow or open");
}

// The folder that a part names in another one. Nothing: there is none. A link is never followed: the call that opens it
// refuses one, so none can be put there in between.
Result<std::optional<Descriptor>> find_folder(const Descriptor& above, const std::string& part,
                                              std::string_view subject) {
    auto opened = open_folder({above, part}, subject, {.links = Links::refused});
    if (opened)
        return std::optional(*std::move(opened));
    FARDEL_TRY_ASSIGN(const auto status, find_file_status({above, part}, subject, Links::refused));
    if (!status || status->is_file())
        return std::optional<Descriptor>();
    FARDEL_TRY(verify_plain(*status, subject));
    return std::move(opened).error();
}

// A name that the systems of other players would take for `part`.
Status verify_no_clash(const std::vector<std::string>& present, const std::string& part, std::string_view subject) {
    if (std::ranges::find(present, part) != present.end())
        return ok();
    const auto text_of = [&](std::size_t i) -> std::optional<std::string_view> {
        const std::string_view text = i < present.size() ? present[i] : part;
        return verify_name(text) ? std::optional(text) : std::nullopt;
    };
    for (std::size_t i = 0; i < present.size(); ++i)
        if (text_of(i) && names_fold_equal(present[i], part))
            return Error(ErrorCode::conflict, std::string(subject) + ": differs from " + printable(present[i]) +
                                                  ", which is there, only in case");
    for (const ShortAlias& found : find_short_aliases(present.size() + 1, text_of))
        if (found.alias == present.size() || found.of == present.size())
            return Error(ErrorCode::conflict,
                         std::string(subject) + ": Windows takes it for another name that is there, " +
                             printable(*text_of(found.alias == present.size() ? found.of : found.alias)));
    return ok();
}

Status add_use(const Descriptor& folder, const std::string& subject, int depth, WritableUse& use) {
    FARDEL_TRY_ASSIGN(const auto names, list_names(folder, subject));
    for (const std::string& name : names) {
        if (is_own_name(name))
            continue;
        FARDEL_TRY_ASSIGN(const auto status, find_file_status({folder, name}, subject, Links::refused));
        if (!status)
            continue;
        ++use.files;
        if (status->is_file())
            use.bytes += status->size_bytes;
        if (!status->is_folder())
            continue;
        FARDEL_TRY_ASSIGN(const auto below, find_folder(folder, name, subject));
        if (below && depth < kDepthMax)
            FARDEL_TRY(add_use(*below, subject, depth + 1, use));
    }
    return ok();
}

// Files whose writing broke off, and the folders that were made for them.
void remove_half_written(const FilePath& folder, const Descriptor& opened, int depth) {
    remove_abandoned_files(folder);
    const auto names = list_names(opened, folder);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
        auto below = find_folder(opened, (*names)[i], folder);
        if (!below || !*below || depth == kDepthMax)
            continue;
        const auto held = std::make_shared<const Descriptor>(**std::move(below));
        remove_half_written(FilePath::of_root(folder.text() + "/" + (*names)[i], held), *held, depth + 1);
        static_cast<void>(remove_folder({opened, (*names)[i]}, folder));  // fails if anything is in it
    }
}

WritableEntry entry_of(std::string name, const FileStatus& status) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = std::max<std::int64_t>(status.modified_ns, 0) / kSecond;
    return {.name = std::move(name),
            .is_folder = status.is_folder(),
            .size_bytes = status.is_file() ? status.size_bytes : 0,
            .modified = {static_cast<std::uint64_t>(seconds)}};
}

}  // namespace

struct WritableFolder::Root {
    // What a name leads to: the folder that it is in, and its last part.
    struct Position {
        SharedFolder folder;
        std::string leaf;
        FilePath path;  // of the leaf, below `folder`
    };

    std::string path;
    SharedFolder folder;  // pinned: another folder at the path later is another folder
    WritableOptions options;

    std::string subject(std::string_view name) const { return path + "/" + printable(name); }
    FilePath path_of(const SharedFolder& held, std::string_view above, std::string_view leaf) const {
        return FilePath::of_root(above.empty() ? path : path + "/" + std::string(above), held) / leaf;
    }

    // Held while something is written, by one thread of one process.
    Result<std::unique_ptr<DiskHold>> lock() const {
        FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(FilePath::of_root(path, folder) / kLockName));
        auto locked = wait_for_lock(std::move(file), path, LockSharing::alone);
        // A file system without locks is no reason to lose a saved game: files are still replaced in one step.
        if (!locked && locked.error().code() == ErrorCode::unsupported)
            return std::unique_ptr<DiskHold>();
        return locked;
    }

    // Nothing: there is no such folder.
    Result<std::optional<SharedFolder>> find_folders(std::string_view name) const {
        SharedFolder at = folder;
        for (std::string_view rest = name; !rest.empty();) {
            const std::string part(read_until(rest, '/'));
            FARDEL_TRY_ASSIGN(auto below, find_folder(*at, part, subject(name)));
            if (!below)
                return std::optional<SharedFolder>();
            at = std::make_shared<const Descriptor>(*std::move(below));
        }
        return std::optional(at);
    }
    Result<std::optional<Position>> find_position(std::string_view name) const {
        FARDEL_TRY(verify_writable_name(name));
        const std::size_t slash = name.rfind('/');
        const std::string_view above = slash == std::string_view::npos ? "" : name.substr(0, slash);
        FARDEL_TRY_ASSIGN(auto held, find_folders(above));
        if (!held)
            return std::optional<Position>();
        Position position{.folder = *std::move(held), .leaf = std::string(name.substr(slash + 1)), .path = {}};
        position.path = path_of(position.folder, above, position.leaf);
        return std::optional(std::move(position));
    }
    // Nothing: there is no such file or folder. Error: also denied.
    Result<std::optional<FileStatus>> find_status(const Position& at, std::string_view name) const {
        FARDEL_TRY_ASSIGN(auto status, find_file_status({*at.folder, at.leaf}, subject(name), Links::refused));
        if (status)
            FARDEL_TRY(verify_plain(*status, subject(name)));
        return status;
    }

    // With the lock. Creates the folders that the name needs.
    Result<Position> make_position(std::string_view name) const {
        SharedFolder at = folder;
        std::size_t size = 0;
        for (std::string_view rest = name; rest.find('/') != std::string_view::npos;) {
            const std::string part(read_until(rest, '/'));
            FARDEL_TRY_ASSIGN(const auto present, list_names(*at, subject(name)));
            FARDEL_TRY(verify_no_clash(present, part, subject(name)));
            FARDEL_TRY_ASSIGN(const bool is_new, create_folder({*at, part}, subject(name)));
            if (is_new)
                FARDEL_TRY(sync_folder(FilePath::of_root(path, at)));
            FARDEL_TRY_ASSIGN(auto below, find_folder(*at, part, subject(name)));
            if (!below)
                return Error(ErrorCode::conflict, subject(name) + ": " + printable(part) + " is a file");
            at = std::make_shared<const Descriptor>(*std::move(below));
            size += part.size() + 1;
        }
        const std::string_view above = name.substr(0, size == 0 ? 0 : size - 1);
        Position position{.folder = at, .leaf = std::string(name.substr(size)), .path = {}};
        position.path = path_of(at, above, position.leaf);
        return position;
    }
    // With the lock. Returns the size of the file that would be replaced; nothing: there is none.
    Result<std::optional<std::uint64_t>> verify_replaceable(const Position& at, std::string_view name) const {
        FARDEL_TRY_ASSIGN(const auto present, list_names(*at.folder, subject(name)));
        FARDEL_TRY(verify_no_clash(present, at.leaf, subject(name)));
        FARDEL_TRY_ASSIGN(const auto status, find_status(at, name));
        if (status && status->is_folder())
            return Error(ErrorCode::conflict, subject(name) + ": there is a folder of this name");
        return status ? std::optional(status->size_bytes) : std::nullopt;
    }
    Error no_room(std::string_view name, const std::string& reason) const {
        return Error(ErrorCode::no_space, subject(name) + ": the quota of the folder is " + reason);
    }
    // With the lock. What does not grow is always allowed, so that settings can be saved in a full folder.
    Status verify_quota(std::string_view name, std::optional<std::uint64_t> before, std::uint64_t size_bytes) const {
        if (before && size_bytes <= *before)
            return ok();
        WritableUse use;
        FARDEL_TRY(add_use(*folder, path, 1, use));
        if (!before && use.files >= options.files_max)
            return no_room(name, std::to_string(options.files_max) + " files and folders, and it has " +
                                     std::to_string(use.files));
        const std::uint64_t others = use.bytes - std::min(before.value_or(0), use.bytes);
        if (others > options.bytes_max || size_bytes > options.bytes_max - others)
            return no_room(name, std::to_string(options.bytes_max) + " bytes; the file has " +
                                     std::to_string(size_bytes) + ", and the others have " + std::to_string(others));
        return ok();
    }
    // With the lock. Folders that have lost their last file.
    void remove_empty_folders(std::string_view name) const {
        for (std::size_t slash = name.rfind('/'); slash != std::string_view::npos; slash = name.rfind('/')) {
            name = name.substr(0, slash);
            const auto at = find_position(name);
            if (!at || (*at && !remove_folder({*(*at)->folder, (*at)->leaf}, name)))
                return;
        }
    }
};

// ---- Writing --------------------------------------------------------------------------------------------------------

struct WritableFile::Impl {
    std::shared_ptr<const WritableFolder::Root> root;
    std::string name;
    WritableFolder::Root::Position position;
    std::unique_ptr<StagedFile> staged;
    std::uint64_t size_bytes = 0;
    std::optional<Error> failed;
    bool committed = false;

    ~Impl() {
        staged.reset();
        if (committed)
            return;
        position = {};  // Windows keeps the name of a folder that is open
        if (const auto lock = root->lock())
            root->remove_empty_folders(name);  // which create() has made
    }
};

WritableFile::WritableFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WritableFile::WritableFile(WritableFile&&) noexcept = default;
WritableFile& WritableFile::operator=(WritableFile&&) noexcept = default;
WritableFile::~WritableFile() = default;

Status WritableFile::write(std::span<const std::byte> bytes) {
    if (impl_->failed)
        return *impl_->failed;
    const std::uint64_t bytes_max = impl_->root->options.bytes_max;
    // Now, not at the end: a file that never ends must not fill the disk.
    Status written = bytes.size() > bytes_max - impl_->size_bytes
                         ? Status(impl_->root->no_room(
                               impl_->name, std::to_string(bytes_max) + " bytes, and the file alone is larger"))
                         : impl_->staged->write_at(impl_->size_bytes, bytes);
    if (!written)
        impl_->failed = written.error();
    else
        impl_->size_bytes += bytes.size();
    return written;
}

Status WritableFile::commit() {
    // A second call, and one after an error, must not replace anything.
    const std::unique_ptr<StagedFile> staged = std::move(impl_->staged);
    if (impl_->failed)
        return *impl_->failed;
    if (!staged)
        return Error(ErrorCode::conflict, impl_->root->subject(impl_->name) + ": was committed already");
    const WritableFolder::Root& root = *impl_->root;
    FARDEL_TRY_ASSIGN(const auto lock, root.lock());
    // Somebody may have moved the folder out of this one since; the file would go with it.
    FARDEL_TRY_ASSIGN(const auto now, root.find_position(impl_->name));
    const std::string subject = root.subject(impl_->name);
    FARDEL_TRY_ASSIGN(const FileStatus held, file_status(*impl_->position.folder, subject));
    if (now) {
        FARDEL_TRY_ASSIGN(const FileStatus named, file_status(*now->folder, subject));
        if (named.same_file_as(held)) {
            FARDEL_TRY_ASSIGN(const auto before, root.verify_replaceable(*now, impl_->name));
            FARDEL_TRY(root.verify_quota(impl_->name, before, impl_->size_bytes));
            const Status done = staged->commit();
            impl_->committed = static_cast<bool>(done);
            return done;
        }
    }
    return Error(ErrorCode::conflict, subject + ": its folder was moved or removed while the file was written");
}

Result<WritableFile> WritableFolder::create(std::string_view name) const {
    FARDEL_TRY(verify_writable_name(name));
    FARDEL_TRY_ASSIGN(const auto lock, root_->lock());
    auto file = begin_file(name);
    if (!file)
        root_->remove_empty_folders(name);
    return file;
}

Result<WritableFile> WritableFolder::begin_file(std::string_view name) const {
    FARDEL_TRY_ASSIGN(auto position, root_->make_position(name));
    FARDEL_TRY(root_->verify_replaceable(position, name));
    FARDEL_TRY_ASSIGN(auto staged, stage_file(position.path));
    return WritableFile(std::unique_ptr<WritableFile::Impl>(new WritableFile::Impl{.root = root_,
                                                                                   .name = std::string(name),
                                                                                   .position = std::move(position),
                                                                                   .staged = std::move(staged),
                                                                                   .size_bytes = 0,
                                                                                   .failed = {}}));
}

Status WritableFolder::write(std::string_view name, std::span<const std::byte> bytes) const {
    FARDEL_TRY_ASSIGN(WritableFile file, create(name));
    FARDEL_TRY(file.write(bytes));
    return file.commit();
}

// ---- Reading, and names ---------------------------------------------------------------------------------------------

WritableFolder::WritableFolder(std::shared_ptr<const Root> root) : root_(std::move(root)) {}

Result<WritableFolder> WritableFolder::open(const std::string& path, const WritableOptions& options) {
    FARDEL_TRY(create_folders(path, Lasting::yes));
    FARDEL_TRY_ASSIGN(Descriptor folder, open_folder(path, path));
    auto root = std::make_shared<const Root>(
        Root{.path = path, .folder = std::make_shared<const Descriptor>(std::move(folder)), .options = options});
    // A folder that cannot be written to can be read.
    if (const auto lock = root->lock())
        remove_half_written(FilePath::of_root(path, root->folder), *root->folder, 1);
    return WritableFolder(std::move(root));
}

Result<std::shared_ptr<const ByteSource>> WritableFolder::open_file(std::string_view name) const {
    const std::string subject = root_->subject(name);
    FARDEL_TRY_ASSIGN(const auto at, root_->find_position(name));
    if (!at)
        return Error(ErrorCode::missing, subject + ": there is no such file");
    auto file = open_regular_file({*at->folder, at->leaf}, subject, {.links = Links::refused});
    if (file)
        return make_file_source(std::move(file->descriptor), file->status.size_bytes, subject);
    FARDEL_TRY(root_->find_status(*at, name));
    return std::move(file).error();
}

Result<std::vector<std::byte>> WritableFolder::read(std::string_view name) const {
    FARDEL_TRY_ASSIGN(const auto source, open_file(name));
    if (source->size_bytes() > root_->options.bytes_max)
        return Error(ErrorCode::limit, root_->subject(name) + ": " + std::to_string(source->size_bytes()) +
                                           " bytes are more than the quota of the folder");
    std::vector<std::byte> bytes(static_cast<std::size_t>(source->size_bytes()));
    FARDEL_TRY(source->read_at(0, bytes));
    return bytes;
}

Result<std::optional<WritableEntry>> WritableFolder::find_stat(std::string_view name) const {
    FARDEL_TRY_ASSIGN(const auto at, root_->find_position(name));
    if (!at)
        return std::optional<WritableEntry>();
    FARDEL_TRY_ASSIGN(const auto status, root_->find_status(*at, name));
    return status ? std::optional(entry_of(at->leaf, *status)) : std::nullopt;
}

Result<std::vector<WritableEntry>> WritableFolder::list(std::string_view folder) const {
    if (!folder.empty())
        FARDEL_TRY(verify_writable_name(folder));
    std::vector<WritableEntry> entries;
    const std::string subject = root_->subject(folder);
    FARDEL_TRY_ASSIGN(const auto at, root_->find_folders(folder));
    if (!at)
        return entries;
    FARDEL_TRY_ASSIGN(auto names, list_names(**at, subject));
    for (std::string& name : names) {
        if (!verify_writable_name(name))
            continue;
        FARDEL_TRY_ASSIGN(const auto status, find_file_status({**at, name}, subject, Links::refused));
        if (status && verify_plain(*status, name))
            entries.push_back(entry_of(std::move(name), *status));
    }
    return entries;
}

Result<bool> WritableFolder::remove(std::string_view name) const {
    FARDEL_TRY(verify_writable_name(name));
    FARDEL_TRY_ASSIGN(const auto lock, root_->lock());
    FARDEL_TRY_ASSIGN(auto at, root_->find_position(name));
    if (!at)
        return false;
    FARDEL_TRY_ASSIGN(const auto status, root_->find_status(*at, name));
    if (!status)
        return false;
    const std::string subject = root_->subject(name);
    const FileLocation location{*at->folder, at->leaf};
    FARDEL_TRY_ASSIGN(const bool removed,
                      status->is_folder() ? remove_folder(location, subject) : remove_file(location, subject));
    FARDEL_TRY(sync_folder(at->path.folder()));
    at.reset();  // Windows keeps the name of a folder that is open
    root_->remove_empty_folders(name);
    return removed;
}

Result<WritableUse> WritableFolder::use() const {
    WritableUse use;
    FARDEL_TRY(add_use(*root_->folder, root_->path, 1, use));
    return use;
}

const std::string& WritableFolder::path() const noexcept { return root_->path; }

Result<std::string> user_data_folder(std::string_view organisation, std::string_view game) {
    for (const std::string_view part : {organisation, game}) {
        FARDEL_TRY(verify_name(part));
        if (part.find('/') != std::string_view::npos)
            return Error(ErrorCode::malformed, "\"" + printable(part) + "\": the name of one folder has no '/'");
    }
    const auto data = find_user_folder(UserFolder::data);
    if (!data)
        return Error(ErrorCode::missing, "this user has no folder for data: set HOME or XDG_DATA_HOME");
    return *data + "/" + std::string(organisation) + "/" + std::string(game);
}

}  // namespace fardel
