package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.SettingPlaces.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A setting of the connectors is forgotten in none of its places: setter, JMX, modules of the distribution, pages. */
class SettingPlacesTest {
    /** A connector whose author forgot everything but the setter. */
    public static final class Forgetful extends BioConnector {
        Forgetful(Server server) {
            super(server);
        }

        /** Without a word on its argument. */
        public void setForgottenMillis(long forgottenMillis) {
            setIdleTimeout(forgottenMillis);
        }

        public long getForgottenMillis() {
            return getIdleTimeout();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {BioConnector.class, NioConnector.class})
    void noSettingIsForgotten(Class<? extends MillraceConnector> connector) throws IOException {
        SettingPlaces places = new SettingPlaces(connector, UnaryOperator.identity());
        NavigableSet<String> settings = places.settings();
        assertTrue(
                settings.containsAll(Set.of("slowPeerGraceMillis", "workers", "headerCacheSize")), settings::toString);
        assertTrue(settings.size() >= 11, settings::toString);
        for (String setting : settings) {
            assertEquals(Set.of(), places.lacking(setting), setting);
        }
    }

    @Test
    void whatIsForgottenIsFound() throws IOException {
        SettingPlaces places = new SettingPlaces(BioConnector.class, UnaryOperator.identity());
        assertEquals(
                Set.of(
                        Place.SETTER.title(),
                        Place.ATTRIBUTE.title(),
                        Place.TABLE.title(),
                        Place.README.title(),
                        Place.TEMPLATE.title() + ": millrace-bio.mod",
                        Place.TEMPLATE.title() + ": millrace-bio-https.mod",
                        Place.XML.title() + ": millrace-bio.xml",
                        Place.XML.title() + ": millrace-bio-https.xml"),
                places.lacking("forgottenMillis"));
    }

    @Test
    void aSetterIsASettingAndAGetterNoAttribute() {
        SettingPlaces places = new SettingPlaces(Forgetful.class, UnaryOperator.identity());
        assertTrue(places.settings().contains("forgottenMillis"));
        assertFalse(places.isAttribute("forgottenMillis"));
        assertTrue(places.isAttribute("slowPeerGraceMillis"));
    }

    @Test
    void eachPlaceIsLookedAtByItself() throws IOException {
        assertLacking(Place.SETTER, text -> text.replaceAll("(?m)^ .*@param slowPeerGraceMillis.*\n", ""));
        assertLacking(Place.SETTER, text -> text.replace("/** @param slowPeerGraceMillis the", "/** The"));
        assertLacking(Place.TABLE, text -> text.replace("| `slowPeerGraceMillis` | 5000 | all |", "|"));
        assertLacking(Place.README, text -> text.replace("| `slowPeerGraceMillis` | 5000 | time", "| time"));
        assertLacking(
                Place.TEMPLATE,
                text -> text.replaceAll("# millrace\\.nio\\.slowPeerGraceMillis=.*\n", ""),
                "millrace-nio.mod");
        assertLacking(
                Place.XML,
                text -> text.replaceAll("<Set name=\"slowPeerGraceMillis\" property=\"millrace.nio.https.*\n", ""),
                "millrace-nio-https.xml");
    }

    private static void assertLacking(Place place, UnaryOperator<String> text, String... file) throws IOException {
        SettingPlaces places = new SettingPlaces(NioConnector.class, text);
        String lacking = file.length == 0 ? place.title() : place.title() + ": " + file[0];
        assertEquals(Set.of(lacking), places.lacking("slowPeerGraceMillis"));
        assertEquals(Set.of(), places.lacking("workers"));
    }

    @Test
    void contributorsAreToldAllPlaces() throws IOException {
        String page = Files.readString(Path.of("..", "CONTRIBUTING.md")).replace("`", "");
        for (Place place : Place.values()) {
            assertTrue(page.contains(place.title()), place.title());
        }
        assertTrue(page.contains(SettingPlacesTest.class.getSimpleName()), "this test");
    }
}
