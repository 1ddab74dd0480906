// fardel watch: builds a project, and again whenever one of its inputs changes.

#include "build/build_command.h"
#include "build/resolved_project.h"
#include "verbs.h"

#include <fardel/base/folder.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/path_text.h>
#include <fardel/packer/project.h>
#include <fardel/packer/running_jobs.h>
#include <fardel/packer/watched_inputs.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kTick{100};

// Waits for a change, and then for one tick more.
Status wait_for_change(WatchedInputs& watched, const std::stop_token& stop) {
    for (;;) {
        FARDEL_TRY_ASSIGN(const bool changed, watched.has_changed());
        if (changed || stop.stop_requested())
            break;
        std::this_thread::sleep_for(kTick);
    }
    std::this_thread::sleep_for(kTick);
    return ok();
}

// Returns whether to try again at once.
Result<bool> build_once(const BuildCommand& command, WatchedInputs& watched, std::set<std::string>& files,
                        const std::stop_token& stop, Console& console) {
    // The next build uses the results of jobs so far, and takes over those that still run.
    const StopOnChange restart(watched, stop, [] { return true; });
    std::vector<ObservedPath> observed;
    const Result<Exit> built = run_build_command(command, restart.token(), observed, console);
    std::erase_if(observed, [](const ObservedPath& path) { return path.stamp.kind == StampKind::folder; });
    // The folders of sources are watched through notices of the system already.
    watched.add(observed);
    // A build that failed has not seen all of its inputs, so those of the one before are watched, too.
    if (built)
        files.clear();
    for (const ObservedPath& path : observed)
        files.insert(path.path);
    if (built) {
        FARDEL_TRY(console.flush());
        return false;
    }
    if (console.reader_gone() || stop.stop_requested())
        return built.error();
    if (built.error().code() == ErrorCode::busy) {  // wait for the other build to end
        watched.set_changed();
        return true;
    }
    const auto changed = watched.has_changed();
    const bool again = changed && *changed &&
                       (built.error().code() == ErrorCode::cancelled || built.error().code() == ErrorCode::conflict);
    if (!again)
        console.say(built.error());
    return again;
}

}  // namespace

Result<Exit> run_watch(Words words, Console& console) {
    CommandLine line("watch", "[DIR] [options]",
                     "Builds DIR/fardel.toml as 'fardel build' does, and again whenever a source, "
                     "the project file or another file that a job read changes, until Ctrl-C.",
                     "  fardel watch\n"
                     "  fardel watch mygame --level 1\n"
                     "  fardel watch --json | tee builds.log\n");
    BuildCommand command;
    std::uint64_t builds_max = 0;
    add_build_options(line, command);
    line.number("--builds", builds_max, 1, UINT32_MAX, "End after this many finished builds");
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.output))
        return line.mistake(*mistake, console);

    FARDEL_TRY_ASSIGN(const std::string project_file, project_file_of(command.folder));
    // The project file may appear later; a folder that does not exist is a mistake.
    if (const std::string folder(folder_part(project_file)); !folder.empty())
        FARDEL_TRY(open_folder(folder, folder));
    const Interrupt interrupt;
    command.running = std::make_shared<RunningJobs>();
    std::set<std::string> files;
    for (std::uint64_t builds = 0;;) {
        FARDEL_TRY_ASSIGN(const auto watched, WatchedInputs::begin(project_file, files));
        FARDEL_TRY_ASSIGN(const bool again, build_once(command, *watched, files, interrupt.token(), console));
        command.from_scratch = command.checksum = false;  // once is enough
        if (!again && ++builds == builds_max)
            return Exit::fine;
        if (!again && console.watched())
            console.say("waiting for changes; Ctrl-C ends");
        FARDEL_TRY(wait_for_change(*watched, interrupt.token()));
        if (interrupt.token().stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
    }
}

}  // namespace fardel
