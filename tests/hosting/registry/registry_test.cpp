// A registry on the wire: what is sent without a key, with another key, damaged, or under another bundle's path.
#include "wire_registry.h"

#include "registry/upload_facts.h"

#include <fardel/delivery/tree_paths.h>

#include <condition_variable>
#include <iterator>
#include <mutex>

namespace fardel::tests::registry_test {

// Whether signers answer; until they do, they wait, or say that they cannot.
struct Gate {
    enum class State : std::uint8_t { open, closed, broken };

    void set(State next) {
        {
            const std::scoped_lock lock(mutex);
            state = next;
        }
        changed.notify_all();
    }
    bool opens() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return state != State::closed; });
        return state == State::open;
    }

    std::mutex mutex;
    std::condition_variable changed;
    State state = State::open;
};

class GatedSigner final : public Signer {
public:
    GatedSigner(std::unique_ptr<Signer> own, std::shared_ptr<Gate> gate)
        : own_(std::move(own)), gate_(std::move(gate)) {}
    PublicKey public_key() const override { return own_->public_key(); }
    Result<Signature> sign(std::span<const std::byte> message) override {
        return gate_->opens() ? own_->sign(message) : Error(ErrorCode::unreachable, "the signer is gone");
    }

private:
    const std::unique_ptr<Signer> own_;
    const std::shared_ptr<Gate> gate_;
};

// A registry whose own signer is behind a gate, and a bundle for it.
struct GatedRegistry : WireRegistry {
    GatedRegistry() {
        server.reset();
        RegistrySigners signers = new_signers();
        signers.registry = std::make_unique<GatedSigner>(std::move(signers.registry), gate);
        open_with(std::move(signers));
        serve();
    }
    ~GatedRegistry() { gate->set(Gate::State::broken); }

    std::string by(Signer& signer) const { return authorize(RegistryAction::upload, id, signer); }
    // What the server has of an upload that is not decided; empty: nothing.
    std::string part_bytes() const {
        const RawConnection::Answer part = ask("HEAD", status, by(*author));
        return part.status == 200 ? part.field("content-length") : "";
    }
    // PUT without a byte: all of them were sent before.
    RawConnection::Answer put_nothing() const {
        return ask("PUT", path, by(*author), "", "Content-Range: bytes */" + std::to_string(file.size()) + "\r\n");
    }

    const std::shared_ptr<Gate> gate = std::make_shared<Gate>();
    const std::unique_ptr<Signer> author = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string file = signed_by(*author, bytes);
    const std::string path = "/" + tree_path_of(id);
    const std::string status = "/uploads/" + id.hex();
};

TEST_CASE("registry: an author whose bundle is judged for long gets an answer at once, and the decision when it asks") {
    GatedRegistry site;
    const auto other = make_key_signer(SecretKey::generate());
    CHECK(site.ask("GET", site.status, site.by(*site.author)).status == 404);
    site.gate->set(Gate::State::closed);
    const RawConnection::Answer first = site.ask("PUT", site.path, site.by(*site.author), site.file);
    CHECK(first.status == 202);
    CHECK(first.field("location") == site.status);
    check_has(first.body, "\"outcome\": \"judging\"");
    CHECK(site.part_bytes() == std::to_string(site.file.size()));
    // Its author may ask, and nobody else; a repeated upload without its bytes waits for the same judgement.
    CHECK(site.ask("GET", site.status, site.by(*site.author)).status == 202);
    CHECK(site.ask("GET", site.status, "").status == 401);
    CHECK(site.ask("GET", site.status, site.by(*other)).status == 404);
    CHECK(site.put_nothing().status == 202);
    CHECK(site.bundles() == 0);
    site.gate->set(Gate::State::open);
    RawConnection::Answer then;
    CHECK(wait_until([&] {
        then = site.ask("GET", site.status, site.by(*site.author));
        return then.status == 201;
    }));
    check_has(then.body, "\"outcome\": \"accepted\"");
    CHECK(site.ask("GET", site.status, site.by(*site.author)).body == then.body);  // also later
    CHECK(site.part_bytes() == "");
    CHECK(std::filesystem::exists(site.tree + site.path));
    CHECK(site.put_nothing().status == 416);  // it has no such bytes any more
}

TEST_CASE("registry: an author who does not send what it announced has four of the places, and others go on") {  // A82
    WireRegistry site;
    const auto slow = make_key_signer(SecretKey::generate());
    const auto quick = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const auto head = [&](Signer& author, std::size_t size) {
        return "PUT /" + tree_path_of(id) +
               " HTTP/1.1\r\nHost: h\r\nAuthorization: " + site.authorize(RegistryAction::upload, id, author) +
               "\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
    };
    std::vector<RawConnection> open;
    for (int i = 0; i < 4; ++i) {
        open.emplace_back(site.port());
        REQUIRE(open.back().send_head(head(*slow, 5000)));
        REQUIRE(open.back().send(text_of(bytes).substr(0, 2000)));
    }
    CHECK(RawConnection(site.port()).ask(head(*slow, 5000) + std::string(5000, 'x')).status == 503);
    const std::string file = signed_by(*quick, bytes);
    CHECK(site.send("PUT", "/" + tree_path_of(id), site.authorize(RegistryAction::upload, id, *quick), file) == 201);
}

TEST_CASE("registry: what could not be decided is judged again without its bytes, also after a restart") {
    GatedRegistry site;
    site.gate->set(Gate::State::broken);
    CHECK(site.send("PUT", site.path, site.by(*site.author), site.file) == 503);
    CHECK(site.ask("GET", site.status, site.by(*site.author)).status == 404);
    CHECK(site.part_bytes() == std::to_string(site.file.size()));
    CHECK(site.ask("PUT", site.path, site.by(*site.author), "", "Content-Range: bytes */9000\r\n").status == 416);
    CHECK(site.ask("PUT", site.path, site.by(*site.author), "x",
                   "Content-Range: bytes */" + std::to_string(site.file.size()) + "\r\n")
              .status == 400);
    site.restart();
    const int decided = site.put_nothing().status;
    CHECK((decided == 201 || decided == 202));
    if (decided == 202)
        CHECK(site.send("GET", site.status, site.by(*site.author), "") == 201);
    CHECK(std::filesystem::exists(site.tree + site.path));
}

TEST_CASE("registry: a server that is stopped in the middle of a judgement keeps the bytes") {
    GatedRegistry site;
    site.gate->set(Gate::State::closed);
    CHECK(site.ask("PUT", site.path, site.by(*site.author), site.file).status == 202);
    std::jthread opening([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        site.gate->set(Gate::State::broken);  // else the signer would keep the server from ending
    });
    site.restart();
    CHECK(site.part_bytes() == std::to_string(site.file.size()));
    CHECK(site.bundles() == 0);
}

TEST_CASE("registry: without the author's signature of this very request, nothing is received") {  // A79
    const WireRegistry site;
    const auto author = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string file = signed_by(*author, bytes);
    const std::string path = "/" + tree_path_of(id);
    const std::string good = site.authorize(RegistryAction::upload, id, *author);
    CHECK(site.send("PUT", path, "", file) == 401);
    CHECK(site.send("PUT", path, "Bearer correct-horse-battery-staple", file) == 401);
    CHECK(site.send("PUT", path, site.authorize(RegistryAction::recall, id, *author), file) == 401);
    const BundleId other = bundle_id_of(map_version("2"));
    CHECK(site.send("PUT", "/" + tree_path_of(other), good, file) == 401);  // another bundle's path
    CHECK(site.send("PUT", "/" + tree_path_of(other), site.authorize(RegistryAction::upload, other, *author), file) ==
          422);
    CHECK(site.send("PUT", "/registry.rules", good, file) == 401);
    CHECK(site.send("PUT", "/index.html", good, file) == 401);
    CHECK(site.send("DELETE", path, good, "") == 405);
    CHECK(site.bundles() == 0);
    CHECK(site.send("PUT", path, good, file) == 201);
    CHECK(site.send("PUT", path, good, file) == 200);  // recorded, and sent again: nothing changes
    const std::string recall = "/registry/recalls/" + id.hex();
    const auto thief = make_key_signer(SecretKey::generate());
    CHECK(site.send("POST", recall, "", "no") == 401);
    CHECK(site.send("POST", recall, good, "no") == 401);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, "yes"), "no") == 401);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *thief, "no"), "no") == 422);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, std::string(129, 'x')),
                    std::string(129, 'x')) == 413);
    const std::string turned = "no \u202e yes";  // A155: text from right to left
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, turned), turned) == 422);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, "no"), "no") == 200);
    CHECK(site.send("PUT", path, good, file) == 422);  // recalled
}

TEST_CASE("registry: a question is signed, short and answered from memory, and no other request is one") {  // A79
    const WireRegistry site;
    const auto author = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string file = signed_by(*author, bytes);
    const std::string target = "/registry/questions/" + id.hex();
    const auto bundle = value_of(Bundle::open(make_memory_source(bytes_of(file)), {}));
    const std::string question = text_of(value_of(format_upload_question(value_of(read_upload_facts(*bundle)))));
    const std::string good = site.authorize(RegistryAction::question, id, *author);
    CHECK(site.ask("POST", target, "", question).status == 401);
    CHECK(site.ask("POST", target, site.authorize(RegistryAction::upload, id, *author), question).status == 401);
    CHECK(site.ask("PUT", "/" + tree_path_of(id), good, file).status == 401);
    CHECK(site.ask("GET", target, good).status == 405);
    CHECK(site.ask("POST", target, good, "what?").status == 400);
    CHECK(site.ask("POST", target, good, std::string(kRegistryQuestionBytesMax + 1, 'x')).status == 413);
    const RawConnection::Answer acceptable = site.ask("POST", target, good, question);
    CHECK(acceptable.status == 200);
    CHECK(acceptable.body.find("\"outcome\": \"acceptable\"") != std::string::npos);
    CHECK(site.bundles() == 0);
    CHECK(paths_below(site.tree + "/.fardel-uploads").empty());
    // Without the author's statement it is another question.
    UploadFacts unsigned_facts = value_of(read_upload_facts(*bundle));
    unsigned_facts.envelopes.clear();
    const RawConnection::Answer refused =
        site.ask("POST", target, good, text_of(value_of(format_upload_question(unsigned_facts))));
    CHECK(refused.status == 422);
    CHECK(refused.body.find("signer-differs") != std::string::npos);
    CHECK(site.send("PUT", "/" + tree_path_of(id), site.authorize(RegistryAction::upload, id, *author), file) == 201);
    CHECK(site.ask("POST", target, good, question).body.find("was-there") != std::string::npos);
    // Of a bundle that another author has brought, nobody learns more than that.
    const auto other = make_key_signer(SecretKey::generate());
    CHECK(site.ask("POST", target, site.authorize(RegistryAction::question, id, *other), question).status == 422);
}

TEST_CASE("registry: a wrong block list, layout or byte is refused, and leaves nothing") {  // A58
    const WireRegistry site;
    const auto author = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string file = signed_by(*author, bytes);
    const std::string path = "/" + tree_path_of(id);
    const std::string header = site.authorize(RegistryAction::upload, id, *author);
    // In the layout head (another layout), in the tables, in blocks, in the statement.
    for (std::size_t at :
         {std::size_t{4096 + 200}, std::size_t{8192 + 1}, bytes.size() / 2, bytes.size() - 1, file.size() - 20}) {
        CAPTURE(at);
        std::string wrong = file;
        wrong[at] = static_cast<char>(wrong[at] ^ 1);
        CHECK(site.send("PUT", path, header, wrong) == 422);
    }
    CHECK(site.send("PUT", path, header, text_of(bytes)) == 422);  // unsigned
    CHECK(site.send("PUT", path, header, file.substr(0, file.size() - 8)) == 422);
    CHECK(site.send("PUT", path, header, file + std::string(8, '\0')) == 422);
    CHECK(site.bundles() == 0);
    CHECK(site.send("PUT", path, header, file) == 201);
}

TEST_CASE("registry: after the highest head, by a thief, nothing is released, and it says what to rotate") {  // A65
    FolderRegistry site;
    const auto author = make_key_signer(SecretKey::generate());
    const auto accept = [&](const std::string& version) {
        const Bytes file = bytes_of(signed_by(*author, map_version(version)));
        return site.registry->accept(make_memory_source(file), author->public_key(), {});
    };
    REQUIRE(accept("1"));
    const std::string path = site.tree + "/" + channel_head_path("hub/stable");
    const SignedText own = value_of(parse_signed_text(ChannelText::head, read_file(path)));
    ChannelHead head = value_of(parse_channel_head(own.body));
    head.version = kChannelNumberMax;
    SignedText forged{.body = value_of(format_channel_head(head)), .signatures = {}};
    require_good(sign_text(ChannelText::head, forged, *site.new_signers().head));
    write_file(path, format_signed_text(forged));
    const auto releases = [&] {
        const std::filesystem::directory_iterator files(site.tree + "/" + channel_releases_folder("hub/stable"));
        return std::distance(begin(files), end(files));
    };
    const auto before = releases();
    site.open();
    check_error(accept("2"), ErrorCode::limit, "Replace the head keys: fardel channel rotate");
    CHECK(releases() == before);
}

TEST_CASE("registry: paths of pages are spelled in one way, and lead nowhere else") {
    const WireRegistry site;
    write_file(site.tree + "/secret.html", "secret");
    write_file(site.tree + "/head.key", "secret");
    std::filesystem::create_symlink("/etc/passwd", site.tree + "/names.html");
    for (const char* const found : {"/", "/index.html", "/registry.json", "/registry.rules"})
        CHECK(site.send("GET", found, "", "") == 200);
    for (const char* const hidden : {"/secret.html", "/head.key", "/names.html", "/names/../secret.html",
                                     "/names/%2e%2e/secret.html", "//index.html", "/INDEX.html",
                                     "/.fardel-registry.lock", "/names/", "/bundles/../secret.html", "/index.html?x"})
        CHECK(site.send("GET", hidden, "", "") == 404);
}

TEST_CASE("registry: a bundle whose tables repeat one text too often is accepted, and keeps nobody else out") {  // A127
    WireRegistry site;
    const auto author = make_key_signer(SecretKey::generate());
    BundlePlan plan;
    add(plan, "maps/dm/0.txt", "0");
    for (unsigned i = 1; i < 1200; ++i) {
        const std::uint32_t asset = add(plan, "maps/dm/" + std::to_string(i) + ".txt", std::to_string(i));
        plan.assets[asset].references.push_back(
            {.spelling = std::string(65'000, 'x'), .target = PlannedReference::Internal{0}});
    }
    plan.metadata = {{"name", std::string("maps/dm")}, {"version", std::string("1")}};
    const Bytes bytes = written(plan);
    CHECK(bytes.size() < 1'000'000);
    const BundleId id = bundle_id_of(bytes);
    CHECK(site.send("PUT", "/" + tree_path_of(id), site.authorize(RegistryAction::upload, id, *author),
                    signed_by(*author, bytes)) == 201);
    check_has(read_file(site.tree + "/bundles/" + id.hex() + ".html"), "too often to be shown");
    std::filesystem::remove(site.tree + "/bundles/" + id.hex() + ".html");
    site.restart();
    CHECK(std::filesystem::exists(site.tree + "/bundles/" + id.hex() + ".html"));
}

}  // namespace fardel::tests::registry_test
