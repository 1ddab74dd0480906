#include "extract_folder.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/program.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr int kNamesTried = 1000;

}  // namespace

struct ExtractFolder::Impl {
    struct StagedFile {
        AssetName name;
        bool moved = false;
        bool exchanged = false;  // an older file has taken its name in the staging folder
    };

    std::string path;  // for messages, and to remove the folder if it was created here
    bool replace = false;
    bool created = false;
    Descriptor root;
    std::uint64_t device = 0;
    std::string staging_name;
    Descriptor staging;  // contains the files "0", "1", …, in the order of `files`
    std::vector<StagedFile> files;
    std::vector<std::string> created_folders;  // below the root, outermost first
    Descriptor open_file;
    std::uint64_t replaced = 0;
    std::string parent_name;  // the folder that `parent` has open; names are sorted, so it is usually the next one, too
    Descriptor parent;
    bool committed = false;

    ~Impl();
    std::string shown(std::string_view name) const { return path + "/" + std::string(name); }
    Status open_staging();
    Result<Descriptor> open_below(const Descriptor& folder, const std::string& part, const std::string& so_far,
                                  bool create);
    Result<const Descriptor*> open_parent(std::string_view folder, bool create);
    Result<bool> verify_leaf(const Descriptor& folder, const AssetName& name) const;
    Status move_into_place(std::size_t index);
    void move_back(std::size_t index);
};

ExtractFolder::Impl::~Impl() {
    if (!committed) {
        // Backwards, so that a folder that was created here is empty when its turn comes.
        for (std::size_t i = files.size(); i-- > 0;)
            move_back(i);
        for (auto folder = created_folders.rbegin(); folder != created_folders.rend(); ++folder)
            static_cast<void>(remove_folder({root, *folder}, path));  // fails if another program created a file there
    }
    for (std::size_t i = 0; staging && i < files.size(); ++i)
        static_cast<void>(remove_file({staging, std::to_string(i)}, path));
    if (!staging_name.empty())
        static_cast<void>(remove_folder({root, staging_name}, path));
    if (created && !committed)
        static_cast<void>(remove_folder(path, path));
}

Status ExtractFolder::Impl::open_staging() {
    for (int number = 0; number < kNamesTried; ++number) {
        // Inside the target, since only a rename on one disk puts a file in place in one step. An interrupted run
        // leaves the folder, so an existing one is passed over and never used again.
        std::string name = ".fardel-extract-" + std::to_string(process_id()) + "-" + std::to_string(number);
        FARDEL_TRY_ASSIGN(const bool is_new, create_folder({root, name}, path, 0700));
        if (!is_new)
            continue;
        staging_name = std::move(name);
        FARDEL_TRY_ASSIGN(staging, open_folder({root, staging_name}, shown(staging_name), {.links = Links::refused}));
        return ok();
    }
    return Error(ErrorCode::conflict,
                 path + ": contains too many .fardel-extract folders of interrupted runs; remove them");
}

// Opens a sub-folder. Error missing: it does not exist and is not to be created.
Result<Descriptor> ExtractFolder::Impl::open_below(const Descriptor& folder, const std::string& part,
                                                   const std::string& so_far, bool create) {
    const std::string name = shown(so_far);
    // One part at a time, never through a link: another program may replace a folder by a link to elsewhere at any
    // moment (tests/ATTACKS.md, A13).
    auto next = open_folder({folder, part}, name, {.links = Links::refused});
    if (!next && next.error().system_number() == ENOENT && create) {
        FARDEL_TRY_ASSIGN(const bool is_new, create_folder({folder, part}, name));
        if (is_new)
            created_folders.push_back(so_far);
        next = open_folder({folder, part}, name, {.links = Links::refused});
    }
    if (!next) {
        FARDEL_TRY_ASSIGN(const auto found, find_file_status({folder, part}, name, Links::refused));
        if (found && !found->is_folder())
            return Error(ErrorCode::conflict, name + ": " + std::string(file_kind_text(found->kind)) +
                                                  " where a folder is needed; nothing was extracted");
        return next;
    }
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(*next, name));
    // A file cannot be renamed to another disk, and that would be noticed when half of the files are in place.
    if (status.device != device)
        return Error(ErrorCode::conflict,
                     name + ": on another disk than " + path + "; extract these files to that folder separately");
    return next;
}

// Opens the folder of that name, or the root for an empty name; valid until the next call. Error missing: it does not
// exist and is not to be created.
Result<const Descriptor*> ExtractFolder::Impl::open_parent(std::string_view folder, bool create) {
    if (folder.empty())
        return &root;
    if (parent && folder == parent_name)
        return &parent;
    Descriptor current;
    for (std::size_t end = 0; end != folder.size();) {
        const std::size_t start = end == 0 ? 0 : end + 1;
        end = std::min(folder.find('/', start), folder.size());
        FARDEL_TRY_ASSIGN(current, open_below(current ? current : root, std::string(folder.substr(start, end - start)),
                                              std::string(folder.substr(0, end)), create));
    }
    parent = std::move(current);
    parent_name = folder;
    return &parent;
}

// Returns whether a file of that name exists and will be replaced.
Result<bool> ExtractFolder::Impl::verify_leaf(const Descriptor& folder, const AssetName& name) const {
    const std::string location = shown(name.view());
    FARDEL_TRY_ASSIGN(const auto status,
                      find_file_status({folder, std::string(name.leaf())}, location, Links::refused));
    if (!status)
        return false;
    if (!status->is_file())
        return Error(ErrorCode::conflict, location + ": " + std::string(file_kind_text(status->kind)) +
                                              " has this name; nothing was extracted");
    if (!replace)
        return Error(ErrorCode::conflict, location + ": already exists; --force replaces files. Nothing was extracted");
    return true;
}

Status ExtractFolder::Impl::move_into_place(std::size_t index) {
    StagedFile& file = files[index];
    FARDEL_TRY_ASSIGN(const Descriptor* const folder, open_parent(file.name.parent(), true));
    FARDEL_TRY_ASSIGN(file.exchanged, verify_leaf(*folder, file.name));
    const std::string staged = std::to_string(index), leaf(file.name.leaf());
    // The older file takes the new one's place in the staging folder until all are moved, so an error puts it back. A
    // name that was free must still be free: a rename that replaces would destroy a file of another program.
    FARDEL_TRY(file.exchanged ? exchange_files({staging, staged}, {*folder, leaf}, shown(file.name.view()))
                              : rename_to_new({staging, staged}, {*folder, leaf}, shown(file.name.view())));
    file.moved = true;
    replaced += file.exchanged ? 1 : 0;
    return ok();
}

void ExtractFolder::Impl::move_back(std::size_t index) {
    StagedFile& file = files[index];
    if (!file.moved)
        return;
    if (const auto folder = open_parent(file.name.parent(), false)) {
        const std::string staged = std::to_string(index), leaf(file.name.leaf());
        const Status back = file.exchanged ? exchange_files({staging, staged}, {**folder, leaf}, path)
                                           : rename_to_new({**folder, leaf}, {staging, staged}, path);
        file.moved = !back;
    }
}

ExtractFolder::ExtractFolder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ExtractFolder::~ExtractFolder() = default;
ExtractFolder::ExtractFolder(ExtractFolder&&) noexcept = default;

Result<ExtractFolder> ExtractFolder::open(const std::string& path, bool replace) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->replace = replace;
    FARDEL_TRY_ASSIGN(impl->created, create_folder(path, path));
    // The target itself may be a link, since the user named it.
    auto root = open_folder(path, path);
    if (!root && root.error().system_number() == ENOTDIR)
        return Error(ErrorCode::conflict, path + ": not a folder; name a folder with -C");
    if (!root)
        return std::move(root).error();
    impl->root = *std::move(root);
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(impl->root, path));
    impl->device = status.device;
    return ExtractFolder(std::move(impl));
}

Status ExtractFolder::verify_free(const AssetName& name) {
    const auto folder = impl_->open_parent(name.parent(), false);
    if (!folder)
        return folder.error().code() == ErrorCode::missing ? ok() : Status(folder.error());
    FARDEL_TRY(impl_->verify_leaf(**folder, name));
    return ok();
}

Status ExtractFolder::begin(const AssetName& name) {
    if (!impl_->staging)
        FARDEL_TRY(impl_->open_staging());
    FARDEL_TRY_ASSIGN(impl_->open_file,
                      create_file({impl_->staging, std::to_string(impl_->files.size())}, impl_->shown(name.view())));
    impl_->files.push_back({name});
    return ok();
}

Status ExtractFolder::write(std::span<const std::byte> bytes) {
    return write_whole(impl_->open_file, bytes, impl_->shown(impl_->files.back().name.view()));
}

Status ExtractFolder::commit() {
    if (impl_->open_file)
        FARDEL_TRY(impl_->open_file.close_reporting(impl_->path));
    for (std::size_t i = 0; i < impl_->files.size(); ++i)
        FARDEL_TRY(impl_->move_into_place(i));
    impl_->committed = true;
    return ok();
}

std::uint64_t ExtractFolder::replaced() const noexcept { return impl_->replaced; }

}  // namespace fardel
