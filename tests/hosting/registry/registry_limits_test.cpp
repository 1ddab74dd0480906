// What many authors together can do to a registry: nothing that keeps the operator, those who were there, or the start
// out; and what one bundle can make it copy.
#include "wire_registry.h"

#include "kit/browser.h"
#include "registry/author_shares.h"
#include "registry/judgement.h"
#include "registry/pages.h"
#include "registry/pending_judgements.h"

#include <fardel/delivery/needs_text.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/registry_check.h>

#include <algorithm>
#include <iterator>

namespace fardel::tests::registry_limits_test {

PublicKey key_of(unsigned number) {
    PublicKey key;
    key.bytes[0] = static_cast<std::uint8_t>(number);
    key.bytes[1] = static_cast<std::uint8_t>(number >> 8);
    key.bytes[2] = 1;
    return key;
}

BundleId id_of(unsigned number) {
    BundleId id;
    id.bytes[0] = static_cast<std::uint8_t>(number);
    id.bytes[1] = static_cast<std::uint8_t>(number >> 8);
    id.bytes[2] = static_cast<std::uint8_t>(number >> 16);
    return id;
}

std::string reason_of(const std::optional<RegistryRefusal>& refusal) { return refusal ? refusal->reason : "none"; }

// A registry as its catalogue, rules and release have it.
struct ImaginedRegistry {
    // Of an author who has it since then.
    BundleId add(unsigned author, std::uint64_t needs_bytes, std::uint64_t time) {
        CatalogueEntry entry;
        entry.bundle = id_of(++bundles);
        entry.name = "mods/m" + std::to_string(bundles);
        entry.version = "1";
        entry.author = key_of(author);
        entry.accepted = UnixTime{time};
        entry.needs.needs_bytes = needs_bytes;
        catalogue.add(entry);
        return entry.bundle;
    }
    void release_one(unsigned author, std::uint64_t needs_bytes, std::uint64_t time) {
        ReleasedBundle one;
        one.bundle = add(author, needs_bytes, time);
        one.name = catalogue.find(one.bundle)->name;
        one.version = value_of(BundleVersion::parse("1"));
        release->bundles.push_back(one);
    }
    void recall_one(unsigned author, std::uint64_t time) {
        release->recalled_bundles.push_back({add(author, 0, time), "gone"});
    }
    AuthorShares shares() const { return {catalogue, release, rules}; }

    Catalogue catalogue;
    std::optional<ChannelRelease> release = ChannelRelease();
    RegistryRules rules;
    unsigned bundles = 0;
};

constexpr unsigned kHonest = 60'000;
constexpr unsigned kNamed = 60'001;
constexpr unsigned kNewcomer = 60'002;

TEST_CASE("author shares: each author has a share of bundles, requirements and recalls, and no more") {  // A139
    ImaginedRegistry site;
    AuthorShares shares = site.shares();
    for (std::uint64_t i = 0; i < kRegistryBundles.share; ++i) {
        REQUIRE(reason_of(shares.refuse_bundle(key_of(1), 72)) == "none");
        shares.add_bundle(key_of(1), 72);
    }
    const auto refused = shares.refuse_bundle(key_of(1), 72);
    CHECK(reason_of(refused) == "key-full");
    check_has(refused->text, "4001 bundles");
    check_has(refused->text, "may have 4000");
    CHECK(reason_of(shares.refuse_bundle(key_of(2), 72)) == "none");
    shares.add_bundle(key_of(2), kRegistryNeedsBytes.share - 72);
    CHECK(reason_of(shares.refuse_bundle(key_of(2), 72)) == "none");
    CHECK(reason_of(shares.refuse_bundle(key_of(2), 73)) == "key-full");
    for (std::uint64_t i = 1; i < kRegistryRecalls.share; ++i)
        site.recall_one(3, i);
    CHECK(reason_of(site.shares().refuse_recall(key_of(3))) == "none");
    site.recall_one(3, 1000);
    CHECK(reason_of(site.shares().refuse_recall(key_of(3))) == "recalls-full");
    CHECK(reason_of(site.shares().refuse_recall(key_of(4))) == "none");
    // Whom an `owner` rule names, the operator knows.
    site.rules.owners = {{"core", {key_of(3)}}};
    CHECK(reason_of(site.shares().refuse_recall(key_of(3))) == "none");
}

TEST_CASE("author shares: ten thousand keys fill a release, and the newest of them are refused") {  // A139
    ImaginedRegistry site;
    site.rules.owners = {{"core", {key_of(kNamed)}}};
    site.release_one(kHonest, 200, 1);
    AuthorShares shares = site.shares();
    unsigned refused = 0;
    for (unsigned round = 0; round < 6; ++round)
        for (unsigned key = 0; key < 10'000; ++key) {
            if (round == 0)
                site.add(key, 100, 10 + key);  // each has been here since then, at least
            if (round == 1 && key == 0)
                shares = site.shares();
            if (round != 0 && shares.refuse_bundle(key_of(key), 100))
                ++refused;
            else if (round != 0)
                shares.add_bundle(key_of(key), 100);
        }
    CHECK(refused > 20'000);
    const auto newcomer = shares.refuse_bundle(key_of(kNewcomer), 100);
    CHECK(reason_of(newcomer) == "registry-full");
    check_has(newcomer->text, "room for 40000 bundles");
    CHECK(reason_of(shares.refuse_bundle(key_of(9999), 100)) == "registry-full");
    // Who was there first goes on, up to what is reserved; and so does whom the operator names.
    for (std::uint64_t i = 1; i < kRegistryBundles.reserved; ++i) {
        REQUIRE(reason_of(shares.refuse_bundle(key_of(kHonest), 200)) == "none");
        shares.add_bundle(key_of(kHonest), 200);
    }
    CHECK(reason_of(shares.refuse_bundle(key_of(kHonest), 200)) == "registry-full");
    std::uint64_t named = 0;
    for (; named < 60'000 && !shares.refuse_bundle(key_of(kNamed), 100); ++named)
        shares.add_bundle(key_of(kNamed), 100);
    CHECK(named >= kRegistryBundles.all - kRegistryBundles.strangers);
    CHECK(reason_of(shares.refuse_bundle(key_of(kNamed), 100)) == "registry-full");
}

TEST_CASE("author shares: bytes of requirements are reserved to those who came first") {  // A139
    ImaginedRegistry site;
    site.release_one(kHonest, 72, 1);
    for (unsigned key = 0; key < 500; ++key)
        site.add(key, 100, 10 + key);
    AuthorShares shares = site.shares();
    bool is_full = false;
    while (!is_full) {
        is_full = true;
        for (unsigned key = 0; key < 500; ++key)
            if (!shares.refuse_bundle(key_of(key), kRegistryNeedsBytesMax)) {
                shares.add_bundle(key_of(key), kRegistryNeedsBytesMax);
                is_full = false;
            }
    }
    CHECK(reason_of(shares.refuse_bundle(key_of(kNewcomer), kRegistryNeedsBytesMax)) == "registry-full");
    CHECK(reason_of(shares.refuse_bundle(key_of(kHonest), kRegistryNeedsBytes.reserved - 72)) == "none");
    CHECK(reason_of(shares.refuse_bundle(key_of(kHonest), kRegistryNeedsBytesMax)) == "registry-full");
}

TEST_CASE("author shares: strangers' recalls leave those of others, and a recalled key reserves nothing") {  // A139
    ImaginedRegistry site;
    site.rules.owners = {{"core", {key_of(kNamed)}}};
    site.release_one(kHonest, 72, 1);
    for (unsigned key = 0; key < 1100; ++key)  // with the honest author, 77 more than something is reserved to
        site.add(key, 72, 10 + key);
    for (unsigned key = 0; key < 16; ++key)
        for (std::uint64_t i = 0; i < kRegistryRecalls.share; ++i)
            site.recall_one(key, 2000);
    const std::uint64_t common =
        kRegistryRecalls.strangers - kRegistryRecalls.reserved * kRegistryEarlyAuthorsMax;  // as for the others
    for (std::uint64_t i = 16 * (kRegistryRecalls.share - 2); i < common + 2; ++i) {
        REQUIRE(reason_of(site.shares().refuse_recall(key_of(16))) == "none");
        site.recall_one(16, 2000);
    }
    for (const unsigned key : {16u, 1023u, 1099u, kNewcomer})
        CHECK(reason_of(site.shares().refuse_recall(key_of(key))) == "recalls-full");
    check_has(site.shares().refuse_recall(key_of(1099))->text, "room for 3072 recalls");
    CHECK(reason_of(site.shares().refuse_recall(key_of(kNamed))) == "none");
    for (std::uint64_t i = 0; i < kRegistryRecalls.reserved; ++i) {
        CHECK(reason_of(site.shares().refuse_recall(key_of(kHonest))) == "none");
        site.recall_one(kHonest, 2000);
    }
    CHECK(reason_of(site.shares().refuse_recall(key_of(kHonest))) == "recalls-full");
    site.release->recalled_keys.push_back({key_of(17), "floods"});
    CHECK(reason_of(site.shares().refuse_recall(key_of(1023))) == "none");
    CHECK(reason_of(site.shares().refuse_recall(key_of(1024))) == "recalls-full");
    CHECK(reason_of(site.shares().refuse_recall(key_of(17))) == "recalls-full");
}

// ---- A registry in a folder -----------------------------------------------------------------------------------------

BundlePlan plan_of(const std::string& name, const std::string& version) {
    BundlePlan plan;
    add(plan, name + "/x.txt", name + version);
    plan.metadata = {{"name", name}, {"version", version}};
    return plan;
}

struct LimitedRegistry : FolderRegistry {
    RegistryAnswer upload(const BundlePlan& plan, Signer& author) const {
        return upload_file(bytes_of(signed_by(author, written(plan))), author);
    }
    RegistryAnswer upload_file(const Bytes& file, Signer& author) const {
        return value_of(registry->accept(make_memory_source(file), author.public_key(), {}));
    }

    // A bundle file as an older program has left it: countersigned, and in no release.
    BundleId put_countersigned(const BundlePlan& plan, Signer& author, UnixTime time) const {
        const std::string file = signed_by(author, written(plan));
        const auto bundle = open_bundle(bytes_of(file));
        const RegistrySigners signers = new_signers();
        const Envelope envelope = value_of(
            countersign(bundle->envelopes().front(),
                        {.role = SignerRole::registry, .comment = {}, .epoch = 0, .created = time}, *signers.registry));
        std::filesystem::create_directories(tree + "/bundles");
        write_file(tree + "/" + tree_path_of(bundle->id()), file + text_of(value_of(encode_envelope(envelope))));
        return bundle->id();
    }

    ChannelRelease newest_release() const {
        const auto target = make_folder_target(tree);
        const auto there = value_of(read_channel(*target, "hub/stable"));
        return value_of(
            parse_channel_release(value_of(parse_signed_text(ChannelText::release, there->files.release)).body));
    }

    // Signs and publishes the release that follows, as somebody with the keys does.
    void publish_release(ChannelRelease release) const {
        const RegistrySigners signers = new_signers();
        const auto target = make_folder_target(tree);
        const auto there = value_of(read_channel(*target, "hub/stable"));
        ChannelHead head =
            value_of(parse_channel_head(value_of(parse_signed_text(ChannelText::head, there->files.head)).body));
        ++release.version;
        SignedText text{.body = value_of(format_channel_release(release)), .signatures = {}};
        require_good(sign_text(ChannelText::release, text, *signers.release));
        const std::string file = format_signed_text(text);
        require_good(publish_channel_release(*target, file, kNow));
        ++head.version;
        head.release_version = release.version;
        head.release_bytes = file.size();
        head.release_hash = blake3(std::as_bytes(std::span(file)));
        SignedText head_text{.body = value_of(format_channel_head(head)), .signatures = {}};
        require_good(sign_text(ChannelText::head, head_text, *signers.head));
        require_good(publish_channel_head(*target, format_signed_text(head_text), kNow));
    }

    std::size_t files_in(const std::string& folder) const {
        const std::filesystem::directory_iterator files(tree + "/" + folder);
        return static_cast<std::size_t>(std::distance(begin(files), end(files)));
    }

    const std::unique_ptr<Signer> honest = make_key_signer(SecretKey::generate());
};

std::vector<std::string> reasons_of(const RegistryAnswer& answer) {
    std::vector<std::string> reasons;
    for (const RegistryRefusal& one : answer.refusals)
        reasons.push_back(one.reason);
    return reasons;
}

void check_accepted(const RegistryAnswer& answer) {
    for (const RegistryRefusal& one : answer.refusals)
        FAIL_CHECK(one.reason << ": " << one.text);
    CHECK(answer.outcome == RegistryOutcome::accepted);
}

void check_too_large(const RegistryAnswer& answer, const std::string& number, const std::string& limit) {
    CHECK(reasons_of(answer) == std::vector<std::string>{"too-large"});
    REQUIRE_FALSE(answer.refusals.empty());
    check_has(answer.refusals.front().text, "has " + number + " ");
    check_has(answer.refusals.front().text, "at most " + limit);
}

void add_dependencies(BundlePlan& plan, std::size_t count, const std::string& name) {
    for (unsigned i = 0; i < count; ++i)
        plan.dependencies.push_back({.bundle = id_of(i + 1), .name = name, .version = "1", .is_static = false});
}

std::string required_name(unsigned number) {
    std::string name = "studio/" + std::to_string(1000 + number);
    name.resize(100, 'n');
    return name;
}
const std::string kRequiredVersion(64, '5');

// One whose line in the text of requirements has so many bytes, about 380. A bundle with required_name() and
// kRequiredVersion meets it.
void add_requirement(BundlePlan& plan, unsigned number, std::size_t line_bytes) {
    const std::string name = required_name(number);
    std::string first;
    for (const char digit : {'1', '2', '3'})
        first += ">= " + std::string(64, digit) + ", ";
    first += ">= ";
    const std::size_t rest = line_bytes - std::string_view("requires  \n").size() - name.size() - first.size();
    plan.metadata.push_back({"requires." + name, first + std::string(rest, '4')});
}

TEST_CASE("registry limits: dependencies, requirements and metadata of a bundle have limits of a registry") {  // A139
    LimitedRegistry site;
    const auto with_dependencies = [&](const std::string& version, std::size_t count) {
        BundlePlan plan = plan_of("mods/deps", version);
        add_dependencies(plan, count, "other");
        return site.upload(plan, *site.honest);
    };
    check_accepted(with_dependencies("1", kRegistryDependenciesMax));
    check_too_large(with_dependencies("2", kRegistryDependenciesMax + 1), "257", "256");
    const auto with_requirements = [&](const std::string& version, unsigned count, std::size_t bytes) {
        BundlePlan plan = plan_of("mods/reqs", version);
        for (unsigned i = 0; i < count; ++i)  // the rest of the division is in the first ones
            add_requirement(plan, i, bytes / count + (i < bytes % count ? 1 : 0));
        return site.upload(plan, *site.honest);
    };
    constexpr auto kCount = static_cast<unsigned>(kRegistryRequirementsMax);
    for (unsigned i = 0; i < kCount; ++i)
        check_accepted(site.upload(plan_of(required_name(i), kRequiredVersion), *site.honest));
    constexpr std::size_t kLines = kRegistryNeedsBytesMax - kNeedsLineBytes;
    check_accepted(with_requirements("1", kCount, kLines));
    check_too_large(with_requirements("2", kCount, kLines + 1), "24577", "24576");
    check_too_large(with_requirements("3", kCount + 1, (kCount + 1) * std::size_t{370}), "65", "64");
    const auto with_metadata = [&](const std::string& version, std::size_t bytes) {
        BundlePlan plan = plan_of("mods/meta", version);
        add_dependencies(plan, 1, "other");
        std::size_t rest = bytes - std::string_view("namemods/metaversion1other1").size() - 2 * sizeof(std::uint64_t);
        for (char key = 'a'; rest != 0; ++key) {
            const std::size_t size = std::min<std::size_t>(rest, 60'000);
            plan.metadata.push_back({std::string(1, key), std::string(size - 9, 'M')});
            rest -= size;
        }
        return site.upload(plan, *site.honest);
    };
    check_accepted(with_metadata("1", kRegistryMetadataBytesMax));
    check_too_large(with_metadata("2", kRegistryMetadataBytesMax + 1), "131073", "131072");
    // What is refused has left nothing.
    CHECK(site.newest_release().bundles.size() == 3 + kCount);
    CHECK(value_of(check_registry(site.tree, {.now = kNow, .stop = {}})).problems.empty());
}

TEST_CASE("registry limits: a folder that an older program filled past a release's limits starts and goes on") {
    LimitedRegistry site;  // A139
    check_accepted(site.upload(plan_of("maps/first", "1"), *site.honest));
    site.registry.reset();
    // 320 of 256 requirements of 850 bytes, as many as the format allows: 70 MB of text.
    const auto stranger = make_key_signer(SecretKey::generate());
    BundleId held;
    BundlePlan plan;
    for (unsigned i = 0; i < 320; ++i) {
        plan = plan_of("mods/q" + std::to_string(i), "1");
        std::string bounds;
        for (int bound = 0; bound < 8; ++bound)
            bounds += (bound == 0 ? ">= " : ", >= ") + std::string(62, '1');
        bounds += " by " + std::string(64, '5');
        for (unsigned requirement = 0; requirement < 256; ++requirement) {
            std::string name = "studio/r" + std::to_string(1000 + requirement);
            name.resize(240, 'n');
            plan.metadata.push_back({"requires." + name, bounds});
        }
        held = site.put_countersigned(plan, *stranger, kNow - 5);
    }
    site.open();
    CHECK(site.newest_release().bundles.size() == 1);
    check_accepted(site.upload(plan_of("maps/second", "1"), *site.honest));
    // Its author, the operator and whoever looks see why.
    CHECK(reasons_of(site.upload(plan, *stranger)) == std::vector<std::string>{"too-large"});
    check_has(read_file(site.tree + "/names/mods/q319.html"), "Set aside, and in no release: the bundle has ");
    const RegistryCheck check = value_of(check_registry(site.tree, {.now = kNow, .reads_bundles = false, .stop = {}}));
    CHECK(check.set_aside == 320);
    CHECK(check.problems.size() == 320);
    check_has(check.problems.front().text, "is set aside, and in no release");
    check_has(site.registry->format_metrics(), "fardel_registry_bundles_set_aside 320\n");
    CHECK(value_of(site.registry->recall(held, "junk", nullptr)).outcome == RegistryOutcome::recalled);
    site.open();
    CHECK(site.newest_release().bundles.size() == 2);
    CHECK(site.newest_release().recalled_bundles.size() == 1);
}

TEST_CASE("registry limits: bundles that were left by a kill are released up to a share, and the rest is set aside") {
    LimitedRegistry site;  // A139
    site.registry.reset();
    const auto stranger = make_key_signer(SecretKey::generate());
    const std::size_t each = kRegistryNeedsBytesMax;
    const auto fitting = static_cast<unsigned>(kRegistryNeedsBytes.share / each);
    for (unsigned i = 0; i < fitting + 3; ++i) {
        BundlePlan plan = plan_of("mods/q" + std::to_string(i), "1");
        for (unsigned k = 0; k < 64; ++k)
            add_requirement(plan, k, (each - kNeedsLineBytes) / 64);
        site.put_countersigned(plan, *stranger, kNow - 100 + i);
    }
    site.open();
    const ChannelRelease release = site.newest_release();
    CHECK(release.bundles.size() == fitting);
    CHECK(std::ranges::count(release.bundles, "mods/q0", &ReleasedBundle::name) == 1);
    check_has(read_file(site.tree + "/names/mods/q" + std::to_string(fitting) + ".html"),
              "each author may have 1048576");
    check_accepted(site.upload(plan_of("maps/first", "1"), *site.honest));
}

TEST_CASE("registry limits: after 3072 recalls by strangers, authors who were there and the operator recall") {  // A139
    LimitedRegistry site;
    std::vector<BundleId> own;
    for (int version = 1; version <= 4; ++version) {
        const RegistryAnswer answer = site.upload(plan_of("maps/own", std::to_string(version)), *site.honest);
        check_accepted(answer);
        own.push_back(answer.bundle);
    }
    ChannelRelease release = site.newest_release();
    for (unsigned i = 0; i < kRegistryRecalls.strangers; ++i)
        release.recalled_bundles.push_back({id_of(i + 1), "by a stranger"});
    std::ranges::sort(release.recalled_bundles, {}, &Revocation<BundleId>::id);
    site.publish_release(release);
    const PublicKey author = site.honest->public_key();
    for (std::size_t i = 0; i < kRegistryRecalls.reserved; ++i)
        CHECK(value_of(site.registry->recall(own[i], "it crashes", &author)).outcome == RegistryOutcome::recalled);
    const RegistryAnswer third = value_of(site.registry->recall(own[2], "it crashes", &author));
    CHECK(reasons_of(third) == std::vector<std::string>{"recalls-full"});
    check_has(third.refusals.front().text, "ask the operator");
    // Asked for again, a recall takes no room.
    CHECK(value_of(site.registry->recall(own[0], "it crashes", &author)).outcome == RegistryOutcome::recalled);
    CHECK(value_of(site.registry->recall(own[2], "for the author", nullptr)).outcome == RegistryOutcome::recalled);
    site.open();
    CHECK(site.newest_release().bundles.size() == 1);
}

TEST_CASE("registry limits: the operator recalls what is listed and lost, and bundles of a recalled key go") {  // A139
    LimitedRegistry site;
    const auto flooder = make_key_signer(SecretKey::generate());
    const BundleId own = site.upload(plan_of("maps/own", "1"), *site.honest).bundle;
    for (int i = 0; i < 3; ++i)
        check_accepted(site.upload(plan_of("mods/m" + std::to_string(i), "1"), *flooder));
    std::filesystem::remove(site.tree + "/" + tree_path_of(own));
    site.open();
    const PublicKey author = site.honest->public_key();
    CHECK(reasons_of(value_of(site.registry->recall(own, "lost", &author))) == std::vector<std::string>{"not-here"});
    const RegistryAnswer recalled = value_of(site.registry->recall(own, "lost", nullptr));
    CHECK(recalled.outcome == RegistryOutcome::recalled);
    CHECK(recalled.name == "maps/own");
    CHECK(reasons_of(value_of(site.registry->recall(id_of(7), "never seen", nullptr))) ==
          std::vector<std::string>{"not-here"});
    ChannelRelease release = site.newest_release();
    CHECK(release.bundles.size() == 3);
    release.recalled_keys = {{flooder->public_key(), "floods"}};
    site.publish_release(release);
    site.open();
    CHECK(site.newest_release().bundles.empty());
    CHECK(std::ranges::count(reasons_of(site.upload(plan_of("mods/m9", "1"), *flooder)), "key-recalled") == 1);
    check_has(read_file(site.tree + "/names/mods/m0.html"), "the key of its author has been recalled");
    site.open();  // and they do not come back
    CHECK(site.newest_release().bundles.empty());
}

TEST_CASE("registry limits: a change that the next release refuses leaves no bundle") {  // A139
    LimitedRegistry site;
    check_accepted(site.upload(plan_of("maps/own", "1"), *site.honest));
    ChannelRelease release = site.newest_release();
    ReleasedBundle foreign = release.bundles.front();  // that the registry has not accepted, of its operator
    foreign.bundle = id_of(9);
    foreign.name = "maps/taken";
    release.bundles.push_back(foreign);
    site.publish_release(release);
    const Bytes file = bytes_of(signed_by(*site.honest, written(plan_of("maps/taken", "1"))));
    CHECK(code_of(site.registry->accept(make_memory_source(file), site.honest->public_key(), {})) ==
          ErrorCode::conflict);
    CHECK_FALSE(std::filesystem::exists(site.tree + "/" + tree_path_of(bundle_id_of(file))));
    site.open();
    check_accepted(site.upload(plan_of("maps/own", "2"), *site.honest));
}

TEST_CASE("registry limits: a full channel gives an author its answer, and nothing of the bundle is kept") {  // A139
    LimitedRegistry site;
    // Before the others, since each change of a full channel takes a while; what is reserved for who is here is left.
    for (std::uint64_t i = 1; i < kRegistryBundles.reserved; ++i)
        check_accepted(site.upload(plan_of("maps/m" + std::to_string(i), "1"), *site.honest));
    ChannelRelease release = site.newest_release();
    for (unsigned i = 0; i < kRegistryBundles.strangers; ++i) {
        ReleasedBundle one;
        one.bundle = id_of(i + 1);
        one.file_bytes = 5000;
        one.name = "mods/s" + std::to_string(100'000 + i);
        one.version = value_of(BundleVersion::parse("1"));
        release.bundles.push_back(one);
    }
    site.publish_release(release);
    check_accepted(site.upload(plan_of("maps/m0", "1"), *site.honest));
    const BundlePlan plan = plan_of("maps/last", "1");
    const RegistryAnswer full = site.upload(plan, *site.honest);
    CHECK(reasons_of(full) == std::vector<std::string>{"registry-full"});
    check_has(full.refusals.front().text, "room for 40000 bundles in a release");
    CHECK_FALSE(std::filesystem::exists(site.tree + "/" + tree_path_of(bundle_id_of(written(plan)))));
    site.open();
    const auto other = make_key_signer(SecretKey::generate());
    check_accepted(site.upload(plan_of("maps/other", "1"), *other));
}

TEST_CASE("registry limits: texts of requirements go with their releases") {  // A139
    LimitedRegistry site;
    for (int i = 0; i < 60; ++i)
        check_accepted(site.upload(plan_of("maps/m" + std::to_string(i), "1"), *site.honest));
    CHECK(site.files_in("channels/hub/stable/release") <= 24);
    CHECK(site.files_in("channels/hub/stable/requirements") <= 25);
    const auto target = make_folder_target(site.tree);
    const auto there = value_of(read_channel(*target, "hub/stable"));
    const Hash newest = blake3(std::as_bytes(std::span(there->files.release)));
    const std::string text = read_file(site.tree + "/" + channel_requirements_path("hub/stable", newest));
    CHECK(value_of(parse_release_needs(text)).size() == 60);
}

// ---- Copies of authors' texts ---------------------------------------------------------------------------------------

TEST_CASE("registry limits: a long licence and many versions are cut on pages and in memory") {  // A140
    LimitedRegistry site;
    BundlePlan plan = plan_of("maps/long", "1");
    plan.metadata.push_back({"licence", std::string(64'000, 'L')});
    plan.metadata.push_back({"origin", std::string(60'000, 'O')});
    const BundleId id = site.upload(plan, *site.honest).bundle;
    for (int version = 2; version <= 60; ++version)
        check_accepted(site.upload(plan_of("maps/long", std::to_string(version)), *site.honest));
    check_accepted(site.upload(plan_of("maps/other", "1"), *site.honest));
    const std::string pages[] = {"/index.html", "/registry.json", "/names/maps/long.html",
                                 "/bundles/" + id.hex() + ".html"};
    for (const std::string& page : pages) {
        CAPTURE(page);
        const std::string text = read_file(site.tree + page);
        CHECK(text.find(std::string(1001, 'L')) == std::string::npos);
        CHECK(text.find(std::string(1001, 'O')) == std::string::npos);
        CHECK(text.size() < 100'000);
    }
    const std::string versions = read_file(site.tree + "/names/maps/long.html");
    CHECK(count_texts(versions, "<h2 id=") == 50);
    check_has(versions, "and 10 more, which came before");
    const auto bundle =
        value_of(Bundle::open(make_memory_source(bytes_of(read_file(site.tree + "/" + tree_path_of(id)))), {}));
    const auto entry = value_of(find_entry(*bundle, std::array{site.new_signers().registry->public_key()}));
    REQUIRE(entry);
    CHECK(entry->licence.size() <= kCatalogueTextBytesMax + std::string_view("…").size());
}

TEST_CASE("registry limits: 65,000 dependencies that share one name, from an older program, fill no page") {  // A140
    LimitedRegistry site;
    site.registry.reset();
    BundlePlan plan = plan_of("mods/wide", "1");
    std::string name(6'000, 'd');
    for (std::size_t i = 200; i < name.size(); i += 201)
        name[i] = '/';
    add_dependencies(plan, 65'000, name);
    const BundleId id = site.put_countersigned(plan, *site.honest, kNow - 5);
    site.open();
    CHECK(site.newest_release().bundles.size() == 1);  // it needs nothing by an id
    const std::string versions = read_file(site.tree + "/names/mods/wide.html");
    CHECK(versions.size() < 10'000);
    check_has(versions, "65000 bundles by their ids");
    const std::string page = read_file(site.tree + "/bundles/" + id.hex() + ".html");
    CHECK(page.size() < 20'000);
    check_has(page, "Its tables cannot be shown: the bundle has 65000 dependencies");
    // The page of one at the limit lists some.
    BundlePlan fitting = plan_of("mods/fits", "1");
    add_dependencies(fitting, kRegistryDependenciesMax, "other");
    const BundleId shown = site.upload(fitting, *site.honest).bundle;
    check_has(read_file(site.tree + "/bundles/" + shown.hex() + ".html"), "and 206 more");
}

TEST_CASE("registry limits: an answer is short, however much is wrong") {  // A140
    LimitedRegistry site;
    BundlePlan plan = plan_of("mods/many", "1");
    const auto asset = plan.assets.size() - 1;
    for (unsigned i = 0; i < kRegistryDependenciesMax; ++i) {
        plan.dependencies.push_back({.bundle = id_of(i + 1), .name = "other", .version = "1"});
        plan.assets[asset].references.push_back(
            {.spelling = "r" + std::to_string(1000 + i), .target = PlannedReference::Foreign{AssetId(), i}});
    }
    const RegistryAnswer answer = site.upload(plan, *site.honest);
    CHECK(answer.outcome == RegistryOutcome::refused);
    CHECK(answer.refusals.size() > 50);
    CHECK(answer.refusals.size() < 150);
    CHECK(answer.refusals.back().reason == "more");
    CHECK(answer.refusals.back().text == "and " + std::to_string(257 - answer.refusals.size()) + " more");
    CHECK(format_registry_answer(answer).size() < 40'000);
}

TEST_CASE("registry limits: no author's uploads make a registry forget what it decided about others") {  // A139
    WireRegistry site;
    const auto honest = make_key_signer(SecretKey::generate());
    const auto flooder = make_key_signer(SecretKey::generate());
    const auto refused = [&](unsigned number, Signer& author) {  // unsigned, so refused
        const Bytes bytes = written(plan_of("mods/m" + std::to_string(number), "1"));
        const BundleId id = bundle_id_of(bytes);
        CHECK(site.send("PUT", "/" + tree_path_of(id), site.authorize(RegistryAction::upload, id, author),
                        text_of(bytes)) == 422);
        return id;
    };
    const auto status = [&](const BundleId& id, Signer& author) {
        return site.ask("GET", "/uploads/" + id.hex(), site.authorize(RegistryAction::upload, id, author)).status;
    };
    const BundleId own = refused(1000, *honest);
    std::vector<BundleId> others;
    for (unsigned i = 0; i <= kAuthorDecisionsKeptMax; ++i)
        others.push_back(refused(i, *flooder));
    CHECK(status(others[0], *flooder) == 404);
    CHECK(status(others[1], *flooder) == 422);
    CHECK(status(others.back(), *flooder) == 422);
    CHECK(status(own, *honest) == 422);
}

}  // namespace fardel::tests::registry_limits_test
