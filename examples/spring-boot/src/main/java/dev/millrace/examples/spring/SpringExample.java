package dev.millrace.examples.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring Boot on a connector of Millrace, by nothing but the dependency. */
@SpringBootApplication
@RestController
public class SpringExample {

    @GetMapping("/hello")
    String hello(HttpServletRequest request) {
        return request.getScheme() + ": Hello from Spring";
    }

    public static void main(String[] args) {
        SpringApplication.run(SpringExample.class, args);
    }
}
