package dev.millrace.conformance.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Draws sequences of requests by the grammar of RFC 9110 and RFC 9112. They have all forms of targets, fields with
 * folds and lists, content by length, and chunks with extensions and trailers. There are expectations, upgrades,
 * conditions and ranges. Most requests are valid, and {@link Mutations} makes malformed ones of them. Used by one
 * thread.
 */
final class Grammar {
    private static final String[] METHODS = {
        "GET",
        "GET",
        "GET",
        "GET",
        "GET",
        "POST",
        "POST",
        "POST",
        "POST",
        "HEAD",
        "PUT",
        "DELETE",
        "OPTIONS",
        "PATCH",
        "TRACE",
        "CONNECT",
        "get",
        "QUERY",
        "M-SEARCH",
        "!#$%&'*+.^_`|~"
    };
    private static final String[] MANNERS = {
        "",
        "a",
        "a/b",
        "async",
        "chunks",
        "close",
        "early",
        "fail",
        "fail-late",
        "ignore",
        "interim",
        "short",
        "trailers"
    };
    private static final String[] FILES = {
        "empty.txt",
        "small.txt",
        "small.txt",
        "page.html",
        "middle.bin",
        "large.bin",
        "",
        "dir",
        "dir/",
        "dir/in.txt",
        "missing",
        "missing/",
        "small.txt/",
        "..",
        "../small.txt",
        "dir/../small.txt",
        "%73mall.txt",
        "./small.txt"
    };
    private static final String[] SEGMENTS = {
        "", ".", "..", "a", "b;c=d", "%41", "%2e%2e", "%2F", "%00", "%zz", "~", "a:b@c", "!$&'()*+,=", "%E2%82%AC", ";"
    };
    private static final String[] QUERIES = {"", "?", "?a", "?a=b&c=d", "?/?:@", "?%26", "?a=%", "?a#b"};
    private static final String[] AUTHORITIES = {
        "localhost",
        "localhost",
        "localhost",
        "a",
        "a:80",
        "a:8080",
        "[::1]",
        "[::1]:81",
        "127.0.0.1:443",
        "A.Example",
        "a:",
        "",
        "user@a",
        "a:99999"
    };
    private static final String[] VERSIONS = {
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.1",
        "HTTP/1.0",
        "HTTP/1.0",
        "HTTP/1.2",
        "HTTP/2.0",
        "HTTP/0.9",
        "HTTP/3",
        "http/1.1",
        "HTTP/1.1 "
    };
    private static final String[] CONNECTIONS = {
        "close",
        "keep-alive",
        "Keep-Alive",
        "close, keep-alive",
        "Upgrade",
        "TE, close",
        "",
        "x",
        "upgrade, HTTP2-Settings"
    };
    private static final String[] EXPECTATIONS = {
        "100-continue", "100-continue", "100-continue", "100-Continue", "200-ok", "100-continue, x", ""
    };
    private static final String[] RANGES = {
        "bytes=0-9", "bytes=0-", "bytes=-5", "bytes=5-2", "bytes=0-0,-1", "bytes=0-4,10-14,20-", "bytes=0-99999999",
                "bytes=99999999-",
        "bytes=", "bytes=-0", "bytes=a-b", "Bytes=0-1", "lines=0-1", "bytes=0-9,0-9,0-9", "bytes = 0 - 9",
                "bytes=0-20000",
        "bytes=100-19000,20000-20100", "bytes=00-01", "bytes=-", "bytes=,", "bytes=18446744073709551616-"
    };
    private static final String[] DATES = {
        "Fri, 02 Jan 2026 03:04:05 GMT",
        "Fri, 02 Jan 2026 03:04:04 GMT",
        "Fri, 02 Jan 2026 03:04:06 GMT",
        "Friday, 02-Jan-26 03:04:05 GMT",
        "Fri Jan  2 03:04:05 2026",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "yesterday",
        ""
    };
    private static final String[] TAGS = {"*", "\"a\"", "W/\"a\"", "\"a\", \"b\"", "W/\"a\", *", "a", ""};
    private static final String[] OTHERS = {
        "Accept: */*",
        "Accept: text/html;q=0.5, */*;q=0.1",
        "Accept-Encoding: gzip, br;q=0",
        "User-Agent: fuzz/1.0 (comment (nested))",
        "Cookie: a=b; c=d",
        "Cookie: a=\"b",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Encoding: gzip",
        "X-Empty:",
        "X-Spaces:   a  b   ",
        "X-Tab:\ta\t",
        "X-Fold: a\r\n b",
        "X-Fold: a\r\n\tb\r\n c",
        "X-High: \u00e9\u00ff",
        "X-Quoted: \"a\\\"b\"",
        "TE: trailers, deflate;q=0.5",
        "Via: 1.1 a, 1.0 b",
        "Max-Forwards: 0",
        "Authorization: Basic YTpi",
        "Referer: http://a/b",
        "Origin: null",
        "Upgrade: websocket",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "Upgrade: TLS/1.0, x/2",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        "Trailer: Last",
        "Keep-Alive: timeout=5",
        "Forwarded: for=1.2.3.4;proto=https",
        "X-Forwarded-Proto: https",
        "Date: Fri, 02 Jan 2026 03:04:05 GMT",
        "Content-MD5: x",
        "Proxy-Connection: close",
        "Transfer-Encoding : chunked",
        " Leading: space",
        "No-Colon",
        ": no name",
        "Bad Name: x"
    };

    private final SplittableRandom random;

    Grammar(SplittableRandom random) {
        this.random = random;
    }

    /** Some requests, one behind the other. */
    byte[] requests() {
        StringBuilder text = new StringBuilder();
        do {
            if (random.nextInt(12) == 0) {
                text.append(random.nextBoolean() ? "\r\n" : "\n");
            }
            request(text);
        } while (random.nextInt(10) < 4);
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private void request(StringBuilder text) {
        String method = pick(METHODS);
        boolean isFile = random.nextInt(4) == 0;
        if (isFile && random.nextInt(4) != 0) {
            method = random.nextInt(5) == 0 ? "HEAD" : "GET";
        }
        text.append(method).append(' ');
        target(text, method, isFile);
        text.append(' ').append(pick(VERSIONS)).append("\r\n");
        if (random.nextInt(20) != 0) {
            text.append("Host: ")
                    .append(random.nextInt(3) == 0 ? pick(AUTHORITIES) : "localhost")
                    .append("\r\n");
        }
        fields(text, isFile);
        boolean hasContent = switch (method) {
            case "POST", "PUT", "PATCH", "QUERY" -> random.nextInt(8) != 0;
            default -> random.nextInt(12) == 0;
        };
        content(text, hasContent);
    }

    private void target(StringBuilder text, String method, boolean isFile) {
        if (method.equals("CONNECT") && random.nextInt(4) != 0) {
            text.append(pick(AUTHORITIES));
            return;
        }
        if (method.equals("OPTIONS") && random.nextInt(2) == 0) {
            text.append('*');
            return;
        }
        if (random.nextInt(12) == 0) {
            text.append(random.nextInt(4) == 0 ? "HTTPS://" : "http://").append(pick(AUTHORITIES));
        }
        text.append('/');
        if (isFile) {
            text.append(random.nextBoolean() ? "files/" : "sendfile/").append(pick(FILES));
        } else {
            text.append(pick(MANNERS));
            while (random.nextInt(5) == 0) {
                text.append('/').append(pick(SEGMENTS));
            }
        }
        if (random.nextInt(5) == 0) {
            text.append(pick(QUERIES));
        }
    }

    private void fields(StringBuilder text, boolean isFile) {
        while (random.nextInt(3) != 0) {
            text.append(pick(OTHERS)).append("\r\n");
        }
        if (random.nextInt(5) == 0) {
            field(text, "Connection", pick(CONNECTIONS));
        }
        if (random.nextInt(10) == 0) {
            field(text, "Expect", pick(EXPECTATIONS));
        }
        if (isFile) {
            condition(text, "Range", 2, RANGES);
            condition(text, "If-Modified-Since", 5, DATES);
            condition(text, "If-Unmodified-Since", 8, DATES);
            condition(text, "If-None-Match", 6, TAGS);
            condition(text, "If-Match", 8, TAGS);
            condition(text, "If-Range", 6, random.nextBoolean() ? DATES : TAGS);
        }
        if (random.nextInt(60) == 0) {
            field(text, "X-Long", "x".repeat(random.nextInt(9000)));
        }
    }

    private void condition(StringBuilder text, String name, int oneOf, String[] values) {
        if (random.nextInt(oneOf) == 0) {
            field(text, name, pick(values));
        }
    }

    // Names of fields are case-insensitive, and the white space behind the colon is optional (RFC 9112 section 5).
    private void field(StringBuilder text, String name, String value) {
        String written = random.nextInt(8) == 0 ? name.toLowerCase(java.util.Locale.ROOT) : name;
        text.append(written)
                .append(random.nextInt(8) == 0 ? ":" : ": ")
                .append(value)
                .append("\r\n");
    }

    private void content(StringBuilder text, boolean hasContent) {
        if (!hasContent) {
            text.append(random.nextInt(20) == 0 ? "Content-Length: 0\r\n\r\n" : "\r\n");
            return;
        }
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4, 5 -> {
                int length = length();
                field(text, "Content-Length", Integer.toString(length));
                text.append("\r\n").append("c".repeat(length));
            }
            case 6 -> {
                int length = length();
                field(text, "Content-Length", Integer.toString(length + random.nextInt(-3, 4)));
                text.append("\r\n").append("c".repeat(length));
            }
            case 7 -> {
                field(text, "Content-Length", "5");
                field(text, "Transfer-Encoding", "chunked");
                text.append("\r\n");
                chunks(text);
            }
            case 8 -> {
                String[] codings = {"gzip, chunked", "Chunked", "chunked, chunked", "identity", "chunked, gzip", "x", ""
                };
                field(text, "Transfer-Encoding", pick(codings));
                text.append("\r\n");
                chunks(text);
            }
            default -> {
                field(text, "Transfer-Encoding", "chunked");
                text.append("\r\n");
                chunks(text);
            }
        }
    }

    private int length() {
        return random.nextInt(30) == 0 ? random.nextInt(40_000) : random.nextInt(random.nextInt(3) == 0 ? 600 : 20);
    }

    private void chunks(StringBuilder text) {
        for (int i = random.nextInt(4); i > 0; i--) {
            int length = 1 + length();
            String size = Integer.toHexString(length);
            text.append(random.nextInt(6) == 0 ? "000" + size.toUpperCase(java.util.Locale.ROOT) : size);
            extensions(text);
            text.append("\r\n").append("d".repeat(length)).append("\r\n");
        }
        text.append(random.nextInt(6) == 0 ? "000" : "0");
        extensions(text);
        text.append("\r\n");
        while (random.nextInt(4) == 0) {
            String[] trailers = {
                "Last: word", "Content-Length: 3", "X-Fold: a\r\n b", "Empty:", "Bad Trailer", "T: " + "t".repeat(100)
            };
            text.append(pick(trailers)).append("\r\n");
        }
        text.append("\r\n");
    }

    private void extensions(StringBuilder text) {
        String[] extensions = {";a", ";a=b", "; a = b", ";a=\"b;c\"", ";", " ", ";a=\"\\\"\"", ";" + "e".repeat(200)};
        while (random.nextInt(8) == 0) {
            text.append(pick(extensions));
        }
    }

    private String pick(String[] choices) {
        return choices[random.nextInt(choices.length)];
    }
}
