// Jobs as records of a cache: what a ticket covers, what a node does with it, and hostile caches.
#include "job_bench.h"

#include "jobs/build_key.h"
#include "jobs/job_code.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/packer/farm_job.h>

namespace fardel::tests::farm_job_test {

namespace fs = std::filesystem;

// A builder and a node, which share the folder of a cache and nothing else.
struct Farm : JobBench {
    const std::string folder = files.path("cache");
    std::unique_ptr<DerivedCache> cache = open_cache();

    Farm() {
        fs::create_directories(files.path("project/tools"));
        fs::create_directories(files.path("node"));
        files.write("project/tools/table", "-done");
        write_program("tools/up", "#!/bin/sh\n(tr a-z A-Z <\"$1\"; cat \"$2\") >\"$3\"\n");
    }
    ~Farm() { CHECK(fs::is_empty(files.path("node"))); }

    std::unique_ptr<DerivedCache> open_cache() const {
        std::vector<CacheLayerSlot> layers;
        layers.push_back({.layer = value_of(open_folder_layer(folder))});
        return value_of(DerivedCache::open(std::move(layers)));
    }
    static Processor processor() {
        return {.name = "up",
                .command = {"tools/up", "${in}", "${code:tools/table}", "${out}"},
                .version = "3",
                .code = {"tools/table"},
                .parameters = {{"a", std::string("x")}, {"b", std::int64_t{2}}, {"c", 0.5}, {"d", true}},
                .tags = {{"lang", "fr"}}};
    }
    ProcessorJob job() const {
        ProcessorJob job = job_of(processor(), {"folder/made.up"});
        job.others = {input_of("other.txt", "other")};
        return job;
    }
    BuildKey key_of(const ProcessorJob& job) const {
        return build_key(job, value_of(code_digest(job.processor, files.path("project"))));
    }
    std::vector<KeyPart> parts_of(const ProcessorJob& job) const {
        return value_of(read_job_code(job.processor, files.path("project"), {})).parts;
    }
    FarmTicket ticket_of(const ProcessorJob& job) const {
        return value_of(
            make_farm_ticket(job, parts_of(job), files.path("project"), JobSandbox::where_possible, key_of(job)));
    }
    BuildKey send(const ProcessorJob& job) const {
        const FarmTicket ticket = ticket_of(job);
        value_of(cache->put(ticket.record, ticket.blobs));
        cache->flush();
        return ticket.record.key;
    }
    Result<FarmOutcome> run_on_node(const BuildKey& ticket) const {
        return run_farm_job(ticket, *open_cache(), files.path("node"), FARDEL_IMAGE_PROGRAM, {});
    }
    // The file of the cache that has this as a part of its content.
    std::string file_with(std::string_view text) const {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file() && read_file(entry.path().string()).find(text) != std::string::npos)
                return entry.path().string();
        FAIL("no file of the cache has that");
        return {};
    }
};

TEST_CASE_FIXTURE(Farm, "farm: a node runs a job with nothing but the cache, and the result is the builder's") {
    const BuildKey ticket = send(job());
    fs::remove_all(files.path("project"));
    const FarmOutcome outcome = value_of(run_on_node(ticket));
    CHECK(outcome.job == "up: source.txt");
    CHECK_FALSE(outcome.was_there);
    fs::create_directories(files.path("project/tools"));
    files.write("project/tools/table", "-done");
    write_program("tools/up", "#!/bin/sh\n(tr a-z A-Z <\"$1\"; cat \"$2\") >\"$3\"\n");
    const auto hit = open_cache()->find(key_of(job()));
    REQUIRE(hit);
    REQUIRE(hit->outputs.size() == 1);
    CHECK(hit->record.outputs[0].name == "folder/made.up");
    CHECK(value_of(read_blob_text(*hit->outputs[0], 100)) == "HELLO-done");
    CHECK(value_of(run_on_node(ticket)).was_there);  // a scheduler may start a job twice
}

TEST_CASE_FIXTURE(Farm, "farm: a ticket describes the whole job") {
    const BuildKey ticket = send(job());
    const FarmJob read = value_of(read_farm_ticket(*open_cache()->find(ticket)));
    const Processor expected = processor();
    CHECK(read.job.processor.name == expected.name);
    CHECK(read.job.processor.command == expected.command);
    CHECK(read.job.processor.version == expected.version);
    CHECK(read.job.processor.code == expected.code);
    CHECK(read.job.processor.parameters == expected.parameters);
    CHECK(read.job.processor.tags == expected.tags);
    CHECK(read.job.processor.timeout == expected.timeout);
    CHECK(read.job.outputs == job().outputs);
    CHECK(read.result == key_of(job()));
    REQUIRE(read.job.sources.size() == 1);
    CHECK(read.job.sources[0].name.text() == "source.txt");
    REQUIRE(read.job.others.size() == 1);
    CHECK(read.job.others[0].asset == id_of("other"));
    REQUIRE(read.code.size() == 2);
    CHECK(read.code[0].path == "tools/table");
    CHECK(read.code[1].path == "tools/up");
    // Another file, another ticket.
    ProcessorJob other = job();
    other.sources = {input_of("source.txt", "hello!")};
    CHECK(send(other) != ticket);
}

TEST_CASE_FIXTURE(Farm, "farm: a job that looks for files of the project, or has code elsewhere, stays at home") {
    CHECK(is_for_farm(processor()));
    CHECK(is_for_farm({.name = "copy", .builtin = "copy"}));
    Processor it = processor();
    it.depfile = true;
    CHECK_FALSE(is_for_farm(it));
    it = processor();
    it.protocol = true;
    CHECK_FALSE(is_for_farm(it));
    it = processor();
    it.code = {"../shared/table"};
    CHECK_FALSE(is_for_farm(it));
    it.code = {"/etc/table"};
    CHECK_FALSE(is_for_farm(it));
    it = processor();
    it.command[0] = "../tools/up";
    CHECK_FALSE(is_for_farm(it));
    it.command[0] = "./tools/up";
    CHECK(is_for_farm(it));
}

TEST_CASE_FIXTURE(Farm, "farm: a ticket that the cache lacks or has damaged is missing, and runs nothing") {  // A159
    CHECK(code_of(run_on_node(key_of(job()))) == ErrorCode::missing);
    const BuildKey ticket = send(job());
    SUBCASE("a changed object") { files.write("cache/" + fs::relative(file_with("-done"), folder).string(), "-evil"); }
    SUBCASE("a missing object") { fs::remove(file_with("-done")); }
    SUBCASE("a changed record") {
        const std::string path = file_with("fardel farm job");
        std::string text = read_file(path);
        text[text.find("fardel farm job") + 40] ^= 1;
        files.write("cache/" + fs::relative(path, folder).string(), text);
    }
    CHECK(code_of(run_on_node(ticket)) == ErrorCode::missing);
}

TEST_CASE_FIXTURE(Farm, "farm: a record that a writer of the cache forged under a ticket is refused") {  // A159
    const FarmTicket good = ticket_of(job());
    FarmTicket forged = good;
    // A well-formed record under the ticket's key, with another program.
    forged.record.outputs[3].asset = id_of("#!/bin/sh\nevil\n");
    forged.record.outputs[3].size_bytes = 15;
    forged.blobs[3] = blob_of("#!/bin/sh\nevil\n");
    value_of(cache->put(forged.record, forged.blobs));
    cache->flush();
    CHECK(code_of(run_on_node(good.record.key)) == ErrorCode::untrusted);
}

TEST_CASE_FIXTURE(Farm, "farm: a node whose program is another one than the builder's refuses the job") {  // A159
    const ProcessorJob wanted = job();
    // As if the builder's program had another digest.
    const FarmTicket ticket = value_of(make_farm_ticket(wanted, parts_of(wanted), files.path("project"),
                                                        JobSandbox::where_possible, build_key(wanted, Hash{})));
    value_of(cache->put(ticket.record, ticket.blobs));
    cache->flush();
    const auto outcome = run_on_node(ticket.record.key);
    CHECK(code_of(outcome) == ErrorCode::missing);
    CHECK(outcome.error().message().find("another version of the program tools/up") != std::string::npos);
}

TEST_CASE_FIXTURE(Farm, "farm: descriptions that are cut off or describe no job are refused") {
    const FarmTicket good = ticket_of(job());
    const auto read = [&](CacheRecord record) {
        CacheHit hit{.record = std::move(record), .outputs = good.blobs};
        return code_of(read_farm_ticket(hit));
    };
    CHECK(value_of(read_farm_ticket({.record = good.record, .outputs = good.blobs})).job.sources.size() == 1);
    for (std::size_t size = 0; size < good.record.notes.size(); ++size) {
        CacheRecord cut = good.record;
        cut.notes.resize(size);
        CHECK(read(cut) == ErrorCode::untrusted);
    }
    CacheRecord other = good.record;
    other.outputs[0].name = "../../etc/passwd";
    CHECK(read(other) == ErrorCode::untrusted);
}

}  // namespace fardel::tests::farm_job_test
