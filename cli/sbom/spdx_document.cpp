#include "spdx_document.h"

#include "bundles/bundle_file.h"
#include "bundles/name_listing.h"
#include "console/figures.h"
#include "console/json.h"
#include "spdx_license.h"

#include <fardel/format/bundle_metadata.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fardel {
namespace {

// A small bundle can state one long text about each of its many names.
constexpr std::size_t kSpdxBytesMax = std::size_t{1} << 30;
constexpr std::string_view kNoAssertion = "NOASSERTION";

// What is stated about an asset or a bundle; nothing: it is not.
struct StatedOrigin {
    std::optional<std::string> licence;
    std::optional<std::string> origin;
};

// An empty text states nothing.
Result<StatedOrigin> origin_of(const Bundle& bundle, const std::vector<StatedMetadata>& stated) {
    StatedOrigin found;
    for (const StatedMetadata& one : stated) {
        const std::string_view key = metadata_key(one.key);
        if (key != "licence" && key != "origin")
            continue;
        FARDEL_TRY_ASSIGN(const MetadataValue value, metadata_value(bundle, one.record));
        const auto* const text = std::get_if<std::string>(&value);
        std::optional<std::string>& target = key == "licence" ? found.licence : found.origin;
        if (text != nullptr && !text->empty() && !target)
            target = *text;
    }
    return found;
}

// Hexadecimal digits are allowed in every id of SPDX; names of bundles and assets are not.
std::string spdx_id(const BundleId& bundle) { return "SPDXRef-bundle-" + bundle.hex(); }

std::string format_spdx_time(UnixTime time) {
    std::string text = format_date(time);  // "2024-05-01 12:00:00 UTC"
    text.replace(text.find(' '), 1, "T");
    return text.replace(text.find(' '), std::string::npos, "Z");
}

std::string join_tags(const TagViews& tags) {
    std::string text;
    for (const auto& [axis, value] : tags)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", axis, value);
    return text;
}

// Everything is a package, because SPDX requires the SHA-1 of what it calls a file.
Json package_json(std::string id, std::string_view name, std::string_view purpose) {
    return Json{{"SPDXID", id},
                {"name", name},
                {"primaryPackagePurpose", purpose},
                {"downloadLocation", kNoAssertion},
                {"filesAnalyzed", false},
                {"copyrightText", kNoAssertion}};
}

// The id is the hash of the bundle's head, so it is no checksum of the file.
Json bundle_json(const BundleId& id, std::string_view name, std::string_view version) {
    Json json = package_json(spdx_id(id), name.empty() ? id.hex() : std::string(name), "ARCHIVE");
    if (!version.empty())
        json.set("versionInfo", version);
    json.set("externalRefs", Json::array({Json{{"referenceCategory", "OTHER"},
                                               {"referenceType", "fardel-bundle-id"},
                                               {"referenceLocator", id.hex()}}}));
    return json;
}

class SpdxWriter {
public:
    explicit SpdxWriter(std::span<const std::shared_ptr<const Bundle>> bundles) {
        for (const auto& bundle : bundles)
            described_.insert(bundle->id());
    }

    Status add(const Bundle& bundle) {
        if (!added_.insert(bundle.id()).second)
            return ok();
        FARDEL_TRY_ASSIGN(const auto stated, own_metadata(bundle));
        FARDEL_TRY_ASSIGN(const StatedOrigin own, origin_of(bundle, stated));
        FARDEL_TRY_ASSIGN(const std::string name, bundle_text(bundle, "name"));
        FARDEL_TRY_ASSIGN(const std::string version, bundle_text(bundle, "version"));
        FARDEL_TRY(add_package(bundle_json(bundle.id(), name, version), own));
        add_relationship("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id(bundle.id()));
        FARDEL_TRY(add_dependencies(bundle));
        for (std::uint32_t i = 0; i < bundle.name_count(); ++i)
            FARDEL_TRY(add_name(bundle, i, own));
        return ok();
    }

    std::string finish(Json head) {
        head.set("hasExtractedLicensingInfos", json_list(extracted_, [](const auto& one) {
                     return Json{{"licenseId", one.first}, {"extractedText", one.second}};
                 }));
        std::string text = format_json(head);
        text.erase(text.rfind("\n}"));  // goes on with the two long lists
        text += ",\n  \"packages\": [" + std::exchange(packages_, {}) + "\n  ]";
        text += ",\n  \"relationships\": [" + std::exchange(relationships_, {}) + "\n  ]\n}\n";
        return text;
    }

private:
    Status add_dependencies(const Bundle& bundle) {
        for (std::uint32_t i = 0; i < bundle.table_count(TableKind::dependencies); ++i) {
            FARDEL_TRY_ASSIGN(const DependencyRecord needed, bundle.dependency(i));
            if ((needed.flags & DependencyRecord::is_static) == 0)
                continue;
            // Every end of a relationship is in the document; one that is not among the bundles is known by its id.
            if (!described_.contains(needed.bundle) && added_.insert(needed.bundle).second) {
                FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(needed.name));
                FARDEL_TRY_ASSIGN(const std::string_view version, bundle.string(needed.version));
                FARDEL_TRY(add_package(bundle_json(needed.bundle, name, version), {}));
            }
            add_relationship(spdx_id(bundle.id()), "DEPENDS_ON", spdx_id(needed.bundle));
        }
        return ok();
    }

    Status add_name(const Bundle& bundle, std::uint32_t index, const StatedOrigin& own) {
        FARDEL_TRY_ASSIGN(const ListedName name, name_at(bundle, index));
        for (std::size_t i = 0; i < name.variants.size(); ++i) {
            const ListedVariant& variant = name.variants[i];
            FARDEL_TRY_ASSIGN(const auto stated, asset_metadata(bundle, variant.index));
            FARDEL_TRY_ASSIGN(StatedOrigin origin, origin_of(bundle, stated));
            // What an asset states counts before what its bundle does.
            if (!origin.licence)
                origin.licence = own.licence;
            if (!origin.origin)
                origin.origin = own.origin;
            const std::string id = fmt::format("SPDXRef-asset-{}-{}-{}", bundle.id().hex(), index, i);
            Json json = package_json(id, name.text, "FILE");
            json.set("checksums",
                     Json::array({Json{{"algorithm", "BLAKE3"}, {"checksumValue", variant.asset.id.hex()}}}));
            if (!variant.tags.empty())
                json.set("comment", "variant " + join_tags(variant.tags));
            FARDEL_TRY(add_package(std::move(json), origin));
            add_relationship(spdx_id(bundle.id()), "CONTAINS", id);
        }
        return ok();
    }

    Status add_package(Json json, const StatedOrigin& origin) {
        const std::string licence = licence_word(origin.licence);
        json.set("licenseConcluded", licence);
        json.set("licenseDeclared", licence);
        if (origin.origin)
            json.set("sourceInfo", *origin.origin);
        append_line(packages_, json);
        if (packages_.size() + relationships_.size() > kSpdxBytesMax)
            return Error(ErrorCode::limit,
                         "the SPDX document would have more than 1 GiB; make one for each of several bundles, or state "
                         "long texts about the bundle and not about its assets");
        return ok();
    }

    void add_relationship(std::string_view from, std::string_view type, std::string_view to) {
        append_line(relationships_,
                    Json{{"spdxElementId", from}, {"relationshipType", type}, {"relatedSpdxElement", to}});
    }

    static void append_line(std::string& lines, const Json& json) {
        lines += (lines.empty() ? "\n    " : ",\n    ") + format_json(json, -1);
    }

    // An expression, or the id under which the document quotes the text.
    std::string licence_word(const std::optional<std::string>& licence) {
        if (!licence)
            return std::string(kNoAssertion);
        if (is_spdx_expression(*licence))
            return *licence;
        std::string id = "LicenseRef-" + blake3(std::as_bytes(std::span(*licence))).hex();
        extracted_.emplace(id, *licence);
        return id;
    }

    std::set<BundleId> described_;                  // those that the document is about
    std::set<BundleId> added_;                      // those that have a package
    std::map<std::string, std::string> extracted_;  // texts of licences, by their ids
    std::string packages_;
    std::string relationships_;
};

// Another document has another namespace: it is about other bundles, or was made at another time or by another Fardel.
std::string spdx_namespace(std::span<const std::shared_ptr<const Bundle>> bundles, UnixTime created) {
    std::string text = fmt::format("{} {}", FARDEL_VERSION, created.seconds);
    for (const auto& bundle : bundles)
        text += " " + bundle->id().hex();
    return "https://spdx.org/spdxdocs/fardel-" + blake3(std::as_bytes(std::span(text))).hex();
}

}  // namespace

Result<std::string> format_spdx_document(std::span<const std::shared_ptr<const Bundle>> bundles, UnixTime created) {
    SpdxWriter writer(bundles);
    std::string title;
    for (const auto& bundle : bundles) {
        if (Status added = writer.add(*bundle); !added)
            return in_bundle(*bundle, std::move(added).error());
        FARDEL_TRY_ASSIGN(const std::string name, bundle_text(*bundle, "name"));
        FARDEL_TRY_ASSIGN(const std::string version, bundle_text(*bundle, "version"));
        title += (title.empty() ? "" : ", ") + format_title(name, version);
    }
    return writer.finish(Json{{"spdxVersion", "SPDX-2.3"},
                              {"dataLicense", "CC0-1.0"},
                              {"SPDXID", "SPDXRef-DOCUMENT"},
                              {"name", title},
                              {"documentNamespace", spdx_namespace(bundles, created)},
                              {"creationInfo", Json{{"created", format_spdx_time(created)},
                                                    {"creators", Json::array({"Tool: fardel-" FARDEL_VERSION})}}}});
}

}  // namespace fardel
