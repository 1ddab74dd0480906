#include "registry/registry_names.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>
#include <fardel/format/name.h>
#include <fardel/hosting/registry_rules.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kNamesTitle = "fardel-names ";
constexpr std::string_view kNamesVersion = "1";

Error bad_names(std::string message) { return Error(ErrorCode::malformed, std::move(message)); }

// "NAME KEY SECONDS"
Result<NameHolder> parse_holder(std::string_view rest) {
    NameHolder holder;
    FARDEL_TRY_ASSIGN(holder.key, PublicKey::parse(read_until(rest, ' ')));
    const auto since = parse_decimal(rest, kChannelNumberMax);
    if (!since)
        return bad_names("expected \"NAME KEY SECONDS\"");
    holder.since = {*since};
    return holder;
}

}  // namespace

Result<RegistryNames> RegistryNames::parse(std::string_view text) {
    if (text.size() > kRegistryNamesBytesMax)
        return Error(ErrorCode::limit, "names of a registry: more than 64 MiB");
    // Whose names are missing from a file that was cut off would be anybody's.
    if (!text.ends_with('\n'))
        return bad_names("names of a registry: do not end with a line feed; have they been cut off?");
    const std::string_view title = read_until(text, '\n');
    if (title.ends_with('\r'))
        return bad_names("names of a registry: line 1 ends in CR LF; save them with LF");
    if (!title.starts_with(kNamesTitle))
        return bad_names("names of a registry: line 1: not \"fardel-names 1\"");
    if (title.substr(kNamesTitle.size()) != kNamesVersion)
        return Error(ErrorCode::unsupported, "names of a registry: line 1: not a version that this program knows");
    RegistryNames record;
    const auto add_line = [&](std::string_view line) -> Status {
        const std::string name(read_until(line, ' '));
        FARDEL_TRY_ASSIGN(const NameHolder holder, parse_holder(line));
        if (record.names_.empty() || record.names_.rbegin()->first < name)
            return record.add(name, holder);
        return record.names_.rbegin()->first == name ? record.transfer(name, holder) : bad_names("not sorted by name");
    };
    for (std::size_t number = 2; !text.empty(); ++number)
        if (Status added = add_line(read_until(text, '\n')); !added)
            return std::move(added).error().with_context("names of a registry: line " + std::to_string(number));
    return record;
}

std::string RegistryNames::format() const {
    std::string text = std::string(kNamesTitle) + std::string(kNamesVersion) + "\n";
    for (const auto& [name, holders] : names_)
        for (const NameHolder& one : holders)
            text += name + " " + one.key.hex() + " " + std::to_string(one.since.seconds) + "\n";
    return text;
}

const std::vector<NameHolder>* RegistryNames::find(std::string_view name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
}

std::size_t RegistryNames::names_of(const PublicKey& key) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(names_, [&](const auto& one) { return one.second.back().key == key; }));
}

Status RegistryNames::add(const std::string& name, const NameHolder& first) {
    FARDEL_TRY(verify_registry_name(name));
    if (names_.size() >= kRecordedNamesMax)
        return Error(ErrorCode::limit, "a registry has at most " + std::to_string(kRecordedNamesMax) + " names");
    names_[name] = {first};
    return ok();
}

Status RegistryNames::transfer(std::string_view name, const NameHolder& next) {
    const auto found = names_.find(name);
    if (found == names_.end())
        return Error(ErrorCode::missing, "no bundle named " + printable(name) + " was ever in this registry");
    if (found->second.size() >= kNameHoldersMax)
        return Error(ErrorCode::limit, printable(name) + " was transferred " + std::to_string(kNameHoldersMax - 1) +
                                           " times, and may not be transferred again");
    found->second.push_back(next);
    return ok();
}

}  // namespace fardel
