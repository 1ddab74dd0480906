// Builds the project of a fardel.toml, as an engine's or editor's own tool would: progress on standard output, every
// problem with its reason, and nothing done again that has not changed.
//
//     sample_build_project fardel.toml
#include <fardel/packer/build.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s fardel.toml\n", argv[0]);
        return 2;
    }
    fardel::BuildRequest request{.project_file = argv[1], .level = 1};
    request.progress = [](const fardel::BuildProgress& at) {
        std::printf("%.*s %llu of %llu\n", static_cast<int>(at.stage.size()), at.stage.data(),
                    static_cast<unsigned long long>(at.done), static_cast<unsigned long long>(at.total));
    };
    const auto outcome = fardel::build_project(request);
    if (!outcome) {
        std::fprintf(stderr, "%s\n", outcome.error().text().c_str());
        return 1;
    }
    for (const fardel::RefusedName& refused : outcome->summary.scan.refused)
        std::printf("not packed: %s\n", refused.origin.c_str());
    for (const fardel::BuiltBundle& built : outcome->summary.bundles)
        std::printf("%s: %llu assets, %s%s\n", built.path.c_str(),
                    static_cast<unsigned long long>(built.written.assets), built.written.bundle.hex().c_str(),
                    outcome->up_to_date ? ", up to date" : "");
}
