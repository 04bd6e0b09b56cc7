package dev.millrace.files;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** The codings of contents that a request accepts (RFC 9110 section 12.5.3). */
final class AcceptedEncodings {
    private static final String WILDCARD = "*";

    private AcceptedEncodings() {}

    /**
     * Names what a wildcard stands for: the codings that are not named beside it. To Jetty it is any, also one that is refused.
     *
     * @param offered codings that contents may have
     * @return a request whose fields say so, once they are asked for: after the content is found
     */
    static Request named(Request request, List<CompressedContentFormat> offered) {
        return new Request.Wrapper(request) {
            @Override
            public HttpFields getHeaders() {
                return withoutWildcard(super.getHeaders(), offered);
            }
        };
    }

    private static HttpFields withoutWildcard(HttpFields request, List<CompressedContentFormat> offered) {
        String accepted = String.join(",", request.getValuesList(HttpHeader.ACCEPT_ENCODING));
        if (!accepted.contains(WILDCARD)) {
            return request;
        }
        List<String> elements =
                Arrays.stream(accepted.split(",")).map(String::strip).toList();
        List<String> others = offered.stream()
                .map(CompressedContentFormat::getEncoding)
                .filter(coding -> elements.stream().noneMatch(element -> isOf(element, coding)))
                .toList();
        String named = elements.stream()
                .map(element -> element.startsWith(WILDCARD) ? each(others, element.substring(1)) : element)
                .collect(Collectors.joining(","));
        return HttpFields.build(request).put(HttpHeader.ACCEPT_ENCODING, named);
    }

    private static boolean isOf(String element, String coding) {
        int end = element.indexOf(';');
        return (end < 0 ? element : element.substring(0, end)).strip().equalsIgnoreCase(coding);
    }

    /** @param weight of each, or an empty string */
    private static String each(List<String> codings, String weight) {
        return codings.isEmpty()
                ? WILDCARD + ";q=0"
                : codings.stream().map(coding -> coding + weight).collect(Collectors.joining(","));
    }
}
