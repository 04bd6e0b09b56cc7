package dev.millrace.load.report;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes conditions as test cases in JUnit's XML, which build servers show. Stateless. */
public final class JunitFile {

    private static final String CLASS_NAME = "loadclient";
    /** What XML 1.0 section 2.2 does not allow, and the halves of pairs, which are one character only together. */
    private static final String NO_XML = "[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD]";

    private JunitFile() {}

    /** What became of a case. */
    public enum Outcome {
        /** It is true. */
        PASSED,
        /** It is not true: the server is to blame. */
        FAILURE,
        /** It is not known, because the measurement failed or is not valid. */
        ERROR
    }

    /**
     * A condition on a cell. Immutable.
     *
     * @param name    the cell, and the condition
     * @param seconds time that was measured
     * @param outcome what became of it
     * @param message the reason for people; empty if it passed
     */
    public record Case(String name, double seconds, Outcome outcome, String message) {}

    /**
     * Writes the file.
     *
     * @param suite   name of the run
     * @param started ISO 8601 time
     * @throws IOException if the file cannot be written
     */
    public static void write(Path file, String suite, String started, List<Case> cases) throws IOException {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeCharacters("\n");
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", plain(suite));
            xml.writeAttribute("timestamp", started.replaceFirst("Z$", ""));
            xml.writeAttribute("tests", Integer.toString(cases.size()));
            xml.writeAttribute("failures", Long.toString(count(cases, Outcome.FAILURE)));
            xml.writeAttribute("errors", Long.toString(count(cases, Outcome.ERROR)));
            xml.writeAttribute("skipped", "0");
            xml.writeAttribute(
                    "time", seconds(cases.stream().mapToDouble(Case::seconds).sum()));
            for (Case one : cases) {
                write(xml, one);
            }
            xml.writeCharacters("\n");
            xml.writeEndElement();
            xml.writeCharacters("\n");
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
        Files.writeString(file, text.toString());
    }

    private static void write(XMLStreamWriter xml, Case one) throws XMLStreamException {
        xml.writeCharacters("\n  ");
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", CLASS_NAME);
        xml.writeAttribute("name", plain(one.name()));
        xml.writeAttribute("time", seconds(one.seconds()));
        if (one.outcome() != Outcome.PASSED) {
            xml.writeEmptyElement(one.outcome().name().toLowerCase(Locale.ROOT));
            xml.writeAttribute("message", plain(one.message()));
        }
        xml.writeEndElement();
    }

    private static long count(List<Case> cases, Outcome outcome) {
        return cases.stream().filter(one -> one.outcome() == outcome).count();
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }

    private static String plain(String text) {
        return text.replaceAll(NO_XML, "?");
    }
}
