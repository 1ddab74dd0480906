#include <fardel/base/folder_watch.h>

#include "system_call_windows.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

constexpr DWORD kChanges = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME | FILE_NOTIFY_CHANGE_SIZE |
                           FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_ATTRIBUTES;

bool has_part(std::wstring_view path, std::wstring_view part) noexcept {
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find(L'\\', start), path.size());
        if (path.substr(start, end - start) == part)
            return true;
        start = end + 1;
    }
    return false;
}

class ChangeQueue final : public FolderWatch {
public:
    static Result<std::unique_ptr<FolderWatch>> open(const std::string& path, std::string_view ignored) {
        FARDEL_TRY_ASSIGN(Descriptor folder, nt_open(path, path,
                                                     {.access = FILE_LIST_DIRECTORY,
                                                      .options = FILE_DIRECTORY_FILE,
                                                      .links = Links::refused,
                                                      .is_overlapped = true}));
        Descriptor event = descriptor_from(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
        if (!event)
            return last_error(path);
        std::unique_ptr<ChangeQueue> watch(
            new ChangeQueue(std::move(folder), std::move(event), path, to_utf16(ignored)));
        FARDEL_TRY(watch->await());
        return std::unique_ptr<FolderWatch>(std::move(watch));
    }
    ChangeQueue(const ChangeQueue&) = delete;
    ChangeQueue& operator=(const ChangeQueue&) = delete;
    ~ChangeQueue() override {
        // The system writes into this object until the call has ended.
        DWORD unused = 0;
        if (::CancelIoEx(handle_of(folder_), &call_) || ::GetLastError() != ERROR_NOT_FOUND)
            ::GetOverlappedResult(handle_of(folder_), &call_, &unused, TRUE);
    }

    Result<bool> take_change() override {
        bool changed = false;
        while (::WaitForSingleObject(handle_of(event_), 0) == WAIT_OBJECT_0) {
            DWORD size = 0;
            if (!::GetOverlappedResult(handle_of(folder_), &call_, &size, FALSE))
                return last_error(path_);
            // Without bytes, there were more changes than the system keeps.
            changed = changed || size == 0 || has_change(size);
            FARDEL_TRY(await());
        }
        return changed;
    }

private:
    ChangeQueue(Descriptor folder, Descriptor event, std::string path, std::wstring ignored)
        : folder_(std::move(folder)), event_(std::move(event)), path_(std::move(path)), ignored_(std::move(ignored)) {}

    Status await() {
        ::ResetEvent(handle_of(event_));
        call_ = {};
        call_.hEvent = handle_of(event_);
        return status_of_call(
            ::ReadDirectoryChangesW(handle_of(folder_), buffer_.data(), static_cast<DWORD>(buffer_.size()), TRUE,
                                    kChanges, nullptr, &call_, nullptr),
            path_);
    }

    bool has_change(std::size_t size) const {
        for (std::size_t at = 0; at < size;) {
            FILE_NOTIFY_INFORMATION head;
            constexpr std::size_t kHeadBytes = offsetof(FILE_NOTIFY_INFORMATION, FileName);
            std::memcpy(&head, buffer_.data() + at, kHeadBytes);
            std::wstring name(head.FileNameLength / sizeof(wchar_t), L'\0');
            std::memcpy(name.data(), buffer_.data() + at + kHeadBytes, head.FileNameLength);
            if (ignored_.empty() || !has_part(name, ignored_))
                return true;
            if (head.NextEntryOffset == 0)
                break;
            at += head.NextEntryOffset;
        }
        return false;
    }

    const Descriptor folder_;
    const Descriptor event_;
    const std::string path_;
    const std::wstring ignored_;
    OVERLAPPED call_{};
    alignas(DWORD) std::array<std::byte, 32u << 10> buffer_{};
};

}  // namespace

Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view ignored) {
    return ChangeQueue::open(path, ignored);
}

}  // namespace fardel
