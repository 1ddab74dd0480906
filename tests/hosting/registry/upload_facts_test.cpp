// The question about an upload: its bytes, and what a server does with one.
#include "registry/upload_facts.h"

#include "wire_registry.h"

namespace fardel::tests::upload_facts_test {

UploadFacts some_facts() {
    UploadFacts facts{.bundle = {}, .layout = {}, .name = "maps/castle", .version = "1.0"};
    facts.bundle.bytes[0] = 1;
    facts.layout.bytes[0] = 2;
    facts.file_bytes = 70'000;
    facts.needs_bytes = 144;
    facts.dependencies = {facts.bundle};
    facts.requirements = {value_of(Requirement::parse("maps/stones >= 1.0"))};
    return facts;
}

std::string text_of_question(const UploadFacts& facts) { return text_of(value_of(format_upload_question(facts))); }

Result<UploadFacts> parse(const std::string& text) {
    return parse_upload_question(some_facts().bundle, std::as_bytes(std::span(text)));
}

TEST_CASE("registry question: its golden bytes, and each prefix, further byte or other order is refused") {
    const UploadFacts facts = some_facts();
    const std::string text = text_of_question(facts);
    CHECK(text == "fardel-registry-question 1\nlayout " + facts.layout.hex() +
                      "\nname maps/castle\nversion 1.0\nbytes 70000\nneeds_bytes 144\nneeds " + facts.bundle.hex() +
                      "\nrequires maps/stones >= 1.0\n\n");
    const UploadFacts read = value_of(parse(text));
    CHECK(read.name == facts.name);
    CHECK(read.version == facts.version);
    CHECK(read.layout == facts.layout);
    CHECK(read.file_bytes == facts.file_bytes);
    CHECK(read.needs_bytes == facts.needs_bytes);
    CHECK(read.dependencies == facts.dependencies);
    REQUIRE(read.requirements.size() == 1);
    CHECK(read.requirements[0].text() == facts.requirements[0].text());
    for (std::size_t size = 0; size < text.size(); ++size)
        CHECK_FALSE(parse(text.substr(0, size)).has_value());
    CHECK_FALSE(parse(text + "x").has_value());
    CHECK(code_of(parse("fardel-registry-question 2\n" + text.substr(27))) == ErrorCode::unsupported);
    CHECK_FALSE(parse("fardel-registry-question 1\nname x\n" + text.substr(27)).has_value());
}

TEST_CASE("registry question: a flood of dependencies or signatures is refused before it costs anything") {  // A144
    UploadFacts facts = some_facts();
    facts.dependencies.assign(kRegistryDependenciesMax, facts.bundle);
    CHECK(parse(text_of_question(facts)).has_value());
    facts.dependencies.push_back(facts.bundle);
    CHECK(code_of(parse(text_of_question(facts))) == ErrorCode::limit);
    facts = some_facts();
    facts.requirements.assign(kRegistryRequirementsMax + 1, facts.requirements[0]);
    CHECK(code_of(parse(text_of_question(facts))) == ErrorCode::limit);
    facts = some_facts();
    facts.name = std::string(2000, 'x');  // judged as if there were none
    CHECK(value_of(parse(text_of_question(facts))).name.empty());
}

}  // namespace fardel::tests::upload_facts_test
