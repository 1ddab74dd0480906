#include "archive_program.h"

#include <fardel/base/confined_program.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/free_space.h>
#include <fardel/base/own_program.h>
#include <fardel/format/name.h>
#include <fardel/format/source_descriptor.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kArchiveProgram = "fardel-archive";
constexpr std::uint64_t kMemoryBytesMax = own_program_memory(std::uint64_t{2} << 30);
constexpr std::uint64_t kListingBytesMax = std::uint64_t{64} << 20;
constexpr std::uint64_t kFailureBytesMax = std::uint64_t{64} << 20;
constexpr std::chrono::seconds kListingTimeMax{60};
constexpr std::chrono::seconds kUnpackingTimeMax{600};
constexpr std::size_t kCopiedAtOnce = 256u << 10;

// A descriptor of the archive's bytes; those that are not in a file are copied to one without a name.
class ArchiveFile {
public:
    static Result<ArchiveFile> open(const ByteSource& archive) {
        ArchiveFile file;
        file.source_ = find_descriptor(archive);
        if (file.source_ != nullptr)
            return file;
        // The program may open no file, so it inherits one: an archive in memory or inside a bundle is copied to a file
        // first.
        FARDEL_TRY_ASSIGN(file.copy_, create_unnamed_file("the copy of the archive"));
        std::vector<std::byte> piece(kCopiedAtOnce);
        for (std::uint64_t at = 0; at < archive.size_bytes();) {
            const auto count = std::min<std::uint64_t>(piece.size(), archive.size_bytes() - at);
            const auto part = std::span(piece).first(static_cast<std::size_t>(count));
            FARDEL_TRY(archive.read_at(at, part));
            FARDEL_TRY(write_whole(file.copy_, part, "the copy of the archive"));
            at += count;
        }
        return file;
    }
    const Descriptor* descriptor() const { return source_ != nullptr ? source_ : &copy_; }

private:
    const Descriptor* source_ = nullptr;
    Descriptor copy_;
};

struct ArchiveCall {
    std::vector<std::string> words;
    std::uint64_t output_bytes_max;
    std::chrono::seconds time_max;
};

Status verify_outcome(const ConfinedOutcome& outcome, std::chrono::seconds time_max) {
    switch (outcome.reason) {
        case ConfinedOutcome::Reason::timed_out:
            return Error(ErrorCode::limit, "the archive was not read after " + std::to_string(time_max.count()) + " s");
        case ConfinedOutcome::Reason::killed:
            return Error(ErrorCode::malformed,
                         "a broken archive, or one that needs too much memory: its reader was "
                         "ended by signal " +
                             std::to_string(outcome.code));
        case ConfinedOutcome::Reason::cancelled:
        case ConfinedOutcome::Reason::answered_too_much:
        case ConfinedOutcome::Reason::exited: break;
    }
    if (outcome.code == 0)
        return ok();
    if (std::optional<Error> reported = parse_archive_error(outcome.log))
        return std::move(*reported);
    return Error(ErrorCode::malformed, std::string(kArchiveProgram) + " ended with exit status " +
                                           std::to_string(outcome.code) + ": " + printable(outcome.log, 400));
}

// Returns the file that the program wrote.
Result<Descriptor> run_archive_program(const std::string& program, const ByteSource& archive,
                                       const ArchiveCall& wanted) {
    FARDEL_TRY_ASSIGN(const ArchiveFile input, ArchiveFile::open(archive));
    FARDEL_TRY_ASSIGN(Descriptor output, create_unnamed_file("the files of the archive"));
    ConfinedCall call{.program = program,
                      .arguments = {std::string(kArchiveProgram)},
                      .environment = {"HOME=/", "LC_ALL=C", "TZ=UTC0"},
                      .folder = "/",
                      .input = {},
                      .input_file = input.descriptor(),
                      .output_file = &output,
                      .timeout = wanted.time_max,
                      .memory_bytes_max = kMemoryBytesMax,
                      .file_bytes_max = wanted.output_bytes_max,
                      .stop = {}};
    call.arguments.insert(call.arguments.end(), wanted.words.begin(), wanted.words.end());
    FARDEL_TRY_ASSIGN(const Sandbox sandbox, Sandbox::make(own_program_rules(program, "")));
    FARDEL_TRY_ASSIGN(const ConfinedOutcome outcome, run_confined(call, sandbox));
    FARDEL_TRY(verify_outcome(outcome, wanted.time_max));
    return output;
}

// Reads the bytes from `offset` to the end of the file.
Result<std::vector<std::byte>> read_rest(const Descriptor& file, std::uint64_t offset, std::uint64_t bytes_max) {
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file, "the files of the archive"));
    if (status.size_bytes < offset || status.size_bytes - offset > bytes_max)
        return Error(ErrorCode::malformed, "the reader of the archive wrote " + std::to_string(status.size_bytes) +
                                               " bytes, other than it had announced");
    std::vector<std::byte> bytes(static_cast<std::size_t>(status.size_bytes - offset));
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file, offset, bytes, "the files of the archive"));
    bytes.resize(count);
    return bytes;
}

Status verify_room(std::uint64_t size_bytes) {
    const auto folder = find_temporary_folder();
    return folder ? verify_free_space(*folder, size_bytes, "unpacking its files for reading") : ok();
}

}  // namespace

Result<std::string> find_archive_program(const std::string& wanted, std::string_view format) {
    return find_own_program(kArchiveProgram, wanted, FARDEL_LIBEXEC_FOLDER,
                            "an archive of the kind " + std::string(format));
}

Result<std::vector<ArchiveItem>> list_in_program(const std::string& program, const ByteSource& archive,
                                                 std::string_view format) {
    FARDEL_TRY_ASSIGN(const Descriptor output, run_archive_program(program, archive,
                                                                   {.words = {"list", std::string(format)},
                                                                    .output_bytes_max = kListingBytesMax,
                                                                    .time_max = kListingTimeMax}));
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> bytes, read_rest(output, 0, kListingBytesMax));
    return decode_archive_items(bytes);
}

Result<UnpackedFiles> unpack_in_program(const std::string& program, const ByteSource& archive, std::string_view format,
                                        std::span<const ArchiveItem> items) {
    FARDEL_TRY_ASSIGN(const std::uint64_t sum, sum_of_files(items, kUnpackedBytesMax));
    // Asked for beforehand: half of an archive is of no use, and the temporary folder is shared with other programs.
    FARDEL_TRY(verify_room(sum));
    FARDEL_TRY_ASSIGN(Descriptor output, run_archive_program(program, archive,
                                                             {.words = {"unpack", std::string(format)},
                                                              // What is behind the files are the reasons why some could
                                                              // not be read.
                                                              .output_bytes_max = sum + kFailureBytesMax,
                                                              .time_max = kUnpackingTimeMax}));
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> trailer, read_rest(output, sum, kFailureBytesMax));
    const auto files = std::ranges::count(items, ArchiveItem::Kind::file, &ArchiveItem::kind);
    FARDEL_TRY_ASSIGN(ReadFailures failures, decode_read_failures(trailer, static_cast<std::size_t>(files)));
    return UnpackedFiles{.bytes = std::move(output), .failures = std::move(failures)};
}

}  // namespace fardel
