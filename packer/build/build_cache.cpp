// The derived-data cache of a project's builds: its own folder first, then the caches that the project names.
#include "build_state.h"

#include <fardel/format/byte_source.h>
#include <fardel/packer/project_path.h>
#include <fardel/store/cache_layers.h>

#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kTokenBytesMax = 4096;

// Returns the first line of the file.
Result<std::string> read_token(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kTokenBytesMax)
        return Error(ErrorCode::limit, printable(path) + ": longer than " + std::to_string(kTokenBytesMax) +
                                           " bytes; is it the right file?");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    return text.substr(0, text.find_first_of("\r\n"));
}

Result<std::unique_ptr<CacheLayer>> open_layer(const ProjectCache& cache, const std::string& folder) {
    if (!cache.folder.empty())
        return open_folder_layer(path_in_project(folder, cache.folder), cache.shared);
    if (!cache.bundle.empty())
        return open_bundle_layer(path_in_project(folder, cache.bundle));
    HttpLayerOptions options{.writable = cache.write || cache.fill};
    if (!cache.token_file.empty()) {
        FARDEL_TRY_ASSIGN(options.bearer_token, read_token(path_in_project(folder, cache.token_file)));
    }
    return open_http_layer(cache.url, std::move(options));
}

}  // namespace

Status ProjectBuild::State::open_cache() {
    FARDEL_TRY_ASSIGN(auto own_layer, open_folder_layer(options.build_folder + "/cache"));
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = std::move(own_layer)});
    for (const ProjectCache& named : project.caches) {
        auto layer = open_layer(named, folder);
        if (!layer) {
            warnings.push_back(printable(project.file) + ":" + std::to_string(named.line) + ": " +
                               layer.error().text());
            continue;
        }
        const bool writable = (*layer)->is_writable();
        layers.push_back({.layer = *std::move(layer),
                          .policy = {.read = named.read,
                                     .write = named.write && writable,
                                     .fill = named.fill && writable,
                                     .slow = named.slow,
                                     .signers = named.signed_by}});
    }
    std::shared_ptr<Signer> signer;
    if (options.open_cache_signer) {
        FARDEL_TRY_ASSIGN(signer, options.open_cache_signer());
    }
    FARDEL_TRY_ASSIGN(cache, DerivedCache::open(std::move(layers), {.verify_per_1000 = options.verify_per_1000,
                                                                    .signer = std::move(signer)}));
    return ok();
}

}  // namespace fardel
