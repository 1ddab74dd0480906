#include <fardel/base/folder.h>

#include "system_call_windows.h"

#include <fardel/base/random.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kListedBytes = 64u << 10;

// "/", "C:/", "//server/share": what has no folder above.
bool is_root(std::string_view path) { return folder_of_path(path) == path || path.empty(); }

// Those whose paths have more than `from` characters.
Status create_all_folders(const FilePath& path, std::size_t from) {
    auto created = create_folder(path, path);
    if (created)
        return ok();
    if (created.error().code() == ErrorCode::missing && path.text().size() > from && !is_root(path.text())) {
        FARDEL_TRY(create_all_folders(path.folder(), from));
        created = create_folder(path, path);
    }
    // The system may refuse an existing folder with other errors: a drive, a share.
    if (!created)
        if (const auto found = find_file_status(path, path); found && *found)
            return ok();
    return created ? ok() : Status(std::move(created).error());
}

}  // namespace

Result<Descriptor> open_folder(const FileLocation& location, std::string_view subject, const OpenOptions& options) {
    return nt_open(location, subject,
                   {.access = options.location_only ? ACCESS_MASK{FILE_TRAVERSE}
                                                    : ACCESS_MASK{FILE_TRAVERSE | FILE_LIST_DIRECTORY},
                    .options = FILE_DIRECTORY_FILE,
                    .links = options.links});
}

Result<std::vector<std::string>> list_names(const Descriptor& folder, std::string_view subject) {
    // Listing moves the position of a handle, so this gets a separate one.
    FARDEL_TRY_ASSIGN(const Descriptor opened,
                      nt_open_again(folder, subject, {.access = FILE_LIST_DIRECTORY, .options = FILE_DIRECTORY_FILE}));
    std::vector<std::string> names;
    std::vector<std::byte> listed(kListedBytes);
    while (::GetFileInformationByHandleEx(handle_of(opened), FileIdBothDirectoryInfo, listed.data(),
                                          static_cast<DWORD>(listed.size()))) {
        for (std::size_t at = 0;;) {
            FILE_ID_BOTH_DIR_INFO entry;
            std::memcpy(&entry, listed.data() + at, offsetof(FILE_ID_BOTH_DIR_INFO, FileName));
            std::wstring name(entry.FileNameLength / sizeof(wchar_t), L'\0');
            std::memcpy(name.data(), listed.data() + at + offsetof(FILE_ID_BOTH_DIR_INFO, FileName),
                        entry.FileNameLength);
            if (name != L"." && name != L"..")
                names.push_back(to_utf8(name));
            if (entry.NextEntryOffset == 0)
                break;
            at += entry.NextEntryOffset;
        }
    }
    if (const DWORD failure = ::GetLastError(); failure != ERROR_NO_MORE_FILES)
        return failure_error(failure, subject);
    // The order of a folder differs between file systems; what is made from it must not.
    std::ranges::sort(names);
    return names;
}

Result<bool> create_folder(const FileLocation& location, std::string_view subject, std::uint32_t) {
    const auto created = nt_open(location, subject,
                                 {.access = FILE_LIST_DIRECTORY,
                                  .disposition = FILE_CREATE,
                                  .options = FILE_DIRECTORY_FILE,
                                  .attributes = FILE_ATTRIBUTE_DIRECTORY});
    if (created)
        return true;
    return created.error().system_number() == EEXIST ? Result<bool>(false) : Result<bool>(created.error());
}

Status create_folders(const std::string& path, Lasting) { return create_all_folders(path, 0); }

Status create_folders_below_root(const FilePath& path, Lasting) {
    return path.text().size() <= path.root_size() ? ok() : create_all_folders(path, path.root_size() + 1);
}

// Its access list comes from the folder above: that of the system's temporary files is closed to other users.
Result<std::string> create_temporary_folder(const std::string& prefix, std::string_view subject) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
    for (;;) {
        std::array<unsigned char, 6> random;
        fill_random(std::as_writable_bytes(std::span(random)));
        std::string path = prefix;
        for (const unsigned char byte : random)
            path += kLetters[byte % kLetters.size()];
        FARDEL_TRY_ASSIGN(const bool created, create_folder(path, subject));
        if (created)
            return path;
    }
}

Result<bool> remove_folder(const FileLocation& location, std::string_view subject) {
    const auto folder =
        nt_open(location, subject, {.access = DELETE, .options = FILE_DIRECTORY_FILE, .opens_link = true});
    if (!folder && folder.error().system_number() == ENOENT)
        return false;
    if (!folder)
        return folder.error();
    NTSTATUS removed = nt_remove(*folder);
    if (removed < 0)
        removed = nt_remove_on_close(*folder);
    return removed >= 0 ? Result<bool>(true) : Result<bool>(system_error(number_of_status(removed), subject));
}

// NTFS writes changes of names to its journal, in their order, and has no call for one folder.
Status sync_folder(const FilePath& path) {
    FARDEL_TRY(open_folder(path, path, {.location_only = true}));
    return ok();
}

Result<std::string> real_path(const std::string& path, std::string_view subject) {
    FARDEL_TRY_ASSIGN(const Descriptor file, nt_open(path, subject, {}));
    FARDEL_TRY_ASSIGN(const std::wstring whole, final_path(file, subject));
    return plain_path(whole);
}

}  // namespace fardel
