// FarmJob: a job as a record of the derived-data cache, so that another machine that shares the cache can run it.
//
// The record's key is the job's ticket, a hash of the whole description. Its outputs are all that the job needs: its
// inputs, the program if it is part of the project, and the files of `code`. So whoever has the ticket fetches what it
// names as the outputs of any record, each byte checked, and needs neither the project nor a coordinator.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_hit.h>
#include <fardel/cache/cache_record.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/packer/key_parts.h>
#include <fardel/packer/processor.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// A file of the project that belongs to the program, by its path in the project.
struct FarmCode {
    std::string path;
    std::shared_ptr<const BlobSource> blob;
    AssetId asset;
    std::uint64_t size_bytes = 0;
};

struct FarmJob {
    ProcessorJob job;
    std::vector<FarmCode> code;
    JobSandbox sandbox = JobSandbox::where_possible;
    BuildKey result;  // under which the result is stored
};

struct FarmTicket {
    CacheRecord record;
    std::vector<std::shared_ptr<const BlobSource>> blobs;  // one per output of the record
};

// Whether another machine may run the job: it does not look for files of the project besides its inputs, and its code
// lies in the project's folder.
bool is_for_farm(const Processor& processor);

// `code`: the parts of the key for the program and the files of `code`; what these are now is compared when they are
// put into a cache. `folder`: of the project. Errors: those of opening them; malformed (parts of another processor).
Result<FarmTicket> make_farm_ticket(const ProcessorJob& job, const std::vector<KeyPart>& code,
                                    const std::string& folder, JobSandbox sandbox, const BuildKey& result);
// Errors: malformed, untrusted (the record is of another ticket).
Result<FarmJob> read_farm_ticket(const CacheHit& hit);

struct FarmOutcome {
    std::string job;         // "compile: maps/dm01.map"
    bool was_there = false;  // its result was in the cache
    std::string log;         // see JobResult
};

// Runs the job of a ticket, which `cache` has, below `scratch`, and puts its result into the cache. Errors: missing (no
// such ticket, or one of its files; or the system's program or a built-in is another one than the builder's, so that
// the result would not be the one that was asked for), those of run_job and of the cache.
Result<FarmOutcome> run_farm_job(const BuildKey& ticket, DerivedCache& cache, const std::string& scratch,
                                 const std::string& image_program, const std::stop_token& stop);

}  // namespace fardel
