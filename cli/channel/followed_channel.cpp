#include "channel/followed_channel.h"

#include "bundles/near_names.h"
#include "channel/channel_file.h"
#include "console/figures.h"

#include <fardel/base/invocation.h>
#include <fardel/base/path_text.h>
#include <fardel/base/user_folder.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fardel {
namespace {

Result<std::string> state_folder() {
    if (const auto folder = find_user_folder(UserFolder::state))
        return *folder + "/fardel";
    const std::string home = variable("HOME");
    if (!is_absolute_path(home))
        return Error(ErrorCode::missing,
                     "neither XDG_STATE_HOME nor HOME is set; what is accepted of a channel is kept there, too");
    return Error(ErrorCode::missing,
                 fmt::format("HOME is {}, which is no folder; what is accepted of a channel is kept in the "
                             "user's state folder, too: set XDG_STATE_HOME to one that this user may write, such "
                             "as /var/lib/fardel",
                             printable(home)));
}

std::string format_bundle(std::string_view sign, const ChannelBundle& one) {
    return fmt::format("  {} {}  {} {}\n", sign, short_id(one.bundle), printable(one.name), one.version);
}

Json json_of(const ChannelBundle& one) {
    return Json{{"bundle", one.bundle.hex()}, {"name", one.name}, {"version", one.version}};
}

}  // namespace

void add_channel_options(CommandLine& line, ChannelChoice& choice) {
    line.text("--channel", "NAME", choice.name, "A channel, such as mygame/stable ('fardel channel')");
    line.text("--root", "ROOT", choice.root,
              "With --channel: a root of it that you know to be right; needed the first time");
}

Result<ChannelSubject> subject_of(const ChannelChoice& choice, std::shared_ptr<const TrustPolicy> own) {
    ChannelSubject subject{.name = choice.name, .root = {}, .state_folder = {}, .policy = std::move(own)};
    FARDEL_TRY_ASSIGN(subject.state_folder, state_folder());
    if (!choice.root.empty())
        FARDEL_TRY(read_root_file(choice.root, &subject.root));
    return subject;
}

Result<std::vector<BundleId>> choose_bundles(const ChannelState& state, const std::vector<std::string>& names) {
    if (state.release_version == 0)
        return Error(ErrorCode::missing, fmt::format("no release of channel {} has been accepted yet; "
                                                     "'fardel fetch --channel' asks a server for it",
                                                     printable(state.name)));
    for (const std::string& name : names)
        if (std::ranges::find(state.bundles, name, &ChannelBundle::name) == state.bundles.end())
            return Error(ErrorCode::missing, fmt::format("release {} of channel {} has no bundle named {}{}",
                                                         state.release_version, printable(state.name), printable(name),
                                                         suggest_bundle(name, names_of(state.bundles))));
    std::vector<BundleId> chosen;
    for (const ChannelBundle& one : state.bundles) {
        const bool is_named = std::ranges::find(names, one.name) != names.end();
        // Only a recalled bundle that was asked for by name is an error; the rest of a release is installed without it.
        if (is_named && one.recall)
            return Error(ErrorCode::revoked, fmt::format("{} {} has been recalled: {}", printable(one.name),
                                                         one.version, printable(*one.recall)));
        if ((is_named || names.empty()) && !one.recall)
            chosen.push_back(one.bundle);
    }
    return chosen;
}

std::vector<std::string> names_of(const std::vector<ChannelBundle>& bundles) {
    std::vector<std::string> names;
    std::ranges::transform(bundles, std::back_inserter(names), &ChannelBundle::name);
    return names;
}

std::string describe_age(const ChannelState& state, UnixTime now) {
    if (state.head_version == 0)
        return fmt::format("channel {}: no head of it counts at present", printable(state.name));
    return fmt::format("channel {}: {} {}", printable(state.name),
                       state.is_stale(now) ? "stale since" : "current until", format_date(*state.fresh_until));
}

std::string format_outcome(const ChannelOutcome& outcome, UnixTime now) {
    const ChannelState& state = outcome.state;
    std::string text = fmt::format("{}\n", describe_age(state, now));
    if (state.release_version != 0)
        text += fmt::format("  release {}, {}\n", state.release_version,
                            format_count(state.bundles.size(), "bundle", "bundles"));
    text += format_each(outcome.added, [](const ChannelBundle& one) { return format_bundle("+", one); });
    text += format_each(outcome.removed, [](const ChannelBundle& one) { return format_bundle("-", one); });
    if (outcome.has_new_recalls)
        text += format_each(state.recalled_bundles,
                            [](const auto& one) {
                                return fmt::format("  recalled {}  {}\n", short_id(one.id), printable(one.reason));
                            }) +
                format_each(state.recalled_keys, [](const auto& one) {
                    return fmt::format("  recalled key {}  {}\n", key_id(one.id), printable(one.reason));
                });
    return text;
}

Json json_of(const ChannelOutcome& outcome, UnixTime now) {
    const ChannelState& state = outcome.state;
    const auto recalls = [](const auto& list) {
        return json_list(list, [](const auto& one) { return Json{{"id", one.id.hex()}, {"reason", one.reason}}; });
    };
    const auto bundles = [](const std::vector<ChannelBundle>& list) {
        return json_list(list, [](const ChannelBundle& one) { return json_of(one); });
    };
    Json failure;
    if (outcome.failure)
        failure = Json{{"code", error_code_name(outcome.failure->code())}, {"text", outcome.failure->message()}};
    return Json{{"channel", state.name},
                {"id", state.id.hex()},
                {"root", state.root_version},
                {"release", state.release_version},
                {"head", state.head_version},
                {"fresh_until", state.fresh_until ? state.fresh_until->seconds : 0},
                {"stale", state.is_stale(now)},
                {"bundles", bundles(state.bundles)},
                {"added", bundles(outcome.added)},
                {"removed", bundles(outcome.removed)},
                {"recalled_bundles", recalls(state.recalled_bundles)},
                {"recalled_keys", recalls(state.recalled_keys)},
                {"failure", failure}};
}

}  // namespace fardel
