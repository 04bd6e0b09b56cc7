package dev.millrace.uuid;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.api.WstxOutputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.stax.WstxOutputFactory;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLResolver;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.XMLInputFactory2;
import org.codehaus.stax2.XMLOutputFactory2;
import org.codehaus.staxmate.SMOutputFactory;

/**
 * Makes the Woodstox factories: by class, since the lookup of {@code XMLInputFactory.newFactory} may find another
 * parser, which would not know these limits. The factories are thread-safe once they are configured.
 */
final class XmlFactories {
    /** White space between elements is text too: room for a generously indented document. */
    static final int MAX_TEXT_CHARS = 4096;
    static final int MAX_ATTRIBUTE_CHARS = 2048;
    static final int MAX_ATTRIBUTES = 8;
    static final int MAX_DEPTH = 8;

    private XmlFactories() {
    }

    /**
     * A parser factory that fetches nothing, expands nothing, and whose memory per document is bounded.
     *
     * @param maxElements how many elements a document may have
     * @param maxChars how many characters a document may have
     */
    static XMLInputFactory hardenedInput(int maxElements, long maxChars) {
        XMLInputFactory2 factory = new WstxInputFactory();
        factory.configureForSpeed();
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, true);
        factory.setProperty(XMLInputFactory.IS_VALIDATING, false);
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        // A resolver that returns null would mean "find it yourself".
        XMLResolver refusing = (publicId, systemId, baseUri, namespace) -> {
            throw new XMLStreamException("external entities are not allowed");
        };
        factory.setProperty(XMLInputFactory.RESOLVER, refusing);
        factory.setProperty(WstxInputProperties.P_DTD_RESOLVER, refusing);
        factory.setProperty(WstxInputProperties.P_ENTITY_RESOLVER, refusing);
        // Lazy parsing reports errors late, and as unchecked exceptions.
        factory.setProperty(XMLInputFactory2.P_LAZY_PARSING, false);
        factory.setProperty(XMLInputFactory2.P_PRESERVE_LOCATION, true);
        factory.setProperty(WstxInputProperties.P_MAX_ENTITY_COUNT, 1);
        factory.setProperty(WstxInputProperties.P_MAX_ENTITY_DEPTH, 1);
        factory.setProperty(WstxInputProperties.P_MAX_DTD_DEPTH, 1);
        factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, MAX_DEPTH);
        factory.setProperty(WstxInputProperties.P_MAX_ELEMENT_COUNT, (long) maxElements);
        factory.setProperty(WstxInputProperties.P_MAX_CHILDREN_PER_ELEMENT, maxElements);
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, MAX_ATTRIBUTES);
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, MAX_ATTRIBUTE_CHARS);
        factory.setProperty(WstxInputProperties.P_MAX_TEXT_LENGTH, MAX_TEXT_CHARS);
        factory.setProperty(WstxInputProperties.P_MAX_CHARACTERS, maxChars);
        return factory;
    }

    /** A factory of documents in UTF-8; a document closes the stream that it goes to. */
    static SMOutputFactory output() {
        WstxOutputFactory factory = new WstxOutputFactory();
        factory.configureForSpeed();
        // Woodstox gives the buffer in front of a stream back for reuse only when it closes the stream.
        factory.setProperty(XMLOutputFactory2.P_AUTO_CLOSE_OUTPUT, true);
        factory.setProperty(XMLOutputFactory.IS_REPAIRING_NAMESPACES, false);
        factory.setProperty(WstxOutputProperties.P_USE_DOUBLE_QUOTES_IN_XML_DECL, true);
        return new SMOutputFactory(factory);
    }
}
