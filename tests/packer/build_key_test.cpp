// build_key: every field that affects the output of a job changes the key, and no other field does.
#include "job_bench.h"

#include "jobs/build_key.h"

#include <fardel/packer/build_log.h>
#include <fardel/packer/key_parts.h>

#include <functional>
#include <set>

namespace fardel::tests::build_key_test {

struct Subject {
    Processor processor;
    ProcessorJob job;
    Hash code;
};

Subject subject_with(const std::function<void(Subject&)>& change) {
    Subject subject;
    subject.processor = shell("cp");
    subject.processor.version = "1";
    subject.processor.code = {"table"};
    subject.processor.parameters = {{"b", std::int64_t{1}}, {"a", std::string("x")}};
    subject.processor.outputs = {"{stem}.png"};
    subject.processor.inputs = {"palettes/**"};
    subject.processor.tags = {{"quality", "hd"}, {"lang", "fr"}};
    subject.processor.at.line = 5;
    subject.job = {
        .sources = {input_of("a", "1"), input_of("b", "2")}, .others = {input_of("c", "3")}, .outputs = {"x", "y"}};
    change(subject);
    subject.job.processor = subject.processor;
    return subject;
}

BuildKey key_of(const std::function<void(Subject&)>& change) {
    const Subject subject = subject_with(change);
    return build_key(subject.job, subject.code);
}

std::vector<KeyPart> parts_of(const std::function<void(Subject&)>& change) {
    const Subject subject = subject_with(change);
    return key_parts(subject.job, {{.kind = "program", .name = "sh", .value = subject.code.hex()}}, {});
}

const BuildKey& usual() {
    static const BuildKey key = key_of([](Subject&) {});
    return key;
}

// The key after each change; it differs from the usual key and from all others.
class Changes {
public:
    void add(const std::function<void(Subject&)>& change) {
        const BuildKey key = key_of(change);
        CHECK(key != usual());
        CHECK(keys_.insert(key).second);
        // What is covered can be named.
        CHECK(parts_of(change) != parts_of([](Subject&) {}));
    }

private:
    std::set<BuildKey> keys_;
};

TEST_CASE("build key: the key of a given job never changes") {
    CHECK(usual() == key_of([](Subject&) {}));
    // A change of this key invalidates every cache. It must come with a new schema number, never by accident.
    CHECK(usual().hex() == "9e1bce578ac9925f4af1b8a533bf3e050a719ed94c5fdce19190dcba3d7c76ca");
}

TEST_CASE("build key: the processor's name and version change it") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.processor.name = "other"; });
    changes.add([](Subject& s) { s.processor.version = "2"; });
    changes.add([](Subject& s) { s.processor.version = ""; });
}

TEST_CASE("build key: the command and the built-in change it") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.processor.command.push_back(""); });
    changes.add([](Subject& s) { s.processor.command.pop_back(); });
    changes.add([](Subject& s) { s.processor.command[2] += " "; });
    changes.add([](Subject& s) { s.processor.command = {"sh-c"}; });
    changes.add([](Subject& s) { s.processor.builtin = "copy"; });
    changes.add([](Subject& s) { s.processor.builtin = "unpack"; });
    changes.add([](Subject& s) { s.processor.builtin = "image"; });
    changes.add([](Subject& s) { s.processor.depfile = true; });
    changes.add([](Subject& s) { s.processor.protocol = true; });
}

TEST_CASE("build key: the digest of the code changes it") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.code.bytes[0] = 1; });
    changes.add([](Subject& s) { s.code.bytes[31] = 1; });
}

TEST_CASE("build key: each parameter changes it, by key, kind and value") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.processor.parameters[0].second = std::int64_t{2}; });
    changes.add([](Subject& s) { s.processor.parameters[0].second = 1.0; });
    changes.add([](Subject& s) { s.processor.parameters[0].second = true; });
    changes.add([](Subject& s) { s.processor.parameters[0].second = std::string("1"); });
    changes.add([](Subject& s) { s.processor.parameters[0].first = "bb"; });
    changes.add([](Subject& s) { s.processor.parameters[1].second = std::string("y"); });
    changes.add([](Subject& s) { s.processor.parameters[1].second = std::string(); });
    changes.add([](Subject& s) { s.processor.parameters.pop_back(); });
    changes.add([](Subject& s) { s.processor.parameters.emplace_back("c", false); });
    changes.add([](Subject& s) { s.processor.parameters.emplace_back("c", 0.0); });
    changes.add([](Subject& s) { s.processor.parameters.emplace_back("c", -0.0); });
}

TEST_CASE("build key: the tags change it") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.processor.tags[0].value = "sd"; });
    changes.add([](Subject& s) { s.processor.tags[0].axis = "size"; });
    changes.add([](Subject& s) { s.processor.tags.clear(); });
    changes.add([](Subject& s) { s.processor.tags = {{"quality", "hdlang"}, {"", "fr"}}; });
}

TEST_CASE("build key: names, ids, order and role of the inputs change it") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.job.sources[0] = input_of("aa", "1"); });
    changes.add([](Subject& s) { s.job.sources[0] = input_of("a", "4"); });
    changes.add([](Subject& s) { std::swap(s.job.sources[0], s.job.sources[1]); });
    changes.add([](Subject& s) { s.job.sources.pop_back(); });
    changes.add([](Subject& s) { s.job.others[0] = input_of("d", "3"); });
    changes.add([](Subject& s) { s.job.others[0] = input_of("c", "4"); });
    changes.add([](Subject& s) { s.job.others.clear(); });
    changes.add([](Subject& s) {
        s.job.others.insert(s.job.others.begin(), s.job.sources[1]);
        s.job.sources.pop_back();
    });
}

TEST_CASE("build key: the names of the outputs change it") {  // A111
    Changes changes;
    changes.add([](Subject& s) { s.job.outputs[0] = "z"; });
    changes.add([](Subject& s) { s.job.outputs = {"xy"}; });
    changes.add([](Subject& s) { s.job.outputs = {"y", "x"}; });
    changes.add([](Subject& s) { s.job.outputs.clear(); });
}

TEST_CASE("build key: fields that do not affect the output do not change it") {
    CHECK(key_of([](Subject& s) { s.processor.keep_source = true; }) == usual());
    CHECK(key_of([](Subject& s) { s.processor.timeout = std::chrono::seconds(1); }) == usual());
    CHECK(key_of([](Subject& s) { s.processor.at.line = 77; }) == usual());
    CHECK(key_of([](Subject& s) { s.processor.code = {"elsewhere/table"}; }) ==
          usual());                                                                      // its bytes are in the digest
    CHECK(key_of([](Subject& s) { s.processor.outputs = {"{name}.png"}; }) == usual());  // the job has the names
    CHECK(key_of([](Subject& s) { s.processor.inputs = {"**"}; }) == usual());           // and the inputs
    CHECK(key_of([](Subject& s) { s.job.sources[0].blob = nullptr; }) == usual());
    CHECK(key_of([](Subject& s) { std::swap(s.processor.parameters[0], s.processor.parameters[1]); }) == usual());
    CHECK(key_of([](Subject& s) { std::swap(s.processor.tags[0], s.processor.tags[1]); }) == usual());
}

TEST_CASE("build key: inputs that were found while the job ran give a second key") {  // A111
    std::set<BuildKey> keys{usual()};
    const auto differs = [&](const std::vector<FoundInput>& found) {
        return keys.insert(build_key_with(usual(), found)).second;
    };
    CHECK(differs({}));
    CHECK(differs({{.path = "a.h", .asset = std::nullopt}}));
    CHECK(differs({{.path = "a.h", .asset = AssetId{}}}));
    CHECK(differs({{.path = "a.h", .asset = id_of("A")}}));
    CHECK(differs({{.path = "a.h", .asset = id_of("B")}}));
    CHECK(differs({{.path = "b.h", .asset = id_of("A")}}));
    CHECK(differs({{.path = "a.h", .asset = id_of("A")}, {.path = "b.h", .asset = std::nullopt}}));
    const BuildKey other = key_of([](Subject& s) { s.processor.name = "other"; });
    CHECK(keys.insert(build_key_with(other, {})).second);
    CHECK(build_key_with(other, {}) == build_key_with(other, std::vector<FoundInput>{}));
}

// ---- code_digest ----------------------------------------------------------------------------------------------------

TEST_CASE("code digest: the bytes of the program and of the code change it") {  // A111
    const JobBench bench;
    bench.write_program("tools/convert", "#!/bin/sh\n");
    bench.files.write("project/table", "1");
    Processor processor = shell("");
    processor.command = {"tools/convert", "${out}"};
    processor.code = {"table"};
    std::set<Hash> digests;
    const auto differs = [&] {
        const auto digest = code_digest(processor, bench.files.path("project"));
        REQUIRE(digest);
        return digests.insert(*digest).second;
    };
    CHECK(differs());
    CHECK_FALSE(differs());
    bench.files.write("project/table", "2");
    CHECK(differs());
    bench.write_program("tools/convert", "#!/bin/sh\n# more\n");
    CHECK(differs());
    processor.code.clear();
    CHECK(differs());
    processor.command[0] = "cp";
    CHECK(differs());
    processor.builtin = "copy";
    CHECK(differs());
    processor.code = {"gone"};
    CHECK(code_of(code_digest(processor, bench.files.path("project"))) == ErrorCode::missing);
}

}  // namespace fardel::tests::build_key_test
