package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Requests;
import dev.millrace.load.http.Target;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Requests to the UUID service: by query string or by an XML body. Immutable. */
public final class UuidWorkload implements Workload {

    private static final int READ_BUFFER_BYTES = 8192;

    private final Target target;
    private final Settings settings;
    private final byte[] request;

    /**
     * What to ask for.
     *
     * @param httpMethod GET or POST
     * @param keepAlive  false for a connection per request
     * @param uuidMethod RANDOM, TIME, NAME or whatever else the service knows
     * @param count      UUIDs per request
     * @param name       for name-based UUIDs; null for none
     * @param headers    further request fields
     * @param check      what an answer must be like
     * @param body       of a POST, in place of XML that asks for the above; null for that
     */
    public record Settings(String httpMethod, boolean keepAlive, String uuidMethod, int count, String name,
                           List<String> headers, Check check, byte[] body) {

        /** Settings without a body of the user's. */
        public Settings(String httpMethod, boolean keepAlive, String uuidMethod, int count, String name,
                        List<String> headers, Check check) {
            this(httpMethod, keepAlive, uuidMethod, count, name, headers, check, null);
        }
    }

    /** What an answer must be like. */
    public enum Check {
        /** Any body will do, if the status is right. */
        NONE,
        /** An answer of the UUID service with as many UUIDs as were asked for. */
        FULL
    }

    /** Makes the request once for all. */
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
    public boolean countsBytes() {
        return false;
    }

    @Override
    public int readBufferBytes() {
        return READ_BUFFER_BYTES;
    }

    @Override
    public Script script(long seed) {
        AnswerCheck check = settings.check() == Check.NONE ? new StatusCheck() : new UuidAnswerCheck(settings.count());
        Call call = new Call(request, check);
        return () -> call;
    }

    private byte[] get() {
        StringBuilder query = new StringBuilder(target.requestTarget())
                .append(target.requestTarget().contains("?") ? '&' : '?')
                .append("method=").append(encode(settings.uuidMethod()))
                .append("&count=").append(settings.count());
        if (settings.name() != null) {
            query.append("&name=").append(encode(settings.name()));
        }
        return Requests.of("GET", target.resolve(query.toString()), settings.keepAlive(), settings.headers(), null);
    }

    private byte[] post() {
        StringBuilder xml = new StringBuilder("<request><generate-uuid method=\"").append(settings.uuidMethod())
                .append("\" count=\"").append(settings.count()).append('"');
        if (settings.name() != null) {
            xml.append(" name=\"").append(escape(settings.name())).append('"');
        }
        xml.append("/></request>");
        List<String> headers = new ArrayList<>(settings.headers());
        if (headers.stream().noneMatch(header -> header.toLowerCase(Locale.ROOT).startsWith("content-type:"))) {
            headers.add("Content-Type: text/xml; charset=UTF-8");
        }
        byte[] body = settings.body() != null ? settings.body() : xml.toString().getBytes(StandardCharsets.UTF_8);
        return Requests.of("POST", target, settings.keepAlive(), headers, body);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
