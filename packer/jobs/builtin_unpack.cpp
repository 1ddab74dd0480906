#include "builtin.h"

#include <fardel/base/ascii.h>
#include <fardel/base/file.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/secret_files.h>
#include <fardel/sources/source_scan.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kUnpackedBytesMax = std::uint64_t{4} << 30;
constexpr std::size_t kUnpackPieceBytes = 256u << 10;

Error stopped() { return Error(ErrorCode::cancelled, "stopped"); }
Error too_large() {
    return Error(ErrorCode::limit, "it unpacks to more than " + std::to_string(kUnpackedBytesMax) + " bytes");
}

// An output file that is written piece by piece.
class OutputFile {
public:
    static Result<OutputFile> create(const std::string& path, std::string_view name) {
        std::string subject = "the output '" + printable(name) + "'";
        FARDEL_TRY_ASSIGN(Descriptor file, create_file(path, subject));
        return OutputFile(std::move(file), std::move(subject));
    }
    Status write(std::span<const std::byte> bytes) { return write_whole(file_, bytes, subject_); }

private:
    OutputFile(Descriptor file, std::string subject) : file_(std::move(file)), subject_(std::move(subject)) {}
    Descriptor file_;
    std::string subject_;
};

// ---- .gz ------------------------------------------------------------------------------------------------------------

// Reads complete members one after the other, and accepts nothing else. zlib's own file reader accepts some files that
// end too early.
class GzipReader {
public:
    GzipReader() { started_ = ::inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK; }
    ~GzipReader() {
        if (started_)
            ::inflateEnd(&stream_);
    }
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    // `packed`: the next piece of the file; empty at its end. `receive` receives the unpacked bytes.
    template <class Receive>
    Status read(std::span<std::byte> packed, Receive receive) {
        if (!started_)
            return Error(ErrorCode::io, "zlib does not start");
        if (packed.empty())
            return between_members_ && any_ ? ok() : malformed();
        stream_.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream_.avail_in = static_cast<uInt>(packed.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
            stream_.avail_out = static_cast<uInt>(unpacked_.size());
            // Files of gzip may be joined: each member starts a new stream.
            if (between_members_ && any_)
                ::inflateReset(&stream_);
            between_members_ = false;
            any_ = true;
            const int result = ::inflate(&stream_, Z_NO_FLUSH);
            if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
                return malformed();
            between_members_ = result == Z_STREAM_END;
            FARDEL_TRY(receive(std::span(unpacked_).first(unpacked_.size() - stream_.avail_out)));
        } while (stream_.avail_in > 0 || (!between_members_ && stream_.avail_out == 0));
        return ok();
    }

private:
    static Error malformed() { return Error(ErrorCode::malformed, "this is no whole gzip file"); }

    z_stream stream_{};
    bool started_ = false;
    bool between_members_ = true;
    bool any_ = false;
    std::array<std::byte, 64u << 10> unpacked_;
};

std::string without_last_extension(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }

Status unpack_gzip(const ProcessorJob& job, const JobInput& source, const JobFolder& folder,
                   const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const std::string name, only_output(job, without_last_extension(source.name.view())));
    FARDEL_TRY_ASSIGN(const std::string path, folder.new_output_path(name));
    const std::string shown = "'" + printable(source.name.view()) + "'";
    FARDEL_TRY_ASSIGN(const Descriptor packed, open_file(folder.input_path(source), shown));
    FARDEL_TRY_ASSIGN(OutputFile file, OutputFile::create(path, name));
    std::vector<std::byte> piece(kUnpackPieceBytes);
    GzipReader reader;
    std::uint64_t unpacked = 0;
    for (;;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(packed, piece, shown));
        FARDEL_TRY(reader.read(std::span(piece).first(count), [&](std::span<const std::byte> bytes) -> Status {
            unpacked += bytes.size();
            if (stop.stop_requested())
                return stopped();
            return unpacked > kUnpackedBytesMax ? Status(too_large()) : file.write(bytes);
        }));
        if (count == 0)
            return ok();
    }
}

// ---- .zip and .pk3 --------------------------------------------------------------------------------------------------

Status unpack_entry(const SourceEntry& entry, const JobFolder& folder, const std::string& name, std::uint64_t& unpacked,
                    const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const std::string path, folder.new_output_path(name));
    FARDEL_TRY_ASSIGN(const auto stream, entry.blob->open());
    FARDEL_TRY_ASSIGN(OutputFile file, OutputFile::create(path, name));
    std::vector<std::byte> piece(kUnpackPieceBytes);
    for (;;) {
        if (stop.stop_requested())
            return stopped();
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(piece));
        if (count == 0)
            return ok();
        unpacked += count;
        if (unpacked > kUnpackedBytesMax)
            return too_large();
        FARDEL_TRY(file.write(std::span(piece).first(count)));
    }
}

Status unpack_archive(const ProcessorJob& job, const JobInput& source, const JobFolder& folder,
                      const std::stop_token& stop) {
    const std::vector<std::string> archives = {folder.input_path(source)};
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(archives, {}, make_archive_reader().get()));
    // All or nothing: a job whose output lacks a file that the archive has would hide the refusal.
    if (!scan.report.refused.empty()) {
        const RefusedName& refused = scan.report.refused.front();
        return Error(refused.reason).with_context("its file '" + refused.printable_name + "'");
    }
    const std::string prefix = without_last_extension(source.name.view()) + "/";
    // If 'outputs' is set, only the files that it names are unpacked.
    std::erase_if(scan.entries, [&](const SourceEntry& entry) {
        return !job.outputs.empty() && std::ranges::find(job.outputs, prefix + entry.name.text()) == job.outputs.end();
    });
    FARDEL_TRY(refuse_secrets(scan, {}));
    std::uint64_t unpacked = 0;
    for (const SourceEntry& entry : scan.entries)
        FARDEL_TRY(unpack_entry(entry, folder, prefix + entry.name.text(), unpacked, stop));
    return ok();
}

Status unpack(const ProcessorJob& job, const JobFolder& folder, const JobEnvironment& environment) {
    FARDEL_TRY_ASSIGN(const JobInput* const source, only_source(job));
    const std::string name = lower_ascii_text(source->name.leaf());
    if (name.ends_with(".gz") && name.size() > 3)
        return unpack_gzip(job, *source, folder, environment.stop);
    if (name.size() > 4 && (name.ends_with(".zip") || name.ends_with(".pk3")))
        return unpack_archive(job, *source, folder, environment.stop);
    return Error(ErrorCode::malformed, "the built-in 'unpack' takes files that end in .gz, .zip or .pk3");
}

}  // namespace

const Builtin kUnpackBuiltin = {.name = "unpack", .version = "1", .run = unpack};

}  // namespace fardel
