// ServedFiles: the files of a static tree that a server shows, wherever their bytes come from. Any thread.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

enum class RequestedFileKind : unsigned char {
    bundle,
    tables,
    asset_frames,
    piece_slices,
    trace,
    signatures,
    delta,
    delta_list,
    channel_text,
    page
};

struct RequestedFile {
    BundleId bundle;  // of a delta or a list of deltas: the new one
    RequestedFileKind kind = RequestedFileKind::bundle;
    BundleId old_bundle{};  // of a delta
    std::string text_path;  // of a text of a channel, or a page, below the tree
};

// Returns its path below the tree.
std::string path_of(const RequestedFile& file);

// Parses the target of a request, such as "/bundles/<64 digits>.fardel", as it came: nothing is unescaped, resolved or
// folded, so each file has exactly one target, and any other text names none.
std::optional<RequestedFile> find_requested_file(std::string_view target);

// The same for what a registry has beside a tree: "/" and "/index.html", "/registry.json", "/registry.rules", and pages
// below "/pages/", "/names/" and "/bundles/", whose paths end in ".html".
std::optional<RequestedFile> find_registry_page(std::string_view target);

struct ServedFile {
    Descriptor descriptor;                     // sent by the system; or else
    std::shared_ptr<const ByteSource> source;  // read by us
    std::uint64_t size_bytes = 0;
    std::string etag;  // with quotes; of files that never change, the same on all servers that have the same file
    bool may_change = false;
    std::string content_type = "application/octet-stream";
};

class ServedFiles {
public:
    virtual ~ServedFiles() = default;
    // Errors: missing; others of the disk, which the client does not learn.
    virtual Result<ServedFile> open(const RequestedFile& file) const = 0;
};

// The folder that `fardel publish` writes. It is opened now and stays the same folder whatever its path leads to later;
// below it, no link is followed. Errors: those of open_folder.
Result<std::unique_ptr<ServedFiles>> serve_folder(const std::string& path);

// The bundles that a store has whole. What stands beside bundles in a tree is not served: a client reads the bundle
// file.
std::unique_ptr<ServedFiles> serve_store(const BundleStore& store);

}  // namespace fardel
