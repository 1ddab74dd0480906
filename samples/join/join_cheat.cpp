// Answers of clients that cheat, sent to the server of the sample over real connections. Prints what the server says to
// each of them.
//
//     sample_join_cheat PORT BUNDLE...
//
// PORT: of the game server, on loopback. BUNDLE: copies of the server's content.
#include "join_connection.h"

#include <fardel/format/byte_source.h>
#include <fardel/vfs/pure_check.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using fardel::Result, fardel::Status, join::Connection;
using Bundles = std::vector<std::shared_ptr<const fardel::Bundle>>;

// A connection with an offer that waits for its answer.
struct Asked {
    std::unique_ptr<Connection> connection;
    fardel::PurePolicy policy;
    fardel::PureOffer offer;
};

Result<Asked> ask(int port) {
    auto connection = std::make_unique<Connection>();
    FARDEL_TRY(connection->open(port));
    connection->send(join::Message::hello, std::string_view());
    FARDEL_TRY_ASSIGN(const auto text, connection->receive(join::Message::policy));
    FARDEL_TRY_ASSIGN(auto policy, fardel::PurePolicy::parse(join::text_of(text)));
    FARDEL_TRY_ASSIGN(const auto bytes, connection->receive(join::Message::offer));
    FARDEL_TRY_ASSIGN(auto offer, fardel::decode_pure_offer(bytes));
    return Asked{.connection = std::move(connection), .policy = std::move(policy), .offer = std::move(offer)};
}

// "welcome", or the words of the refusals.
Result<std::string> send(Connection& connection, const fardel::PureAnswer& answer) {
    connection.send(join::Message::report, std::string_view(fardel::PureReport().format()));
    connection.send(join::Message::answer, encode_pure_answer(answer));
    FARDEL_TRY_ASSIGN(const auto bytes, connection.receive(join::Message::verdict));
    FARDEL_TRY_ASSIGN(const auto verdict, fardel::decode_pure_verdict(bytes));
    if (verdict.welcome())
        FARDEL_TRY(connection.receive(join::Message::level));
    std::string words = verdict.welcome() ? "welcome" : "";
    for (const auto& refusal : refusal_texts(verdict))
        words += (words.empty() ? "" : " ") + std::string(refusal.word);
    return words;
}

class Cheats {
public:
    Cheats(int port, Bundles bundles) : port_(port), bundles_(std::move(bundles)) {}

    Status try_all() {
        FARDEL_TRY_ASSIGN(const Asked honest, ask(port_));
        FARDEL_TRY_ASSIGN(const auto good, answer(honest, honest.offer, honest.policy));
        FARDEL_TRY(say("honest", honest, good));
        FARDEL_TRY(say("replayed", honest, good));

        FARDEL_TRY_ASSIGN(const Asked victim, ask(port_));
        FARDEL_TRY_ASSIGN(const Asked thief, ask(port_));
        FARDEL_TRY_ASSIGN(const auto relayed, answer(victim, victim.offer, victim.policy));
        FARDEL_TRY(say("relayed to another connection", thief, relayed));
        FARDEL_TRY(say("whose answer was relayed", victim, relayed));

        FARDEL_TRY(say_changed("for another set", [&](const Asked& asked) -> Result<fardel::PureAnswer> {
            fardel::PureRules rules = asked.policy.rules();
            rules.bundles.pop_back();
            FARDEL_TRY_ASSIGN(const auto other, fardel::PurePolicy::make(std::move(rules)));
            fardel::PureOffer offer = asked.offer;
            offer.policy = other.digest();
            return answer(asked, offer, other);
        }));
        FARDEL_TRY(say_changed("for another set, under the name of the right one",
                               [&](const Asked& asked) -> Result<fardel::PureAnswer> {
                                   fardel::PureRules rules = asked.policy.rules();
                                   std::swap(rules.bundles.front(), rules.bundles.back());
                                   FARDEL_TRY_ASSIGN(const auto other, fardel::PurePolicy::make(std::move(rules)));
                                   fardel::PureOffer offer = asked.offer;
                                   offer.policy = other.digest();
                                   FARDEL_TRY_ASSIGN(auto made, answer(asked, offer, other));
                                   made.policy = asked.policy.digest();
                                   return made;
                               }));
        FARDEL_TRY(say_changed("with a variant that is not allowed", [&](const Asked& asked) {
            auto made = answer(asked, asked.offer, asked.policy);
            if (made)
                made->variants[0] |= 4;  // the policy has two tags
            return made;
        }));
        return say_changed("without content", [](const Asked& asked) {
            return Result<fardel::PureAnswer>(
                fardel::PureAnswer{.nonce = asked.offer.nonce,
                                   .policy = asked.offer.policy,
                                   .connection = fardel::hash_connection(asked.connection->name()),
                                   .report = fardel::PureReport().digest(),
                                   .variants = {},
                                   .proof = {}});
        });
    }

private:
    Result<fardel::PureAnswer> answer(const Asked& asked, const fardel::PureOffer& offer,
                                      const fardel::PurePolicy& policy) const {
        FARDEL_TRY_ASSIGN(auto reply,
                          fardel::answer_pure_offer(offer, policy, bundles_, {}, asked.connection->name(), {}));
        return std::move(reply.answer);
    }
    static Status say(const char* what, const Asked& asked, const fardel::PureAnswer& answer) {
        FARDEL_TRY_ASSIGN(const std::string words, send(*asked.connection, answer));
        std::printf("%s: %s\n", what, words.c_str());
        return fardel::ok();
    }
    Status say_changed(const char* what, const std::function<Result<fardel::PureAnswer>(const Asked&)>& make) const {
        FARDEL_TRY_ASSIGN(const Asked asked, ask(port_));
        FARDEL_TRY_ASSIGN(const auto made, make(asked));
        return say(what, asked, made);
    }

    const int port_;
    const Bundles bundles_;
};

Status run(int argc, char** argv) {
    Bundles bundles;
    for (int i = 2; i < argc; ++i) {
        FARDEL_TRY_ASSIGN(auto source, fardel::open_file_source(argv[i]));
        FARDEL_TRY_ASSIGN(auto bundle, fardel::open_pure_bundle(std::move(source), argv[i]));
        bundles.push_back(std::move(bundle));
    }
    return Cheats(std::atoi(argv[1]), std::move(bundles)).try_all();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
    const Status status = run(argc, argv);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
