package dev.millrace.uuid;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.UUID;
import javax.xml.stream.XMLStreamException;
import org.codehaus.staxmate.SMOutputFactory;
import org.codehaus.staxmate.out.SMOutputDocument;
import org.codehaus.staxmate.out.SMOutputElement;

/**
 * Writes {@code <response><uuid>...</uuid>...</response>} and
 * {@code <error><msg>...</msg><cause type="" line="" column=""/></error>} in UTF-8 as a stream. Thread-safe.
 */
final class XmlWriter implements ResponseWriter {
    /** A line break, and spaces of which each level of nesting takes two more. */
    private static final String INDENTATION = "\n                ";

    private final SMOutputFactory factory = XmlFactories.output();

    @Override
    public void writeUuids(List<UUID> uuids, boolean indented, OutputStream out) throws IOException {
        try {
            SMOutputDocument document = document(indented, out);
            SMOutputElement response = document.addElement("response");
            for (UUID uuid : uuids) {
                response.addElementWithCharacters(null, "uuid", uuid.toString());
            }
            document.closeRoot();
        } catch (XMLStreamException e) {
            throw unwrapped(e);
        }
    }

    @Override
    public void writeRefusal(Refusal refusal, boolean indented, OutputStream out) throws IOException {
        try {
            SMOutputDocument document = document(indented, out);
            SMOutputElement error = document.addElement("error");
            error.addElementWithCharacters(null, "msg", refusal.message());
            SMOutputElement cause = error.addElement("cause");
            cause.addAttribute("type", refusal.reason().type());
            if (refusal.hasLocation()) {
                cause.addAttribute(null, "line", refusal.line());
                cause.addAttribute(null, "column", refusal.column());
            }
            document.closeRoot();
        } catch (XMLStreamException e) {
            throw unwrapped(e);
        }
    }

    private SMOutputDocument document(boolean indented, OutputStream out) throws XMLStreamException {
        SMOutputDocument document = factory.createOutputDocument(out);
        if (indented) {
            document.setIndentation(INDENTATION, 1, 2);
        }
        return document;
    }

    private static IOException unwrapped(XMLStreamException e) {
        return e.getNestedException() instanceof IOException io ? io : new IOException(e);
    }
}
