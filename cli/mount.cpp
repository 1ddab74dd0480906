// fardel mount: shows bundles as a folder that every program can read, through FUSE.

#include "bundles/bundle_url.h"
#include "bundles/left_out.h"
#include "bundles/mounts.h"
#include "bundles/server_option.h"
#include "bundles/store_option.h"
#include "bundles/variants_option.h"
#include "channel/mounted_channel.h"
#include "console/figures.h"
#include "console/output_file.h"
#include "fuse/fuse_session.h"
#include "install/mounted_lock.h"
#include "pure/pure_tree.h"
#include "pure/pure_verbs.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/name.h>
#include <fardel/format/trace.h>
#include <fardel/packer/project.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {
namespace {

struct MountCommand {
    std::vector<std::string> words;  // files, then the folder
    MountingOptions mounting;
    std::string tree;
    std::vector<std::string> mirrors;
    std::string trace;  // to be written; empty: none
    std::string ahead;  // a trace to read ahead along; empty: none
    ServerChoice servers;
    bool allow_other = false;
    bool foreground = false;
    bool unmount = false;
    bool switches = false;
    std::vector<std::string> variants;
    VariantPreference preference;  // of those words
    bool follow = false;
    bool links = false;
    bool ids = false;
    std::string pure;  // a server's policy; empty: none
    ChannelChoice channel;
    LockChoice lock;
    RecallWatch recalls;
};

std::uint64_t total_size(const std::vector<std::string>& files) {
    std::uint64_t bytes = 0;
    for (const std::string& file : files) {
        const auto status = find_file_status(file, file);
        bytes += status && *status ? (*status)->size_bytes : 0;
    }
    return bytes;
}

ServerList servers_of(const MountCommand& command) {
    std::vector<std::string> trees{command.tree};
    trees.insert(trees.end(), command.mirrors.begin(), command.mirrors.end());
    return command.servers.list(std::move(trees));
}

void say_not_kept(const RemoteMounting& remote, Console& console) {
    for (const auto& bundle : remote.bundles)
        if (const auto reason = bundle->why_not_kept())
            console.say(fmt::format("fardel: {}: what is read is not kept in the store: {}", short_id(bundle->id()),
                                    reason->message()));
}

// The mounted bundles of a project, and what comes after them.
struct FollowedProject {
    BundleStore store;
    std::shared_ptr<const TrustPolicy> policy;  // nullptr: anything is mounted
    MountOptions options;
    std::optional<RemoteProject> project;
    std::vector<MountId> mounts;  // the root is the last

    Result<std::vector<AssetChange>> show(Vfs& vfs, const std::vector<RemoteMount>& bundles) {
        std::vector<MountRequest> requests;
        for (const RemoteMount& bundle : bundles) {
            requests.push_back({.subject = bundle.source, .options = options});
            // A mount takes recalls, which only forbid, and no newer releases: a game in the middle of a level would
            // see files change. `--follow` is for development, and replaces the mounts in one step.
            requests.back().options.label = bundle.bundle.hex();
        }
        return vfs.replace(mounts, requests);
    }
};

Result<std::unique_ptr<FollowedProject>> mount_project(Vfs& vfs, const MountCommand& command,
                                                       const RemoteServers& servers) {
    FARDEL_TRY_ASSIGN(BundleStore store, open_store(command.mounting.store, false));
    std::unique_ptr<FollowedProject> followed(
        new FollowedProject{.store = std::move(store), .policy = {}, .options = {}, .project = {}, .mounts = {}});
    FARDEL_TRY_ASSIGN(followed->policy, find_policy(command.mounting.policy_path));
    FARDEL_TRY_ASSIGN(followed->options, mount_options_of(command.mounting, followed->policy.get()));
    RemoteProjectOptions options{.policy = followed->policy.get(), .time = {}, .library = nullptr, .mounted = {}};
    FARDEL_TRY_ASSIGN(options.library, find_library(command.mounting.libraries));
    for (const MountDescription& mount : vfs.mounts())
        options.mounted.push_back(mount.bundle);
    FARDEL_TRY_ASSIGN(RemoteProject project, RemoteProject::open(followed->store, servers, std::move(options)));
    followed->project.emplace(std::move(project));
    FARDEL_TRY_ASSIGN(const auto bundles, followed->project->poll());
    FARDEL_TRY(followed->show(vfs, bundles));
    return followed;
}

std::string format_changes(const std::vector<AssetChange>& changes) {
    constexpr std::size_t kShown = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(changes.size(), kShown); ++i)
        text += (i == 0 ? ": " : ", ") + printable(changes[i].path);
    return format_count(changes.size(), "file", "files") + text + (changes.size() > kShown ? ", …" : "");
}

// Mounts each new root, with what it needs, in place of the one before. A server that does not answer is asked again.
void follow(FollowedProject& followed, Vfs& vfs, const std::stop_token& stop, Console& console) {
    constexpr std::chrono::milliseconds kAskedEvery{300};
    std::string said;
    while (!stop.stop_requested()) {
        std::this_thread::sleep_for(kAskedEvery);
        const auto bundles = followed.project->poll(stop);
        const bool is_new = bundles && !bundles->empty();
        const auto changes = is_new ? followed.show(vfs, *bundles) : std::vector<AssetChange>();
        const std::string error = !bundles ? bundles.error().text() : changes ? "" : changes.error().text();
        if (!error.empty() && error != said && !stop.stop_requested())
            console.say("fardel: " + error);
        said = error;
        if (is_new && changes)
            console.say(fmt::format("fardel: root {}: {}", short_id(bundles->back().bundle), format_changes(*changes)));
    }
}

// Lets what is mounted follow edits. What cannot be followed leaves the tree as it was, and is said once.
class FolderEdits {
public:
    FolderEdits(Vfs& vfs, Console& console) noexcept : vfs_(vfs), console_(console) {}

    void operator()() {
        const auto changes = vfs_.poll();
        const std::string error = changes ? "" : changes.error().text();
        if (!error.empty() && error != said_)
            console_.say("fardel: an edit is not shown: " + error);
        said_ = error;
    }

private:
    Vfs& vfs_;
    Console& console_;
    std::string said_;
};

// Whether the mount is in one of the folders that are mounted, or in that of a project. Such a folder is not watched: a
// scan of it waits for the mount, and the mount would wait for the scan.
bool is_inside(const std::string& mount_point, const std::vector<std::string>& files) {
    const auto inner = real_path(mount_point, mount_point);
    return inner && std::ranges::any_of(files, [&](const std::string& file) {
               const auto outer = real_path(file, file);
               return outer && is_at_or_below_path(outer->ends_with(".toml") ? folder_part(*outer) : *outer, *inner);
           });
}

bool follows_edits(const Vfs& vfs, const MountingOptions& mounting) {
    return std::ranges::any_of(vfs.mounts(), [&](const MountDescription& mount) {
        return mount.kind == MountKind::folder || mount.kind == MountKind::project ||
               (mounting.watch_bundles && mount.kind == MountKind::bundle);
    });
}

// A folder is mounted as it is, whatever its project file says.
void say_projects(const std::vector<std::string>& files, Console& console) {
    for (const std::string& file : files) {
        const std::string project = joined_path(file, kProjectFileName);
        if (file_exists(project))
            console.say(
                fmt::format("fardel: {}: mounted as it is, without the rules of its project; mount {} for the "
                            "tree that 'fardel build' would bundle",
                            printable(file), printable(project)));
    }
}

// Bundles that are named by URLs become ids, and their tree is that of --from. Returns what is wrong.
std::optional<std::string> read_urls(MountCommand& command) {
    for (std::size_t i = 0; i + 1 < command.words.size(); ++i) {
        std::string& word = command.words[i];
        if (!is_url(word))
            continue;
        auto url = find_bundle_url(word);
        if (!url)
            return printable(word) + " is not the URL of a bundle in a tree, URL/bundles/ID.fardel";
        if (!command.tree.empty() && command.tree != url->tree)
            return "the bundles are in two trees, " + printable(command.tree) + " and " + printable(url->tree) +
                   "; mount one after the other, or name one tree with --from and the other with --mirror";
        command.tree = std::move(url->tree);
        word = url->bundle.hex();
    }
    return std::nullopt;
}

// What is mounted, in order; of a channel, the bundles of its release; of a lock file, what it names.
Result<std::vector<std::string>> plan_mounts(MountCommand& command, Console& console) {
    std::vector<std::string> files(command.words.begin(), command.words.end() - 1);
    if (!command.lock.path.empty()) {
        FARDEL_TRY_ASSIGN(command.recalls.subject, plan_lock(command.lock, files, command.mounting, console));
        command.recalls.newer_advice = "'fardel update --plan' shows what of it would be installed";
    } else if (!command.channel.name.empty()) {
        FARDEL_TRY_ASSIGN(auto own, find_policy(command.mounting.policy_path));
        FARDEL_TRY_ASSIGN(command.recalls.subject, subject_of(command.channel, std::move(own)));
        FARDEL_TRY(plan_channel(command.recalls.subject, files, command.mounting, console));
    }
    command.recalls.servers = servers_of(command);
    return files;
}

Result<Exit> mount(MountCommand command, Console& console) {
    FARDEL_TRY_ASSIGN(const std::vector<std::string> files, plan_mounts(command, console));
    const std::string& folder = command.words.back();
    std::optional<RemoteMounting> remote;
    if (!command.tree.empty()) {
        // Created before a server is asked: what is read from servers is kept there.
        FARDEL_TRY(open_store(command.mounting.store, true));
        FARDEL_TRY_ASSIGN(RemoteServers servers, RemoteServers::open({.servers = servers_of(command)}));
        remote.emplace(RemoteMounting{.servers = std::move(servers), .bundles = {}});
    }
    VfsOptions options = vfs_options();
    options.records_trace = !command.trace.empty();
    Vfs vfs(options);
    if (command.pure.empty()) {
        command.mounting.watch = !is_inside(folder, files);
        if (!command.mounting.watch)
            console.say(fmt::format("fardel: {} is inside of what is mounted; edits are not shown", printable(folder)));
        FARDEL_TRY(mount_all(vfs, files, command.mounting, remote ? &*remote : nullptr));
        say_projects(files, console);
    } else {
        FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.pure));
        FARDEL_TRY_ASSIGN(const PureReport report, mount_pure(vfs, policy, files, command.mounting));
        if (!report.empty())
            return console.print(format_problems(report), Exit::refusal);
    }
    std::unique_ptr<FollowedProject> followed;
    if (command.follow) {
        FARDEL_TRY_ASSIGN(followed, mount_project(vfs, command, remote->servers));
        if (followed->policy && vfs.tainted())
            console.say("fardel: tainted: nobody has signed the project, and the policy says 'unsigned allow'");
    }
    say_missing_dependencies(vfs, console);
    say_left_out(vfs, console);
    vfs.prefer(command.preference);
    say_idle_axes(command.preference, vfs, console);
    std::uint64_t stored_bytes = total_size(files);
    if (!remote)
        say_incomplete_bundles(vfs, command.mounting, console);
    if (remote) {
        say_not_kept(*remote, console);
        for (const auto& bundle : remote->bundles)
            stored_bytes += bundle->source()->size_bytes();
    }
    std::string ahead;
    if (!command.ahead.empty()) {
        FARDEL_TRY_ASSIGN(const Trace trace, read_trace(command.ahead));
        ahead = format_trace(trace);
    }
    std::string trace_file = command.trace;
    if (!trace_file.empty()) {
        FARDEL_TRY(verify_new_file(trace_file, "; name another file for the trace"));
        // Refused now, not when it is written: that would be hours later, at the end of the session.
        FARDEL_TRY_ASSIGN(trace_file, absolute_path(trace_file));  // the background is another folder
    }
    FuseTree tree{.vfs = vfs,
                  .stored_bytes = stored_bytes,
                  .changes = command.follow,
                  .links = command.links,
                  .ids = command.ids || command.links,
                  .catch_up = {},
                  .preference = command.preference};
    if (command.mounting.watch && follows_edits(vfs, command.mounting)) {
        tree.changes = true;
        tree.catch_up = FolderEdits(vfs, console);
    }
    FARDEL_TRY_ASSIGN(FuseSession session, FuseSession::mount(tree, folder, command.allow_other));
    if (console.watched())
        console.say(fmt::format("fardel: mounted at {}; {} unmounts", printable(folder, 2000),
                                command.foreground ? "Ctrl-C" : "'fardel mount --unmount'"));
    if (remote)
        remote->servers.pause();  // it has a thread, and the background is another process
    // Every thread starts after this line, since a process that goes to the background takes none with it.
    if (!command.foreground)
        FARDEL_TRY(session.go_to_background());
    std::optional<std::jthread> disk_ahead;
    if (!ahead.empty())
        disk_ahead.emplace([&](const std::stop_token& stop) { static_cast<void>(vfs.read_ahead(ahead, stop)); });
    std::optional<TraceReadAhead> read_ahead;
    if (remote) {
        FARDEL_TRY_ASSIGN(TraceReadAhead started, TraceReadAhead::start(remote->servers, remote->bundles));
        read_ahead.emplace(std::move(started));
    }
    // No read waits for a server while the file system is unmounted.
    std::function<void(const std::stop_token&)> beside;
    if (followed)
        beside = [&](const std::stop_token& stop) { follow(*followed, vfs, stop, console); };
    if (command.recalls.every_s != 0)
        beside = [&](const std::stop_token& stop) {
            watch_recalls(command.recalls, command.mounting.store, vfs, stop, console);
        };
    FARDEL_TRY(session.serve(remote ? [&remote] { remote->servers.close(); } : std::function<void()>(), beside));
    if (!trace_file.empty()) {
        FARDEL_TRY_ASSIGN(const std::string trace, vfs.trace());
        FARDEL_TRY(write_file(trace_file, trace));
    }
    return Exit::fine;
}

}  // namespace

Result<Exit> run_mount(Words words, Console& console) {
    CommandLine line(
        "mount",
        "FILE... DIR [--trust POLICY] [--store DIR] [--library FOLDER] [--from URL] [--require-dependencies] "
        "[--read-ahead TRACE] [--variants AXIS=VALUE,...] [--watch] [--links] [--ids] [--foreground] [--allow-other]\n"
        "       fardel mount DIR --from URL --follow [--store DIR] [--trust POLICY]\n"
        "       fardel mount [FILE...] DIR --pure POLICY --trust TRUST [--store DIR]\n"
        "       fardel mount DIR --channel NAME [--root ROOT] [--from URL [--every SECONDS]] [--store DIR]\n"
        "       fardel mount DIR --lock FILE [--from URL [--every SECONDS]] [--strict] [--need NAME] [--store DIR] "
        "[--trust POLICY]\n"
        "       fardel mount --switch DIR [--variants AXIS=VALUE,...]\n"
        "       fardel mount --unmount DIR",
        "Mounts bundles as a folder that every program can read. Later bundles win. Needs FUSE: not on Windows.",
        "  fardel mount mygame.fardel mod.fardel /mnt/game\n"
        "  fardel mount mygame.fardel /mnt/game --trust policy.trust --foreground\n"
        "  fardel mount mygame/fardel.toml /mnt/game\n"
        "  fardel mount 6f0c1d2a /mnt/game --store ~/.local/share/fardel\n"
        "  fardel mount 6f0c1d2a /mnt/game --library ~/games/mods\n"
        "  fardel mount 6f0c...2d1a /mnt/game --store ~/.local/share/fardel --from https://example.org/mygame\n"
        "  fardel mount https://example.org/mygame/bundles/6f0c...2d1a.fardel /mnt/game --store ~/.local/share/fardel\n"
        "  fardel mount /mnt/game --from http://192.168.0.7:8080 --follow --store ~/.local/share/fardel\n"
        "  fardel mount /mnt/game --channel mygame/stable --store ~/.local/share/fardel\n"
        "  fardel mount /mnt/game --lock fardel.lock --store ~/.local/share/fardel\n"
        "  fardel mount base.fardel /mnt/game --pure server.pure --trust game.trust --store ~/.local/share/fardel\n"
        "  fardel mount mygame.fardel /mnt/game --variants texture=astc,png lang=fr\n"
        "  fardel mount --switch /mnt/game --variants lang=de\n"
        "  fardel mount --unmount /mnt/game\n");
    MountCommand command;
    line.texts("FILE", "FILE", command.words,
               "The bundles, in the order in which they are mounted, also by id or by the URL at which "
               "'fardel publish' has put them; folders and projects (fardel.toml), whose edits are followed; "
               "the last word is DIR, an empty folder");
    add_mounting_options(line, command.mounting);
    line.text(
        "--from", "URL", command.tree,
        "A tree that 'fardel publish' has written: bundles that are named by their ids, and those that they need, "
        "are read from it while they are used, and kept in the store");
    line.flag("--follow", command.follow,
              "With --from: mount the files of the project that 'fardel serve --project' serves there, "
              "over the bundles and with those that it needs, and change with them. "
              "With --trust, the policy needs the line 'unsigned allow'");
    line.text("--pure", "POLICY", command.pure,
              "Show only what a server's policy ('fardel pure policy') allows: "
              "its content set, from the files or the store, and exceptions and loose files among the files. "
              "If anything is missing or not allowed, nothing is mounted, and all of it is listed");
    add_channel_options(line, command.channel);
    add_lock_options(line, command.lock);
    line.number("--every", command.recalls.every_s, 1, 86'400,
                "With --from and --channel or --lock: ask the server every so many seconds for recalls, "
                "which take effect at once");
    line.texts("--mirror", "URL", command.mirrors,
               "With --from: another server with the same tree, or with bundles that a project needs");
    line.text("--trace", "FILE", command.trace,
              "Write which files were opened, in which order, to this new file when it is unmounted ('fardel trace')");
    line.text("--read-ahead", "TRACE", command.ahead,
              "Read from the disk what this trace lists, in its order, before anybody asks for it: "
              "a game starts sooner from a slow disk");
    add_server_options(line, command.servers);
    line.flag(
        "--watch", command.mounting.watch_bundles,
        "Show a bundle file that replaces one of the files, as 'fardel build' and 'fardel watch' do, at once; it has "
        "to be as trusted as the first one. Edits of folders and projects are shown without it");
    line.flag("--ids", command.ids,
              "Also show the folders assets, with every asset by its id, and bundles, with the names of each bundle");
    line.flag("--links", command.links,
              "As --ids, and show published names as links into assets; some programs refuse links");
    line.flag("-f,--foreground", command.foreground, "Do not go to the background; end when unmounted, or with Ctrl-C");
    line.flag("--allow-other", command.allow_other, "Let other users read the folder too");
    add_variants_option(line, command.variants);
    line.flag("--switch", command.switches,
              "Take other variants in what fardel has mounted at DIR: those of --variants, or the first of each name. "
              "Programs see them at once; files that are open stay what they are");
    line.flag("-u,--unmount", command.unmount, "Unmount what fardel has mounted at DIR");
    if (const auto over = line.parse(words, console))
        return *over;
    if (const Status possible = FuseSession::verify_system(); !possible)
        return line.mistake(possible.error().message(), console);
    auto preference = read_variants(command.variants);
    if (!preference)
        return line.mistake(preference.error().text(), console);
    command.preference = *std::move(preference);
    if (command.switches) {
        if (command.words.size() != 1 || command.unmount)
            return line.mistake("--switch takes one folder, and --variants", console);
        FARDEL_TRY_ASSIGN(const VariantPreference axes, switch_variants(command.words[0], command.preference));
        say_idle_axes(command.preference, axes, console);
        return Exit::fine;
    }
    if (command.unmount) {
        if (command.words.size() != 1 || !command.mounting.policy_path.empty() ||
            command.mounting.require_dependencies || !command.tree.empty() || !command.trace.empty() ||
            !command.ahead.empty() || command.mounting.watch_bundles || command.links || command.ids ||
            command.foreground || command.allow_other || !command.variants.empty())
            return line.mistake("--unmount takes one folder and no other option", console);
        FARDEL_TRY(unmount_fuse(command.words[0]));
        return Exit::fine;
    }
    if (command.words.empty())
        return line.mistake("name the bundles, if no option does, and the folder to mount them at", console);
    if (const auto mistake = read_urls(command))
        return line.mistake(*mistake, console);
    if (command.tree.empty() && !command.mirrors.empty())
        return line.mistake("--mirror needs --from", console);
    if (command.tree.empty() && command.servers.public_only)
        return line.mistake("--public-only needs --from", console);
    if (const auto mistake = find_mistake(command.servers))
        return line.mistake(*mistake, console);
    if (command.follow && command.tree.empty())
        return line.mistake("--follow needs --from", console);
    const bool is_channel = !command.channel.name.empty();
    if (!is_channel && !command.channel.root.empty())
        return line.mistake("--root needs --channel", console);
    if (!is_channel && command.lock.path.empty() && command.recalls.every_s != 0)
        return line.mistake("--every needs --channel or --lock", console);
    if (is_channel && (command.follow || command.words.size() != 1))
        return line.mistake("--channel mounts the bundles of its release, and takes no others", console);
    if (!command.lock.path.empty() && (is_channel || command.follow || command.words.size() != 1))
        return line.mistake("--lock mounts what the file names, and takes no other bundles", console);
    if (command.lock.path.empty() && (command.lock.strict || !command.lock.needed.empty()))
        return line.mistake("--strict and --need go with --lock", console);
    if (command.recalls.every_s != 0 && command.tree.empty())
        return line.mistake("--every needs --from", console);
    const bool is_pure = !command.pure.empty();
    const bool has_other_set = is_channel || !command.lock.path.empty() || !command.tree.empty();
    if (is_pure && (has_other_set || command.mounting.require_dependencies))
        return line.mistake("--pure goes without --from, --channel, --lock and --require-dependencies", console);
    if (command.mounting.watch_bundles && (has_other_set || is_pure))
        return line.mistake("--watch goes with bundle files, and without --from, --channel, --lock and --pure",
                            console);
    if (is_pure && command.links)
        return line.mistake(
            "--pure goes without --links: content that a server tolerates has no other path than its name", console);
    if (command.words.size() < (command.follow || is_channel || is_pure || !command.lock.path.empty() ? 1u : 2u))
        return line.mistake("name at least one bundle, and the folder to mount it at", console);
    return mount(command, console);
}

}  // namespace fardel
