#include "system_call_windows.h"

#include <fardel/base/network.h>
#include <fardel/base/socket.h>

#include "socket_address.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// The longest path that the kernel takes, in characters.
constexpr std::size_t kPathLengthMax = 32'767;

struct Failure {
    DWORD windows;
    int number;
};

constexpr Failure kFailures[] = {
    {ERROR_SUCCESS, 0},
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_NAME, ENOENT},
    {ERROR_BAD_PATHNAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_NOT_READY, ENOENT},  // a drive without a disk
    {ERROR_MOD_NOT_FOUND, ENOENT},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_NETWORK_ACCESS_DENIED, EACCES},
    {ERROR_PRIVILEGE_NOT_HELD, EPERM},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_SHARING_VIOLATION, EBUSY},
    {ERROR_LOCK_VIOLATION, EBUSY},
    {ERROR_USER_MAPPED_FILE, EBUSY},
    {ERROR_BUSY, EBUSY},
    {ERROR_CURRENT_DIRECTORY, EBUSY},
    {ERROR_PIPE_BUSY, EBUSY},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG},
    {ERROR_FILE_TOO_LARGE, EFBIG},
    {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
    {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_PIPE_NOT_CONNECTED, EPIPE},
    {ERROR_NO_DATA, EPIPE},  // of a write; read_some() knows what it means for a read
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_COMMITMENT_LIMIT, ENOMEM},
    {ERROR_NO_SYSTEM_RESOURCES, ENOMEM},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_INVALID_FUNCTION, ENOSYS},
    {ERROR_NOT_SUPPORTED, ENOSYS},
    {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS},
    {ERROR_BAD_EXE_FORMAT, ENOEXEC},
    {ERROR_EXE_MACHINE_TYPE_MISMATCH, ENOEXEC},
    {ERROR_SEM_TIMEOUT, ETIMEDOUT},
    {ERROR_NETNAME_DELETED, ECONNRESET},
    {ERROR_UNEXP_NET_ERR, ECONNRESET},
    {ERROR_NETWORK_UNREACHABLE, ENETUNREACH},
    {WSAEACCES, EACCES},
    {WSAEADDRINUSE, EADDRINUSE},
    {WSAEADDRNOTAVAIL, EADDRNOTAVAIL},
    {WSAEAFNOSUPPORT, EAFNOSUPPORT},
    {WSAECONNREFUSED, ECONNREFUSED},
    {WSAECONNRESET, ECONNRESET},
    {WSAECONNABORTED, ECONNRESET},
    {WSAEHOSTUNREACH, EHOSTUNREACH},
    {WSAEHOSTDOWN, EHOSTUNREACH},
    {WSAEMFILE, EMFILE},
    {WSAENETUNREACH, ENETUNREACH},
    {WSAENOBUFS, ENOMEM},
    {WSAENOTCONN, ENOTCONN},
    {WSAENOTSOCK, ENOTSOCK},
    {WSAETIMEDOUT, ETIMEDOUT},
    {WSAEWOULDBLOCK, EAGAIN},
};

// The parts of a status that has no error of its own in the API above.
constexpr auto kDeletePending = static_cast<NTSTATUS>(0xc000'0056);
constexpr auto kFileIsADirectory = static_cast<NTSTATUS>(0xc000'00ba);
constexpr auto kNotADirectory = static_cast<NTSTATUS>(0xc000'0103);

bool is_separator(char c) noexcept { return c == '/' || c == '\\'; }

bool is_drive(std::string_view path) noexcept {
    return path.size() >= 2 && path[1] == ':' &&
           ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z'));
}

bool is_absolute(std::string_view path) noexcept { return (!path.empty() && is_separator(path[0])) || is_drive(path); }

std::wstring full_path(const wchar_t* path) {
    std::wstring full(::GetFullPathNameW(path, 0, nullptr, nullptr), L'\0');
    full.resize(::GetFullPathNameW(path, static_cast<DWORD>(full.size()), full.data(), nullptr));
    return full;
}

// Appends the parts of `rest` to a folder of at least `root_size` characters, and resolves "." and "..". The system
// would do that, too, but for a short path only, and would find a device under "aux" and "folder" under "folder.".
std::wstring with_parts(std::wstring folder, std::size_t root_size, std::string_view rest) {
    while (folder.size() > root_size && folder.ends_with(L'\\'))
        folder.pop_back();
    while (!rest.empty()) {
        const std::size_t end = rest.find_first_of("/\\");
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            folder.resize(std::max(folder.rfind(L'\\') + 1, root_size + 1) - 1);
            continue;
        }
        folder += L'\\' + to_utf16(part);
    }
    return folder;
}

struct Rooted {
    std::wstring path;          // begins with "\\?\"
    std::size_t root_size = 0;  // of "\\?\C:" or "\\?\UNC\server\share"
};

// `full` is a full path of the system: "C:\folder", "\\server\share\folder" or "\\?\…".
Rooted with_prefix(std::wstring full) {
    if (!full.starts_with(L"\\\\?\\"))
        full = full.starts_with(L"\\\\") ? L"\\\\?\\UNC" + full.substr(1) : L"\\\\?\\" + full;
    constexpr std::wstring_view kShare = L"\\\\?\\UNC\\";
    std::size_t root_size = full.find(L'\\', 4);
    if (full.starts_with(kShare)) {
        const std::size_t server_end = full.find(L'\\', kShare.size());
        root_size = server_end == full.npos ? full.npos : full.find(L'\\', server_end + 1);
    }
    root_size = std::min(root_size, full.size());
    return {std::move(full), root_size};
}

bool has_parent_part(std::string_view path) noexcept {
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t end = std::min(path.find_first_of("/\\", start), path.size());
        if (path.substr(start, end - start) == "..")
            return true;
        start = end + 1;
    }
    return false;
}

// A colon would name a stream of a file, beside its content.
bool names_stream(std::string_view path) noexcept {
    const std::string_view rest = is_drive(path) ? path.substr(2) : path;
    return !path.starts_with("\\\\?\\") && rest.find(':') != rest.npos;
}

Result<Descriptor> call_nt_create(HANDLE folder, std::wstring_view name, std::string_view subject,
                                  const NtOpening& opening) {
    if (name.size() > kPathLengthMax)
        return system_error(ENAMETOOLONG, subject);
    UNICODE_STRING text{.Length = static_cast<USHORT>(name.size() * sizeof(wchar_t)),
                        .MaximumLength = static_cast<USHORT>(name.size() * sizeof(wchar_t)),
                        .Buffer = const_cast<wchar_t*>(name.data())};
    OBJECT_ATTRIBUTES object{};
    InitializeObjectAttributes(&object, &text, OBJ_CASE_INSENSITIVE, folder, nullptr);
    IO_STATUS_BLOCK done{};
    HANDLE handle = nullptr;
    const ULONG options = opening.options |
                          (opening.links == Links::refused || opening.opens_link ? FILE_OPEN_REPARSE_POINT : 0) |
                          (opening.is_overlapped ? 0 : FILE_SYNCHRONOUS_IO_NONALERT);
    const NTSTATUS status =
        ::NtCreateFile(&handle, opening.access | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &object, &done, nullptr,
                       opening.attributes, kShareAll, opening.disposition, options, nullptr, 0);
    if (status < 0)
        return system_error(number_of_status(status), subject);
    return descriptor_from(handle,
                           opening.is_overlapped ? Descriptor::Kind::overlapped_file : Descriptor::Kind::handle);
}

bool is_link(const Descriptor& file) noexcept {
    FILE_ATTRIBUTE_TAG_INFO tag{};
    // A reparse point that stands for no other name is a file of which the system keeps parts elsewhere.
    return ::GetFileInformationByHandleEx(handle_of(file), FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && IsReparseTagNameSurrogate(tag.ReparseTag);
}

// The name of a long path as the kernel has it.
std::wstring kernel_path(std::wstring path) {
    path[1] = L'?';  // "\??\"
    return path;
}

// The folder that has the file, found without following a link below the root, and the file's name in it.
Result<NtName> name_below_root(const FileLocation& location, std::string_view subject) {
    constexpr NtOpening kFolder{.access = FILE_TRAVERSE, .options = FILE_DIRECTORY_FILE};
    const std::string_view path = location.path();
    std::vector<std::string_view> parts;
    for (std::string_view rest = path.substr(location.root_size()); !rest.empty();) {
        const std::size_t end = rest.find_first_of("/\\");
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
        if (part == "..")
            return system_error(ELOOP, subject);
        if (!part.empty() && part != ".")
            parts.push_back(part);
    }
    NtName found;
    if (location.folder() != nullptr) {
        found.folder = handle_of(*location.folder());
    } else {
        const std::wstring root = kernel_path(long_path(path.substr(0, location.root_size())));
        if (parts.empty()) {
            found.name = root;
            return found;
        }
        FARDEL_TRY_ASSIGN(found.opened, call_nt_create(nullptr, root, subject, kFolder));
        found.folder = handle_of(found.opened);
    }
    if (parts.empty())
        return found;
    for (const std::string_view part : std::span(parts).first(parts.size() - 1)) {
        NtOpening step = kFolder;
        step.links = Links::refused;
        FARDEL_TRY_ASSIGN(Descriptor next, call_nt_create(found.folder, to_utf16(part), subject, step));
        if (is_link(next))
            return system_error(ELOOP, subject);
        found.opened = std::move(next);
        found.folder = handle_of(found.opened);
    }
    found.name = to_utf16(parts.back());
    return found;
}

}  // namespace

int number_of_failure(DWORD failure) noexcept {
    const auto* const found = std::ranges::find(kFailures, failure, &Failure::windows);
    return found == std::end(kFailures) ? EIO : found->number;
}

int number_of_status(NTSTATUS status) noexcept {
    switch (status) {
        case kDeletePending: return ENOENT;  // it is gone once its last reader has closed it
        case kFileIsADirectory: return EISDIR;
        case kNotADirectory: return ENOTDIR;
        default: return number_of_failure(::RtlNtStatusToDosError(status));
    }
}

std::wstring to_utf16(std::string_view utf8) {
    const int size = static_cast<int>(utf8.size());
    std::wstring utf16(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)),
                       L'\0');
    ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, utf16.data(), static_cast<int>(utf16.size()));
    return utf16;
}

std::string to_utf8(std::wstring_view utf16) {
    const int size = static_cast<int>(utf16.size());
    std::string utf8(
        static_cast<std::size_t>(::WideCharToMultiByte(CP_UTF8, 0, utf16.data(), size, nullptr, 0, nullptr, nullptr)),
        '\0');
    ::WideCharToMultiByte(CP_UTF8, 0, utf16.data(), size, utf8.data(), static_cast<int>(utf8.size()), nullptr, nullptr);
    return utf8;
}

std::wstring long_path(std::string_view path) {
    if (path.starts_with("\\\\?\\") || path.starts_with("\\\\.\\"))
        return to_utf16(path);
    std::string_view rest = path;
    Rooted base;
    if (path.size() >= 2 && is_separator(path[0]) && is_separator(path[1])) {  // "\\server\share\…"
        std::size_t end = std::min(path.find_first_of("/\\", 2), path.size());
        end = std::min(path.find_first_of("/\\", end + 1), path.size());
        std::wstring share = to_utf16(path.substr(0, end));
        std::ranges::replace(share, L'/', L'\\');
        base = with_prefix(std::move(share));
        rest.remove_prefix(end);
    } else if (!path.empty() && is_separator(path[0])) {  // of the current drive
        base = with_prefix(full_path(L"\\"));
    } else if (is_drive(path) && path.size() > 2 && is_separator(path[2])) {
        base = with_prefix(to_utf16(path.substr(0, 2)) + L'\\');
        rest.remove_prefix(2);
    } else if (is_drive(path)) {  // below the current folder of that drive
        base = with_prefix(full_path((to_utf16(path.substr(0, 2)) + L'.').c_str()));
        rest.remove_prefix(2);
    } else {
        base = with_prefix(full_path(L"."));
    }
    std::wstring whole = with_parts(std::move(base.path), base.root_size, rest);
    if (whole.size() == base.root_size)
        whole += L'\\';  // "\\?\C:" would be the drive and not its folder
    return whole;
}

std::string plain_path(std::wstring_view long_path) {
    std::string path;
    if (long_path.starts_with(L"\\\\?\\UNC\\"))
        path = "/" + to_utf8(long_path.substr(7));
    else
        path = to_utf8(long_path.starts_with(L"\\\\?\\") ? long_path.substr(4) : long_path);
    std::ranges::replace(path, '\\', '/');
    return path;
}

Result<std::wstring> final_path(const Descriptor& file, std::string_view subject) {
    std::wstring path(kPathLengthMax + 1, L'\0');
    const DWORD size = ::GetFinalPathNameByHandleW(handle_of(file), path.data(), static_cast<DWORD>(path.size()), 0);
    if (size == 0 || size >= path.size())
        return last_error(subject);
    path.resize(size);
    return path;
}

Result<NtName> nt_name(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    const std::string& path = location.path();
    if (path.empty() || names_stream(path))
        return system_error(ENOENT, subject);
    if (location.root_size() != 0)
        return name_below_root(location, subject);
    NtName found;
    if (location.folder() == nullptr || is_absolute(path)) {
        found.name = kernel_path(long_path(path));
        return found;
    }
    if (has_parent_part(path)) {  // the kernel knows no "..", so this starts from the folder's own path
        FARDEL_TRY_ASSIGN(std::wstring folder, final_path(*location.folder(), subject));
        Rooted base = with_prefix(std::move(folder));
        found.name = kernel_path(with_parts(std::move(base.path), base.root_size, path));
        return found;
    }
    found.folder = handle_of(*location.folder());
    found.name = with_parts({}, 0, path);
    if (!found.name.empty())
        found.name.erase(0, 1);
    return found;
}

Result<Descriptor> nt_open(const FileLocation& location, std::string_view subject, const NtOpening& opening) {
    FARDEL_TRY_ASSIGN(const NtName found, nt_name(location, subject));
    NtOpening how = opening;
    if (location.root_size() != 0 && location.path().size() > location.root_size())
        how.links = Links::refused;
    if (is_separator(location.path().back()) && (how.options & FILE_NON_DIRECTORY_FILE) == 0)
        how.options |= FILE_DIRECTORY_FILE;
    FARDEL_TRY_ASSIGN(Descriptor file, call_nt_create(found.folder, found.name, subject, how));
    if (how.links == Links::refused && !how.opens_link && is_link(file))
        return system_error(ELOOP, subject);
    return file;
}

Result<Descriptor> nt_open_again(const Descriptor& file, std::string_view subject, const NtOpening& opening) {
    return call_nt_create(handle_of(file), {}, subject, opening);
}

NTSTATUS nt_remove(const Descriptor& file) {
    // Of ntifs.h, and beyond the values of the enumeration in winternl.h: FILE_DISPOSITION_INFORMATION_EX with DELETE,
    // POSIX_SEMANTICS and IGNORE_READONLY_ATTRIBUTE.
    int kind = 64;
    ULONG flags = 0x01 | 0x02 | 0x10;
    IO_STATUS_BLOCK done{};
    return ::NtSetInformationFile(handle_of(file), &done, &flags, sizeof flags,
                                  static_cast<FILE_INFORMATION_CLASS>(kind));
}

NTSTATUS nt_remove_on_close(const Descriptor& file) {
    IO_STATUS_BLOCK done{};
    BOOLEAN removed = TRUE;
    const NTSTATUS status =
        ::NtSetInformationFile(handle_of(file), &done, &removed, sizeof removed, FileDispositionInformation);
    // That is refused for a file that somebody has mapped; a handle that removes it when it is closed is not.
    constexpr ULONG kRemoves = FILE_DELETE_ON_CLOSE | FILE_OPEN_REPARSE_POINT;
    return status == kCannotDelete && nt_open_again(file, {}, {.access = DELETE, .options = kRemoves}) ? NTSTATUS{0}
                                                                                                       : status;
}

SystemNumber open_socket(int family, int type, int protocol) noexcept {
    prepare_sockets();
    return static_cast<SystemNumber>(
        ::WSASocketW(family, type, protocol, nullptr, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
}

// Windows has no call that only starts to write.
void begin_sync(const Descriptor&) noexcept {}

std::optional<std::uint64_t> acknowledged_bytes(SystemNumber) noexcept { return std::nullopt; }

}  // namespace fardel
