// A game client that joins a server in pure mode: learns what it lacks and what that costs, asks its player, fetches
// it, proves that it has the server's content, loads a level, and leaves with its own content as it was.
//
//     sample_join_client PORT STORE TRUST yes|no FILE... [-- GAME...]
//
// PORT: of the game server, on loopback. STORE: a folder for fetched bundles. TRUST: the player's trust policy. yes or
// no: the player's answer when something has to be fetched. FILE: what the player has: bundles, and folders. GAME: a
// command that plays in place of this program, as long as the connection lasts; the file that SERVER_POLICY names has
// the server's policy (samples/ioquake3).
#include "join_connection.h"

#include <fardel/delivery/fetch.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/trust_policy.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/vfs.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace {

using fardel::Error, fardel::ErrorCode, fardel::Status, join::Connection;

const std::string kHost = "127.0.0.1";  // of the game server, which the player has named

// Runs the game until it ends, or the server is gone.
Status run_game(char** command, const std::string& policy_file, Connection& connection) {
    ::setenv("SERVER_POLICY", policy_file.c_str(), 1);
    const pid_t game = ::fork();
    if (game == 0) {
        ::execvp(command[0], command);
        ::_exit(127);
    }
    if (game < 0)
        return Error(ErrorCode::io, "the game cannot be started");
    int status = 0;
    while (::waitpid(game, &status, WNOHANG) == 0) {
        if (connection.lasts(50))
            continue;
        ::kill(game, SIGTERM);
        ::waitpid(game, &status, 0);
        return Error(ErrorCode::unreachable, "the game server is gone");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return Error(ErrorCode::io, "the game did not end well");
    return fardel::ok();
}

class Client {
public:
    // `source`: the player's name for the server. `game`: the command that plays; nullptr: this program does.
    Client(fardel::BundleStore store, std::shared_ptr<const fardel::TrustPolicy> trust, std::string source,
           bool consents, char** game)
        : store_(std::move(store)),
          trust_(std::move(trust)),
          consents_(consents),
          game_(game),
          source_(std::move(source)) {}

    // What the player has. What cannot be mounted is said; the server's content set decides whether it matters.
    void mount_own(const std::vector<std::string>& files) {
        for (const std::string& file : files) {
            const fardel::MountOptions options{.policy = trust_.get(), .allow_unsigned = true, .label = file};
            auto source = fardel::open_file_source(file);  // a folder is mounted by its path
            const auto mounted = source ? mount(*std::move(source), options) : vfs_.mount(file, options);
            if (!mounted)
                std::printf("not mounted: %s\n", mounted.error().text().c_str());
        }
    }

    Status join(Connection& connection) {
        connection.send(join::Message::hello, std::string_view());
        FARDEL_TRY_ASSIGN(const auto policy_text, connection.receive(join::Message::policy));
        FARDEL_TRY_ASSIGN(const auto policy, fardel::PurePolicy::parse(join::text_of(policy_text)));
        FARDEL_TRY_ASSIGN(auto offer_bytes, connection.receive(join::Message::offer));
        FARDEL_TRY_ASSIGN(auto offer, fardel::decode_pure_offer(offer_bytes));
        FARDEL_TRY(bring_missing(policy, offer, connection));
        if (has_fetched_) {  // the first offer may be too old by now
            connection.send(join::Message::hello, std::string_view());
            FARDEL_TRY_ASSIGN(const auto again, connection.receive(join::Message::policy));
            FARDEL_TRY_ASSIGN(offer_bytes, connection.receive(join::Message::offer));
            FARDEL_TRY_ASSIGN(offer, fardel::decode_pure_offer(offer_bytes));
        }
        return prove(policy, offer, connection);
    }

    // Everything that the server brought goes out of sight, and the player's own content is as before.
    void leave() {
        vfs_.leave_pure();
        for (const fardel::MountId mount : brought_)
            (void)vfs_.unmount(mount);
        brought_.clear();
        std::printf("left; own content: %zu mounts, tainted: %s\n", vfs_.mounts().size(),
                    vfs_.tainted() ? "yes" : "no");
    }

private:
    // The proof reads through the same descriptor as the game.
    fardel::Result<fardel::MountId> mount(std::shared_ptr<const fardel::ByteSource> source,
                                          fardel::MountOptions options) {
        FARDEL_TRY_ASSIGN(auto bundle, fardel::open_pure_bundle(source, options.label));
        FARDEL_TRY_ASSIGN(const fardel::MountId mounted, vfs_.mount(std::move(source), std::move(options)));
        bundles_.push_back(std::move(bundle));
        return mounted;
    }

    bool has(const fardel::PureBundle& wanted) const {
        for (const fardel::MountDescription& mount : vfs_.mounts())
            if (mount.bundle == wanted.bundle)
                return true;
        return false;
    }

    Status bring_missing(const fardel::PurePolicy& policy, const fardel::PureOffer& offer, Connection& connection) {
        std::vector<fardel::BundleId> lacking;
        for (const fardel::PureBundle& wanted : policy.rules().bundles)
            if (!has(wanted) && !store_.open_whole_bundle(wanted.bundle))
                lacking.push_back(wanted.bundle);
        if (!lacking.empty() && !offer.sources.empty())
            FARDEL_TRY(fetch(lacking, offer.sources, connection));
        for (const fardel::PureBundle& wanted : policy.rules().bundles) {
            if (has(wanted))
                continue;
            auto source = store_.open_whole_bundle(wanted.bundle);
            if (!source)
                continue;  // the report says that it is missing
            const auto mounted = mount(*std::move(source), {.mount_point = wanted.mount_point,
                                                            .case_rule = wanted.case_rule,
                                                            .policy = trust_.get(),
                                                            .pure_only = true,
                                                            .label = wanted.name});
            if (mounted)
                brought_.push_back(*mounted);
            else
                std::printf("not mounted: %s\n", mounted.error().text().c_str());
        }
        return fardel::ok();
    }

    Status fetch(const std::vector<fardel::BundleId>& bundles, const std::vector<fardel::ForeignUrl>& sources,
                 Connection& connection) {
        fardel::FetchCallbacks callbacks;
        std::optional<fardel::FetchPlan> asked;
        callbacks.planned = [&](const fardel::FetchPlan& plan) { asked = plan; };
        // What the game server names is a server of the internet, or on its own machine, which the player has named.
        fardel::FetchWork work{
            .servers = fardel::ServerList::of_strangers(sources, {kHost}), .bundles = bundles, .policy = trust_};
        // `fardel store gc --source` removes what this server brought, whatever URLs it names.
        work.source = source_;
        work.source_bytes_max = 2u << 30;
        FARDEL_TRY_ASSIGN(auto fetch, fardel::Fetch::start(store_, std::move(work), std::move(callbacks)));
        while (!fetch.poll(std::chrono::milliseconds(10))) {  // once per frame
            connection.service();
            if (!asked)
                continue;
            for (const fardel::PlannedFetch& bundle : asked->bundles)
                std::printf("missing: %s %s, %llu bytes, signed by %s\n", bundle.name.c_str(), bundle.version.c_str(),
                            static_cast<unsigned long long>(bundle.fetch_bytes),
                            bundle.signers.empty() ? "nobody" : bundle.signers.front().c_str());
            std::printf("fetch %llu bytes? %s\n", static_cast<unsigned long long>(asked->fetch_bytes),
                        consents_ ? "yes" : "no");
            consents_ ? fetch.accept() : fetch.refuse();
            asked.reset();
        }
        has_fetched_ = fetch.outcome()->has_value();
        if (has_fetched_)
            std::printf("fetched %llu bytes\n", static_cast<unsigned long long>((**fetch.outcome()).received_bytes));
        else
            std::printf("not fetched: %s\n", fetch.outcome()->error().text().c_str());
        return fardel::ok();  // what is missing is in the report
    }

    Status prove(const fardel::PurePolicy& policy, const fardel::PureOffer& offer, Connection& connection) {
        const fardel::PureReport found = vfs_.enter_pure(policy);
        std::vector<fardel::PureProblem> problems(found.problems().begin(), found.problems().end());
        // Every byte once, so that damage is known now and not in the middle of the game.
        for (fardel::PureProblem& damage : fardel::check_every_byte(policy, bundles_))
            problems.push_back(std::move(damage));
        FARDEL_TRY_ASSIGN(const auto reply, fardel::answer_pure_offer(offer, policy, bundles_, {}, connection.name(),
                                                                      std::move(problems)));
        connection.send(join::Message::report, std::string_view(reply.report.format()));
        connection.send(join::Message::answer, encode_pure_answer(reply.answer));
        FARDEL_TRY_ASSIGN(const auto bytes, connection.receive(join::Message::verdict));
        FARDEL_TRY_ASSIGN(const auto verdict, fardel::decode_pure_verdict(bytes));
        for (const auto& problem : reply.report.problems())
            std::printf("%s: %s: %s\n", std::string(pure_fault_text(problem.fault)).c_str(), problem.name.c_str(),
                        problem.text.c_str());
        for (const auto& refusal : refusal_texts(verdict))
            std::printf("refused, %s: %s\n", std::string(refusal.word).c_str(), std::string(refusal.sentence).c_str());
        if (!verdict.welcome())
            return Error(ErrorCode::denied, "the server did not let this client join");
        std::printf("welcome\n");
        return game_ != nullptr ? play_elsewhere(policy, connection) : load_level(connection);
    }

    Status play_elsewhere(const fardel::PurePolicy& policy, Connection& connection) {
        const std::string file = store_.path() + ".server-policy";
        std::ofstream(file, std::ios::binary) << policy.format();
        const Status played = run_game(game_, file, connection);
        std::remove(file.c_str());
        return played;
    }

    Status load_level(Connection& connection) {
        FARDEL_TRY_ASSIGN(const auto names, connection.receive(join::Message::level));
        std::istringstream lines{std::string(join::text_of(names))};
        std::size_t files = 0, bytes = 0;
        for (std::string name; std::getline(lines, name); ++files) {
            FARDEL_TRY_ASSIGN(const auto file, vfs_.open(name));
            FARDEL_TRY_ASSIGN(const auto content, file.read_all());
            bytes += content.size();
        }
        std::printf("loaded %zu files, %zu bytes\n", files, bytes);
        return fardel::ok();
    }

    fardel::BundleStore store_;
    std::shared_ptr<const fardel::TrustPolicy> trust_;
    const bool consents_;
    char** const game_;
    const std::string source_;  // the player's name for the server
    fardel::Vfs vfs_;
    std::vector<std::shared_ptr<const fardel::Bundle>> bundles_;  // that are mounted
    std::vector<fardel::MountId> brought_;
    bool has_fetched_ = false;
};

Status play(int argc, char** argv) {
    char** const files_end = std::find(argv + 5, argv + argc, std::string_view("--"));
    FARDEL_TRY_ASSIGN(auto store, fardel::BundleStore::open(argv[2], true));
    FARDEL_TRY_ASSIGN(auto policy, fardel::read_trust_policy(argv[3]));
    Client client(std::move(store), std::make_shared<const fardel::TrustPolicy>(std::move(policy)),
                  kHost + ":" + argv[1], std::string(argv[4]) == "yes",
                  files_end == argv + argc ? nullptr : files_end + 1);
    client.mount_own(std::vector<std::string>(argv + 5, files_end));
    Connection connection;
    FARDEL_TRY(connection.open(std::atoi(argv[1])));
    const Status joined = client.join(connection);
    client.leave();
    return joined;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5)
        return 2;
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // in the order of what is said on standard error
    const Status status = play(argc, argv);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
