package dev.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Content for download tests, the same in every run. */
public final class TestFiles {

    private TestFiles() {}

    public static byte[] content(int size) {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    public static byte[] catalog(String name, byte[] content) {
        return ("{\"files\":[" + entry(name, content) + "]}").getBytes(UTF_8);
    }

    public static String entry(String name, byte[] content) {
        try {
            String md5 =
                    HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
            return "{\"name\":\"" + name + "\",\"size\":" + content.length + ",\"md5\":\"" + md5 + "\"}";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
