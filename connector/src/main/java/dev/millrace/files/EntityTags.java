package dev.millrace.files;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.ComplianceViolation;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.EtagUtils;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.QuotedCSV;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContent;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** The entity tags of a request's conditions (RFC 9110 section 8.8.3), and what Jetty is to be given to compare them right. */
final class EntityTags {
    private static final List<HttpHeader> CONDITIONS = List.of(HttpHeader.IF_MATCH, HttpHeader.IF_NONE_MATCH);
    private static final Pattern ENTITY_TAG = Pattern.compile("(?:W/)?\"[^\"]*\"");
    /** An empty tag, which has no suffix. It matches no tag that has something in it. */
    private static final String NO_TAG = "\"\"";

    private static final String WEAK = "W/";

    private EntityTags() {}

    /**
     * Jetty makes the tag of a pre-compressed variant of that of the file itself. It would stay when the variant alone
     * is replaced.
     *
     * @param variants those that Jetty looks for
     * @return the same variant, with a tag of its own version if it is an open file; the suffix is Jetty's
     */
    static HttpContent ofItsOwn(PreCompressedHttpContent variant, List<CompressedContentFormat> variants) {
        if (!(variant.getResource() instanceof FileResource file)) {
            return variant;
        }
        String suffix = "";
        for (CompressedContentFormat format : variants) {
            if (format.getEncoding().equals(variant.getContentEncodingValue())) {
                suffix = format.getEtagSuffix();
                break;
            }
        }
        return tagged(variant, EtagUtils.rewriteWithSuffix(file.etag(), suffix));
    }

    /**
     * Jetty takes what follows the last hyphen of an entity tag for the suffix of a variant, and compares without it. In an empty tag it
     * looks for a suffix beyond the end. With a suffix to take away, a tag stays whole.
     */
    static HttpContent suffixed(HttpContent content, String etag) {
        return tagged(
                content,
                EtagUtils.ETAG_SEPARATOR.isEmpty()
                        ? etag
                        : etag.replaceFirst("(\"?)$", EtagUtils.ETAG_SEPARATOR + "$1"));
    }

    private static HttpContent tagged(HttpContent content, String etag) {
        HttpField field = new HttpField(HttpHeader.ETAG, etag);
        return new HttpContent.Wrapper(content) {
            @Override
            public HttpField getETag() {
                return field;
            }
        };
    }

    /** Whether Jetty fails to read the tags: it refuses some quotes, and in {@code a"b"} looks a letter too far back. */
    static boolean areMalformed(Request request) {
        HttpCompliance compliance =
                request.getConnectionMetaData().getHttpConfiguration().getHttpCompliance();
        for (HttpHeader condition : CONDITIONS) {
            for (String tags : request.getHeaders().getValuesList(condition)) {
                QuotedCSV read = new QuotedCSV.Etags(compliance, ComplianceViolation.Listener.NOOP);
                try {
                    read.addValue(tags);
                } catch (HttpException.RuntimeException | IndexOutOfBoundsException malformed) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Puts the tags of several fields into one, of which Jetty reads the last (RFC 9110 section 5.3). It also knows no weak
     * comparison, which is that of {@code If-None-Match} (section 13.1.2). So the client's tag becomes weak or strong as ours is.
     *
     * @param etag of what is asked for; null when it has none
     * @return the request's fields, changed; null where there is nothing to change
     */
    static HttpFields.@Nullable Mutable comparable(HttpFields request, @Nullable String etag) {
        HttpFields.Mutable changed = null;
        for (HttpHeader condition : CONDITIONS) {
            if (request.contains(condition)) {
                List<String> fields = request.getValuesList(condition);
                String tags = String.join(", ", fields);
                String compared = condition == HttpHeader.IF_NONE_MATCH
                                && etag != null
                                && (!isEmpty(etag) || etag.endsWith(NO_TAG))
                        ? as(etag, tags)
                        : tags;
                if (fields.size() > 1 || !compared.equals(tags)) {
                    changed = changed == null ? HttpFields.build(request) : changed;
                    changed.put(condition, compared);
                }
            }
        }
        return changed;
    }

    // Compared without the quotes at the end: a client may have the tag with the suffix of a compression. All tags
    // begin with what would be left of an empty one.
    private static String as(String etag, String tags) {
        boolean isWeak = etag.startsWith(WEAK);
        String whole = etag.substring(isWeak ? WEAK.length() : 0);
        String strong = isEmpty(etag) ? whole : whole.replaceFirst("\"$", "");
        String strongly = tags.replace(WEAK + strong, strong);
        return isWeak ? strongly.replace(strong, WEAK + strong) : strongly;
    }

    /** Whether there is nothing in it: weak or not, in quotes or not. */
    static boolean isEmpty(String etag) {
        for (int i = etag.startsWith(WEAK) ? 2 : 0; i < etag.length(); i++) {
            if (etag.charAt(i) != '"') {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether Jetty compares what stands before the last separator of a client's tag: another version may begin so too. An
     * empty tag is compared right without our help.
     */
    static boolean areComparedInPart(HttpFields request, String etag) {
        if (!EtagUtils.ETAG_SEPARATOR.isEmpty() && etag.endsWith("\"") && !isEmpty(etag)) {
            for (HttpHeader condition : CONDITIONS) {
                for (String tags : request.getValuesList(condition)) {
                    if (tags.contains(EtagUtils.ETAG_SEPARATOR)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Whether it is no tag, but a condition: "*", or several tags. */
    static boolean isCondition(@Nullable String etag) {
        if (etag == null || etag.equals("*")) {
            return etag != null;
        }
        int secondQuote = etag.indexOf('"', etag.indexOf('"') + 1);
        return secondQuote >= 0 && secondQuote < etag.length() - 1;
    }

    /** @return the fields of a request whose conditions have this tag, or none */
    static HttpFields only(String etag, HttpFields request) {
        HttpFields.Mutable fields = HttpFields.build(request);
        for (HttpHeader condition : CONDITIONS) {
            List<String> tags = fields.getValuesList(condition);
            if (!tags.isEmpty()) {
                fields.put(condition, tagOf(etag, String.join(",", tags)));
            }
        }
        return fields;
    }

    /** @return a request's fields, whose {@code If-None-Match} has this very tag, without a suffix, or none */
    static HttpFields exactly(String etag, HttpFields request) {
        String tags = String.join(",", request.getValuesList(HttpHeader.IF_NONE_MATCH));
        if (tags.isEmpty()) {
            return request;
        }
        boolean isAmong =
                ENTITY_TAG.matcher(tags).results().map(MatchResult::group).anyMatch(etag::equals);
        return HttpFields.build(request).put(HttpHeader.IF_NONE_MATCH, isAmong ? etag : NO_TAG);
    }

    // The client's tag may have the suffix of a compression, and keeps it: Jetty puts the client's tag into a 304.
    private static String tagOf(String etag, String tags) {
        String suffixed = etag.substring(0, etag.length() - 1) + EtagUtils.ETAG_SEPARATOR;
        return ENTITY_TAG
                .matcher(tags)
                .results()
                .map(MatchResult::group)
                .filter(tag -> tag.equals(etag) || tag.startsWith(suffixed))
                .findFirst()
                .orElse(NO_TAG);
    }
}
