#include "job_folder.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace fardel {
namespace {

constexpr std::size_t kPieceBytes = 256u << 10;
constexpr std::uint64_t kOutputInMemoryMax = 64u << 10;  // smaller outputs are moved to memory at once
constexpr std::uint64_t kOutputBytesMax = 16ull << 30;   // of one job

Error cancelled() { return Error(ErrorCode::cancelled, "stopped"); }

// A file of a job's folder; keeps the folder alive.
class KeptFileBlob final : public BlobSource {
public:
    KeptFileBlob(std::shared_ptr<const JobFolder> folder, std::string path)
        : folder_(std::move(folder)), file_(make_file_blob(std::move(path))) {}
    Result<std::unique_ptr<BlobStream>> open() const override { return file_->open(); }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return file_->open_bytes(); }
    std::optional<Hash> find_version() const override { return file_->find_version(); }

private:
    std::shared_ptr<const JobFolder> folder_;
    std::shared_ptr<const BlobSource> file_;
};

Status create_parent(const std::string& path, std::string_view shown) {
    Status created = create_folders(folder_of_path(path));
    return created ? ok() : Status(std::move(created).error().with_context(shown));
}

// Copies and hashes the bytes.
Result<AssetId> copy(BlobStream& from, const Descriptor& to, std::string_view shown, const std::stop_token& stop) {
    std::vector<std::byte> piece(kPieceBytes);
    Hasher hasher;
    for (;;) {
        if (stop.stop_requested())
            return cancelled();
        FARDEL_TRY_ASSIGN(const std::size_t count, from.read(piece));
        if (count == 0)
            return id_from<AssetId>(hasher.finish());
        hasher.update(std::span(piece).first(count));
        FARDEL_TRY(write_whole(to, std::span(piece).first(count), shown));
    }
}

// ---- Outputs of a job ----------------------------------------------------------------------------------------------

class OutputWalk {
public:
    OutputWalk(std::shared_ptr<const JobFolder> job, const std::stop_token& stop)
        : job_(std::move(job)), stop_(stop), piece_(kPieceBytes) {}

    Status walk(const FileLocation& location, const std::string& prefix, std::size_t depth) {
        if (depth > limits::kNameDepthMax)
            return Error(ErrorCode::limit,
                         "it made folders in folders, deeper than " + std::to_string(limits::kNameDepthMax));
        const auto folder = open_folder(location, "out/" + printable(prefix), {.links = Links::refused});
        // The program may have put a link there, which would make this process read what the program could not.
        if (!folder && (folder.error().system_number() == ENOTDIR || folder.error().system_number() == ELOOP))
            return Error(ErrorCode::denied,
                         "its folder 'out/" + printable(prefix) + "' was replaced by a link or a file");
        if (!folder)
            return folder.error();
        FARDEL_TRY_ASSIGN(const std::vector<std::string> names, list_names(*folder, "out/" + printable(prefix)));
        for (const std::string& name : names)
            FARDEL_TRY(collect({*folder, name}, prefix + name, depth));
        return ok();
    }

    std::vector<JobOutput> finish() {
        std::ranges::sort(outputs_, {}, &JobOutput::name);
        return std::move(outputs_);
    }

private:
    Status collect(const FileLocation& location, const std::string& name, std::size_t depth) {
        if (stop_.stop_requested())
            return cancelled();
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(location, in_quotes(name), Links::refused));
        if (status.kind == FileKind::link)
            return Error(ErrorCode::denied,
                         "the output " + in_quotes(name) + " is a symbolic link; outputs have to be files");
        if (status.is_folder())
            return walk(location, name + "/", depth + 1);
        if (!status.is_file())
            return Error(ErrorCode::malformed, "the output " + in_quotes(name) + " is neither a file nor a folder");
        if (Status good = verify_name(name); !good)
            return std::move(good).error().with_context("the output " + in_quotes(name));
        if (outputs_.size() == kCachedOutputsMax)
            return Error(ErrorCode::limit, "it made more than " + std::to_string(kCachedOutputsMax) + " files");
        return read(location, name);
    }

    // A program may create files without read permission.
    static Result<Descriptor> open_output(const FileLocation& location, const std::string& shown) {
        auto file = open_file(location, shown, {.links = Links::refused});
        if (file || file.error().system_number() != EACCES)
            return file;
        FARDEL_TRY(set_permissions(location, 0600, shown));
        return open_file(location, shown, {.links = Links::refused});
    }

    Status read(const FileLocation& location, const std::string& name) {
        const std::string shown = "the output " + in_quotes(name);
        FARDEL_TRY_ASSIGN(const Descriptor file, open_output(location, shown));
        JobOutput output{.name = name};
        std::vector<std::byte> kept;
        Hasher hasher;
        for (;;) {
            if (stop_.stop_requested())
                return cancelled();
            FARDEL_TRY_ASSIGN(const std::size_t count, read_some(file, piece_, shown));
            if (count == 0)
                break;
            output.size_bytes += count;
            all_bytes_ += count;
            if (all_bytes_ > kOutputBytesMax)
                return Error(ErrorCode::limit, "it made more than " + std::to_string(kOutputBytesMax) + " bytes");
            const auto bytes = std::span(piece_).first(count);
            hasher.update(bytes);
            if (output.size_bytes <= kOutputInMemoryMax)
                kept.insert(kept.end(), bytes.begin(), bytes.end());
        }
        output.asset = id_from<AssetId>(hasher.finish());
        // Ten thousand small outputs would otherwise keep ten thousand folders of jobs on the disk.
        if (output.size_bytes <= kOutputInMemoryMax)
            output.blob = make_memory_blob(std::move(kept));
        else
            output.blob = std::make_shared<KeptFileBlob>(job_, job_->path_of("out/" + name));
        outputs_.push_back(std::move(output));
        return ok();
    }

    std::shared_ptr<const JobFolder> job_;
    const std::stop_token& stop_;
    std::vector<std::byte> piece_;
    std::vector<JobOutput> outputs_;
    std::uint64_t all_bytes_ = 0;
};

}  // namespace

Result<std::shared_ptr<JobFolder>> JobFolder::make(const std::string& scratch) {
    FARDEL_TRY_ASSIGN(const std::string real, real_path(scratch, printable(scratch)));
    FARDEL_TRY_ASSIGN(std::string path, create_temporary_folder(real + "/job-", printable(scratch)));
    const std::shared_ptr<JobFolder> folder(new JobFolder(std::move(path)));
    for (const char* const name : {"in", "out", "tmp"})
        FARDEL_TRY(create_folder(folder->path_of(name), printable(folder->path_of(name)), 0755));
    return folder;
}

JobFolder::~JobFolder() { static_cast<void>(remove_tree(path_)); }

Status JobFolder::add_input(const JobInput& input, const std::stop_token& stop) const {
    const std::string shown = "the copy of " + in_quotes(input.name.view());
    FARDEL_TRY(create_parent(input_path(input), shown));
    FARDEL_TRY_ASSIGN(const Descriptor file, create_file(input_path(input), shown, 0644));
    FARDEL_TRY_ASSIGN(const auto stream, input.blob->open());
    FARDEL_TRY_ASSIGN(const AssetId asset, copy(*stream, file, shown, stop));
    // The job's key has the hash from before; other bytes under it would poison every cache.
    if (asset != input.asset)
        return Error(ErrorCode::conflict,
                     in_quotes(input.name.view()) + " was edited after it was hashed; build again");
    return ok();
}

Result<std::string> JobFolder::new_output_path(std::string_view name) const {
    if (Status good = verify_name(name); !good)
        return std::move(good).error().with_context("the output " + in_quotes(name));
    std::string path = path_of("out/" + std::string(name));
    FARDEL_TRY(create_parent(path, "the output " + in_quotes(name)));
    return path;
}

Status JobFolder::write_output(std::string_view name, std::span<const std::byte> bytes) const {
    FARDEL_TRY(new_output_path(name));
    return write_file("out/" + std::string(name), bytes);
}

Status JobFolder::copy_output(const JobInput& input, std::string_view name, const std::stop_token& stop) const {
    FARDEL_TRY_ASSIGN(const std::string path, new_output_path(name));
    const std::string shown = "the output " + in_quotes(name);
    FARDEL_TRY_ASSIGN(const Descriptor from,
                      open_file(input_path(input), in_quotes(input.name.view()), {.links = Links::refused}));
    FARDEL_TRY_ASSIGN(const Descriptor file, create_file(path, shown, 0644));
    std::vector<std::byte> piece(256u << 10);
    while (true) {
        if (stop.stop_requested())
            return cancelled();
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(from, piece, in_quotes(input.name.view())));
        if (count == 0)
            return ok();
        FARDEL_TRY(write_whole(file, std::span(piece).first(count), shown));
    }
}

Status JobFolder::write_file(std::string_view name, std::span<const std::byte> bytes) const {
    const std::string shown = in_quotes(name);
    FARDEL_TRY_ASSIGN(const Descriptor file, create_file(path_of(name), shown, 0644));
    return write_whole(file, bytes, shown);
}

Result<std::vector<JobOutput>> JobFolder::collect_outputs(const std::stop_token& stop) const {
    OutputWalk walk(shared_from_this(), stop);
    FARDEL_TRY(walk.walk(path_of("out"), "", 0));
    return walk.finish();
}

Result<std::optional<std::string>> JobFolder::find_text(std::string_view name, std::size_t bytes_max) const {
    const auto file = open_regular_file(path_of(name), in_quotes(name), {.links = Links::refused});
    if (!file && file.error().system_number() == ENOENT)
        return std::optional<std::string>();
    if (!file)
        return file.error();
    if (file->status.size_bytes > bytes_max)
        return Error(ErrorCode::limit, in_quotes(name) + " has more than " + std::to_string(bytes_max) + " bytes");
    FARDEL_TRY_ASSIGN(std::string text, read_text(file->descriptor, file->status.size_bytes, in_quotes(name)));
    return std::optional(std::move(text));
}

}  // namespace fardel
