package dev.millrace.spring;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.MockMvc;

/** Without a server, an application is tested as ever. */
@SpringBootTest(
        classes = HelloApplication.class,
        properties = "spring.web.resources.static-locations=file:src/test/resources/static/")
@AutoConfigureMockMvc
class MockMvcTest {
    @Autowired
    private MockMvc mvc;

    @Test
    void controllersAnswer() throws Exception {
        mvc.perform(get("/hello"))
                .andExpect(status().isOk())
                .andExpect(content().string("http: hello"));
    }

    @Test
    void staticResourcesAreWritten() throws Exception {
        mvc.perform(get("/static.txt"))
                .andExpect(status().isOk())
                .andExpect(content().string("a static resource\n"));
        mvc.perform(get("/static.txt").header("Range", "bytes=2-7"))
                .andExpect(status().isPartialContent())
                .andExpect(header().string("Content-Range", "bytes 2-7/18"))
                .andExpect(content().string("static"));
    }
}
