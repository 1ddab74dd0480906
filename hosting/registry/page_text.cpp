#include "registry/page_text.h"

#include "registry/safe_text.h"

#include <fardel/format/name.h>
#include <fardel/format/sha256.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <span>

namespace fardel {
namespace {

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}"
    "body{font:16px/1.45 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8884;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "code,pre{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}"
    "pre{background:#8882;padding:.6rem;white-space:pre-wrap}"
    ".recalled{color:#b3261e;font-weight:600}"
    "input{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}"
    "svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#000}svg rect{stroke:#fff}"
    "[hidden]{display:none}";

// Filters the list on this page, also by "#search=word"; if there are further pages, all names come from registry.json.
constexpr std::string_view kScript =
    "const field=document.getElementById('search'),rows=document.getElementById('rows'),"
    "own=[...rows.children];let all;field.parentElement.hidden=false;"
    "function list(){if(rows.dataset.pages!=='1'&&!all)all=fetch(rows.dataset.list).then(a=>a.json())"
    ".then(j=>j.names).catch(()=>all=null);return all}"
    "function add(to,tag,text){const e=document.createElement(tag);e.textContent=text;to.append(e);return e}"
    "function row(n){const r=document.createElement('tr');add(add(r,'td',''),'a',n.name).href=rows.dataset.up+n.page;"
    "const version=add(r,'td',n.version+(n.recalled?' ':''));"
    "if(n.recalled)add(version,'span','recalled').className='recalled';"
    "add(r,'td',n.licence);add(r,'td',n.size).className='n';add(r,'td',n.day);return r}"
    "field.addEventListener('input',async()=>{const names=field.value.trim()?await list():null,"
    "words=field.value.toLowerCase().split(/\\s+/).filter(Boolean),"
    "fits=t=>words.every(w=>t.toLowerCase().includes(w));"
    "if(names&&words.length){const found=names.filter(n=>fits(n.name+' '+n.licence));"
    "rows.replaceChildren(...found.slice(0,200).map(row));"
    "if(found.length>200)add(add(rows,'tr',''),'td','and '+(found.length-200)+' more')}"
    "else{rows.replaceChildren(...own);for(const r of own)r.hidden=!fits(r.textContent)}});"
    "if(location.hash.startsWith('#search=')){field.value=decodeURIComponent(location.hash.slice(8));"
    "field.dispatchEvent(new Event('input'))}";

// Of the bytes that hexadecimal digits stand for.
std::string base64_of_hex(std::string_view hex) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
    std::string text;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : hex) {
        bits = (bits << 4) | digit(c);
        count += 4;
        if (count >= 6) {
            text += kLetters[(bits >> (count - 6)) & 63u];
            count -= 6;
        }
    }
    if (count != 0)
        text += kLetters[(bits << (6 - count)) & 63u];
    while (text.size() % 4 != 0)
        text += '=';
    return text;
}

std::string source_hash(std::string_view text) {
    return "'sha256-" + base64_of_hex(sha256_hex(std::as_bytes(std::span(text)))) + "'";
}

std::string content_policy(PageScript script) {
    static const std::string style = source_hash(kStyle);
    static const std::string search = source_hash(kScript);
    return "default-src 'none'; style-src " + style +
           (script == PageScript::search ? "; script-src " + search + "; connect-src 'self'" : "") +
           "; base-uri 'none'; form-action 'none'";
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
    constexpr std::uint64_t kStep = 1000;
    if (bytes < kStep)
        return std::to_string(bytes) + " B";
    std::uint64_t tenths = bytes / (kStep / 10);
    std::size_t unit = 0;
    while (tenths >= kStep * 10) {
        tenths /= kStep;
        ++unit;
    }
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + std::string(kUnits.at(unit));
}

std::string format_day(UnixTime time) {
    const auto seconds = std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(time.seconds)));
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(seconds));
    std::array<char, 48> text{};
    const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    return {text.data(), static_cast<std::size_t>(size)};
}

std::string more_text(std::uint64_t count, std::uint64_t shown) {
    return count <= shown ? "" : "and " + std::to_string(count - shown) + " more";
}

std::string cut_text(std::string_view text, std::size_t bytes_max) { return printable(text, bytes_max); }

std::string format_html_page(std::string_view title, std::string_view up, std::string_view body, PageScript script) {
    std::string page =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
        content_policy(script) +
        "\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"referrer\" "
        "content=\"no-referrer\">\n"
        "<title>" +
        html_text(title) + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n";
    if (!up.empty())
        page += "<p><a href=\"" + std::string(up) + "index.html\">All bundles</a></p>\n";
    page += "<h1>" + html_text(title) + "</h1>\n";
    page += body;
    if (script == PageScript::search)
        page += "<script>" + std::string(kScript) + "</script>\n";
    return page + "</body>\n</html>\n";
}

}  // namespace fardel
