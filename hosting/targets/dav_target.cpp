// The tree on a WebDAV server (RFC 4918): PUT, MOVE, MKCOL, DELETE and PROPFIND of one level.
#include "targets/folder_entries.h"
#include "targets/remote_targets.h"
#include "targets/xml_elements.h"

#include <fardel/base/random.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kListingBytesMax = 256u << 20;

std::string random_digits() {
    std::array<std::byte, 8> bytes;
    fill_random(bytes);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += kDigits[std::to_integer<unsigned>(byte) >> 4];
        text += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

bool is_success(const HttpAnswer& answer) {
    return answer.status == 200 || answer.status == 201 || answer.status == 204;
}

class DavTarget final : public TreeTarget {
public:
    explicit DavTarget(std::unique_ptr<RemoteTree> tree) : tree_(std::move(tree)) {}

    std::string name() const override { return "the server " + printable(tree_->url(), 400); }

    Result<std::shared_ptr<const ByteSource>> open(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree_->perform({.method = "HEAD", .url = url}));
        if (answer.status != 200)
            return HttpConnection::status_error(answer, url);
        return tree_->open_found(answer, url);
    }

    Result<PutOutcome> put(const std::string& path, const ByteSource& bytes, const PublishWork& work) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        auto there = open(path);
        if (there)
            return compare_with(bytes, **there, url, work);
        if (there.error().code() != ErrorCode::missing)
            return std::move(there).error();
        // A PUT that is cut off may leave a part of a file under its name, where clients would read it. So the file
        // gets its name when it is whole, and never in place of another one.
        FARDEL_TRY_ASSIGN(const std::string temporary, upload(path, bytes, work));
        auto moved = move(temporary, url, false);
        if (moved && *moved)
            return PutOutcome::written;
        static_cast<void>(tree_->perform({.method = "DELETE", .url = temporary}));
        if (!moved)
            return std::move(moved).error();
        FARDEL_TRY_ASSIGN(const auto other, open(path));  // another publisher was faster
        return compare_with(bytes, *other, url, work);
    }

    Result<std::optional<TreeHead>> find_head(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(HttpAnswer answer, tree_->perform({.url = url,
                                                             .headers = {"Cache-Control: no-cache"},
                                                             .answer_bytes_max = kTreeHeadBytesMax}));
        if (answer.status == 404 || answer.status == 410)
            return std::optional<TreeHead>();
        if (answer.status != 200)
            return HttpConnection::status_error(answer, url);
        TreeHead head{.bytes = std::move(answer.body)};
        head.version = blake3(head.bytes).hex();
        return std::optional<TreeHead>(std::move(head));
    }

    // The comparison and the replacement are two steps.
    Status replace_head(const std::string& path, std::span<const std::byte> bytes,
                        const std::string& version) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        const auto source = make_memory_source({bytes.begin(), bytes.end()});
        FARDEL_TRY_ASSIGN(const std::string temporary, upload(path, *source, {}));
        FARDEL_TRY_ASSIGN(const auto there, find_head(path));
        bool replaced = false;
        if ((there ? there->version : "") == version) {
            FARDEL_TRY_ASSIGN(replaced, move(temporary, url, !version.empty()));
        }
        if (replaced)
            return ok();
        static_cast<void>(tree_->perform({.method = "DELETE", .url = temporary}));
        return Error(ErrorCode::conflict, printable(url, 400) + ": another program has replaced it");
    }

    Result<std::vector<TreeFile>> list(const std::string& folder) override {
        FARDEL_TRY_ASSIGN(FolderEntries entries, list_entries(folder));
        return std::move(entries.files);
    }
    Result<std::vector<TreeFile>> list_below(const std::string& folder) override {
        return list_folders_below(folder, [this](const std::string& one) { return list_entries(one); });
    }

    Result<bool> remove(const std::string& path) override {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(path));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree_->perform({.method = "DELETE", .url = url}));
        if (answer.status == 404 || answer.status == 410)
            return false;
        if (!is_success(answer))
            return HttpConnection::status_error(answer, url);
        return true;
    }

private:
    Result<FolderEntries> list_entries(const std::string& folder) const {
        FARDEL_TRY_ASSIGN(const std::string url, tree_->url_of(folder));
        const std::string body =
            "<?xml version=\"1.0\"?><propfind "
            "xmlns=\"DAV:\"><prop><getcontentlength/><resourcetype/></prop></propfind>";
        const auto source = make_memory_source(bytes_of(body));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree_->perform({.method = "PROPFIND",
                                                                   .url = url + "/",
                                                                   .headers = {"Depth: 1", "Content-Type: text/xml"},
                                                                   .body = source.get(),
                                                                   .body_bytes = body.size(),
                                                                   .answer_bytes_max = kListingBytesMax}));
        if (answer.status == 404)
            return FolderEntries();
        if (answer.status != 207)
            return HttpConnection::status_error(answer, url).with_context("listing (PROPFIND)");
        FARDEL_TRY_ASSIGN(
            const auto elements,
            parse_xml_elements({reinterpret_cast<const char*>(answer.body.data()), answer.body.size()}, "multistatus"));
        return entries_in(folder, elements);
    }

    static std::vector<std::byte> bytes_of(std::string_view text) {
        const auto bytes = std::as_bytes(std::span(text));
        return {bytes.begin(), bytes.end()};
    }

    // Returns the URL of the temporary file, which has all bytes.
    Result<std::string> upload(const std::string& path, const ByteSource& bytes, const PublishWork& work) {
        FARDEL_TRY_ASSIGN(const std::string temporary, tree_->url_of(path + ".upload-" + random_digits()));
        HttpRequest request{.method = "PUT", .url = temporary, .body = &bytes, .body_bytes = bytes.size_bytes()};
        if (work.progress)
            request.progress = [&](std::uint64_t sent) { work.progress(sent, bytes.size_bytes()); };
        const std::stop_token& stop = work.stop.stop_possible() ? work.stop : tree_->stop();
        FARDEL_TRY(create_folder_of(path));
        FARDEL_TRY_ASSIGN(HttpAnswer answer, tree_->perform(request, stop));
        if (!is_success(answer))
            return HttpConnection::status_error(answer, temporary).with_context("writing (PUT)");
        FARDEL_TRY_ASSIGN(answer, tree_->perform({.method = "HEAD", .url = temporary}));
        if (answer.status != 200)
            return HttpConnection::status_error(answer, temporary);
        if (answer.content_bytes != bytes.size_bytes())
            return Error(ErrorCode::corrupt, printable(temporary, 400) + ": the server has " +
                                                 std::to_string(answer.content_bytes.value_or(0)) + " bytes of " +
                                                 std::to_string(bytes.size_bytes()) + " that were sent");
        return temporary;
    }

    // Some servers answer a PUT below a missing folder with 500, so folders are created first.
    Status create_folder_of(const std::string& path) {
        if (!created_.insert(path.substr(0, path.rfind('/') + 1)).second)
            return ok();
        for (std::size_t end = 0; end != std::string::npos; end = path.find('/', end + 1)) {
            const std::string url = tree_->url() + "/" + path.substr(0, end) + (end == 0 ? "" : "/");
            FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree_->perform({.method = "MKCOL", .url = url}));
            // 405, and 409 of some servers: it is there. If it is not, the next PUT says so.
            if (!is_success(answer) && answer.status != 405 && answer.status != 409 && answer.status != 301)
                return HttpConnection::status_error(answer, url).with_context("creating a folder (MKCOL)");
        }
        return ok();
    }

    // Returns false if the name is taken.
    Result<bool> move(const std::string& from, const std::string& to, bool overwrites) {
        FARDEL_TRY_ASSIGN(
            const HttpAnswer answer,
            tree_->perform({.method = "MOVE",
                            .url = from,
                            .headers = {"Destination: " + to, std::string("Overwrite: ") + (overwrites ? "T" : "F")}}));
        if (answer.status == 412)
            return false;
        if (answer.status == 404) {  // an earlier attempt may have succeeded, and its answer was lost
            FARDEL_TRY_ASSIGN(const HttpAnswer there, tree_->perform({.method = "HEAD", .url = to}));
            if (there.status == 200)
                return false;
        }
        if (!is_success(answer))
            return HttpConnection::status_error(answer, from).with_context("giving a file its name (MOVE)");
        return true;
    }

    // The server is not believed: a path that is not directly in the folder is left out.
    static FolderEntries entries_in(const std::string& folder, const std::vector<XmlElement>& elements) {
        FolderEntries entries;
        TreeFile entry;
        bool is_folder = false;
        const auto add = [&] {
            if (!entry.path.empty() && is_folder)
                entries.folders.push_back(entry.path);
            else if (!entry.path.empty())
                entries.files.push_back(entry);
            entry = {};
            is_folder = false;
        };
        // Each entry begins with its href, and what follows up to the next one is about it.
        for (const XmlElement& element : elements) {
            if (element.name == "href") {
                add();
                entry.path = path_in(folder, element.text);
                is_folder = element.text.ends_with('/');
            } else if (element.name == "collection") {
                is_folder = true;
            } else if (element.name == "getcontentlength") {
                entry.size_bytes = parse_decimal(element.text, UINT64_MAX).value_or(0);
            }
        }
        add();
        std::ranges::sort(entries.files, {}, &TreeFile::path);
        std::ranges::sort(entries.folders);
        return entries;
    }

    // Returns the path below the tree of what a URL names in the folder; empty if it names nothing there.
    static std::string path_in(const std::string& folder, std::string_view url) {
        if (url.ends_with('/'))
            url.remove_suffix(1);
        const auto parent = url.rfind(folder + "/");
        const std::string path(parent == std::string_view::npos ? std::string_view() : url.substr(parent));
        return is_tree_path(path) && path.find('/', folder.size() + 1) == std::string::npos ? path : std::string();
    }

    const std::unique_ptr<RemoteTree> tree_;
    std::set<std::string> created_;  // folders
};

}  // namespace

std::unique_ptr<TreeTarget> make_dav_target(std::unique_ptr<RemoteTree> tree) {
    return std::make_unique<DavTarget>(std::move(tree));
}

}  // namespace fardel
