#include "mount_content.h"

#include <fardel/format/appended_record.h>
#include <fardel/format/bundle_use.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/requirement.h>
#include <fardel/sources/loose_bundle.h>
#include <fardel/sources/project_reader.h>
#include <fardel/sources/source_scan.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

class ContentOpener {
public:
    ContentOpener(const MountOptions& options, const std::shared_ptr<BlockCache>& cache, const FolderDigests& digests)
        : options_(options), cache_(cache), digests_(digests) {}

    Result<MountContent> operator()(const std::string& path) const {
        FARDEL_TRY_ASSIGN(const SourceKind kind, find_source_kind(path));
        if (kind == SourceKind::folder || kind == SourceKind::archive)
            return open_loose(path, kind == SourceKind::folder ? MountKind::folder : MountKind::archive);
        if (kind == SourceKind::other && path.ends_with(kProjectEnd))
            return open_project(path);
        // Before the file is opened: one that replaces it in between differs.
        const PathStamp opened = stamp_path(path);
        FARDEL_TRY_ASSIGN(auto source, open_bundle_source(path));
        FARDEL_TRY_ASSIGN(MountContent content, (*this)(source));
        content.opened = opened;
        return content;
    }

    Result<MountContent> operator()(const std::shared_ptr<const ByteSource>& source) const {
        if (options_.policy == nullptr && !options_.allow_unsigned)
            return Error(ErrorCode::untrusted,
                         options_.label +
                             ": there is no trust policy that could accept it; give one, or allow unsigned "
                             "bundles for development");
        const auto judged_at = content_time(options_.policy, options_.time);
        auto bundle = open_bundle(source, options_.policy, judged_at);
        if (!bundle && options_.policy != nullptr && options_.allow_unsigned &&
            bundle.error().code() == ErrorCode::untrusted)
            bundle = open_bundle(source, nullptr, judged_at);
        if (bundle)
            FARDEL_TRY(verify_use(**bundle, options_.policy, options_.time));
        if (bundle)
            FARDEL_TRY((*bundle)->verify_license(options_.policy, options_.licenses, options_.time));
        return content_of(std::move(bundle), MountKind::bundle);
    }

    Result<MountContent> operator()(const std::shared_ptr<const BundlePlan>& plan) const {
        FARDEL_TRY(verify_unsigned(MountKind::plan));
        auto source = make_unpacked_source(*plan, {.digests = digests_.cache});
        if (!source)
            return std::move(source).error().with_context(options_.label);
        return content_of(open_bundle(*std::move(source), nullptr), MountKind::plan);
    }

    Result<MountContent> open_loose(const std::string& path, MountKind kind) const {
        FARDEL_TRY(verify_unsigned(kind));
        FARDEL_TRY_ASSIGN(LooseBundle loose, open_loose_bundle(path, {.archives = options_.archives.get(),
                                                                      .digests = digests_.cache,
                                                                      .digest_folder = digests_.folder}));
        FARDEL_TRY_ASSIGN(MountContent content, content_of(open_bundle(std::move(loose.source), nullptr), kind));
        content.path = path;
        content.archives = options_.archives;
        content.left_out = std::make_shared<const ScanReport>(std::move(loose.report));
        return content;
    }

    // With what the reader knows of an earlier read.
    Result<MountContent> read_project(const std::string& path, std::shared_ptr<OpenProject> project) const {
        FARDEL_TRY(verify_unsigned(MountKind::project));
        FARDEL_TRY_ASSIGN(ProjectBundle read, project->read({}));
        FARDEL_TRY_ASSIGN(MountContent content,
                          content_of(open_bundle(std::move(read.source), nullptr), MountKind::project));
        content.path = path;
        content.project = std::move(project);
        content.left_out = std::make_shared<const ScanReport>(std::move(read.report));
        return content;
    }

private:
    static constexpr std::string_view kProjectEnd = ".toml";

    Result<MountContent> open_project(const std::string& path) const {
        if (options_.projects == nullptr)
            return Error(ErrorCode::unsupported,
                         options_.label +
                             ": a project; give MountOptions::projects what make_project_reader() of "
                             "fardel::packer returns, or build the project and mount its bundle");
        return read_project(path, options_.projects->open(path, {.digests = digests_.cache,
                                                                 .digest_folder = digests_.folder,
                                                                 .watch = options_.watch,
                                                                 .target = options_.project_target}));
    }

    // Content without a signature is for development only.
    Status verify_unsigned(MountKind kind) const {
        if (options_.allow_unsigned)
            return ok();
        return Error(ErrorCode::untrusted,
                     options_.label + ": " + std::string(mount_kind_text(kind)) +
                         "s are unsigned; allow unsigned content for development, or pack and sign it");
    }

    Result<std::shared_ptr<const Bundle>> open_bundle(std::shared_ptr<const ByteSource> source,
                                                      const TrustPolicy* policy,
                                                      std::optional<UnixTime> judged_at = std::nullopt) const {
        return Bundle::open(std::move(source), {.policy = policy,
                                                .time = options_.time,
                                                .cache = cache_,
                                                .label = options_.label,
                                                .content_time = judged_at});
    }

    static Result<MountContent> content_of(Result<std::shared_ptr<const Bundle>> bundle, MountKind kind) {
        if (!bundle)
            return std::move(bundle).error();
        MountContent content = MountContent::of(*std::move(bundle));
        content.kind = kind;
        if (const auto& rule = content.bundle->verdict().rule)
            if (auto scope = find_name_scope(*rule))
                content.scope = std::make_shared<const NameScope>(*std::move(scope));
        return content;
    }

    const MountOptions& options_;
    const std::shared_ptr<BlockCache>& cache_;
    const FolderDigests& digests_;
};

}  // namespace

Result<MountContent> open_mount_content(const MountSubject& subject, const MountOptions& options,
                                        const std::shared_ptr<BlockCache>& cache, const FolderDigests& digests) {
    if (options.resolved.size() > kRequirementsMax)
        return Error(ErrorCode::limit, options.label + ": more than " + std::to_string(kRequirementsMax) +
                                           " bundles for its requirements");
    FARDEL_TRY_ASSIGN(MountContent content, std::visit(ContentOpener(options, cache, digests), subject));
    if (!options.resolved.empty())
        content.resolved = std::make_shared<const std::vector<BundleId>>(options.resolved);
    return content;
}

Result<MountContent> rescan(const MountContent& old, const std::shared_ptr<BlockCache>& cache,
                            const FolderDigests& digests) {
    const MountOptions options{.allow_unsigned = true, .label = old.bundle->label(), .archives = old.archives};
    // The digests are all in memory; a file that is edited now is read again when the folder is mounted the next time.
    const FolderDigests in_memory{.cache = digests.cache, .folder = {}};
    const ContentOpener opener(options, cache, in_memory);
    FARDEL_TRY_ASSIGN(MountContent content,
                      old.project ? opener.read_project(old.path, old.project) : opener.open_loose(old.path, old.kind));
    content.resolved = old.resolved;
    return content;
}

}  // namespace fardel
