// A static tree in a folder into which two computers publish over NFS: the server and both clients are those of Linux.
#include <fardel/delivery/delta_list.h>
#include "kit/bundles.h"
#include "kit/own_kernel.h"

#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>

#include <sys/wait.h>
#include <unistd.h>

namespace fardel::tests::network_tree_test {

// A106
TEST_CASE("network tree: two computers that publish over NFS 4.2 lose nothing of each other's") {
    run_on_two_computers("inside nfs: *");
}

Bytes network_version(std::uint32_t number) {
    return BundleMaker()
        .add_data("shared.bin", noise_text(40'000, 1))
        .add_data("own.bin", noise_text(2'000, 100 + number))
        .write_quickly();
}

TEST_CASE("inside nfs: deltas that two computers publish at the same time are all listed" *
          doctest::skip(!is_in_own_kernel())) {
    constexpr std::uint32_t kDeltas = 12;
    const auto target = open_bundle(network_version(kDeltas));
    const std::string mounts[] = {"/mnt/one/tree", "/mnt/two/tree"};
    std::vector<pid_t> computers;
    for (std::uint32_t computer = 0; computer < 2; ++computer) {
        computers.push_back(::fork());
        REQUIRE(computers.back() >= 0);
        if (computers.back() > 0)
            continue;
        const auto tree = make_folder_target(mounts[computer]);
        Status done = status_of(publish_bundle(make_memory_source(network_version(kDeltas)), *tree));
        for (std::uint32_t number = computer; done && number < kDeltas; number += 2) {
            const Bytes old = network_version(number);
            done = status_of(publish_bundle(make_memory_source(old), *tree));
            if (done)
                done = status_of(publish_delta(open_bundle(old), *target, *tree));
        }
        if (!done)
            std::fprintf(stderr, "%s\n", std::string(done.error().message()).c_str());
        ::_exit(done ? 0 : 1);
    }
    for (const pid_t computer : computers) {
        int status = 0;
        REQUIRE(::waitpid(computer, &status, 0) == computer);
        CHECK(status == 0);
    }
    const auto list = read_file("/mnt/server/tree/" + delta_list_path_of(target->id()));
    CHECK(value_of(decode_delta_list(std::as_bytes(std::span(list)))).size() == kDeltas);
}

}  // namespace fardel::tests::network_tree_test
