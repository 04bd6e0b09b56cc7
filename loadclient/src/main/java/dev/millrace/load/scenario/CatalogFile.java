package dev.millrace.load.scenario;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * One file of a catalogue. The catalogue gives its MD5. Its CRC32C, which costs a fifteenth of the MD5, is learnt from
 * the first download whose MD5 is right. Safe for use by any thread.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public final class CatalogFile {

    /** Stands for the file that a check has not been told yet. */
    static final CatalogFile NONE = new CatalogFile("", 0, null);

    private static final long UNKNOWN = -1;

    private final String name;
    private final long size;
    private final @Nullable String md5;
    private final boolean learnt;
    private volatile long crc32c = UNKNOWN;

    /**
     * A file.
     *
     * @param name path below the catalogue's URL, parts separated by slashes
     * @param size bytes
     * @param md5  32 hexadecimal digits; null leaves the content unchecked
     */
    @JsonCreator
    public CatalogFile(
            @JsonProperty(value = "name", required = true) String name,
            @JsonProperty(value = "size", required = true) long size,
            @JsonProperty("md5") @Nullable String md5) {
        this(name, size, md5, false);
    }

    private CatalogFile(String name, long size, @Nullable String md5, boolean learnt) {
        this.name = name;
        this.size = size;
        this.md5 = md5;
        this.learnt = learnt;
    }

    /** A file that no catalogue lists: its size and MD5 are those of a first download. */
    static CatalogFile learnt(String name, long size, String md5) {
        return new CatalogFile(name, size, md5, true);
    }

    /** A new digest of the kind that catalogues have. */
    public static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }

    /** Path below the catalogue's URL. */
    public String name() {
        return name;
    }

    /** Bytes. */
    public long size() {
        return size;
    }

    /** 32 hexadecimal digits; null if the content cannot be checked. */
    public @Nullable String md5() {
        return md5;
    }

    /** Whether it was learnt from a server, which need not announce its size (RFC 9110 section 8.6). */
    boolean isLearnt() {
        return learnt;
    }

    /** Why it is no entry of a catalogue, for people; null if it is one. A text in JSON may hold anything. */
    @Nullable String fault() {
        if (name == null || name.isEmpty()) {
            return "a file has no name";
        }
        if (size < 0) {
            return "the size of " + name + " is " + size;
        }
        return md5 == null || md5.matches("[0-9a-fA-F]{32}")
                ? null
                : "the MD5 of " + name + " is not of 32 hexadecimal digits";
    }

    boolean knowsCrc32c() {
        return crc32c != UNKNOWN;
    }

    long crc32c() {
        return crc32c;
    }

    void learnCrc32c(long value) {
        crc32c = value;
    }
}
