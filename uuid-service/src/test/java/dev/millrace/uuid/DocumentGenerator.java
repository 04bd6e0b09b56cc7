package dev.millrace.uuid;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Makes request documents: valid ones, slightly wrong ones, random ones, and damaged ones of all these. The same seed
 * makes the same document. Confined to one thread.
 */
final class DocumentGenerator {
    /** Of 256 choices, the number that take a random value instead of a valid one. */
    private static final int[] WILDNESS = {0, 4, 32, 128};

    private static final Choice PROLOG = new Choice(
            new String[] {
                "", "", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "<!-- c -->\n"
            },
            new String[] {
                "<?xml version='1.1'?>",
                "<?xml version='1.0' encoding='ISO-8859-1' standalone='yes'?>",
                "<?xml version='2'?>",
                "<?xml version='1.0' encoding='UTF-16'?>",
                "<?xml version='1.0' encoding='UTF-32'?>",
                "\ufeff",
                " ",
                "<?p i?>",
                "<!DOCTYPE request>",
                "<!DOCTYPE request [<!ENTITY e 'x'>]>",
                "<!DOCTYPE request SYSTEM 'file:///x'>"
            });
    private static final Choice ROOT = new Choice(
            new String[] {"request"}, new String[] {"requests", "generate-uuid", "x:request", "r\u00e9quest"});
    private static final Choice BATCH =
            new Choice(new String[] {"generate-uuid"}, new String[] {"generate_uuid", "x:generate-uuid", "a"});
    private static final Choice GAP = new Choice(
            new String[] {"", "\n  ", "<!-- c -->", "<?p i?>"},
            new String[] {"x", "&#32;", "&e;", "<![CDATA[ ]]>", "\u0000", "]]>", "<!-- -- -->", "<?xml ?>", "&"});
    private static final Choice METHOD = new Choice(
            new String[] {"RANDOM", "random", "TIME", "location", "Reordered", "EPOCH", " epoch ", "NAME", "name"},
            new String[] {"NONE", "", "rand\u00f6m", "&#78;ame", "<"});
    private static final Choice COUNT = new Choice(
            new String[] {"1", "2", "3", "10", "99", "100", "007", " 4 "},
            new String[] {"101", "0", "-1", "", "x", "99999999999999999999", "\u0663", "1.5"});
    private static final Choice NAME_SPACE =
            new Choice(new String[] {"dns", "url", "OID", "x500", "none"}, new String[] {"", "ftp", "&e;"});
    private static final Choice DIGEST =
            new Choice(new String[] {"sha-1", "SHA1", "md5", "MD5"}, new String[] {"sha-256", ""});
    private static final Choice NAME = new Choice(
            new String[] {"name", "http://a/b", "\u00e4\u20ac\ud83d\ude00", "&lt;&amp;&quot;", "&#65;&#x41;", "a\r\nb"},
            new String[] {
                "", " ", "&#0;", "&#x110000;", "&#xd800;", "&e;", "&", "]]>", "<", "\u0000", "\uffff", "\u0085"
            });
    private static final Choice TEXT = new Choice(
            new String[] {"", "name", "<![CDATA[a<b]]>", "<!-- c -->", "&lt;"},
            new String[] {"<![CDATA[", "<!-- -- -->", "<?xml ?>", "\u0001", "]]>", "&e;", "<a/>"});
    private static final Choice ATTRIBUTE = new Choice(new String[] {""}, new String[] {
        " xmlns='urn:x'",
        " xmlns:x='urn:x'",
        " x:count='1'",
        " xml:lang='en'",
        " a",
        " a=b",
        " \u00e4=''",
        " count='1'",
        " xmlns:x=''",
        " 1='2'"
    });

    private final StringBuilder text = new StringBuilder();
    private SplittableRandom random;
    private int wildness;

    /** The document of a seed. */
    byte[] generate(long seed) {
        random = new SplittableRandom(seed);
        wildness = WILDNESS[random.nextInt(WILDNESS.length)];
        text.setLength(0);
        append(PROLOG);
        int start = text.length();
        append(ROOT);
        String root = text.substring(start);
        text.insert(start, '<');
        append(ATTRIBUTE);
        text.append('>');
        int batches = oneIn(500) ? random.nextInt(200) : 1 + random.nextInt(3);
        for (int i = 0; i < batches; i++) {
            append(GAP);
            appendBatch(batches);
        }
        append(GAP);
        text.append("</").append(root).append('>');
        append(GAP);
        byte[] document = encode(text.toString());
        return oneIn(4) ? damage(document) : document;
    }

    private byte[] encode(String document) {
        return document.getBytes(
                switch (random.nextInt(20)) {
                    case 0 -> StandardCharsets.UTF_16;
                    case 1 -> StandardCharsets.UTF_16LE;
                    case 2 -> StandardCharsets.ISO_8859_1;
                    default -> StandardCharsets.UTF_8;
                });
    }

    private void appendBatch(int batches) {
        text.append('<');
        int start = text.length();
        append(BATCH);
        String element = text.substring(start);
        boolean named = false;
        if (random.nextBoolean()) {
            int methodStart = text.length();
            appendAttribute("method", METHOD);
            named = text.indexOf("AME", methodStart) > 0 || text.indexOf("ame", methodStart) > 0;
        }
        if (batches < 4 && random.nextBoolean()) {
            appendAttribute("count", COUNT);
        }
        boolean inAttribute = random.nextBoolean();
        if ((named && inAttribute) || oneIn(64)) {
            appendAttribute("name", NAME);
        }
        if (named && random.nextBoolean()) {
            appendAttribute("namespace", NAME_SPACE);
            appendAttribute("digest", DIGEST);
        }
        append(ATTRIBUTE);
        if (!named && random.nextBoolean()) {
            text.append("/>");
            return;
        }
        text.append('>');
        if (named && !inAttribute) {
            append(NAME);
            append(TEXT);
        }
        if (oneIn(2000)) {
            text.append("<!--").append("x".repeat(random.nextInt(100_000))).append("-->");
        }
        text.append("</").append(element).append('>');
    }

    private void appendAttribute(String name, Choice values) {
        char quote = random.nextBoolean() ? '"' : '\'';
        text.append(' ').append(name).append('=').append(quote);
        append(values);
        text.append(quote);
    }

    private byte[] damage(byte[] document) {
        byte[] damaged = document;
        for (int i = random.nextInt(4); i >= 0 && damaged.length > 1; i--) {
            int at = random.nextInt(damaged.length);
            switch (random.nextInt(4)) {
                case 0 -> damaged[at] = (byte) random.nextInt(256);
                case 1 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> damaged = Arrays.copyOf(damaged, at);
                default -> System.arraycopy(damaged, 0, damaged, at, Math.min(damaged.length - at, random.nextInt(40)));
            }
        }
        return damaged;
    }

    private boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    private void append(Choice choice) {
        String[] values = random.nextInt(256) < wildness ? choice.wild() : choice.right();
        text.append(values[random.nextInt(values.length)]);
    }

    private record Choice(String[] right, String[] wild) {}
}
