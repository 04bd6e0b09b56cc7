package dev.millrace.uuid;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Reads XML responses with another parser than the service's. */
final class Responses {
    private Responses() {}

    static List<UUID> uuids(String answer) throws Exception {
        Element root = parse(answer).getDocumentElement();
        if (!root.getTagName().equals("response")) {
            throw new AssertionError("not a response: " + answer);
        }
        NodeList children = root.getElementsByTagName("*");
        List<UUID> uuids = new ArrayList<>();
        for (int i = 0; i < children.getLength(); i++) {
            if (!children.item(i).getNodeName().equals("uuid")) {
                throw new AssertionError("not a uuid: " + answer);
            }
            uuids.add(UUID.fromString(children.item(i).getTextContent()));
        }
        return uuids;
    }

    /** The cause element of an error, whose message must not be empty. */
    static Element cause(String answer) throws Exception {
        Element root = parse(answer).getDocumentElement();
        if (!root.getTagName().equals("error")
                || root.getElementsByTagName("msg").item(0).getTextContent().isBlank()) {
            throw new AssertionError("not an error with a message: " + answer);
        }
        return (Element) root.getElementsByTagName("cause").item(0);
    }

    private static Document parse(String answer) throws Exception {
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(answer)));
    }
}
