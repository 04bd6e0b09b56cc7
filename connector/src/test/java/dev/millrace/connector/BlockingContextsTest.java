package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.DefaultHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ProcessorUtils;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One selector, which nothing looks after: its thread serves files, and leaves before an application begins. */
@Timeout(60)
class BlockingContextsTest {
    @TempDir
    Path directory;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @BeforeEach
    void makeFile() throws Exception {
        Files.writeString(directory.resolve("a.txt"), "a file");
    }

    private ContextHandler files() {
        return new ContextHandler(Handlers.files(directory), "/files");
    }

    /** /wait: answers when released. */
    private ContextHandler application() {
        return new ContextHandler(
                Handlers.of((request, response, callback) -> {
                    if (request.getHttpURI().getPath().equals("/app/wait")) {
                        begun.countDown();
                        release.await();
                    }
                    response.write(true, null, callback);
                }),
                "/app");
    }

    private static TestServer server(ConnectionFactory... factories) {
        return new TestServer(
                jetty -> new NioConnector(jetty, null, new SelectorDispatchTest.ShortLooks(), null, 1, 1, factories));
    }

    private static TestServer server() {
        return server(new HttpConnectionFactory());
    }

    private static long handOvers(TestServer server) {
        return ((NioConnector) server.connector()).getSelectorStatistics().getHandOvers();
    }

    private static boolean beginsInSelector(TestServer server) {
        return ((NioConnector) server.connector()).beginsInSelector();
    }

    private void servesFilesWhileTheApplicationWaits(RawClient waiting, RawClient other) throws Exception {
        waiting.get("/app/wait");
        begun.await();
        assertEquals("a file", other.get("/files/a.txt").answer().text());
        assertEquals(200, other.get("/app/").answer().status());
        release.countDown();
        assertEquals(200, waiting.answer().status());
    }

    @Test
    void aFileNeedsNoOtherThread() throws Exception {
        try (TestServer server = server().start(new ContextHandlerCollection(application(), files()));
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                assertEquals("a file", client.get("/files/a.txt").answer().text());
            }
            Await.until("nothing was handed over", () -> handOvers(server) == 0);
        }
    }

    @Test
    void anApplicationMayWait() throws Exception {
        try (TestServer server = server().start(new ContextHandlerCollection(application(), files()));
                RawClient waiting = server.client();
                RawClient other = server.client()) {
            servesFilesWhileTheApplicationWaits(waiting, other);
        }
    }

    @Test
    void anApplicationMayWaitInsideTls() throws Exception {
        Tls tls = new Tls();
        TestServer secure = server(new TlsConnectionFactory(tls.server(), "http/1.1"), new HttpConnectionFactory());
        try (TestServer server = secure.start(new ContextHandlerCollection(application(), files()));
                RawClient waiting = tls.connect(server.port());
                RawClient other = tls.connect(server.port())) {
            servesFilesWhileTheApplicationWaits(waiting, other);
        }
    }

    @Test
    void anApplicationThatCameLaterMayWait() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection(true, files());
        try (TestServer server = server().start(contexts);
                RawClient waiting = server.client();
                RawClient other = server.client()) {
            assertEquals("a file", other.get("/files/a.txt").answer().text());
            Callback.Completable deployed = new Callback.Completable();
            ContextHandler application = application();
            contexts.deployHandler(application, deployed);
            deployed.get();
            application.start();
            servesFilesWhileTheApplicationWaits(waiting, other);
        }
    }

    /** Jetty's collection does not manage what it is given while it runs: listeners hear nothing of what is in there. */
    @Test
    void anApplicationInARouterThatCameLaterMayWait() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection(true, files());
        try (TestServer server = server().start(contexts);
                RawClient waiting = server.client();
                RawClient other = server.client()) {
            Handler router = new StatisticsHandler(application());
            contexts.addHandler(router);
            router.start();
            servesFilesWhileTheApplicationWaits(waiting, other);
            contexts.removeHandler(router);
            router.stop();
        }
    }

    // No thread stands ready, so the pool is asked for one.
    @Test
    void anApplicationMayWaitWhereNoThreadStandsReady() throws Exception {
        TestServer unready = server();
        ((QueuedThreadPool) unready.server().getThreadPool()).setReservedThreads(0);
        try (TestServer server = unready.start(new ContextHandlerCollection(application(), files()));
                RawClient waiting = server.client();
                RawClient other = server.client()) {
            servesFilesWhileTheApplicationWaits(waiting, other);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"selector", "handoff"})
    void otherDispatchesAreAsTheyWere(String dispatch) throws Exception {
        TestServer other = server();
        ((NioConnector) other.connector()).setDispatch(dispatch);
        try (TestServer server = other.start(new ContextHandlerCollection(application(), files()));
                RawClient client = server.client()) {
            assertEquals(200, client.get("/app/").answer().status());
            long expected = dispatch.equals("selector") ? 0 : 1;
            Await.until("handed over", () -> handOvers(server) == expected);
        }
    }

    @Test
    void aPoolWithoutThreadsToSpareIsAskedFirst() throws Exception {
        TestServer low = server();
        ((QueuedThreadPool) low.server().getThreadPool()).setLowThreadsThreshold(Integer.MAX_VALUE / 2);
        try (TestServer server = low.start(new ContextHandlerCollection(application(), files()))) {
            assertFalse(beginsInSelector(server));
        }
    }

    /** Each task has Jetty's way: a thread that leaves the selector keeps the processor from the one that it has woken (decision 0013). */
    @Test
    void withOneProcessorNoRequestBeginsInTheSelectorAndApplicationsMayWait() throws Exception {
        int processors = ProcessorUtils.availableProcessors();
        ProcessorUtils.setAvailableProcessors(1);
        try (TestServer server = server().start(new ContextHandlerCollection(application(), files()));
                RawClient waiting = server.client();
                RawClient other = server.client()) {
            assertFalse(beginsInSelector(server));
            servesFilesWhileTheApplicationWaits(waiting, other);
        } finally {
            ProcessorUtils.setAvailableProcessors(processors);
        }
    }

    private static Handler.Wrapper wrapperOfAnApplication() {
        return new Handler.Wrapper(new ContextHandler(Handlers.hello(), "/app")) {
            @Override
            public Invocable.InvocationType getInvocationType() {
                return Invocable.InvocationType.BLOCKING;
            }
        };
    }

    static Stream<Handler> handlersThatMayBlock() {
        return Stream.of(
                Handlers.hello(),
                new Handler.Sequence(Handlers.hello(), new ContextHandler("/app")),
                new ContextHandlerCollection(new ContextHandler(Handlers.hello(), "/app")) {},
                wrapperOfAnApplication());
    }

    @ParameterizedTest
    @MethodSource
    void handlersThatMayBlock(Handler handler) throws Exception {
        try (TestServer server = server().start(handler)) {
            assertFalse(beginsInSelector(server));
        }
    }

    @Test
    void aHandlerThatIsExchangedMayBlock() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection(true, application(), files());
        Handler.Sequence sequence = new Handler.Sequence(true, java.util.List.of(contexts, new DefaultHandler()));
        try (TestServer server = server().start(sequence)) {
            assertTrue(beginsInSelector(server));
            sequence.addHandler(Handlers.hello());
            assertFalse(beginsInSelector(server));
        }
    }

    @Test
    void aCustomizerMayBlock() throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.addCustomizer((request, fields) -> request);
        try (TestServer server = server(new HttpConnectionFactory(configuration))
                .start(new ContextHandlerCollection(application(), files()))) {
            assertFalse(beginsInSelector(server));
        }
    }

    @Test
    void aCustomizerThatComesLaterMayBlock() throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        try (TestServer server = server(new HttpConnectionFactory(configuration))
                .start(new ContextHandlerCollection(application(), files()))) {
            assertTrue(beginsInSelector(server));
            configuration.addCustomizer((request, fields) -> request);
            assertFalse(beginsInSelector(server));
        }
    }

    @Test
    void leavesNothingBehind() throws Exception {
        Server jetty = new Server();
        ContextHandler context = new ContextHandler(Handlers.hello(), "/");
        jetty.setHandler(new ContextHandlerCollection(context));
        NioConnector connector = new NioConnector(jetty);
        jetty.addConnector(connector);
        for (int i = 0; i < 2; i++) {
            jetty.start();
            assertEquals(1, context.getBeans(BlockingContexts.class).size());
            jetty.stop();
            assertEquals(0, context.getBeans(BlockingContexts.class).size());
        }
    }
}
