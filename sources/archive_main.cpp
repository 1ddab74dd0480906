// fardel-archive reads one archive of a format that only PhysicsFS knows. fardel::archives starts it, confined. It is
// not for people, and its arguments and output may change with every version.
//
//   fardel-archive list FORMAT < ARCHIVE > ITEMS
//   fardel-archive unpack FORMAT < ARCHIVE > FILES      (the bytes of all files, then how reading each of them ended)
//
// If the archive cannot be read, it prints "CODE MESSAGE" on standard error and exits with status 1.
#include "archive_items.h"
#include "archive_program.h"
#include "physfs_archive.h"
#include "seven_zip_methods.h"

#include <fardel/base/file.h>
#include <fardel/base/own_program_main.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kItemsMax = 1u << 20;
constexpr std::size_t kPieceBytes = 256u << 10;
constexpr std::uint64_t kListBytesMax = 64u << 20;  // of the list of files of a 7z

// The file that is this program's standard input.
class StandardInput final : public ByteSource {
public:
    StandardInput(const Descriptor& file, std::uint64_t size_bytes) : file_(file), size_bytes_(size_bytes) {}
    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, offset, out, "the archive"));
        return count == out.size() ? ok() : Status(Error(ErrorCode::corrupt, "the archive ends too early"));
    }

private:
    const Descriptor& file_;
    std::uint64_t size_bytes_;
};

class ArchiveWalk {
public:
    explicit ArchiveWalk(const PhysfsArchive& archive) : archive_(archive) {}

    // The depth of the recursion is bounded by that of names.
    Status walk(const std::string& folder) {
        FARDEL_TRY_ASSIGN(const std::vector<std::string> names, archive_.list(folder));
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (items_.size() == kItemsMax)
                return Error(ErrorCode::limit, "the archive has more than " + std::to_string(kItemsMax) + " items");
            std::string name = folder.empty() ? names[i] : folder + '/' + names[i];
            if (i > 0 && names[i] == names[i - 1])
                items_.push_back({.kind = ArchiveItem::Kind::repeated, .name = std::move(name)});
            else
                FARDEL_TRY(add(std::move(name)));
        }
        return ok();
    }

    std::vector<ArchiveItem> finish() { return std::move(items_); }

private:
    Status add(std::string name) {
        // First of all, because PhysicsFS would look for some bad names in another folder.
        if (!verify_name(name)) {
            items_.push_back({.kind = ArchiveItem::Kind::bad_name, .name = std::move(name)});
            return ok();
        }
        Result<PhysfsArchive::Item> item = archive_.stat(name);
        if (!item) {
            items_.push_back(
                {.kind = ArchiveItem::Kind::unreadable, .name = std::move(name), .reason = std::move(item).error()});
            return ok();
        }
        if (item->is_folder) {
            items_.push_back({.kind = ArchiveItem::Kind::folder, .name = name});
            return walk(name);
        }
        items_.push_back({.name = std::move(name), .size_bytes = item->size_bytes});
        return ok();
    }

    const PhysfsArchive& archive_;
    std::vector<ArchiveItem> items_;
};

Result<std::vector<std::byte>> unpack_only_file(std::vector<std::byte> bytes) {
    FARDEL_TRY_ASSIGN(const auto archive, PhysfsArchive::mount(make_memory_source(std::move(bytes)), "7z"));
    FARDEL_TRY_ASSIGN(const std::vector<std::string> names, archive->list(""));
    if (names.size() != 1)
        return Error(ErrorCode::malformed, "not one file");
    FARDEL_TRY_ASSIGN(const PhysfsArchive::Item item, archive->stat(names.front()));
    if (item.size_bytes > kListBytesMax)
        return Error(ErrorCode::limit, "more than " + std::to_string(kListBytesMax) + " bytes");
    std::vector<std::byte> content(static_cast<std::size_t>(item.size_bytes));
    FARDEL_TRY_ASSIGN(const auto stream, archive->open(names.front(), content.size(), "the list of files"));
    for (std::span<std::byte> rest(content); !rest.empty();) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(rest));
        rest = rest.subspan(count);
    }
    return content;
}

std::string not_read(const SevenZipMethods& methods) {
    return "compressed by " + methods.names + ", which is not read; make the 7z with LZMA or LZMA2";
}

// PhysicsFS only says that it does not read a file.
Error with_methods(Error error, const std::optional<SevenZipMethods>& methods) {
    return methods ? Error(error.code(), error.message() + " (compressed by " + methods->names + ")")
                   : std::move(error);
}

std::optional<SevenZipMethods> find_methods(const SevenZipContent& content, const std::string& name) {
    const auto found = content.files.find(name);
    return found != content.files.end() ? std::optional(found->second) : std::nullopt;
}

// Refuses the files that are compressed by methods that PhysicsFS does not have.
void judge_methods(const SevenZipContent& content, std::vector<ArchiveItem>& items) {
    for (ArchiveItem& item : items) {
        const auto methods = find_methods(content, item.name);
        if (item.kind == ArchiveItem::Kind::file && methods && !methods->is_readable)
            item = {.kind = ArchiveItem::Kind::unreadable,
                    .name = std::move(item.name),
                    .reason = Error(ErrorCode::unsupported, not_read(*methods))};
    }
}

Status copy_file(const PhysfsArchive& archive, const ArchiveItem& item, std::uint64_t offset, const Descriptor& output,
                 std::span<std::byte> piece) {
    FARDEL_TRY_ASSIGN(const auto stream, archive.open(item.name, item.size_bytes, "PhysicsFS says"));
    for (std::uint64_t left = item.size_bytes; left > 0;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(piece));
        FARDEL_TRY(write_whole_at(output, offset, piece.first(count), "the file of unpacked files"));
        offset += count;
        left -= count;
    }
    return ok();
}

Status unpack(const PhysfsArchive& archive, std::span<const ArchiveItem> items, const SevenZipContent& content,
              const Descriptor& output) {
    FARDEL_TRY(sum_of_files(items, kUnpackedBytesMax));
    std::vector<std::byte> piece(kPieceBytes);
    ReadFailures failures;
    std::uint64_t offset = 0;
    for (const ArchiveItem& item : items) {
        if (item.kind != ArchiveItem::Kind::file)
            continue;
        Status copied = copy_file(archive, item, offset, output, piece);
        if (!copied && copied.error().system_number() != 0)  // of the disk, not of the archive
            return copied;
        failures.push_back(
            copied ? std::nullopt
                   : std::optional(with_methods(std::move(copied).error(), find_methods(content, item.name))));
        offset += item.size_bytes;
    }
    return write_whole_at(output, offset, encode_read_failures(failures), "the file of unpacked files");
}

Status run(std::string_view verb, std::string_view format) {
    static const Descriptor input(0);
    static const Descriptor output(1);
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(input, "the archive"));
    const auto bytes = std::make_shared<StandardInput>(input, status.size_bytes);
    const bool is_seven_zip = format == "7z";
    auto archive = PhysfsArchive::mount(bytes, format);
    if (!archive) {
        const auto content = is_seven_zip ? read_seven_zip(*bytes, nullptr) : SevenZipContent();
        return content && !content->list.is_readable
                   ? Error(ErrorCode::unsupported, "its list of files is " + not_read(content->list))
                   : std::move(archive).error();
    }
    ArchiveWalk walk(**archive);
    FARDEL_TRY(walk.walk(""));
    std::vector<ArchiveItem> items = walk.finish();
    // What is not understood of a 7z is PhysicsFS's to judge.
    const auto found = is_seven_zip ? read_seven_zip(*bytes, unpack_only_file) : SevenZipContent();
    const SevenZipContent content = found ? *found : SevenZipContent();
    judge_methods(content, items);
    return verb == "unpack" ? unpack(**archive, items, content, output)
                            : write_whole(output, encode_archive_items(items), "the listing");
}

int run(std::span<char* const> words) {
    if (words.size() != 3 || (std::string_view(words[1]) != "list" && std::string_view(words[1]) != "unpack"))
        return kOwnProgramBadArguments;
    const Status done = run(std::string_view(words[1]), std::string_view(words[2]));
    if (!done)
        std::fprintf(stderr, "%s\n", archive_error_line(done.error()).c_str());
    return done ? 0 : kOwnProgramFailed;
}

}  // namespace
}  // namespace fardel

int main(int count, char** words) { return fardel::run({words, static_cast<std::size_t>(count)}); }
