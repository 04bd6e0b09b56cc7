package dev.millrace.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Whatever is tested here is done by the starter: this knows nothing of it. */
@SpringBootConfiguration
@EnableAutoConfiguration
class HelloApplication {
    /** A request that waits until a test lets it go on. */
    static final class Gate {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch opened = new CountDownLatch(1);
    }

    @Bean
    Gate gate() {
        return new Gate();
    }

    @RestController
    static class Hello {
        private final Gate gate;

        Hello(Gate gate) {
            this.gate = gate;
        }

        @GetMapping("/hello")
        String hello(HttpServletRequest request) {
            return request.getScheme() + ": hello";
        }

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().toString();
        }

        @GetMapping("/gate")
        String passGate() throws InterruptedException {
            gate.entered.countDown();
            return gate.opened.await(60, TimeUnit.SECONDS) ? "passed" : "stayed";
        }

        @GetMapping("/failing")
        String fail() {
            throw new IllegalStateException("as the test wants it");
        }

        @GetMapping("/long")
        String longText() {
            return "a long text ".repeat(1000);
        }
    }
}
