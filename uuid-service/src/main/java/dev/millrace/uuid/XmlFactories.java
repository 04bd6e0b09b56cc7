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
 * Makes the Woodstox factories. It names their classes, because {@code XMLInputFactory.newFactory} may find another
 * parser, which does not know these limits. A configured factory is thread-safe.
 */
final class XmlFactories {
    /** Room for a generously indented document, since white space between elements is text too. */
    static final int MAX_TEXT_CHARS = 4096;

    static final int MAX_ATTRIBUTE_CHARS = 2048;
    static final int MAX_ATTRIBUTES = 8;
    static final int MAX_DEPTH = 8;

    private XmlFactories() {}

    /**
     * A factory of parsers that load nothing and expand no entities, with bounded memory per document.
     *
     * @param maxElements largest number of elements in a document
     * @param maxChars largest number of characters in a document
     */
    static XMLInputFactory hardenedInput(int maxElements, long maxChars) {
        XMLInputFactory2 factory = new WstxInputFactory();
        factory.configureForSpeed();
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, true);
        factory.setProperty(XMLInputFactory.IS_VALIDATING, false);
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        // A resolver that returned null would make the parser resolve the entity itself.
        XMLResolver refusing = (publicId, systemId, baseUri, namespace) -> {
            throw new XMLStreamException("external entities are not allowed");
        };
        factory.setProperty(XMLInputFactory.RESOLVER, refusing);
        factory.setProperty(WstxInputProperties.P_DTD_RESOLVER, refusing);
        factory.setProperty(WstxInputProperties.P_ENTITY_RESOLVER, refusing);
        // Lazy parsing would report errors late and as unchecked exceptions.
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

    /** A factory of documents in UTF-8. A document closes its stream. */
    static SMOutputFactory output() {
        WstxOutputFactory factory = new WstxOutputFactory();
        factory.configureForSpeed();
        // Woodstox returns its buffer for reuse only when it closes the stream.
        factory.setProperty(XMLOutputFactory2.P_AUTO_CLOSE_OUTPUT, true);
        factory.setProperty(XMLOutputFactory.IS_REPAIRING_NAMESPACES, false);
        factory.setProperty(WstxOutputProperties.P_USE_DOUBLE_QUOTES_IN_XML_DECL, true);
        return new SMOutputFactory(factory);
    }
}
