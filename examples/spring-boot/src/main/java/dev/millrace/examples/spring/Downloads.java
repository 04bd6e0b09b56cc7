package dev.millrace.examples.spring;

import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Decides who may have which file; the server sends it. */
@RestController
public class Downloads {
    private final Path folder;

    Downloads(@Value("${millrace.xsendfile.roots}") String folder) {
        this.folder = Path.of(folder).toAbsolutePath();
    }

    @GetMapping("/downloads/{name}")
    ResponseEntity<Void> download(@PathVariable String name) {
        return ResponseEntity.ok()
                .header("X-Sendfile", folder.resolve(name).toString())
                .contentType(MediaType.APPLICATION_OCTET_STREAM)
                .build();
    }
}
