package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose memory others use next: it is given back when the end point has let go of it. */
class CountedWriteTest {
    private final List<String> calls = new ArrayList<>();
    private final Callback application = Callback.from(() -> calls.add("succeeded"), cause -> calls.add("completed"));

    private static <T> T of(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(CountedWriteTest.class.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> answers.get(method.getName())));
    }

    private CountedWrite write(HttpVersion version, boolean isCommitted) {
        EndPoint endPoint = of(EndPoint.class, Map.of("cancelWrite", Callback.from(() -> {
        }, cause -> calls.add("cancelled"))));
        ConnectionMetaData connection = of(ConnectionMetaData.class, Map.of("getHttpVersion", version,
                "getConnection", of(Connection.class, Map.of("getEndPoint", endPoint))));
        Response response = of(Response.class, Map.of("isCommitted", isCommitted,
                "getRequest", of(Request.class, Map.of("getConnectionMetaData", connection))));
        return new CountedWrite(() -> calls.add("released"), response, application);
    }

    @ParameterizedTest
    @CsvSource({"HTTP_1_1,true,true", "HTTP_1_0,true,true", "HTTP_2,true,false", "HTTP_1_1,false,false"})
    void whatIsPendingIsCancelledFirst(HttpVersion version, boolean isCommitted, boolean isCancelled) {
        write(version, isCommitted).failed(new IOException("given up"));
        assertEquals(isCancelled ? List.of("cancelled", "released", "completed") : List.of("released", "completed"), calls);
    }

    @Test
    void nothingIsCancelledThatHasCompleted() {
        write(HttpVersion.HTTP_1_1, true).succeeded();
        assertEquals(List.of("released", "succeeded"), calls);
    }
}
