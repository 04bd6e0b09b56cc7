package dev.millrace.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What an application may set in addition to the properties of Spring Boot. Defaults are those of the connectors, but for the
 * kind of threads. Immutable.
 *
 * @param enabled Whether a connector of Millrace takes the place of Jetty's.
 * @param connector Which connector serves: "nio" has selectors, "bio" has a thread for each connection.
 * @param threads Kind of the threads of "bio". Unless set, spring.threads.virtual.enabled decides.
 * @param dispatch Where "nio" serves a ready connection.
 * @param requestsPerDispatch Most requests of a connection that a thread of "nio" answers in a row.
 * @param readAheadSize Most bytes that "bio" reads ahead of the protocol, per connection.
 * @param algorithm Algorithm by which transfers of files take turns.
 * @param workers Most transfers of files that have their turn at once.
 * @param headerCacheSize Size of each connection's cache of header fields; 0 is none, -1 is Jetty's default.
 * @param limits Limits for slow peers.
 * @param files How files are sent.
 * @param xsendfile Which files an application's answers may name.
 */
@ConfigurationProperties("millrace")
public record MillraceProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("nio") Kind connector,
        @Nullable Threads threads,
        @DefaultValue("adaptive") Dispatch dispatch,
        @DefaultValue("64") int requestsPerDispatch,
        @DefaultValue("512B") DataSize readAheadSize,
        @DefaultValue("Adaptive") String algorithm,
        @DefaultValue("50") int workers,
        @DefaultValue("0") int headerCacheSize,
        @DefaultValue Limits limits,
        @DefaultValue Files files,
        @DefaultValue Xsendfile xsendfile) {

    /** The connectors. */
    public enum Kind {
        /** Selectors, and threads of the server's pool. */
        NIO,
        /** A thread for each connection. */
        BIO
    }

    /** The kinds of threads. */
    public enum Threads {
        /** Virtual, where the JDK has such threads. */
        AUTO,
        /** Threads of the system. */
        PLATFORM,
        /** On JDK 21 and newer. */
        VIRTUAL
    }

    /** Where a ready connection is served. */
    public enum Dispatch {
        /** By another thread than the selector's, for an application may block. */
        ADAPTIVE,
        /** In the selector's own thread. */
        SELECTOR,
        /** By another thread than the selector's. */
        HANDOFF
    }

    /**
     * Limits for slow peers.
     *
     * @param requestHeadTimeout Time for the head of a request, and for a TLS handshake; 0 is no limit.
     * @param minRequestBytesPerSecond Least rate of a request's content while the application waits for it; 0 is no limit.
     * @param minResponseBytesPerSecond Least rate at which a peer takes an answer; 0 is no limit.
     * @param slowPeerGrace Time for which a peer may be slower than that.
     * @param slowRequestsAlwaysEnded Whether slow requests end also while no other request or connection waits for what they hold.
     * @param grpcExempt Whether requests of gRPC may be as slow as they like.
     * @param lingeringCloseTimeout Longest time for which an answered connection lingers, so that its peer gets all of the answer; 0 is none.
     * @param lingeringCloseSize Most bytes that such a peer may send in that time.
     */
    public record Limits(
            @DefaultValue("30s") Duration requestHeadTimeout,
            @DefaultValue("240") long minRequestBytesPerSecond,
            @DefaultValue("240") long minResponseBytesPerSecond,
            @DefaultValue("5s") Duration slowPeerGrace,
            @DefaultValue("false") boolean slowRequestsAlwaysEnded,
            @DefaultValue("false") boolean grpcExempt,
            @DefaultValue("30s") Duration lingeringCloseTimeout,
            @DefaultValue("64MB") DataSize lingeringCloseSize) {}

    /**
     * How files are sent: static resources of Spring MVC, those of Jetty's servlets, and those that answers name.
     *
     * @param enabled Whether static resources that are files go by the kernel.
     * @param maxOpen Most files that are kept open.
     * @param cacheSize Most bytes of the cache of small files; 0 is none.
     * @param maxCachedFileSize Size of the largest file in that cache.
     * @param debugHeader Whether answers say in X-Millrace-Sendfile how their file was sent.
     */
    public record Files(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("2048") int maxOpen,
            @DefaultValue("4MB") DataSize cacheSize,
            @DefaultValue("64KB") DataSize maxCachedFileSize,
            @DefaultValue("false") boolean debugHeader) {}

    /**
     * Which files an application's answers may name. While there is no root and no mapping, the fields of answers are left as they are.
     *
     * @param roots Directories from which X-Sendfile may name files.
     * @param mappings Directories by the prefix of the URI that X-Accel-Redirect names, as in "[/protected/]".
     */
    public record Xsendfile(
            @DefaultValue List<String> roots, @DefaultValue Map<String, String> mappings) {
        boolean isUsed() {
            return !roots.isEmpty() || !mappings.isEmpty();
        }
    }
}
