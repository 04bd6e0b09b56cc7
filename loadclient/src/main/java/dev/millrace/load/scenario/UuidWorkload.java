package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.Target;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests to the UUID service: by query string or by an XML body. Immutable. */
public final class UuidWorkload implements Workload {

    private final Target target;
    private final Settings settings;
    private final Request request;

    /**
     * The settings of a request. Immutable, if the caller does not change the body.
     *
     * @param httpMethod GET or POST
     * @param keepAlive  false for a connection per request
     * @param uuidMethod RANDOM, TIME, NAME or another method of the service
     * @param count      UUIDs per request
     * @param name       name for name-based UUIDs; null for none
     * @param headers    further request fields
     * @param check      the check of answers
     * @param body       body of a POST; null for XML made from these settings
     */
    public record Settings(
            String httpMethod,
            boolean keepAlive,
            String uuidMethod,
            int count,
            @Nullable String name,
            List<String> headers,
            Check check,
            byte @Nullable [] body) {

        /** Settings without a body. */
        public Settings(
                String httpMethod,
                boolean keepAlive,
                String uuidMethod,
                int count,
                @Nullable String name,
                List<String> headers,
                Check check) {
            this(httpMethod, keepAlive, uuidMethod, count, name, headers, check, null);
        }
    }

    /** The checks of answers. */
    public enum Check {
        /** The status is checked, and any body is accepted. */
        NONE,
        /** The answer must be one of the UUID service with the requested number of UUIDs, see {@link AnsweredUuids}. */
        FULL
    }

    /** Makes the request that all clients send. */
    public UuidWorkload(Target target, Settings settings) {
        this.target = target;
        this.settings = settings;
        this.request = settings.httpMethod().equals("POST") ? post() : get();
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public boolean keepAlive() {
        return settings.keepAlive();
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("method", settings.httpMethod());
        parameters.put("keepalive", settings.keepAlive() ? "on" : "off");
        parameters.put("uuid", settings.uuidMethod());
        parameters.put("count", Integer.toString(settings.count()));
        return parameters;
    }

    @Override
    public Script script(long seed) {
        // What a body of the user's asks for is not known.
        String method = settings.body() == null ? settings.uuidMethod() : null;
        ResponseCheck check =
                settings.check() == Check.NONE ? new StatusCheck() : new UuidResponseCheck(settings.count(), method);
        Call call = new Call(request, check);
        return () -> call;
    }

    private Request get() {
        StringBuilder query = new StringBuilder(target.requestTarget())
                .append(target.requestTarget().contains("?") ? '&' : '?')
                .append("method=")
                .append(encode(settings.uuidMethod()))
                .append("&count=")
                .append(settings.count());
        if (settings.name() != null) {
            query.append("&name=").append(encode(settings.name()));
        }
        return new Request("GET", target.resolve(query.toString()), settings.keepAlive(), settings.headers(), null);
    }

    private Request post() {
        StringBuilder xml = new StringBuilder("<request><generate-uuid method=\"")
                .append(settings.uuidMethod())
                .append("\" count=\"")
                .append(settings.count())
                .append('"');
        if (settings.name() != null) {
            xml.append(" name=\"").append(escape(settings.name())).append('"');
        }
        xml.append("/></request>");
        List<String> headers = new ArrayList<>(settings.headers());
        if (headers.stream().noneMatch(header -> header.toLowerCase(Locale.ROOT).startsWith("content-type:"))) {
            headers.add("Content-Type: text/xml; charset=UTF-8");
        }
        byte[] body = settings.body() != null ? settings.body() : xml.toString().getBytes(StandardCharsets.UTF_8);
        return new Request("POST", target, settings.keepAlive(), headers, body);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
