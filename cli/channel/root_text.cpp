#include "channel/root_text.h"

#include "channel/channel_file.h"
#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace fardel {
namespace {

constexpr std::array kRoles{ChannelText::root, ChannelText::release, ChannelText::head};

}  // namespace

Result<ChannelRole> read_role(KeyReader& reader, const std::vector<std::string>& paths, std::uint64_t threshold) {
    FARDEL_TRY_ASSIGN(const auto keys, reader.read(paths));
    ChannelRole role{.threshold = static_cast<std::uint32_t>(threshold), .labels = {}};
    for (const PolicyKey& key : keys)
        role.labels.push_back(key.label);
    return role;
}

std::string format_roles(const ChannelRoot& root) {
    return format_each(kRoles, [&](ChannelText kind) {
        const ChannelRole& role = root.role(kind);
        return fmt::format("  {:<8} {} of {}\n", channel_text_name(kind), role.threshold, fmt::join(role.labels, ", "));
    });
}

Json json_roles(const ChannelRoot& root) {
    Json roles = Json::object();
    for (const ChannelText kind : kRoles)
        roles.set(channel_text_name(kind),
                  Json{{"threshold", root.role(kind).threshold}, {"labels", root.role(kind).labels}});
    return roles;
}

Result<Exit> write_root(ChannelRoot root, const std::string& path, bool json, Console& console) {
    ChannelFile file{.kind = ChannelText::root, .text = {}, .channel = root.channel, .version = root.version};
    FARDEL_TRY_ASSIGN(file.text.body, format_channel_root(root));
    FARDEL_TRY(write_channel_file(path, file));
    return print_result(
        console, json,
        [&] {
            return Json{{"channel", root.channel},          {"id", root.id.hex()},
                        {"version", root.version},          {"created", root.created.seconds},
                        {"expires", root.expires.seconds},  {"roles", json_roles(root)},
                        {"rules", root.trust.allow.size()}, {"file", path}};
        },
        [&] {
            return fmt::format(
                "wrote {}: {}\n"
                "{}  expires  {}\n"
                "next: its root keys sign it: fardel channel sign {} --key KEY\n",
                printable(path), title_of(file), format_roles(root), format_date(root.expires), printable(path));
        });
}

}  // namespace fardel
