// Programs that sign. envelope.h
#include "kit/emulator.h"
#include "kit/files.h"
#include "signing_vectors.h"

#include <fardel/format/envelope.h>

namespace fardel::tests::external_signer_test {

Result<Signature> run_program(std::string_view name, std::string_view body,
                              std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    const ScratchFolder scratch;
    const std::string program = scratch.write_program(name, "#!/bin/sh\n" + std::string(body) + "\n");
    const auto signer = make_external_signer({program, "an argument"}, fixed_vector<PublicKey>("key-alice"), timeout);
    return signer->sign(signing_vector("signed-message"));
}

TEST_CASE("external signer: the program's signature is taken after it was checked") {
    const std::string good = fixed_vector<Signature>("signature-alice").hex();
    CHECK(run_program("good", "cat > /dev/null; echo " + good).value() == fixed_vector<Signature>("signature-alice"));
    CHECK(run_program("no-line-feed", "printf %s " + good));
    CHECK(run_program("windows", "printf '%s\\r\\n' " + good));
    CHECK(run_program("reads-nothing", "echo " + good));
    CHECK(code_of(run_program("other-key", "echo " + fixed_vector<Signature>("signature-hub").hex())) ==
          ErrorCode::corrupt);
}

TEST_CASE("external signer: the program gets the message and its arguments") {
    const ScratchFolder scratch;
    const std::string seen = scratch.path("seen");
    CHECK_FALSE(run_program("keeps", "cat > '" + seen + "'; printf %s \"$1\" >> '" + seen + "'"));
    CHECK(read_file(seen) == text_of(signing_vector("signed-message")) + "an argument");
}

TEST_CASE("external signer: each way to fail has its error") {
    const std::string good = fixed_vector<Signature>("signature-alice").hex();
    CHECK(code_of(run_program("fails", "echo " + good + "; exit 3")) == ErrorCode::denied);
    CHECK(code_of(run_program("dies", "kill -9 $$")) == ErrorCode::denied);
    CHECK(code_of(run_program("silent", "exit 0")) == ErrorCode::malformed);
    CHECK(code_of(run_program("short", "echo abcd")) == ErrorCode::malformed);
    CHECK(code_of(run_program("upper", "echo " + std::string(128, 'A'))) == ErrorCode::malformed);
    CHECK(code_of(run_program("endless", "while :; do echo " + good + "; done")) == ErrorCode::malformed);
    CHECK(code_of(run_program("sleeps", "exec sleep 100", std::chrono::milliseconds(100))) == ErrorCode::unreachable);
    CHECK(code_of(run_program("closes-and-sleeps", "exec >&-; exec sleep 100", std::chrono::milliseconds(100))) ==
          ErrorCode::unreachable);
    const PublicKey key = fixed_vector<PublicKey>("key-alice");
    CHECK(code_of(make_external_signer({}, key)->sign({})) == ErrorCode::missing);
    if (can_see_missing_programs())
        CHECK(code_of(make_external_signer({"/nonexistent/signer"}, key)->sign({})) == ErrorCode::missing);
}

TEST_CASE("external signer: a message that no pipe could hold arrives whole") {
    const ScratchFolder scratch;
    const std::string seen = scratch.path("seen");
    const auto signer = make_external_signer({"/bin/sh", "-c", "wc -c > '" + seen + "'"}, PublicKey{});
    CHECK(code_of(signer->sign(Bytes(1 << 20))) == ErrorCode::malformed);  // it gives no signature
    CHECK(read_file(seen) == "1048576\n");
}

TEST_CASE("external signer: a failing program leaves no descriptor open") {
    const auto descriptors = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    };
    const auto before = descriptors();
    CHECK_FALSE(run_program("silent", "exit 0"));
    CHECK_FALSE(run_program("sleeps", "exec sleep 100", std::chrono::milliseconds(50)));
    CHECK_FALSE(make_external_signer({"/nonexistent/signer"}, PublicKey{})->sign({}));
    CHECK(descriptors() == before);
}

}  // namespace fardel::tests::external_signer_test
