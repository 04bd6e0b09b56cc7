package dev.millrace.load.scenario;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Target;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files that a server offers, as {@code {"files":[{"name":"1k.bin","size":1024,"md5":"..."}]}}. Immutable, except
 * for the checksums that {@link CatalogFile} learns. Safe for use by any thread.
 *
 * @param files the files in the catalogue's order
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Catalog(
        @JsonProperty(value = "files", required = true) List<CatalogFile> files) {

    /** Its name below the files' URL. */
    public static final String NAME = "catalog.json";

    private static final String FORM = "{\"files\":[{\"name\":\"a.bin\",\"size\":1024,\"md5\":\"...\"}]}";
    private static final int BUFFER_BYTES = 64 * 1024;
    /** More than the names of half a million files take. */
    private static final int MOST_BYTES = 64 << 20;

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

    /**
     * Lists the files below a folder in the order of their paths, and reads each for its MD5.
     *
     * @param except a file that is left out
     * @throws IOException if a file cannot be read
     */
    public static Catalog ofFolder(Path folder, Path except) throws IOException {
        List<Path> paths;
        try (Stream<Path> all = Files.walk(folder)) {
            paths = all.filter(Files::isRegularFile)
                    .filter(path -> !path.toAbsolutePath()
                            .normalize()
                            .equals(except.toAbsolutePath().normalize()))
                    .sorted()
                    .toList();
        }
        List<CatalogFile> files = new ArrayList<>();
        for (Path path : paths) {
            Digester digester = new Digester();
            try (InputStream in = Files.newInputStream(path)) {
                byte[] buffer = new byte[BUFFER_BYTES];
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    digester.body(buffer, 0, count);
                }
            }
            String name = folder.relativize(path).toString().replace(File.separatorChar, '/');
            files.add(new CatalogFile(name, digester.size, digester.hex()));
        }
        return new Catalog(files);
    }

    /**
     * Learns files by downloading each once: what the server sends first is what it must send afterwards.
     *
     * @param base    URL that the names are relative to
     * @param headers further request fields
     * @param fetch   downloads them
     * @throws IOException if a download fails; the message is for people
     */
    public static Catalog learn(Target base, List<String> names, List<String> headers, Fetch fetch) throws IOException {
        List<CatalogFile> files = new ArrayList<>();
        for (String name : names) {
            Digester digester = new Digester();
            try {
                fetch.get(base.resolve(FileWorkload.encoded(name)), headers, digester);
            } catch (IOException e) {
                throw new IOException("cannot download " + name + " below " + base.uri() + ": " + e.getMessage(), e);
            }
            files.add(CatalogFile.learnt(name, digester.size, digester.hex()));
        }
        return new Catalog(files);
    }

    /** Learns the size and the MD5 of a file from its bytes. */
    private static final class Digester extends StatusCheck {

        private final MessageDigest md5 = CatalogFile.newDigest();
        private long size;

        @Override
        public void body(byte[] chunk, int offset, int length) {
            size += length;
            md5.update(chunk, offset, length);
        }

        String hex() {
            return HexFormat.of().formatHex(md5.digest());
        }
    }

    /** The catalogue in its form. */
    public byte[] json() throws IOException {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode list = root.putArray("files");
        for (CatalogFile file : files) {
            list.addObject().put("name", file.name()).put("size", file.size()).put("md5", file.md5());
        }
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
    }

    /**
     * Reads a catalogue.
     *
     * @param source where it comes from, for errors
     * @throws IOException if the text is no catalogue, or lists no file; the message is for people
     */
    public static Catalog parse(String source, byte[] json) throws IOException {
        // Jackson reads the text "null" as null.
        @Nullable Catalog catalog;
        try {
            catalog = JSON.readValue(json, Catalog.class);
        } catch (IOException e) {
            throw unreadable(source, Failure.firstLine(e), e);
        }
        if (catalog == null || catalog.files() == null || catalog.files().isEmpty()) {
            throw unreadable(source, "it lists no file", null);
        }
        for (@Nullable CatalogFile file : catalog.files()) {
            String fault = file == null ? "a file is null" : file.fault();
            if (fault != null) {
                throw unreadable(source, fault, null);
            }
        }
        return catalog;
    }

    /**
     * Reads a catalogue of this machine.
     *
     * @throws IOException as {@link #parse}, and if the file cannot be read
     */
    public static Catalog read(Path file) throws IOException {
        byte[] json;
        try {
            json = Files.readAllBytes(file);
        } catch (AccessDeniedException e) {
            // Its message is the file's name.
            throw unreadable(file.toString(), "permission denied", e);
        } catch (IOException e) {
            throw unreadable(file.toString(), Failure.firstLine(e), e);
        }
        return parse(file.toString(), json);
    }

    private static IOException unreadable(String source, @Nullable String reason, @Nullable Exception cause) {
        return new IOException(
                "cannot read the catalogue " + source + ": " + reason + "; expected is " + FORM
                        + " (loadclient catalog writes one, --file NAME does without)",
                cause);
    }

    /**
     * Fetches a catalogue from the server that is measured.
     *
     * @param target  URL of the catalogue
     * @param headers further request fields
     * @param fetch   fetches it
     * @throws IOException if no answer comes in time, or it is no catalogue; the message is for people
     */
    public static Catalog fetch(Target target, List<String> headers, Fetch fetch) throws IOException {
        byte[] json;
        try {
            json = fetch.body(target, headers, MOST_BYTES);
        } catch (IOException e) {
            throw unreadable(target.uri().toString(), e.getMessage(), e);
        }
        return parse(target.uri().toString(), json);
    }

    /**
     * Fetches a catalogue from the server that is measured.
     *
     * @param base     URL of the files
     * @param relative URL of the catalogue, relative to it
     * @throws IOException as above, and if it is no URL
     */
    public static Catalog fetch(Target base, String relative, List<String> headers, Fetch fetch) throws IOException {
        Target target;
        try {
            target = base.resolve(relative);
        } catch (IllegalArgumentException e) {
            throw unreadable(relative, Failure.firstLine(e), e);
        }
        return fetch(target, headers, fetch);
    }

    /**
     * The file of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public CatalogFile file(String name) {
        return files.stream()
                .filter(file -> file.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no file " + name + " in the catalogue"));
    }
}
