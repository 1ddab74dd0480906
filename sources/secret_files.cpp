#include <fardel/sources/secret_files.h>

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kSecretBase64CharsMin = 200;  // in minisign's files; public keys and signatures are shorter
constexpr std::string_view kSecretNames[] = {".env",        ".git-credentials", ".htpasswd",     ".netrc",
                                             ".pgpass",     "_netrc",           "id_dsa",        "id_ecdsa",
                                             "id_ecdsa_sk", "id_ed25519",       "id_ed25519_sk", "id_rsa"};

Error secret_error(const EntryOrigin& origin, const AssetName& name, std::string_view why) {
    return Error(ErrorCode::denied, origin.text() + ": " + std::string(why) +
                                        ", which is not packed; exclude it, or if everybody may have it, name it: "
                                        "allow_secrets = [" +
                                        in_quotes(name.view()) + "] in the project, --allow-secret for a folder");
}

// What was read of the stream to judge it, then the rest.
class JudgedStream final : public BlobStream {
public:
    JudgedStream(std::vector<std::byte> start, std::unique_ptr<BlobStream> rest)
        : start_(std::move(start)), rest_(std::move(rest)) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        if (given_ == start_.size())
            return rest_->read(out);
        const std::size_t count = std::min(out.size(), start_.size() - given_);
        std::copy_n(start_.begin() + static_cast<std::ptrdiff_t>(given_), count, out.begin());
        given_ += count;
        return count;
    }

private:
    const std::vector<std::byte> start_;
    std::size_t given_ = 0;
    const std::unique_ptr<BlobStream> rest_;
};

class JudgedBlob final : public BlobSource {
public:
    JudgedBlob(std::shared_ptr<const BlobSource> blob, EntryOrigin origin, AssetName name)
        : blob_(std::move(blob)), origin_(std::move(origin)), name_(std::move(name)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(auto stream, blob_->open());
        std::vector<std::byte> start(kSecretStartBytes);
        FARDEL_TRY_ASSIGN(const std::size_t size, read_full(*stream, start));
        start.resize(size);
        if (looks_like_secret_key(as_text(start)))
            return refusal();
        return std::unique_ptr<BlobStream>(std::make_unique<JudgedStream>(std::move(start), std::move(stream)));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override {
        FARDEL_TRY_ASSIGN(auto bytes, blob_->open_bytes());
        if (bytes == nullptr)
            return bytes;
        std::vector<std::byte> start(
            static_cast<std::size_t>(std::min<std::uint64_t>(bytes->size_bytes(), kSecretStartBytes)));
        FARDEL_TRY(bytes->read_at(0, start));
        return looks_like_secret_key(as_text(start)) ? Result<std::shared_ptr<const ByteSource>>(refusal())
                                                     : std::move(bytes);
    }
    std::optional<Hash> find_version() const override { return blob_->find_version(); }

    const std::shared_ptr<const BlobSource>& judged() const noexcept { return blob_; }

private:
    Error refusal() const { return secret_error(origin_, name_, "it looks like a secret key"); }

    const std::shared_ptr<const BlobSource> blob_;
    const EntryOrigin origin_;
    const AssetName name_;
};

}  // namespace

bool has_secret_name(std::string_view name) {
    const std::string leaf = lower_ascii_text(name.substr(name.rfind('/') + 1));  // npos + 1 is 0
    return leaf.starts_with(".env.") || std::ranges::find(kSecretNames, leaf) != std::end(kSecretNames);
}

bool looks_like_secret_key(std::string_view start) {
    if (start.starts_with("fardel-secret-key "))
        return true;
    if (start.starts_with("untrusted comment: ")) {
        start.remove_prefix(std::min(start.find('\n'), start.size() - 1) + 1);
        return std::min(start.find('\n'), start.size()) >= kSecretBase64CharsMin;
    }
    if (start.find("-----BEGIN ") != std::string_view::npos && start.find("PRIVATE KEY-----") != std::string_view::npos)
        return true;
    return start.find(":_authToken=") != std::string_view::npos || start.find(":_password=") != std::string_view::npos;
}

Status refuse_secrets(ScanResult& scan, std::span<const std::string> allowed) {
    // One block of memory instead of one per entry.
    const auto judged = std::make_shared<std::vector<JudgedBlob>>();
    judged->reserve(scan.entries.size());
    for (SourceEntry& entry : scan.entries) {
        if (std::ranges::find(allowed, entry.name.view()) != allowed.end())
            continue;
        if (has_secret_name(entry.name.view()))
            return secret_error(entry.origin, entry.name, "a file of this name has secrets");
        if (entry.size_bytes <= kSecretFileBytesMax)
            entry.blob = {judged, &judged->emplace_back(std::move(entry.blob), entry.origin, entry.name)};
    }
    return ok();
}

std::shared_ptr<const BlobSource> without_judge(std::shared_ptr<const BlobSource> blob) {
    const auto* const judge = dynamic_cast<const JudgedBlob*>(blob.get());
    return judge != nullptr ? judge->judged() : blob;
}

}  // namespace fardel
