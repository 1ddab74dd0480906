// Programs that speak JSON: the sample program, its answer, and invalid answers.
#include "jobs/job_protocol.h"
#include "job_bench.h"

namespace fardel::tests::job_protocol_test {

// The program may report outputs of its own.
ProcessorJob answering_job(const Processor& processor, std::vector<std::string> outputs = {}) {
    return job_of(processor, std::move(outputs));
}

// Returns a processor that runs the commands and then prints the given answer.
Processor answering(std::string_view commands, std::string_view answer) {
    Processor processor = shell("");
    processor.protocol = true;
    processor.command = {"sh", "-c", std::string(commands) + "\ncat <<'END'\n" + std::string(answer) + "\nEND\n"};
    return processor;
}

Error answer_error(std::string_view answer) {
    const auto parsed = parse_job_answer(answer);
    REQUIRE_FALSE(parsed);
    return parsed.error();
}

TEST_CASE("protocol: the sample program makes a list, and reports what it read, missed and references") {
    const JobBench bench;
    bench.files.write("project/tools/scene_list.py", read_file(FARDEL_SOURCE_DIR "/samples/processor/scene_list.py"));
    bench.files.write("project/aliases.txt", "hero sprites/hero.png\n");
    const std::string project = std::filesystem::canonical(bench.files.path("project")).string();
    Processor processor = shell("");
    processor.name = "scenes";
    processor.protocol = true;
    processor.depfile = true;
    processor.code = {"tools/scene_list.py"};
    processor.command = {"python3", "${code:tools/scene_list.py}"};
    processor.parameters = {{"aliases", project + "/aliases.txt"}};
    ProcessorJob job{.processor = processor,
                     .sources = {input_of("maps/town.scene", "tree 3\nhero 1 # him\ntree 1\n")},
                     .outputs = {"maps/town.list"}};

    const JobResult result = bench.run_well(job);
    REQUIRE(result.outputs.size() == 1);
    CHECK(result.outputs[0].name == "maps/town.list");
    CHECK(text_of(result.outputs[0]) == "sprites/hero.png\ntree\n");
    CHECK(result.found == std::vector<FoundInput>{{.path = "aliases.txt", .asset = id_of("hero sprites/hero.png\n")}});
    REQUIRE(result.references.size() == 2);
    CHECK(result.references[0].first == "maps/town.list");
    CHECK(result.references[0].second == FoundReference{.spelling = "sprites/hero.png", .use = ReferenceUse::texture});

    job.processor.parameters = {{"aliases", project + "/gone.txt"}};
    job.sources = {input_of("maps/town.scene", "# nobody\n")};
    const JobResult empty = bench.run_well(job);
    CHECK(empty.found == std::vector<FoundInput>{{.path = "gone.txt", .asset = std::nullopt}});
    CHECK(empty.log == "maps/town.scene has no sprites\n");
    CHECK(empty.references.empty());
}

TEST_CASE("protocol: the request has every field of the manual") {
    const JobBench bench;
    Processor processor = answering("cat >out/request", "{}");
    processor.version = "7";
    processor.parameters = {{"a", std::int64_t{1}}, {"b", 0.5}, {"c", std::string("\"x\"")}, {"d", true}};
    processor.tags = {{"lang", "fr"}};
    ProcessorJob job = answering_job(processor, {"request"});
    job.others = {input_of("f/other.txt", "x")};
    CHECK(text_of(bench.run_well(job).outputs.at(0)) ==
          R"({"fardel":1,"inputs":[{"name":"source.txt","path":"in/source.txt","source":true},)"
          R"({"name":"f/other.txt","path":"in/f/other.txt","source":false}],"out":"out","outputs":["request"],)"
          R"("parameters":{"a":1,"b":0.5,"c":"\"x\"","d":true},"processor":"shell","tags":{"lang":"fr"},"version":"7"})"
          "\n");
}

TEST_CASE("protocol: every field of an answer is read") {
    const auto answer = parse_job_answer(
        R"({"outputs":[{"name":"a/b","path":"x"},{"path":"y"}],"inputs":["/i"],"missing":["/m"],"messages":["hello"],
        "references":[{"output":"y","spelling":"s","use":"model","form":"relative_uri","optional":true},)"
        R"({"output":"y","spelling":"t"}]})");
    REQUIRE(answer);
    REQUIRE(answer->outputs.size() == 2);
    CHECK(answer->outputs[0].name == "a/b");
    CHECK(answer->outputs[0].path == "x");
    CHECK(answer->outputs[1].name == "y");
    CHECK(answer->read == std::vector<std::string>{"/i"});
    CHECK(answer->missing == std::vector<std::string>{"/m"});
    CHECK(answer->messages == std::vector<std::string>{"hello"});
    REQUIRE(answer->references.size() == 2);
    CHECK(answer->references[0].second ==
          FoundReference{
              .spelling = "s", .use = ReferenceUse::model, .form = ReferenceForm::relative_uri, .optional = true});
    CHECK(answer->references[1].second == FoundReference{.spelling = "t"});
    const auto none = parse_job_answer("{}");
    REQUIRE(none);
    CHECK_FALSE(none->lists_outputs);
}

TEST_CASE("protocol: an answer that is not what the manual says is refused, with the field") {
    const std::pair<std::string, std::string> answers[] = {
        {"", "no JSON object"},
        {"[]", "no JSON object"},
        {"{} {}", "no JSON object"},
        {"hello {}", "no JSON object"},
        {R"({"output":[]})", "there is no field 'output'"},
        {R"({"outputs":{}})", "'outputs' is no list"},
        {R"({"outputs":["x"]})", "an item of 'outputs' is no object"},
        {R"({"outputs":[{"name":"x"}]})", "has no 'path'"},
        {R"({"outputs":[{"path":1}]})", "'path' in 'outputs' is no text"},
        {R"({"outputs":[{"path":"x","size":1}]})", "there is no field 'size'"},
        {R"({"outputs":[{"path":"x\u0000y"}]})", "and no NUL"},
        {R"({"inputs":[1]})", "an item of 'inputs' is no text"},
        {R"({"missing":"x"})", "'missing' is no list"},
        {R"({"messages":[null]})", "an item of 'messages' is no text"},
        {R"({"references":[{"output":"x"}]})", "no 'spelling'"},
        {R"({"references":[{"output":"x","spelling":"s","use":"picture"}]})", "'use' is 'picture'"},
        {R"({"references":[{"output":"x","spelling":"s","form":"up"}]})", "'form' is 'up'"},
        {R"({"references":[{"output":"x","spelling":"s","optional":1}]})", "'optional'"},
        {std::string(100'000, '['), "deeper than"},
        {"{\"x\":" + std::string(100'000, '{'), ""},
    };
    for (const auto& [answer, words] : answers) {
        const std::string shown = answer.substr(0, 80);
        const std::string wanted = words;
        CAPTURE(shown);
        const Error error = answer_error(answer);
        CHECK(error.code() == ErrorCode::malformed);
        CHECK(has(error.message(), wanted));
    }
    CHECK(answer_error(std::string(kAnswerBytesMax + 1, ' ')).code() == ErrorCode::limit);
    std::string many = "{\"messages\":[\"\"";
    for (int i = 0; i < 1000; ++i)
        many += ",\"\"";
    CHECK(answer_error(many + "]}").code() == ErrorCode::limit);
}

TEST_CASE("protocol: no answer reaches a file outside of the folder of outputs") {
    const JobBench bench;
    bench.files.write("project/secret", "secret");
    for (const std::string& path :
         {std::string("../in/source.txt"), bench.files.path("project/secret"), std::string("/etc/passwd"),
          std::string("."), std::string("x/../made"), std::string("./made"), std::string("gone")}) {
        CAPTURE(path);
        CHECK(bench
                  .run_badly(answering_job(
                      answering("touch out/made", "{\"outputs\":[{\"name\":\"made\",\"path\":\"" + path + "\"}]}")))
                  .code() == ErrorCode::missing);
    }
    CHECK(bench.run_badly(answering_job(answering("ln -s /etc/passwd out/made", R"({"outputs":[{"path":"made"}]})")))
              .code() == ErrorCode::denied);
    CHECK(bench.run_badly(answering_job(answering("ln -s /etc out/made", R"({"outputs":[{"path":"made/passwd"}]})")))
              .code() == ErrorCode::denied);
}

TEST_CASE("protocol: outputs can be renamed, and a list of outputs is complete and has each name once") {
    const JobBench bench;
    const JobResult result = bench.run_well(answering_job(
        answering("echo 1 >out/x; echo 2 >out/y", R"({"outputs":[{"name":"b","path":"x"},{"name":"a","path":"y"}]})")));
    REQUIRE(result.outputs.size() == 2);
    CHECK(text_of(result.outputs[0]) == "2\n");
    CHECK(text_of(result.outputs[1]) == "1\n");
    CHECK(bench.run_badly(answering_job(answering("touch out/x out/y", R"({"outputs":[{"path":"x"}]})"))).code() ==
          ErrorCode::malformed);
    CHECK(bench
              .run_badly(answering_job(
                  answering("touch out/x out/y", R"({"outputs":[{"name":"a","path":"x"},{"name":"a","path":"y"}]})")))
              .code() == ErrorCode::conflict);
    CHECK(bench.run_badly(answering_job(answering("touch out/x", R"({"outputs":[{"name":"../a","path":"x"}]})")))
              .code() == ErrorCode::malformed);
    CHECK(bench.run_badly(answering_job(answering("touch out/x", R"({"references":[{"output":"y","spelling":"s"}]})")))
              .code() == ErrorCode::malformed);
    CHECK(bench.run_well(answering_job(answering("touch out/x", "{}"))).outputs.size() == 1);
}

TEST_CASE("protocol: a file that is reported as missing and exists is a conflict") {
    const JobBench bench;
    bench.files.write("project/there", "");
    const std::string path = std::filesystem::canonical(bench.files.path("project/there")).string();
    CHECK(bench.run_badly(answering_job(answering("touch out/x", "{\"missing\":[\"" + path + "\"]}"))).code() ==
          ErrorCode::conflict);
}

TEST_CASE("protocol: an endless answer is cut off, and standard error is the log") {
    const JobBench bench;
    CHECK(bench.run_badly(answering_job(answering("yes", "{}"))).code() == ErrorCode::limit);
    CHECK(
        bench
            .run_well(answering_job(answering("echo careful >&2; touch out/x", "{\"messages\":[\"done \\u001b[1m\"]}")))
            .log.starts_with("careful\ndone "));
    CHECK(bench.run_badly(answering_job(answering("echo oh >&2; exit 1", "{}"))).code() == ErrorCode::unresolved);
}

}  // namespace fardel::tests::job_protocol_test
