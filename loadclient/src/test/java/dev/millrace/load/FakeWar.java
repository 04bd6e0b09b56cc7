package dev.millrace.load;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** A stand-in for the sample application, with three listeners, the same command line and a few files. */
public final class FakeWar {

    private static final byte[] SMALL = TestFiles.content(1000);
    // It comes by one read: a window that waits for a first byte ends with a download.
    private static final byte[] LARGE = TestFiles.content(5_000);

    private FakeWar() {}

    /**
     * Makes an executable archive that runs {@link #main}. A name with "broken" makes one that gives wrong answers, one
     * with "failing" does not start, one with "once" does not start again, and one with "nowhere" tells no URL.
     */
    public static Path in(Path folder, String name) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, FakeWar.class.getName());
        URL classes = FakeWar.class.getProtectionDomain().getCodeSource().getLocation();
        attributes.put(Attributes.Name.CLASS_PATH, classes.toString());
        Path war = folder.resolve(name);
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(war), manifest)) {
            jar.finish();
        }
        return war;
    }

    /** Listens until it is killed. */
    public static void main(String[] args) throws Exception {
        String war = System.getProperty("java.class.path");
        if (war.contains("failing")
                || (war.contains("once") && !Path.of(war + ".started").toFile().createNewFile())) {
            System.err.println("no such thing as a free port");
            System.exit(1);
        }
        boolean broken = war.contains("broken");
        if (String.join(" ", args).contains("--files=")) {
            serveFolder(args, broken);
            return;
        }
        if (!String.join(" ", args).equals("--bio-port=0 --nio-port=0 --stock-port=0")) {
            throw new IllegalArgumentException(String.join(" ", args));
        }
        for (String name : new String[] {"BIO", "NIO", "STOCK"}) {
            TestServer server = new TestServer(TestServer.unhurried(
                    (request, out, socket) -> answer(request, out, socket, broken && name.equals("NIO"))));
            System.out.println(name + " listening on " + server.url(""));
        }
        new CountDownLatch(1).await();
    }

    /** Starts one listener for the files of a folder, and accepts the application's options except new ones. */
    private static void serveFolder(String[] args, boolean broken) throws Exception {
        Path folder = null;
        String listener = null;
        for (String arg : args) {
            if (arg.equals("--algorithm=Adaptive")) {
                System.err.println("millrace: --algorithm: \"Adaptive\" is no algorithm");
                System.exit(2);
            }
            folder = arg.startsWith("--files=") ? Path.of(arg.substring(8)) : folder;
            listener = arg.endsWith("-port=0")
                    ? arg.substring(2, arg.indexOf("-port")).toUpperCase(Locale.ROOT)
                    : listener;
        }
        Path files = folder;
        TestServer server = new TestServer(TestServer.unhurried((request, out, socket) -> {
            String path = request.target();
            if (path.startsWith("/generate-uuid")) {
                TestServer.answerUuids(request, out, socket);
                return;
            }
            byte[] content = path.startsWith("/files/")
                    ? Files.readAllBytes(files.resolve(path.substring(7)))
                    : path.startsWith("/message")
                            ? letters(Integer.parseInt(path.split("=")[1]))
                            : "Hello, World!".getBytes(StandardCharsets.US_ASCII);
            content[7] ^= broken ? (byte) 1 : 0;
            TestServer.send(out, "200 OK", "application/octet-stream", content);
        }));
        boolean nowhere = System.getProperty("java.class.path").contains("nowhere");
        System.out.println(listener + " listening on " + (nowhere ? "http://[" : server.url("")));
        new CountDownLatch(1).await();
    }

    private static byte[] letters(int count) {
        byte[] letters = new byte[count];
        for (int i = 0; i < count; i++) {
            letters[i] = (byte) ('a' + i % 26);
        }
        return letters;
    }

    private static void answer(TestServer.Request request, OutputStream out, Socket socket, boolean broken)
            throws IOException {
        String path = request.target();
        if (path.startsWith("/generate-uuid")) {
            TestServer.answerUuids(request, out, socket);
        } else if (path.equals("/files/catalog.json")) {
            String catalog = "{\"files\":[" + TestFiles.entry("s", SMALL) + "," + TestFiles.entry("l", LARGE) + "]}";
            TestServer.send(out, "200 OK", "application/json", catalog.getBytes(StandardCharsets.UTF_8));
        } else {
            byte[] content = path.equals("/files/s") ? SMALL.clone() : LARGE.clone();
            if (broken) {
                content[7] ^= 1;
            }
            TestServer.send(out, "200 OK", "application/octet-stream", content);
        }
    }
}
