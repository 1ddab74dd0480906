// The verbs. Each parses the words after its name, does its work and prints the result on the console; main prints the
// error that it returns.
#pragma once

#include "console/command_line.h"
#include "console/console.h"
#include "console/exit.h"

#include <fardel/base/result.h>

namespace fardel {

Result<Exit> run_pack(Words words, Console& console);
Result<Exit> run_append(Words words, Console& console);
Result<Exit> run_repack(Words words, Console& console);
Result<Exit> run_init(Words words, Console& console);
Result<Exit> run_build(Words words, Console& console);
Result<Exit> run_graph(Words words, Console& console);
Result<Exit> run_audit(Words words, Console& console);
Result<Exit> run_id(Words words, Console& console);
Result<Exit> run_job(Words words, Console& console);
Result<Exit> run_log(Words words, Console& console);
Result<Exit> run_sbom(Words words, Console& console);
Result<Exit> run_ls(Words words, Console& console);
Result<Exit> run_cat(Words words, Console& console);
Result<Exit> run_extract(Words words, Console& console);
Result<Exit> run_verify(Words words, Console& console);
Result<Exit> run_keygen(Words words, Console& console);
Result<Exit> run_license(Words words, Console& console);
Result<Exit> run_sign(Words words, Console& console);
Result<Exit> run_trust(Words words, Console& console);
Result<Exit> run_watch(Words words, Console& console);
Result<Exit> run_which(Words words, Console& console);
Result<Exit> run_conflicts(Words words, Console& console);
Result<Exit> run_links(Words words, Console& console);
Result<Exit> run_delta(Words words, Console& console);
Result<Exit> run_diff(Words words, Console& console);
Result<Exit> run_report(Words words, Console& console);
Result<Exit> run_mount(Words words, Console& console);
Result<Exit> run_pure(Words words, Console& console);
Result<Exit> run_cache(Words words, Console& console);
Result<Exit> run_store(Words words, Console& console);
Result<Exit> run_publish(Words words, Console& console);
Result<Exit> run_serve(Words words, Console& console);
Result<Exit> run_fetch(Words words, Console& console);
Result<Exit> run_channel(Words words, Console& console);
Result<Exit> run_install(Words words, Console& console);
Result<Exit> run_update(Words words, Console& console);
Result<Exit> run_remove(Words words, Console& console);
Result<Exit> run_list(Words words, Console& console);
Result<Exit> run_registry(Words words, Console& console);
Result<Exit> run_trace(Words words, Console& console);
Result<Exit> run_doctor(Words words, Console& console);
Result<Exit> run_completion(Words words, Console& console);

}  // namespace fardel
