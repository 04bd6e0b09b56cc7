package dev.millrace.peers.soak;

import dev.millrace.peers.soak.SoakFile.ClearedWordException;
import dev.millrace.peers.soak.SoakFile.WrongByteException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The load of a soak, for files that change meanwhile. Its clients keep their connection, close it, reset it, read
 * slowly, write slowly, ask for ranges, speak HTTP/2, and come in bursts. Each byte of a file is checked.
 *
 * <p>{@code SoakLoad SECONDS DIRECTORY KEYSTORE URL...} takes the URLs of {@link SoakServer}s of that directory. It
 * prints what was counted. It ends with 1 when a byte was wrong, or an answer was none of those that are promised.
 */
public final class SoakLoad {
    private static final String TLS = "+tls";
    private static final long STACK_BYTES = 256 * 1024L;
    private static final int CHANGE_MILLIS = 25;
    private static final int BURST = 20;
    private static final int BURST_MILLIS = 15_000;
    private static final int SMALL_BUFFER_BYTES = 16 * 1024;

    private final SoakFiles files;
    private final SSLContext keys;
    private final long endNanoTime;
    private final SoakCounts counts = new SoakCounts();
    private final List<Thread> threads = new ArrayList<>();

    private SoakLoad(int seconds, Path directory, SSLContext keys) throws IOException {
        this.files = new SoakFiles(directory);
        this.keys = keys;
        this.endNanoTime = System.nanoTime() + seconds * 1_000_000_000L;
    }

    /** What a client does again and again. */
    private interface Work {
        void run(URI url, Random random) throws IOException, InterruptedException, WrongByteException;
    }

    /** Reads and checks the content of an answer. */
    private interface Content {
        void check(SoakConnection connection, SoakFile file) throws IOException, WrongByteException;
    }

    /** An answer was cut off, which is no fault where its file was deleted or truncated meanwhile. */
    private static final class CutException extends IOException {
        private static final long serialVersionUID = 1L;

        private CutException(IOException cause) {
            super(cause);
        }
    }

    private boolean isOver() {
        return System.nanoTime() - endNanoTime >= 0;
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(millis * 1_000_000);
    }

    private void start(String name, int count, List<URI> urls, Work work) {
        for (URI url : urls) {
            for (int i = 0; i < count; i++) {
                Random random = new Random((name + url + i).hashCode());
                Thread thread = new Thread(null, () -> repeat(name, url, random, work), name, STACK_BYTES);
                thread.start();
                threads.add(thread);
            }
        }
    }

    private void repeat(String name, URI url, Random random, Work work) {
        while (!isOver()) {
            String label = url == null ? name : name + (url.getScheme().equals("https") ? TLS : "");
            try {
                work.run(url, random);
                counts.onAnswer(label);
            } catch (CutException x) {
                counts.cut.increment();
            } catch (WrongByteException x) {
                // TLS encrypts a copy, which the kernel does not clear.
                if (x instanceof ClearedWordException && !label.endsWith(TLS)) {
                    counts.cleared.increment();
                } else {
                    counts.onWrongByte(label, x);
                }
            } catch (IOException | InterruptedException | RuntimeException x) {
                // The servers go on when the load is over: what comes to nothing then is a fault all the same.
                counts.onError(label, x);
                pause(100);
            }
        }
    }

    private SoakConnection open(URI url, int receiveBufferBytes) throws IOException {
        return new SoakConnection(url, keys, receiveBufferBytes, counts);
    }

    private static String path(SoakFile file, Random random) {
        return (random.nextInt(4) == 0 ? "/x/" : "/files/") + file.name();
    }

    private void get(SoakConnection connection, Random random, String fields, Content content)
            throws IOException, WrongByteException {
        SoakFile file = files.any(random);
        try {
            int status = connection.get(path(file, random), fields);
            if (status == 200 || status == 206 || status == 416) {
                content.check(connection, file);
            } else {
                connection.text();
                refuse(file, status);
            }
        } catch (IOException x) {
            throw file.mayBeCutBy(x) ? new CutException(x) : x;
        }
    }

    private void refuse(SoakFile file, int status) throws IOException {
        boolean isAllowed = switch (file.change()) {
            case REPLACED -> false;
            case DELETED -> status == 404;
            case GROWING -> status == 500;
        };
        if (!isAllowed) {
            throw new IllegalStateException(status + " for " + file);
        }
        counts.refused.increment();
    }

    private void keep(URI url, Random random) throws IOException, WrongByteException {
        try (SoakConnection connection = open(url, 0)) {
            for (int i = 1 + random.nextInt(500); i > 0 && !isOver(); i--) {
                get(connection, random, "", SoakConnection::body);
                counts.onAnswer("of keep");
                pause(random.nextInt(100));
            }
        }
    }

    private void close(URI url, Random random) throws IOException, WrongByteException {
        pause(random.nextInt(60));
        try (SoakConnection connection = open(url, 0)) {
            get(connection, random, "Connection: close\r\n", SoakConnection::body);
        }
    }

    private void range(URI url, Random random) throws IOException, WrongByteException {
        pause(random.nextInt(120));
        try (SoakConnection connection = open(url, 0)) {
            // It may begin behind the end of the smallest files.
            long first = random.nextInt(100) * 8L;
            long last = first + 8L * random.nextInt(20_000) + 7;
            String field = "Range: bytes=" + first + "-" + last + "\r\n";
            get(connection, random, field, (answered, file) -> answered.range(file, first, last));
        }
    }

    private void reset(URI url, Random random) throws IOException {
        pause(random.nextInt(200));
        try (SoakConnection connection = open(url, SMALL_BUFFER_BYTES)) {
            connection.get(path(files.large(), random), "");
            connection.reset(1 + random.nextInt(100_000));
        }
    }

    private void readSlowly(URI url, Random random) throws IOException, WrongByteException {
        try (SoakConnection connection = open(url, SMALL_BUFFER_BYTES)) {
            int status = connection.get(path(files.large(), random), "");
            if (status != 200) {
                throw new IOException(status + " for the large file");
            }
            connection.body(files.large(), 8192 + random.nextInt(64_000), 100);
        }
    }

    private void writeSlowly(URI url, Random random) throws IOException {
        byte[] part = new byte[1000];
        int parts = 1 + random.nextInt(30);
        CRC32 sum = new CRC32();
        try (SoakConnection connection = open(url, 0)) {
            connection.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: " + parts * part.length + "\r\n\r\n");
            for (int i = 0; i < parts; i++) {
                random.nextBytes(part);
                sum.update(part);
                connection.send(part);
                pause(random.nextInt(100));
            }
            int status = connection.head();
            String text = connection.text();
            if (status != 200 || !text.equals(Long.toHexString(sum.getValue()))) {
                throw new IOException(status + " " + text + " for an upload");
            }
        }
    }

    private void http2(URI url, Random random) throws IOException, InterruptedException, WrongByteException {
        SoakHttp2 connection = new SoakHttp2(url, keys, counts);
        for (int i = 1 + random.nextInt(500); i > 0 && !isOver(); i--) {
            pause(random.nextInt(60));
            boolean large = random.nextInt(20) == 0;
            SoakFile file = large ? files.large() : files.any(random);
            int most = large && random.nextBoolean() ? 1 + random.nextInt(500_000) : Integer.MAX_VALUE;
            try {
                int status = connection.get(path(file, random), file, most, large && most == Integer.MAX_VALUE);
                if (status != 200) {
                    refuse(file, status);
                }
                counts.onAnswer("of http2");
            } catch (IOException x) {
                if (!file.mayBeCutBy(x)) {
                    throw x;
                }
                counts.cut.increment();
            }
        }
    }

    private void burst(URI url, Random random) throws InterruptedException {
        pause(BURST_MILLIS / 2 + random.nextInt(BURST_MILLIS));
        List<Thread> burst = new ArrayList<>();
        for (int i = 0; i < BURST && !isOver(); i++) {
            Runnable one = () -> {
                try (SoakConnection connection = open(url, 0)) {
                    connection.get("/files/" + files.large().name(), "Connection: close\r\n");
                    connection.body(files.large());
                } catch (WrongByteException x) {
                    counts.onWrongByte("burst", x);
                } catch (IOException | IllegalStateException x) {
                    counts.onError("burst", x);
                }
            };
            Thread thread = new Thread(null, one, "of burst", STACK_BYTES);
            thread.start();
            burst.add(thread);
        }
        for (Thread thread : burst) {
            thread.join();
        }
    }

    private static List<URI> secure(List<URI> urls) {
        return urls.stream().filter(url -> url.getScheme().equals("https")).toList();
    }

    private boolean run(List<URI> urls) throws InterruptedException {
        start("keep", 6, urls, this::keep);
        start("close", 2, urls, this::close);
        start("range", 2, urls, this::range);
        start("reset", 2, urls, this::reset);
        start("slow reader", 12, urls, this::readSlowly);
        start("slow writer", 8, urls, this::writeSlowly);
        start("http2", 4, secure(urls), this::http2);
        start("burst", 1, urls, this::burst);
        Random random = new Random(0);
        while (!isOver()) {
            try {
                files.change(random);
            } catch (IOException x) {
                counts.onError("change", x);
            }
            pause(CHANGE_MILLIS);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(counts);
        return counts.isGood();
    }

    private static SSLContext keys(Path keyStore) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keyStore)) {
            keys.load(in, SoakServer.PASSWORD.toCharArray());
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 4) {
            System.err.println("usage: SoakLoad SECONDS DIRECTORY KEYSTORE URL...");
            System.exit(2);
        }
        List<URI> urls = new ArrayList<>();
        for (int i = 3; i < args.length; i++) {
            urls.add(URI.create(args[i]));
        }
        SoakLoad load = new SoakLoad(Integer.parseInt(args[0]), Path.of(args[1]), keys(Path.of(args[2])));
        System.exit(load.run(urls) ? 0 : 1);
    }
}
