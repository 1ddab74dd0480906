// Mounts a bundle that a policy trusts and prints one of its assets.
//
//     sample_read_asset BUNDLE POLICY PATH
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/vfs.h>

#include <cstdio>

fardel::Status print_asset(const char* bundle, const char* policy_file, const char* path) {
    FARDEL_TRY_ASSIGN(const auto policy, fardel::read_trust_policy(policy_file));
    fardel::Vfs vfs;
    FARDEL_TRY(vfs.mount(bundle, {.policy = &policy}));

    FARDEL_TRY_ASSIGN(const auto file, vfs.open(path));    // "/texts/greeting.txt", or "/assets/<id>"
    FARDEL_TRY_ASSIGN(const auto bytes, file.read_all());  // every byte verified
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return fardel::ok();
}

int main(int argc, char** argv) {
    if (argc != 4)
        return 2;
    const fardel::Status status = print_asset(argv[1], argv[2], argv[3]);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
