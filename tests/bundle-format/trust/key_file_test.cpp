#include <fardel/format/key_file.h>

#include "kit/emulator.h"
#include "kit/files.h"
#include "signing_vectors.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/limits.h>

#include <sys/stat.h>

namespace fardel::tests::key_file_test {

constexpr std::string_view kPassphrase = "correct horse";

const std::string kPublicText =
    "fardel-public-key 1\n"
    "comment: alice\n"
    "public-key: 03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8\n";

const std::string kOpenText =
    "fardel-secret-key 1\n"
    "comment: alice\n"
    "public-key: 03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8\n"
    "kdf: none\n"
    "seed: 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";

std::string golden(std::string_view name) {
    return read_file(FARDEL_SOURCE_DIR "/tests/bundle-format/keys/" + std::string(name));
}

PassphraseProvider answering(std::string_view passphrase) {
    return [passphrase]() -> Result<std::string> { return std::string(passphrase); };
}

// A provider for files that must be refused, or opened, without asking for a passphrase.
Result<std::string> never_asked() {
    FAIL("a passphrase was asked for");
    return Error(ErrorCode::cancelled, "not here");
}

PublicKey alice() { return fixed_vector<PublicKey>("key-alice"); }

std::span<const std::byte> fardel_message() { return std::as_bytes(std::span(std::string_view("fardel"))); }

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// A minisign file with some of its decoded bytes changed; bit by bit, because base64 encodes six bits per character.
std::string with_minisign_bytes(std::string_view name, std::size_t at, std::string_view bytes) {
    std::string text = golden(name);
    const std::size_t line = text.find('\n') + 1;
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        const std::size_t position = at * 8 + bit;
        char& digit = text.at(line + position / 6);
        const auto mask = static_cast<std::size_t>(32) >> position % 6;
        const bool set = (static_cast<unsigned char>(bytes[bit / 8]) >> (7 - bit % 8) & 1) != 0;
        const std::size_t value = kBase64.find(digit);
        digit = kBase64[set ? value | mask : value & ~mask];
    }
    return text;
}

std::string little_endian(std::uint64_t value) {
    std::string text(sizeof value, '\0');
    store_le(text.data(), value);
    return text;
}

TEST_CASE("public key file: the document's text") {
    CHECK(format_public_key(alice(), "alice").value() == kPublicText);
    const auto file = parse_public_key(kPublicText);
    REQUIRE(file);
    CHECK(file->key == alice());
    CHECK(file->comment == "alice");
    CHECK(value_of(parse_public_key(with_windows_ends(kPublicText))).comment == "alice");
}

TEST_CASE("public key file: each proper prefix, and each text longer by a byte, is refused") {
    for (std::size_t length = 0; length < kPublicText.size(); ++length)
        CHECK_FALSE(parse_public_key(kPublicText.substr(0, length)));
    for (const char more : {'\n', ' ', 'x', '\0'})
        CHECK(code_of(parse_public_key(kPublicText + more)) == ErrorCode::malformed);
}

TEST_CASE("public key file: each flipped bit is refused or read as what it says") {
    for (std::size_t bit = 0; bit < kPublicText.size() * 8; ++bit) {
        CAPTURE(bit);
        std::string flipped = kPublicText;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        const auto file = parse_public_key(flipped);
        if (file)
            CHECK(format_public_key(file->key, file->comment).value() == flipped);
    }
}

TEST_CASE("public key file: its form is strict") {
    CHECK(code_of(parse_public_key(replaced(kPublicText, "key 1", "key 2"))) == ErrorCode::unsupported);
    CHECK(code_of(parse_public_key(replaced(kPublicText, "public-key 1", "secret-key 1"))) == ErrorCode::malformed);
    CHECK(code_of(parse_public_key(replaced(kPublicText, "03a1", "03A1"))) == ErrorCode::malformed);
    CHECK(value_of(parse_public_key(replaced(kPublicText, "31b8\n", "31b8\r\n"))).key ==
          value_of(parse_public_key(kPublicText)).key);  // a line end of Windows
    CHECK(code_of(parse_public_key(replaced(kPublicText, "31b8\n", "31b8\r\r\n"))) == ErrorCode::malformed);
    CHECK(code_of(parse_public_key(replaced(kPublicText, "31b8\n", "31\n"))) == ErrorCode::malformed);    // A61
    CHECK(code_of(parse_public_key(replaced(kPublicText, "alice", "al\rice"))) == ErrorCode::malformed);  // A74
    CHECK(code_of(parse_public_key(replaced(kPublicText, "alice", "\x1b[31m"))) == ErrorCode::malformed);
    CHECK(code_of(parse_public_key(kOpenText)) == ErrorCode::malformed);
    CHECK(code_of(parse_public_key("")) == ErrorCode::malformed);
}

TEST_CASE("public key file: the comment and the file at their limit, and one past") {
    const std::string longest(limits::kCommentBytesMax, 'x');
    CHECK(parse_public_key(format_public_key(alice(), longest).value()).value().comment == longest);
    CHECK(parse_public_key(format_public_key(alice(), "").value()).value().comment.empty());
    CHECK(code_of(format_public_key(alice(), longest + "x")) == ErrorCode::limit);
    CHECK(code_of(parse_public_key(replaced(kPublicText, "alice", longest + "x"))) == ErrorCode::limit);
    CHECK(code_of(parse_public_key(replaced(kPublicText, "alice", std::string(limits::kKeyFileBytesMax, 'x')))) ==
          ErrorCode::limit);
    CHECK(code_of(parse_public_key("untrusted comment: " + std::string(limits::kKeyFileBytesMax, 'x'))) ==
          ErrorCode::limit);
    CHECK(code_of(format_public_key(alice(), "a\nb")) == ErrorCode::malformed);
}

TEST_CASE("secret key file: the document's text, in the clear") {
    CHECK(encode_key_file(secret_key("alice"), std::nullopt, "alice").value() == kOpenText);
    CHECK(decode_key_file(kOpenText, never_asked).value().public_key() == alice());
    for (std::size_t length = 0; length < kOpenText.size(); ++length)
        CHECK_FALSE(decode_key_file(kOpenText.substr(0, length), never_asked));
    CHECK(code_of(decode_key_file(kOpenText + "\n", never_asked)) == ErrorCode::malformed);
    for (std::size_t bit = 0; bit < kOpenText.size() * 8; ++bit) {
        CAPTURE(bit);
        std::string flipped = kOpenText;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        const bool in_comment = bit / 8 >= kOpenText.find("alice") && bit / 8 < kOpenText.find("alice") + 5;
        if (!in_comment)
            CHECK_FALSE(decode_key_file(flipped, never_asked));
    }
    CHECK(code_of(decode_key_file(replaced(kOpenText, "seed: 00", "seed: 01"), never_asked)) == ErrorCode::corrupt);
}

TEST_CASE("secret key file: a golden file opens with its passphrase and no other") {
    const std::string text = golden("fardel-sealed.key");
    CHECK(decode_key_file(text, answering(kPassphrase)).value().public_key() == alice());
    CHECK(code_of(decode_key_file(text, answering("correct horse "))) == ErrorCode::denied);
    CHECK(code_of(decode_key_file(text, answering(""))) == ErrorCode::malformed);
    CHECK(code_of(decode_key_file(text, answering(std::string(limits::kPassphraseBytesMax + 1, 'x')))) ==
          ErrorCode::limit);
    CHECK(code_of(decode_key_file(text, [] { return Result<std::string>(Error(ErrorCode::cancelled, "no")); })) ==
          ErrorCode::cancelled);
}

TEST_CASE("secret key file: one with the line ends of Windows opens with its passphrase") {
    const std::string text = with_windows_ends(golden("fardel-sealed.key"));
    CHECK(value_of(decode_key_file(text, answering(kPassphrase))).public_key() == alice());
    CHECK(code_of(decode_key_file(text, answering("correct horse "))) == ErrorCode::denied);
}

TEST_CASE("secret key file: each prefix and each flipped bit of a sealed one is refused") {  // A75
    const std::string text = golden("fardel-sealed.key");
    for (std::size_t length = 0; length < text.size(); ++length)
        CHECK_FALSE(decode_key_file(text.substr(0, length), never_asked));
    CHECK(code_of(decode_key_file(text + "x\n", never_asked)) == ErrorCode::malformed);
    // Flips in the comment are refused too, because it is authenticated. Flips that raise the cost are skipped to save
    // time.
    const std::size_t cost = text.find("argon2id ") + 9;
    const std::size_t cost_end = text.find(' ', text.find(' ', cost) + 1);
    for (std::size_t bit = 0; bit < text.size() * 8; bit += kEachOf) {
        if (bit / 8 >= cost && bit / 8 < cost_end)
            continue;
        CAPTURE(bit);
        std::string flipped = text;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        CHECK_FALSE(decode_key_file(flipped, answering(kPassphrase)));
    }
}

TEST_CASE("secret key file: a written file is read again, and two files are never the same") {
    constexpr KdfCost kKdfMinimum{1, 8192};  // fast, and no protection
    const SecretKey key = SecretKey::generate();
    const std::string one = encode_key_file(key, kPassphrase, "", kKdfMinimum).value();
    const std::string other = encode_key_file(key, kPassphrase, "", kKdfMinimum).value();
    CHECK(one != other);
    CHECK(one.size() <= limits::kKeyFileBytesMax);
    CHECK(decode_key_file(one, answering(kPassphrase)).value().public_key() == key.public_key());
    const std::string longest(limits::kCommentBytesMax, 'x');
    CHECK(decode_key_file(encode_key_file(key, kPassphrase, longest, kKdfMinimum).value(), answering(kPassphrase)));
    CHECK(code_of(encode_key_file(key, kPassphrase, longest + "x", kKdfMinimum)) == ErrorCode::limit);
    CHECK(code_of(encode_key_file(key, std::string_view(""), "", kKdfMinimum)) == ErrorCode::malformed);
    CHECK(code_of(encode_key_file(key, std::nullopt, "a\nseed: 00")) == ErrorCode::malformed);
}

TEST_CASE("secret key file: the cost of opening it is refused before it is paid") {  // A75
    const std::string text = golden("fardel-sealed.key");
    const auto with_cost = [&](std::string_view cost) {
        return code_of(
            decode_key_file(replaced(text, "argon2id 1 8192", "argon2id " + std::string(cost)), never_asked));
    };
    CHECK(with_cost("1 1099511627776") == ErrorCode::limit);  // 1 TB
    CHECK(with_cost("1 1073742848") == ErrorCode::limit);     // 1 GiB and 1 KiB
    CHECK(with_cost("17 8192") == ErrorCode::limit);
    CHECK(with_cost("99999999999999999999999999 8192") == ErrorCode::limit);
    for (const char* cost : {"0 8192", "1 8191", "1 7168", "1 8193", "01 8192", "1 +8192", "-1 8192", " 1 8192",
                             "1  8192", "1 8192 ", "", "x 8192", "1"}) {
        CAPTURE(cost);
        CHECK(with_cost(cost) == ErrorCode::malformed);
    }
    CHECK(code_of(encode_key_file(secret_key("alice"), kPassphrase, "", {17, 8192})) == ErrorCode::limit);
    CHECK(code_of(encode_key_file(secret_key("alice"), kPassphrase, "", {1, (1ull << 30) + 1024})) == ErrorCode::limit);
    CHECK(code_of(encode_key_file(secret_key("alice"), kPassphrase, "", {0, 8192})) == ErrorCode::malformed);
}

TEST_CASE("secret key file: other versions and encryptions are unsupported") {
    CHECK(code_of(decode_key_file(replaced(kOpenText, "key 1", "key 2"), never_asked)) == ErrorCode::unsupported);
    CHECK(code_of(decode_key_file(replaced(kOpenText, "kdf: none", "kdf: md5"), never_asked)) ==
          ErrorCode::unsupported);
    CHECK(code_of(decode_key_file(kPublicText, never_asked)) == ErrorCode::malformed);
}

TEST_CASE("minisign: real public keys are read") {
    const auto file = parse_public_key(golden("minisign-plain.pub"));
    REQUIRE(file);
    CHECK(file->key.hex() == "1822712887f36b6cdea207d45748ed553081193a2c1179036efc672b584ad680");
    CHECK(file->comment == "minisign public key 8844F86064100C65");
}

TEST_CASE("minisign: real secret keys sign as minisign does") {
    // minisign -S -l of the six bytes "fardel": the same Ed25519 signature.
    const SecretKey plain = decode_key_file(golden("minisign-plain.key"), never_asked).value();
    CHECK(plain.public_key() == parse_public_key(golden("minisign-plain.pub")).value().key);
    CHECK(plain.sign(fardel_message()).hex() ==
          "15699b0196ef42b2674c75b4dbb2c5fd7365de2502f1fe5a5e5e0d2520c29527cc45b6a8c86338fbaddf9c66985c75e835a18fbb0bb5"
          "7a3e1394591c048fd30b");

    const SecretKey sealed = decode_key_file(golden("minisign-sealed.key"), answering("secret")).value();
    CHECK(sealed.public_key() == parse_public_key(golden("minisign-sealed.pub")).value().key);
    CHECK(sealed.sign(fardel_message()).hex() ==
          "0884f1099c5500ea536729181fa6ae051a536254cfe1a311e2d282370cde01badbf1e724390eaa68cfddd7fa22a1b274fa72a2e2f2aa"
          "abe8e36dfe89cfce5804");
}

TEST_CASE("minisign: a wrong passphrase and a damaged key are denied") {
    if (is_left_out_in_emulator("the passphrases of minisign take half a minute"))
        return;
    CHECK(code_of(decode_key_file(golden("minisign-sealed.key"), answering("Secret"))) == ErrorCode::denied);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-sealed.key", 70, "x"), answering("secret"))) ==
          ErrorCode::denied);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-plain.key", 70, "x"), never_asked)) ==
          ErrorCode::corrupt);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-plain.key", 100, "x"), never_asked)) ==
          ErrorCode::corrupt);
}

TEST_CASE("minisign: the cost of opening a key is refused before it is paid") {  // A75
    CHECK(code_of(decode_key_file(
              with_minisign_bytes("minisign-sealed.key", 38, little_endian(limits::kScryptOperationsMax + 1)),
              never_asked)) == ErrorCode::limit);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-sealed.key", 46, little_endian(1ull << 40)),
                                  never_asked)) == ErrorCode::limit);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-sealed.key", 46, little_endian(UINT64_MAX)),
                                  never_asked)) == ErrorCode::limit);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-sealed.key", 46, little_endian(0)),
                                  answering("secret"))) == ErrorCode::denied);
}

TEST_CASE("minisign: other algorithms are unsupported, other text is malformed") {
    if (is_left_out_in_emulator("the passphrases of minisign take ten seconds"))
        return;
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-plain.key", 0, "ED"), never_asked)) ==
          ErrorCode::unsupported);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-plain.key", 2, "Ar"), never_asked)) ==
          ErrorCode::unsupported);
    CHECK(code_of(decode_key_file(with_minisign_bytes("minisign-plain.key", 4, "B3"), never_asked)) ==
          ErrorCode::unsupported);
    CHECK(code_of(parse_public_key(with_minisign_bytes("minisign-plain.pub", 0, "ED"))) == ErrorCode::unsupported);
    CHECK(code_of(parse_public_key(golden("minisign-plain.key"))) == ErrorCode::malformed);
    CHECK(code_of(decode_key_file(golden("minisign-plain.pub"), never_asked)) == ErrorCode::malformed);

    const std::string text = golden("minisign-plain.pub");
    for (std::size_t length = 0; length + 1 < text.size(); ++length)
        CHECK_FALSE(parse_public_key(text.substr(0, length)));
    CHECK(code_of(parse_public_key(text + "x")) == ErrorCode::malformed);
    CHECK(code_of(parse_public_key(replaced(text, "RW", "R*"))) == ErrorCode::malformed);
    CHECK(code_of(parse_public_key(replaced(text, "minisign public", "mini\x1bsign"))) == ErrorCode::malformed);
    CHECK(parse_public_key(text.substr(0, text.size() - 1)));  // no line feed at the end
    CHECK(parse_public_key(replaced(replaced(text, "65\n", "65\r\n"), "aA\n", "aA\r\n")).value().comment ==
          "minisign public key 8844F86064100C65");
}

TEST_CASE("key file on disk: a new file is for its owner alone, and is never overwritten") {
    const ScratchFolder folder;
    const std::string path = folder.path("alice.key");
    ::umask(0);
    CHECK(write_key_file(path, kOpenText));
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
    CHECK(read_key_file(path, never_asked).value().public_key() == alice());
    CHECK(code_of(write_key_file(path, "other")) == ErrorCode::conflict);
    CHECK(read_key_file(path, never_asked));
    CHECK(code_of(write_key_file(folder.path("none/alice.key"), kOpenText)) == ErrorCode::missing);
    fs::create_symlink(folder.path("elsewhere"), folder.path("link.key"));
    CHECK(code_of(write_key_file(folder.path("link.key"), kOpenText)) == ErrorCode::conflict);
    CHECK_FALSE(fs::exists(folder.path("elsewhere")));
}

TEST_CASE("key file on disk: one that others may use, or a link, is denied") {  // A75
    const ScratchFolder folder;
    const std::string path = folder.path("alice.key");
    REQUIRE(write_key_file(path, kOpenText));
    for (const mode_t mode : {0640u, 0604u, 0620u, 0602u, 0610u, 0644u}) {
        CAPTURE(mode);
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        CHECK(code_of(read_key_file(path, never_asked)) == ErrorCode::denied);
    }
    REQUIRE(::chmod(path.c_str(), 0400) == 0);
    CHECK(read_key_file(path, never_asked));
    fs::create_symlink(path, folder.path("link.key"));
    CHECK(code_of(read_key_file(folder.path("link.key"), never_asked)) == ErrorCode::denied);
}

TEST_CASE("key file on disk: what is not a key file") {  // A34
    const ScratchFolder folder;
    CHECK(code_of(read_key_file(folder.path("none"), never_asked)) == ErrorCode::missing);
    CHECK(code_of(read_key_file(folder.root().string(), never_asked)) == ErrorCode::malformed);
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    CHECK(code_of(read_key_file(folder.path("fifo"), never_asked)) == ErrorCode::malformed);
    REQUIRE(write_key_file(folder.path("empty"), ""));
    CHECK(code_of(read_key_file(folder.path("empty"), never_asked)) == ErrorCode::malformed);
    REQUIRE(write_key_file(folder.path("huge"), std::string(limits::kKeyFileBytesMax + 1, 'x')));
    CHECK(code_of(read_key_file(folder.path("huge"), never_asked)) == ErrorCode::limit);
}

TEST_CASE("public key file on disk: it may be readable by all and may be a symbolic link") {
    const ScratchFolder folder;
    const std::string path = folder.path("alice.pub");
    write_file(path, kPublicText);
    fs::create_symlink(path, folder.path("link.pub"));
    CHECK(read_public_key_file(folder.path("link.pub")).value().key == alice());
    const auto none = read_public_key_file(folder.path("none.pub"));
    CHECK(code_of(none) == ErrorCode::missing);
    CHECK(none.error().message().find("none.pub") != std::string::npos);
}

}  // namespace fardel::tests::key_file_test
