package dev.millrace.files;

import dev.millrace.jetty.JettyInternals;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpDateTime;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;

/** Rules of range requests that Jetty's file serving leaves open. */
final class Ranges {
    /** An empty element, which is valid (RFC 9110 section 5.6.1.2), and which Jetty takes for the end of the list. */
    private static final Pattern EMPTY_ELEMENT = Pattern.compile("[=,][ \\t]*,");
    /** A number that may exceed a {@code long}: it is valid (section 14.1.2), and Jetty takes it for no range. */
    private static final Pattern LONG_NUMBER = Pattern.compile("[1-9]\\d{18,}");

    /** Known by its name: a server need not have jetty-compression. */
    private static final String COMPRESSION_HANDLER = "org.eclipse.jetty.compression.server.CompressionHandler";
    /** To be removed from Jetty. */
    private static final String GZIP_HANDLER = "org.eclipse.jetty.server.handler.gzip.GzipHandler";

    private static final String MOST = Long.toString(Long.MAX_VALUE);

    private Ranges() {}

    /** See {@link SendfileContentFactory#acceptsRanges}. */
    static boolean areAcceptable(
            HttpFields request, HttpContent content, Response response, SendfileSettings settings) {
        if (content.getContentLengthValue() == 0) {
            // A suffix of nothing is satisfiable (RFC 9110 section 14.1.2), and no Content-Range can name it.
            return false;
        }
        List<String> fields = request.getValuesList(HttpHeader.RANGE);
        // RFC 9110 section 14.2 has one field, and no list of them; Jetty takes the ranges of all. A unit that is not
        // understood must be ignored, and not refused. Jetty understands "bytes" in lower case only.
        if (fields.size() != 1
                || fields.get(0) == null
                || !fields.get(0).startsWith("bytes=")
                || count(fields.get(0)) > settings.getMaxRanges()
                || isUnreadable(fields.get(0))) {
            return false;
        }
        String version = request.get(HttpHeader.IF_RANGE);
        return version == null
                || (!version.startsWith("W/") && version.equals(content.getETagValue()))
                || (isDateOf(version, content) && !isOfOtherCodings(version, content, response));
    }

    // A file may become another version of the same date until its second is over. Until then the date is a weak
    // validator (RFC 9110 section 8.8.2.2), and If-Range needs a strong one (section 13.1.5).
    private static boolean isDateOf(String version, HttpContent content) {
        HttpField date = content.getLastModified();
        return date != null
                && version.equals(date.getValue())
                && HttpDateTime.parseToEpoch(version) + 1000 <= System.currentTimeMillis();
    }

    // A date that two codings have in common is a weak validator (section 8.8.1): parts of both would be joined.
    private static boolean isOfOtherCodings(String date, HttpContent content, Response response) {
        FileResource file = content.getResource() instanceof FileResource ours ? ours : null;
        Set<CompressedContentFormat> variants = content.getPreCompressedContentFormats();
        boolean hasVariants = variants != null && !variants.isEmpty();
        // What has a coding is compressed by nobody. Where it is no variant, an application chose it among others.
        boolean mayBeOther = response.getHeaders().contains(HttpHeader.VARY, HttpHeader.ACCEPT_ENCODING.asString())
                && (content.getContentEncoding() == null
                        ? file == null || file.isForCompression() || !passesCompressions(response)
                        : !hasVariants);
        return mayBeOther || (hasVariants && (file == null || file.isDateOfOtherCoding(date, content, variants)));
    }

    // A compression need not be seen: Jetty's older one, and those of applications, wrap nothing for who accepts no
    // coding. So the date holds only where Jetty's newer one may be what the answer varies by.
    private static boolean passesCompressions(Response response) {
        Server server =
                response.getRequest().getConnectionMetaData().getConnector().getServer();
        List<Handler> handlers = server.getDescendants();
        return SendPath.passesCompressions(response)
                && handlers.stream().anyMatch(handler -> JettyInternals.classOf(handler, COMPRESSION_HANDLER) != null)
                && handlers.stream().noneMatch(handler -> JettyInternals.classOf(handler, GZIP_HANDLER) != null);
    }

    private static boolean isUnreadable(String field) {
        if (EMPTY_ELEMENT.matcher(field).find()) {
            return true;
        }
        Matcher number = LONG_NUMBER.matcher(field);
        while (number.find()) {
            String digits = number.group();
            if (digits.length() > MOST.length() || digits.compareTo(MOST) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether Jetty may find several ranges in what a request says, in one field or in more. */
    static boolean areSeveral(HttpFields request) {
        if (!request.contains(HttpHeader.RANGE)) {
            return false;
        }
        List<String> fields = request.getValuesList(HttpHeader.RANGE);
        return fields.size() > 1 || (fields.size() == 1 && count(fields.get(0)) > 1);
    }

    private static long count(String field) {
        return field == null ? 0 : field.chars().filter(c -> c == ',').count() + 1;
    }
}
