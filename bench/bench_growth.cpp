// How the cost of packing, mounting and looking up grows with the number of files.
#include "sections.h"
#include "small_files.h"
#include "stopwatch.h"

#include <fardel/vfs/vfs.h>

#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <random>

namespace fardel::bench {
namespace {

struct ProgramCost {
    double seconds = 0;
    double megabytes = 0;  // of memory, at most at one time
};

// Runs the program with arguments; it has to end with 0.
ProgramCost run_program(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ProgramCost cost;
    cost.seconds = best_seconds(1, [&] {
        const pid_t child = fork();
        if (child == 0) {
            if (std::freopen("/dev/null", "w", stdout) != nullptr)
                execv(arguments[0], arguments.data());
            _exit(127);
        }
        int status = 0;
        rusage usage{};
        if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
            fail(Error(ErrorCode::io, fmt::format("{} ended with {}", words[0], status)));
        cost.megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    });
    return cost;
}

double find_microseconds(const Vfs& vfs, std::uint32_t count) {
    constexpr std::size_t kLookUps = 200'000;
    std::mt19937 random(7);
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < kLookUps; ++i)
        paths.push_back("/" + made_up_name(static_cast<std::uint32_t>(random() % count)));
    return best_seconds(3,
                        [&] {
                            for (const std::string& path : paths)
                                if (!must(vfs.find(path)))
                                    fail(Error(ErrorCode::missing, path));
                        }) *
           1e6 / kLookUps;
}

}  // namespace

void bench_growth(const Scene& scene, Table& table) {
    table.heading("Growth: files of 1 KiB in a folder, packed, mounted, found");
    for (std::uint32_t count = 1'000; count <= scene.small_files; count *= 10) {
        const std::string folder = small_files_folder(scene, count);
        const std::string bundle = fmt::format("{}/growth.fardel", scene.scratch);
        const ProgramCost pack = run_program({scene.program, "pack", folder, "-o", bundle});
        const std::string what = fmt::format("{} files, ", count);
        table.add({what + "pack", pack.seconds, 0, "s", false, "", count == 1'000'000 ? "< 60 s" : ""});
        table.add({what + "memory of pack, each", pack.megabytes * 1e6 / count, 0, "B", false, "",
                   count >= 1'000'000 ? "≤ 300 B" : ""});
        table.add({what + "bundle, each", megabytes(bundle) * 1e6 / count, 0, "B", false, ""});
        table.add({what + "mount",
                   1e3 * best_seconds(20,
                                      [&] {
                                          Vfs vfs;
                                          (void)must(vfs.mount(bundle, {.allow_unsigned = true}));
                                          (void)must(vfs.find("/nothing/here"));
                                      }),
                   0, "ms", false, "", "< 0.2 ms, flat"});
        Vfs vfs;
        (void)must(vfs.mount(bundle, {.allow_unsigned = true}));
        table.add({what + "find", find_microseconds(vfs, count), 0, "µs", false, "", "< 0.5 µs"});
        std::filesystem::remove(bundle);
    }
}

}  // namespace fardel::bench
