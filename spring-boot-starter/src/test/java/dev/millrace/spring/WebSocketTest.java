package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.handler.TextWebSocketHandler;

/** Connections become WebSockets. */
class WebSocketTest {
    @Configuration
    @EnableWebSocket
    @Import(HelloApplication.class)
    static class Echoing implements WebSocketConfigurer {
        @Override
        public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(
                    new TextWebSocketHandler() {
                        @Override
                        protected void handleTextMessage(WebSocketSession session, TextMessage message)
                                throws Exception {
                            session.sendMessage(new TextMessage("echo of " + message.getPayload()));
                        }
                    },
                    "/echo");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "bio"})
    void messagesAreAnswered(String kind) throws Exception {
        try (RunningApp app = RunningApp.start(Echoing.class, "--millrace.connector=" + kind)) {
            CompletableFuture<String> received = new CompletableFuture<>();
            WebSocket socket = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("ws://localhost:" + app.port() + "/echo"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                            received.complete(data.toString());
                            return null;
                        }
                    })
                    .get(60, TimeUnit.SECONDS);
            socket.sendText("a message", true).get(60, TimeUnit.SECONDS);
            assertEquals("echo of a message", received.get(60, TimeUnit.SECONDS));
            socket.abort();
        }
    }
}
