// fardel append: writes a bundle behind a program, which mounts it from its own file. The program still runs.

#include "bundles/bundle_file.h"
#include "bundles/whole_bundle.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/interrupt.h>
#include <fardel/format/appended_record.h>
#include <fardel/format/head.h>
#include <fardel/format/printable.h>
#include <fardel/format/staged_descriptor.h>
#include <fardel/format/staged_file.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace fardel {
namespace {

struct AppendCommand {
    std::string program;
    std::string bundle;
    std::string out;
    bool json = false;
};

// What of PROGRAM is the program: all of it, or what is before the bundle that was appended earlier.
struct Program {
    std::shared_ptr<const ByteSource> file;
    std::uint64_t size_bytes = 0;
    bool had_bundle = false;
};

Result<Program> open_program(const std::string& path) {
    Program program;
    FARDEL_TRY_ASSIGN(program.file, open_file_source(path));
    program.size_bytes = program.file->size_bytes();
    std::array<std::byte, 8> first{};
    if (program.size_bytes < first.size())
        return Error(ErrorCode::malformed, printable(path) + ": too short to be a program");
    FARDEL_TRY(program.file->read_at(0, first));
    if (begins_as_bundle(first))
        return Error(ErrorCode::malformed, printable(path) + ": a bundle; the program is named first, then the bundle");
    auto appended = find_appended_record(*program.file);
    if (!appended)
        return std::move(appended).error().with_context(printable(path));
    if (*appended) {
        program.size_bytes = (*appended)->program_bytes;
        program.had_bundle = true;
    }
    return program;
}

// Copies the first `size_bytes` of a file.
Status copy_into(StagedFile& out, std::uint64_t offset, const ByteSource& file, std::uint64_t size_bytes,
                 const std::stop_token& stop) {
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes, 1 << 20)));
    for (std::uint64_t at = 0; at < size_bytes; at += piece.size()) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "interrupted; nothing was appended");
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes - at, piece.size())));
        FARDEL_TRY(file.read_at(at, piece));
        FARDEL_TRY(out.write_at(offset + at, piece));
    }
    return ok();
}

// The target may be run as the program may: it gets its permissions before it has a name.
Status copy_permissions(const std::string& from, const StagedFile& to, const std::string& path) {
    constexpr std::uint32_t kPermissions = 0777;
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(from, from));
    const Descriptor* const staged = find_descriptor(to);
    return staged == nullptr ? ok() : set_permissions(*staged, status.permissions & kPermissions, path);
}

Result<Exit> append(const AppendCommand& command, Console& console) {
    const Interrupt interrupt;
    // Of a link, the file that it leads to is replaced.
    FARDEL_TRY_ASSIGN(const std::string program_path, real_path(command.program, command.program));
    FARDEL_TRY_ASSIGN(const Program program, open_program(program_path));
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(command.bundle));
    VerifyOptions verify;
    verify.stop = interrupt.token();
    verify.local_layout_allowed = true;  // a bundle that was repacked
    FARDEL_TRY(
        verify_whole_bundle(bundle->source(), bundle->label(), "nothing was appended", std::move(verify), console));

    const AppendedRecord record{.program_bytes = program.size_bytes, .bundle_bytes = bundle->source()->size_bytes()};
    const std::string out = command.out.empty() ? program_path : command.out;
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(out));
    FARDEL_TRY(copy_into(*staged, 0, *program.file, record.program_bytes, interrupt.token()));
    FARDEL_TRY(copy_into(*staged, record.bundle_offset(), *bundle->source(), record.bundle_bytes, interrupt.token()));
    FARDEL_TRY(staged->write_at(record.bundle_offset() + record.bundle_bytes, encode_appended_record(record)));
    FARDEL_TRY(copy_permissions(program_path, *staged, out));
    FARDEL_TRY(staged->commit());
    return print_result(
        console, command.json,
        [&] {
            return Json{{"file", out},
                        {"bundle", bundle->id().hex()},
                        {"program_bytes", record.program_bytes},
                        {"bundle_offset", record.bundle_offset()},
                        {"bundle_bytes", record.bundle_bytes},
                        {"file_bytes", record.file_bytes()},
                        {"replaced", program.had_bundle}};
        },
        [&] {
            return fmt::format("appended {} to {}{}\n  bundle   {}\n  program  {}\n  file     {}\n",
                               printable(command.bundle, 1000), printable(out, 1000),
                               program.had_bundle ? ", instead of the bundle that was there" : "", bundle->id().hex(),
                               format_size(record.program_bytes), format_size(record.file_bytes()));
        });
}

}  // namespace

Result<Exit> run_append(Words words, Console& console) {
    CommandLine line(
        "append", "PROGRAM BUNDLE [-o OUT] [--json]",
        "Puts a bundle behind a program, which then finds it in its own file and still runs. A bundle that "
        "was appended before is replaced. The verbs that read bundles read this one, too. A signature of the "
        "system, such as Authenticode, does not go together with this: the record of the bundle is at the end of "
        "the file.",
        "  fardel append mygame mygame.fardel\n"
        "  fardel append build/mygame mygame.fardel -o release/mygame\n"
        "  fardel verify release/mygame --trust policy.trust\n");
    AppendCommand command;
    line.text("PROGRAM", "PROGRAM", command.program, "The program; replaced in one step").required();
    line.text("BUNDLE", "BUNDLE", command.bundle, "The bundle, which is verified first").required();
    line.text("-o,--output", "OUT", command.out, "Write this file instead, and leave the program as it is");
    line.json(command.json);
    return line.run(words, console, [&] { return append(command, console); });
}

}  // namespace fardel
