// fardel pure offer: a server creates an offer for one client.

#include "console/clock.h"
#include "console/output_file.h"
#include "pure_state.h"
#include "pure_verbs.h"

#include <fardel/base/random.h>
#include <fardel/format/name.h>

namespace fardel {
namespace {

struct OfferCommand {
    std::string policy;
    std::string connection;
    std::string state;
    std::string out;
    std::vector<std::string> sources;
    std::uint64_t valid_s = 60;
    bool json = false;
};

Result<Exit> offer(const OfferCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    PureOffer offer{.policy = policy.digest(), .sources = {command.sources.begin(), command.sources.end()}};
    for (Hash* const hash : {&offer.nonce, &offer.epoch})
        fill_random(std::as_writable_bytes(std::span(hash->bytes)));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_pure_offer(offer));
    const UnixTime expires = system_now() + command.valid_s;
    FARDEL_TRY(PureState(command.state).open(offer, hash_connection(command.connection), expires));
    FARDEL_TRY(write_file(command.out, bytes));
    return print_result(
        console, command.json,
        [&] {
            return Json{{"file", command.out},
                        {"nonce", offer.nonce.hex()},
                        {"policy", offer.policy.hex()},
                        {"expires", expires.seconds}};
        },
        [&] {
            return fmt::format("wrote {}\nnonce   {}\npolicy  {}\n", printable(command.out), offer.nonce.hex(),
                               offer.policy.hex());
        });
}

}  // namespace

Result<Exit> run_pure_offer(Words words, Console& console) {
    CommandLine line("pure offer", "--policy POLICY --connection ID --state DIR -o OFFER [options]",
                     "Server: creates an offer for one client, which can be answered once.",
                     "  fardel pure offer --policy server.pure --connection 203.0.113.7:27960 "
                     "--state /var/lib/fardel-pure -o offer\n");
    OfferCommand command;
    line.text("--policy", "POLICY", command.policy, "The server's pure policy").required();
    line.text("--connection", "ID", command.connection, "The name of the connection that server and client agree on")
        .required();
    line.text("--state", "DIR", command.state, "The folder in which the server keeps its offers").required();
    line.text("-o,--out", "OFFER", command.out, "The message to write").required();
    line.texts("--source", "URL", command.sources, "Where clients can get missing bundles; may be repeated");
    line.number("--valid", command.valid_s, 1, 86'400, "Seconds within which the offer must be answered (default: 60)");
    line.json(command.json);
    return line.run(words, console, [&] { return offer(command, console); });
}

}  // namespace fardel
