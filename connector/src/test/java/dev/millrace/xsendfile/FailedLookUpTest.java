package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.files.FilesService;
import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.WarningLimit;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes between while the server looks for a file that an application has named. */
class FailedLookUpTest {
    @TempDir
    Path directory;

    @Test
    void isAnsweredToAnApplicationWithAThreadOfItsOwn() throws Exception {
        Files.writeString(directory.resolve("file.txt"), "text");
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders()
                    .put("X-Sendfile", directory.resolve("file.txt").toString());
            new Thread(callback::succeeded).start();
        }));
        handler.addRoot(directory.toString());
        handler.setMimeTypes(new MimeTypes.Mutable() {
            @Override
            public String getMimeByExtension(String filename) {
                throw new NoClassDefFoundError("meant: as where no descriptor is left to load a class by");
            }
        });
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals(500, client.get("/").answer().status());
        }
    }

    /** It was there when the look-up began. */
    @Test
    void endsByNotFoundWhenTheFileIsGone() throws Exception {
        SendfileSettings settings = new SendfileSettings();
        HttpContent.Factory files = key -> {
            throw new NoSuchFileException(key);
        };
        List<TransferResult> results = new CopyOnWriteArrayList<>();
        FilesService service = new FilesService(() -> settings, () -> true);
        service.setHttpContentFactory(files);
        FileSender sender = new FileSender(service, List.of(results::add), new WarningLimit());
        DelegatedFile file = new DelegatedFile(new RootedFile(directory, directory.resolve("file.txt")), "named", null);
        try (Logged logged = new Logged(FileSender.class.getName());
                TestServer server = new TestServer(Connectors.NIO::http)
                        .start(Handlers.of((request, response, callback) ->
                                sender.send(file, false, HttpFields.EMPTY, request, response, callback)));
                RawClient client = server.client()) {
            assertEquals(404, client.get("/").answer().status());
            assertEquals(1, logged.count("file.txt: there is no such file"));
        }
        assertEquals(404, results.get(0).status());
    }
}
