// BundlePlan: the whole content of a new bundle as plain values. The packer creates it, write_bundle writes it.
//
// The order of assets and names in the plan does not matter: the writer sorts them. Sources are opened one after
// another while writing, and each is read once. Strings are UTF-8 without NUL, at most limits::kStringBytesMax bytes;
// write_bundle checks this and every other rule stated here.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fardel {

// One pass over a blob from its start.
class BlobStream {
public:
    virtual ~BlobStream() = default;
    // Fills the start of `out` and returns the number of bytes; 0 only at the end.
    virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

// Reads until `out` is full or the stream ends, and returns the number of bytes.
Result<std::size_t> read_full(BlobStream& stream, std::span<std::byte> out);

// The source of an asset's bytes: a file, an archive's entry, memory.
class BlobSource {
public:
    virtual ~BlobSource() = default;
    // Opens a stream; the source must outlive it.
    virtual Result<std::unique_ptr<BlobStream>> open() const = 0;
    // Returns the same bytes for reads at offsets; nullptr if they can only be read from the start.
    virtual Result<std::shared_ptr<const ByteSource>> open_bytes() const { return std::shared_ptr<const ByteSource>(); }
    // Returns a value that differs whenever the bytes may have changed; nothing if only reading the bytes shows a
    // change.
    virtual std::optional<Hash> find_version() const { return std::nullopt; }
};

// Streams `bytes` from start to end. The stream keeps them alive.
std::unique_ptr<BlobStream> open_stream_of(std::shared_ptr<const ByteSource> bytes);
std::shared_ptr<const BlobSource> make_bytes_blob(std::shared_ptr<const ByteSource> bytes);
std::shared_ptr<const BlobSource> make_memory_blob(std::vector<std::byte> bytes);
// A blob of a regular file, which open() opens. Errors of open(): missing, denied, malformed (a folder, device, FIFO or
// socket), io; of read(): conflict (the file was written while it was read), io.
std::shared_ptr<const BlobSource> make_file_blob(std::string path);

struct PlannedMetadata {
    std::string key;      // not empty; "metric.…" requires a number, "expires" an integer, "name" and "version" text
    MetadataValue value;  // numbers are finite
};

struct PlannedReference {
    struct Internal {
        std::uint32_t asset;  // index into BundlePlan::assets
        friend bool operator==(const Internal&, const Internal&) = default;
    };
    struct Foreign {
        AssetId asset;
        std::uint32_t dependency;  // index into BundlePlan::dependencies; a static one
        friend bool operator==(const Foreign&, const Foreign&) = default;
    };
    struct Dynamic {
        std::string name;  // well formed (name.h)
        friend bool operator==(const Dynamic&, const Dynamic&) = default;
    };
    std::string spelling;  // not empty; within an asset, one spelling has one target
    std::variant<Internal, Foreign, Dynamic> target;
    bool optional = false;
    // Of an Internal or Foreign target: its name in its bundle, if the name has other variants or another bundle may
    // add some. Otherwise empty: the reference means this one asset.
    std::string name = {};
};

// What the stored bytes are made for; the bundle id does not depend on it.
enum class BundlePurpose : std::uint8_t {
    balanced,  // zstd at the level that the writer is given
    load,      // LZ4: decodes three times as fast, and is a seventh larger
    size,      // zstd at its highest level
};
// "balanced", "load" or "size".
std::string_view purpose_name(BundlePurpose purpose) noexcept;
std::optional<BundlePurpose> find_purpose(std::string_view name) noexcept;

// A value that most assets of a plan do not have: without it, it takes a pointer. Used like std::optional.
template <class Value>
class Rare {
public:
    Rare() noexcept = default;
    Rare(Value value) : value_(std::make_unique<Value>(std::move(value))) {}
    Rare(const Rare& other) : value_(other.value_ ? std::make_unique<Value>(*other.value_) : nullptr) {}
    Rare(Rare&&) noexcept = default;
    Rare& operator=(Rare other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    ~Rare() = default;

    explicit operator bool() const noexcept { return value_ != nullptr; }
    const Value& operator*() const noexcept { return *value_; }
    Value& operator*() noexcept { return *value_; }
    const Value* operator->() const noexcept { return value_.get(); }
    Value* operator->() noexcept { return value_.get(); }
    void reset() noexcept { value_.reset(); }

private:
    std::unique_ptr<Value> value_;
};

// A list that is empty for most assets of a plan. Used like std::vector.
template <class Item>
class RareList {
public:
    RareList() noexcept = default;
    RareList(std::vector<Item> items) {
        if (!items.empty())
            items_ = std::move(items);
    }
    RareList(std::initializer_list<Item> items) : RareList(std::vector<Item>(items)) {}

    std::size_t size() const noexcept { return items_ ? items_->size() : 0; }
    bool empty() const noexcept { return size() == 0; }
    const Item* data() const noexcept { return items_ ? items_->data() : nullptr; }
    Item* data() noexcept { return items_ ? items_->data() : nullptr; }
    const Item* begin() const noexcept { return data(); }
    Item* begin() noexcept { return data(); }
    const Item* end() const noexcept { return data() + size(); }
    Item* end() noexcept { return data() + size(); }
    const Item& operator[](std::size_t i) const noexcept { return data()[i]; }
    Item& operator[](std::size_t i) noexcept { return data()[i]; }

    // The list as a vector, to be changed.
    std::vector<Item>& edit() {
        if (!items_)
            items_ = std::vector<Item>();
        return *items_;
    }
    void push_back(Item item) { edit().push_back(std::move(item)); }

    friend bool operator==(const RareList& a, const RareList& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    Rare<std::vector<Item>> items_;
};

// A list that has one item for most names of a plan, which lies in the list itself. Used like std::vector.
template <class Item>
class MostlyOne {
public:
    MostlyOne() noexcept = default;
    MostlyOne(std::vector<Item> items) {
        for (Item& item : items)
            push_back(std::move(item));
    }
    MostlyOne(std::initializer_list<Item> items) : MostlyOne(std::vector<Item>(items)) {}

    std::size_t size() const noexcept { return has_one_ ? 1 : more_.size(); }
    bool empty() const noexcept { return size() == 0; }
    const Item* data() const noexcept { return has_one_ ? &one_ : more_.data(); }
    Item* data() noexcept { return has_one_ ? &one_ : more_.data(); }
    const Item* begin() const noexcept { return data(); }
    Item* begin() noexcept { return data(); }
    const Item* end() const noexcept { return data() + size(); }
    Item* end() noexcept { return data() + size(); }
    const Item& front() const noexcept { return *data(); }
    Item& front() noexcept { return *data(); }
    const Item& operator[](std::size_t i) const noexcept { return data()[i]; }
    Item& operator[](std::size_t i) noexcept { return data()[i]; }

    void push_back(Item item) {
        if (empty()) {
            one_ = std::move(item);
            has_one_ = true;
            return;
        }
        if (std::exchange(has_one_, false))
            more_.edit().push_back(std::exchange(one_, Item()));
        more_.push_back(std::move(item));
    }
    void clear() noexcept { *this = {}; }

private:
    RareList<Item> more_;  // all of them, unless there is one
    [[no_unique_address]] Item one_ = {};
    bool has_one_ = false;
};

// Assets with equal bytes become one: it takes content type and piece size from the first in order of (content type,
// key), and has the references and metadata of all. The plan is malformed if they contradict each other.
struct PlannedAsset {
    std::shared_ptr<const BlobSource> source;
    SharedText key;  // orders the blocks of a rank and names the asset in errors; usually its logical name; unique
    SharedText content_type;  // "image/jpeg", in lower case, no parameters; empty: "application/octet-stream"
    bool streamed = false;    // pieces of 256 KiB
    // Where the bytes lie in the file, and nothing else: assets with smaller ranks come first, those without one last.
    // Of equal ranks, content type and key decide. The bundle id does not depend on it.
    std::optional<std::uint32_t> rank = std::nullopt;
    // Unset: that of the bundle. Of equal bytes, that of the asset that is stored first counts.
    std::optional<BundlePurpose> purpose = std::nullopt;
    // The id and size of the bytes if they were hashed before. Then the bytes are read only if they must be stored
    // again, and are compared with these values.
    struct Known {
        AssetId asset;
        std::uint64_t size_bytes = 0;
    };
    Rare<Known> known = {};
    RareList<PlannedReference> references;
    RareList<PlannedMetadata> metadata;
    RareList<PlannedMetadata> creator_metadata;
};

struct PlannedVariant {
    RareList<Tag> tags = {};  // in any order, each axis once; no two variants of a name have equal tags
    std::uint32_t asset = 0;  // index into BundlePlan::assets
};

struct PlannedName {
    AssetName name;
    // One variant without tags: a plain name. No variant: a tombstone. The first variant is the default; order is the
    // last criterion of choice. (Without the attributes, a name takes half as much again.)
    [[no_unique_address]] MostlyOne<PlannedVariant> variants;
    bool published = true;  // always true for a tombstone
    bool extends = false;   // adds variants to a name that another bundle publishes
};

struct PlannedConsume {
    std::string text;  // a name, or a glob (name.h)
    bool pattern = false;
    bool optional = false;
    friend bool operator==(const PlannedConsume&, const PlannedConsume&) = default;
};

struct PlannedDependency {
    BundleId bundle;  // each bundle once
    std::string name;
    std::string version;
    bool is_static = true;
};

struct BundlePlan {
    std::vector<PlannedAsset> assets;
    std::vector<PlannedName> names;
    std::vector<PlannedConsume> consumes;
    std::vector<PlannedDependency> dependencies;  // order is kept
    std::vector<PlannedMetadata> metadata;        // of the bundle: "name", "version", "licence", …
    std::vector<PlannedMetadata> creator_metadata;
};

}  // namespace fardel
