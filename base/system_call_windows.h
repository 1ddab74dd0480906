// Common parts of system calls, for files named *_windows.cpp.
//
// Files are opened with NtCreateFile, which finds a name below an open folder. Narrow text is UTF-8 everywhere; this is
// where it becomes UTF-16.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <winsock2.h>
#include <winternl.h>

#include <fardel/base/descriptor.h>
#include <fardel/base/file.h>
#include <fardel/base/file_location.h>
#include <fardel/base/result.h>
#include <fardel/base/system_error.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

// ---- Handles --------------------------------------------------------------------------------------------------------

inline HANDLE handle_from(SystemNumber number) noexcept {
    constexpr DWORD kStandard[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    // A handle is a multiple of four.
    return number >= 0 && number < 3 ? ::GetStdHandle(kStandard[number]) : reinterpret_cast<HANDLE>(number);
}
inline HANDLE handle_of(const Descriptor& file) noexcept { return handle_from(file.number()); }

// Of a call that returns nullptr or INVALID_HANDLE_VALUE if it fails: no descriptor then.
inline Descriptor descriptor_from(HANDLE handle, Descriptor::Kind kind = Descriptor::Kind::handle) noexcept {
    return Descriptor(handle == nullptr ? -1 : reinterpret_cast<SystemNumber>(handle), kind);
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

// The errno for a failure that GetLastError() or WSAGetLastError() returns, or for an NTSTATUS.
int number_of_failure(DWORD failure) noexcept;
int number_of_status(NTSTATUS status) noexcept;

inline Error failure_error(DWORD failure, std::string_view subject) {
    return system_error(number_of_failure(failure), subject);
}
inline Error last_error(std::string_view subject) { return failure_error(::GetLastError(), subject); }
inline Status status_of_call(BOOL succeeded, std::string_view subject) {
    return succeeded ? ok() : Status(last_error(subject));
}

// ---- Text -----------------------------------------------------------------------------------------------------------

// Ill-formed text becomes U+FFFD: such a name names no file of ours.
std::wstring to_utf16(std::string_view utf8);
std::string to_utf8(std::wstring_view utf16);

// The absolute form of a path, with '\' and without "." and "..": "\\?\C:\folder\file", to which no limit of 260
// characters applies, and in which no name is a device.
std::wstring long_path(std::string_view path);
// The same as people write it: "C:/folder/file".
std::string plain_path(std::wstring_view long_path);

// The long path of an open file, without links.
Result<std::wstring> final_path(const Descriptor& file, std::string_view subject);

// ---- Files ----------------------------------------------------------------------------------------------------------

// Others may read, write, rename and remove what we have open, as on other systems.
inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct NtOpening {
    ACCESS_MASK access = FILE_READ_ATTRIBUTES;
    ULONG disposition = FILE_OPEN;
    ULONG options = 0;
    ULONG attributes = FILE_ATTRIBUTE_NORMAL;
    Links links = Links::followed;
    bool opens_link = false;  // a link is opened itself
    bool is_overlapped = false;
};

// Opens or creates a file. Below a root of the location, no link is followed. Errors: malformed (ELOOP: a link; a path
// with a NUL character), those of system_error.h.
Result<Descriptor> nt_open(const FileLocation& location, std::string_view subject, const NtOpening& opening);
// Opens what `file` has open once more, with another access.
Result<Descriptor> nt_open_again(const Descriptor& file, std::string_view subject, const NtOpening& opening);
// A location as the kernel takes it: a name below an open folder, or an absolute one without a folder.
struct NtName {
    HANDLE folder = nullptr;
    std::wstring name;
    Descriptor opened;  // keeps the folder open, unless it is the location's own
};
// Errors: those of nt_open.
Result<NtName> nt_name(const FileLocation& location, std::string_view subject);

inline constexpr auto kCannotDelete = static_cast<NTSTATUS>(0xc000'0121);

// Removes the name of a file or empty folder that is open with DELETE, at once: who has it open reads on. Fails where
// the file system cannot do that.
NTSTATUS nt_remove(const Descriptor& file);
// The same once all have closed it; until then nobody can open or create the name.
NTSTATUS nt_remove_on_close(const Descriptor& file);

// Windows counts ticks of 100 ns since 1601.
inline constexpr std::int64_t kTicksBefore1970 = 116'444'736'000'000'000;
inline constexpr std::int64_t kNsPerTick = 100;
constexpr std::int64_t file_time_ns(std::int64_t ticks) noexcept { return (ticks - kTicksBefore1970) * kNsPerTick; }

Result<FileStatus> status_of_handle(HANDLE handle, std::string_view subject);

inline Status verify_path(const FileLocation& location) {
    return location.path().find('\0') == std::string::npos
               ? ok()
               : Status(Error(ErrorCode::malformed, "a path with a NUL character in it names no file"));
}

}  // namespace fardel
