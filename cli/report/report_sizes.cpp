#include "report_sizes.h"

#include "json_file.h"

#include <fardel/base/path_text.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

namespace fardel {
namespace {

const std::string* find_owner(const std::vector<ContentMetadata>& metadata) {
    for (const ContentMetadata& entry : metadata)
        if (entry.key == "owner")
            return std::get_if<std::string>(&entry.value);
    return nullptr;
}

// The first name of each asset of a bundle; names are sorted.
struct FirstName {
    const ContentName* name = nullptr;
    const ContentVariant* variant = nullptr;
};

std::vector<FirstName> first_names(const BundleContents& contents) {
    std::vector<FirstName> first(contents.assets.size());
    for (const ContentName& name : contents.names)
        for (const ContentVariant& variant : name.variants)
            if (FirstName& one = first[variant.asset]; one.name == nullptr)
                one = {&name, &variant};
    return first;
}

void sort_sizes(std::vector<SizedAsset>& assets) {
    std::ranges::sort(assets, {}, [](const SizedAsset& asset) {
        return std::tie(asset.name, asset.tags, asset.bundle, asset.id, asset.raw_bytes, asset.stored_bytes);
    });
}

// ---- Reading --------------------------------------------------------------------------------------------------------

struct TextKey {
    std::string_view key;
    std::string SizedAsset::*member;
};
constexpr std::array<TextKey, 6> kSizedTexts{{{"name", &SizedAsset::name},
                                              {"tags", &SizedAsset::tags},
                                              {"bundle", &SizedAsset::bundle},
                                              {"owner", &SizedAsset::owner},
                                              {"type", &SizedAsset::content_type},
                                              {"asset", &SizedAsset::id}}};

struct NumberKey {
    std::string_view key;
    std::uint64_t SizedAsset::*member;
};
constexpr std::array<NumberKey, 2> kSizedNumbers{
    {{"raw_bytes", &SizedAsset::raw_bytes}, {"stored_bytes", &SizedAsset::stored_bytes}}};

Result<SizedAsset> parse_sized(JsonView entry, std::size_t at) {
    const auto mistake = [&](std::string_view key, std::string_view wanted) {
        return Error(ErrorCode::malformed, "assets[" + std::to_string(at) + "]: \"" + std::string(key) + "\" is not " +
                                               std::string(wanted) +
                                               "; write the file again with 'fardel report --json'");
    };
    SizedAsset asset;
    for (const TextKey& text : kSizedTexts) {
        if (!entry.at(text.key).is_text())
            return mistake(text.key, "a text");
        asset.*text.member = entry.at(text.key).text();
    }
    for (const NumberKey& number : kSizedNumbers) {
        const auto value = entry.at(number.key).number();
        if (!value || *value > kReportSizeMax)
            return mistake(number.key, "a number of bytes");
        asset.*number.member = *value;
    }
    return asset;
}

// Whether it is JSON, which begins with '{'; a bundle begins otherwise. Nothing if the file cannot be read.
bool begins_as_json(const std::string& path) {
    const auto source = open_file_source(path);
    std::array<std::byte, 1> first{};
    return source && (*source)->size_bytes() > 0 && (*source)->read_at(0, first) && first[0] == std::byte{'{'};
}

}  // namespace

void SizeSum::add(const SizedAsset& asset) {
    ++assets;
    raw_bytes += asset.raw_bytes;
    stored_bytes += asset.stored_bytes;
}

std::string_view group_of(const SizedAsset& asset, SizeGroup group) {
    switch (group) {
        case SizeGroup::type: return asset.content_type;
        case SizeGroup::owner: return asset.owner;
        case SizeGroup::folder: break;
    }
    const auto slash = asset.name.rfind('/');
    return std::string_view(asset.name).substr(0, slash == std::string::npos ? 0 : slash);
}

std::string report_label(const ReportBundle& bundle) {
    return bundle.name.empty() ? std::string(file_name_of_path(bundle.file)) : bundle.name;
}

std::vector<SizedAsset> sized_assets(const std::vector<ReportBundle>& bundles) {
    std::vector<SizedAsset> assets;
    for (const ReportBundle& bundle : bundles) {
        const std::string label = report_label(bundle);
        const std::string* const owner = find_owner(bundle.contents.metadata);
        const std::vector<FirstName> names = first_names(bundle.contents);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const ContentAsset& asset = bundle.contents.assets[i];
            const std::string* const own = find_owner(asset.metadata);
            assets.push_back({.name = names[i].name == nullptr ? "" : names[i].name->text,
                              .tags = names[i].variant == nullptr ? "" : format_tags(*names[i].variant),
                              .bundle = label,
                              .owner = own != nullptr     ? *own
                                       : owner != nullptr ? *owner
                                                          : label,
                              .content_type = asset.content_type,
                              .id = asset.id.hex(),
                              .raw_bytes = asset.raw_bytes,
                              .stored_bytes = asset.stored_bytes});
        }
    }
    sort_sizes(assets);
    return assets;
}

SizeSum total_of(const std::vector<SizedAsset>& assets) {
    SizeSum total;
    for (const SizedAsset& asset : assets)
        total.add(asset);
    return total;
}

std::map<std::string, SizeSum> sum_sizes(const std::vector<SizedAsset>& assets, SizeGroup group) {
    std::map<std::string, SizeSum> sums;
    for (const SizedAsset& asset : assets)
        sums[std::string(group_of(asset, group))].add(asset);
    return sums;
}

Json json_of(const SizedAsset& asset) {
    Json json = Json::object();
    for (const TextKey& text : kSizedTexts)
        json.set(text.key, asset.*text.member);
    for (const NumberKey& number : kSizedNumbers)
        json.set(number.key, asset.*number.member);
    return json;
}

Json json_of(const SizeSum& sum) {
    return Json{{"assets", sum.assets}, {"raw_bytes", sum.raw_bytes}, {"stored_bytes", sum.stored_bytes}};
}

Result<std::vector<SizedAsset>> parse_sizes(std::string_view text) {
    const std::optional<Json> parsed = parse_json_object(text);
    if (!parsed || JsonView(*parsed).at("format").text() != kReportFormat)
        return Error(ErrorCode::malformed, "neither a bundle nor the output of 'fardel report --json'");
    const JsonView json(*parsed);
    if (json.at("version").number() != kReportVersion)
        return Error(ErrorCode::unsupported,
                     "a report of another version of fardel; write it again with 'fardel report --json'");
    std::vector<SizedAsset> assets;
    SizeSum total;
    for (const JsonView entry : json.at("assets").elements()) {
        FARDEL_TRY_ASSIGN(SizedAsset asset, parse_sized(entry, assets.size()));
        total.add(asset);
        if (total.raw_bytes > kReportSizeMax || total.stored_bytes > kReportSizeMax)
            return Error(ErrorCode::limit, "the sizes of the assets together are more than 8 PiB");
        assets.push_back(std::move(asset));
    }
    sort_sizes(assets);
    return assets;
}

Result<std::vector<SizedAsset>> read_sizes(const std::vector<std::string>& files) {
    std::vector<ReportBundle> bundles;
    std::vector<SizedAsset> assets;
    for (const std::string& file : files) {
        if (!begins_as_json(file)) {
            auto bundle = read_report_bundle(file);
            if (!bundle && bundle.error().code() == ErrorCode::malformed)
                return Error(
                    ErrorCode::malformed,
                    bundle.error().message() + "; --since takes a bundle or the output of 'fardel report --json'");
            FARDEL_TRY_ASSIGN(bundles.emplace_back(), std::move(bundle));
            continue;
        }
        FARDEL_TRY_ASSIGN(const std::string text, read_report_file(file));
        auto parsed = parse_sizes(text);
        if (!parsed)
            return std::move(parsed).error().with_context(printable(file, 2000));
        std::ranges::move(*parsed, std::back_inserter(assets));
    }
    std::ranges::move(sized_assets(bundles), std::back_inserter(assets));
    sort_sizes(assets);
    return assets;
}

}  // namespace fardel
