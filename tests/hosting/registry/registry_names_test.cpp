// Whose a name is: the text of the record, and what a registry records.
#include "wire_registry.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/registry_transfer.h>
#include "registry/judgement.h"
#include "registry/registry_names.h"

namespace fardel::tests::registry_names_test {

const std::string kA = std::string(64, 'a');
const std::string kB = std::string(64, 'b');
const std::string kNames = "fardel-names 1\nmaps/a " + kA + " 5\nmaps/a " + kB + " 9\nmaps/b " + kA + " 7\n";

TEST_CASE("registry names: the record is read, and written in the same bytes") {
    const RegistryNames names = value_of(RegistryNames::parse(kNames));
    CHECK(names.format() == kNames);
    check_error(RegistryNames::parse(with_windows_ends(kNames)), ErrorCode::malformed, "line 1 ends in CR LF");
    REQUIRE(names.find("maps/a") != nullptr);
    CHECK(names.find("maps/a")->back().key.hex() == kB);
    CHECK(names.find("maps/a")->back().since == UnixTime{9});
    CHECK(names.find("maps") == nullptr);
    CHECK(names.names_of(value_of(PublicKey::parse(kA))) == 1);
    for (std::size_t size = 0; size < kNames.size(); ++size)
        if (const auto part = RegistryNames::parse(kNames.substr(0, size)))
            CHECK(part->format() == kNames.substr(0, size));
    for (const std::string& wrong :
         {kNames + "maps/b", kNames + "\n", "fardel-names 1\nmaps/b " + kA + " 7\nmaps/a " + kA + " 5\n",
          "fardel-names 1\nMaps " + kA + " 7\n", "fardel-names 1\nmaps/b " + kA + " 07\n",
          "fardel-names 1\nmaps/b " + kA + "\n", std::string("fardel-names 1\nmaps/b 77 7\n"),
          std::string("names 1\n")}) {
        CAPTURE(wrong);
        CHECK(code_of(RegistryNames::parse(wrong)) == ErrorCode::malformed);
    }
    CHECK(code_of(RegistryNames::parse("fardel-names 2\n")) == ErrorCode::unsupported);
    CHECK(code_of(RegistryNames::parse(std::string(kRegistryNamesBytesMax + 1, '\n'))) == ErrorCode::limit);
}

TEST_CASE("registry names: names, those of one author and transfers of one name have limits") {  // A139 A146
    RegistryNames names;
    const PublicKey a = value_of(PublicKey::parse(kA));
    for (std::size_t i = 0; i < kRecordedNamesMax; ++i)
        require_good(names.add("n" + std::to_string(i), {.key = a, .since = kNow}));
    CHECK(code_of(names.add("more", {.key = a, .since = kNow})) == ErrorCode::limit);
    CHECK(names.format().size() < kRegistryNamesBytesMax);
    for (std::size_t i = 1; i < kNameHoldersMax; ++i)
        require_good(names.transfer("n1", {.key = a, .since = kNow}));
    CHECK(code_of(names.transfer("n1", {.key = a, .since = kNow})) == ErrorCode::limit);
    CHECK(code_of(names.transfer("none", {.key = a, .since = kNow})) == ErrorCode::missing);
}

struct NamesSite : FolderRegistry {
    std::string accept(Signer& author, const std::string& name, const std::string& version) {
        const auto answer = value_of(registry->accept(
            make_memory_source(bytes_of(signed_by(author, map_named(name, version)))), author.public_key(), {}));
        return answer.refusals.empty() ? "" : answer.refusals.front().reason;
    }
    const std::unique_ptr<Signer> alice = make_key_signer(SecretKey::generate());
    const std::unique_ptr<Signer> bob = make_key_signer(SecretKey::generate());
    const std::string record = tree + "/registry.names";
};

// Signs nothing.
class GoneSigner final : public Signer {
public:
    explicit GoneSigner(const PublicKey& key) : key_(key) {}
    PublicKey public_key() const override { return key_; }
    Result<Signature> sign(std::span<const std::byte>) override {
        return Error(ErrorCode::unreachable, "the signer is gone");
    }

private:
    const PublicKey key_;
};

TEST_CASE("registry names: a bundle that no release has reserves no name") {  // A146
    NamesSite site;
    CHECK(site.accept(*site.alice, "maps/dm", "1") == "");
    const std::string before = read_file(site.record);
    RegistrySigners signers = site.new_signers();
    signers.release = std::make_unique<GoneSigner>(signers.release->public_key());
    site.open_with(std::move(signers));
    const Bytes well = map_named("maps/well", "1");
    const auto file = make_memory_source(bytes_of(signed_by(*site.alice, well)));
    CHECK(code_of(site.registry->accept(file, site.alice->public_key(), {})) == ErrorCode::unreachable);
    CHECK(read_file(site.record) == before);
    const std::string published = site.tree + "/" + tree_path_of(bundle_id_of(well));
    CHECK_FALSE(std::filesystem::exists(published));
    site.open();
    CHECK(site.accept(*site.bob, "maps/well", "1") == "");
    CHECK(site.accept(*site.alice, "maps/well", "2") == "name-owned");
}

TEST_CASE("registry names: an author has a bounded number of names, and others go on") {  // A139 A146
    NamesSite site;
    CHECK(site.accept(*site.alice, "maps/dm", "1") == "");
    RegistryNames names = value_of(RegistryNames::parse(read_file(site.record)));
    for (std::size_t i = 1; i < kNamesPerAuthorMax; ++i)
        require_good(names.add("maps/n" + std::to_string(i), {.key = site.alice->public_key(), .since = kNow}));
    write_file(site.record, names.format());
    CHECK(site.accept(*site.alice, "maps/more", "1") == "names-full");
    CHECK(site.accept(*site.alice, "maps/dm", "2") == "");
    CHECK(site.accept(*site.bob, "maps/more", "1") == "");
    for (std::size_t i = names.names().size(); i < kRecordedNamesMax; ++i)
        require_good(names.add("n" + std::to_string(i), {.key = site.alice->public_key(), .since = kNow}));
    const auto source = make_memory_source(bytes_of(signed_by(*site.bob, map_named("maps/last", "1"))));
    RegistryState state;
    state.catalogue.set_names(names);
    state.rules.open = {"**"};
    const auto judged =
        judge_by_rules(value_of(Bundle::open(source, {})), site.bob->public_key(), state, kNow).refusals;
    CHECK(std::ranges::count(judged, "names-full", &RegistryRefusal::reason) == 1);
}

TEST_CASE("registry transfer: who gets a name brings versions of it, and who had it does not") {  // A146
    NamesSite site;
    CHECK(site.accept(*site.alice, "maps/dm", "1") == "");
    const PublicKey bob = site.bob->public_key();
    CHECK(code_of(transfer_name(site.tree, "maps/none", bob, kNow)) == ErrorCode::missing);
    CHECK(code_of(transfer_name(site.tree, "maps/dm", site.alice->public_key(), kNow)) == ErrorCode::conflict);
    const NameTransfer done = value_of(transfer_name(site.tree, "maps/dm", bob, kNow + 5));
    CHECK(done.from == site.alice->public_key());
    CHECK(done.to == bob);
    CHECK(site.accept(*site.alice, "maps/dm", "2") == "name-owned");
    CHECK(site.accept(*site.bob, "maps/dm", "2") == "");
    site.open();
    CHECK(site.accept(*site.alice, "maps/dm", "3") == "name-owned");
}

}  // namespace fardel::tests::registry_names_test
