package dev.millrace.peers.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.peers.soak.SoakFile.Change;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An answer may be cut off with some files; with none it may stay away. */
class SoakFileTest {
    private static SoakFile file(Change change) {
        return new SoakFile(2, "2.bin", 104, change);
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void anAnswerThatStaysAwayIsNeverRight(Change change) {
        List<IOException> failures = List.of(
                new SocketTimeoutException("read"),
                new HttpTimeoutException("request"),
                new HttpConnectTimeoutException("connect"),
                new ConnectException("refused"));
        for (IOException failure : failures) {
            assertFalse(file(change).mayBeCutBy(failure), failure.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void anAnswerMayBeCutOffUnlessItsFileIsReplaced(Change change) {
        assertEquals(change != Change.REPLACED, file(change).mayBeCutBy(new EOFException()));
    }
}
