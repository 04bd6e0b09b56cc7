package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleFilesTest {
    @TempDir
    Path folder;

    @Test
    void filesAreTheSameEverywhere() throws IOException {
        SampleFiles.write(folder);
        assertEquals("""
            {"files":[\
            {"name":"100MB.bin","size":104857600,"md5":"8bbdc1ccc632d0f5af01de89f3d18cd1"},\
            {"name":"1KB.bin","size":1024,"md5":"ed559d7adb8b5079ab1d193ea0e6c44b"},\
            {"name":"1MB.bin","size":1048576,"md5":"2e3d31eade164d96a1769ce784257eec"},\
            {"name":"200KB.bin","size":204800,"md5":"b15670021c06b8b32252ef5006e0fe33"},\
            {"name":"20MB.bin","size":20971520,"md5":"484f96cb96fc4bf101143f0f8eccf7cf"},\
            {"name":"500KB.bin","size":512000,"md5":"febaccb8ae8f53118025075a3af203a5"}]}""", new Catalog(folder).json());
    }

    @Test
    void filesDoNotCompress() throws IOException {
        SampleFiles.write(folder);
        Deflater deflater = new Deflater();
        deflater.setInput(Files.readAllBytes(folder.resolve("200KB.bin")));
        deflater.finish();
        int compressed = 0;
        byte[] block = new byte[1 << 16];
        while (!deflater.finished()) {
            compressed += deflater.deflate(block);
        }
        deflater.end();
        assertTrue(compressed > 200 << 10, "compressed to " + compressed);
    }

    @Test
    void filesAreWrittenOnceAndRepaired() throws IOException {
        SampleFiles.write(folder);
        Path kept = folder.resolve("1MB.bin");
        Files.setLastModifiedTime(kept, FileTime.fromMillis(5));
        Files.write(folder.resolve("1KB.bin"), new byte[7]);
        SampleFiles.write(folder);
        assertEquals(FileTime.fromMillis(5), Files.getLastModifiedTime(kept));
        assertEquals(1024, Files.size(folder.resolve("1KB.bin")));
    }
}
