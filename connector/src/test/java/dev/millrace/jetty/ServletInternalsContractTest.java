package dev.millrace.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Servlets;
import dev.millrace.testing.TestServer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.ee11.servlet.ServletContextResponse;
import org.eclipse.jetty.ee11.servlet.ServletCoreResponse;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.Test;

/** The response that Jetty's servlets of files write to: content goes past it only where nobody can tell. */
class ServletInternalsContractTest {
    /** Has it done inside of a servlet. */
    private static void serve(Servlets.Serving serving) throws Exception {
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(Servlets.get(serving)), "/");
        try (TestServer server = new TestServer(Connectors.STOCK::http)) {
            server.start(context);
            try (RawClient client = server.client()) {
                RawClient.Answer answer = client.get("/").answer();
                assertEquals(200, answer.status(), answer::text);
            }
        }
    }

    private static Response core(HttpServletRequest request, HttpServletResponse response, boolean isIncluded) {
        return ServletCoreResponse.wrap(ServletContextRequest.getServletContextRequest(request), response, isIncluded);
    }

    @Test
    void contentGoesPastOneThatOnlyCountsIt() throws Exception {
        serve((request, response) -> {
            ServletContextResponse context = ServletContextResponse.getServletContextResponse(response);
            Response core = core(request, response, false);
            core.getHeaders().put(HttpHeader.CONTENT_LENGTH, 0L);
            assertSame(context, ServletInternals.pastOutput(core));
            // As Jetty's channel sees it at the end: nothing was promised.
            assertEquals(-1, context.getHttpOutput().getApplicationContentLength());
            assertNotNull(context.getWrapped().getHeaders().getField(HttpHeader.CONTENT_LENGTH));
        });
    }

    @Test
    void contentGoesThroughAResponseOfAnApplication() throws Exception {
        serve((request, response) -> {
            Response core = core(request, new HttpServletResponseWrapper(response), false);
            assertSame(core, ServletInternals.pastOutput(core));
        });
    }

    /** It must not end the page. */
    @Test
    void contentThatIsIncludedGoesThrough() throws Exception {
        serve((request, response) -> {
            Response core = core(request, response, true);
            assertSame(core, ServletInternals.pastOutput(core));
        });
    }

    @Test
    void contentGoesThroughAfterWhatHasBeenWritten() throws Exception {
        serve((request, response) -> {
            Response core = core(request, response, false);
            response.getWriter();
            assertSame(core, ServletInternals.pastOutput(core));
        });
        serve((request, response) -> {
            Response core = core(request, response, false);
            response.getOutputStream();
            assertSame(core, ServletInternals.pastOutput(core));
        });
    }
}
