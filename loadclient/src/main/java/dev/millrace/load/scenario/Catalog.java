package dev.millrace.load.scenario;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;

/**
 * The files a server offers, as {@code {"files":[{"name":"1k.bin","size":1024,"md5":"..."}]}}. Immutable but for what
 * {@link CatalogFile} learns.
 *
 * @param files in the catalogue's order
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Catalog(@JsonProperty(value = "files", required = true) List<CatalogFile> files) {

    /**
     * Reads a catalogue.
     *
     * @throws IOException if it is not one, or lists no file
     */
    public static Catalog parse(byte[] json) throws IOException {
        Catalog catalog = new ObjectMapper().readValue(json, Catalog.class);
        if (catalog.files() == null || catalog.files().isEmpty()) {
            throw new IOException("the catalogue lists no file");
        }
        return catalog;
    }

    /**
     * The file of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public CatalogFile file(String name) {
        return files.stream().filter(file -> file.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no file " + name + " in the catalogue"));
    }
}
