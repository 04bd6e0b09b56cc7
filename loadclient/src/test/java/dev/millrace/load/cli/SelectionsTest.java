package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The files that a cell downloads. */
class SelectionsTest {

    private final Catalog catalog =
            new Catalog(List.of(new CatalogFile("small", 1024, null), new CatalogFile("big", 1 << 20, null)));

    private static List<String> names(List<CatalogFile> files) {
        return files.stream().map(CatalogFile::name).toList();
    }

    @Test
    void allFilesAreOneMixUnlessNamed() {
        assertEquals(List.of("mix"), Selections.names(catalog, null, null));
        assertEquals(List.of("small", "big"), Selections.names(catalog, List.of("each"), null));
        CatalogFile small = catalog.files().get(0);
        Catalog twice = new Catalog(List.of(small, small));
        assertEquals(List.of("small"), Selections.names(twice, List.of("each"), null), "listed twice");
        assertEquals(List.of("big"), Selections.names(catalog, List.of("big"), null));
        assertEquals(List.of("small", "big"), names(Selections.deck(catalog, "mix", false)));
        assertEquals(List.of("big"), names(Selections.deck(catalog, "big", false)));
        assertThrows(IllegalArgumentException.class, () -> Selections.deck(catalog, "none", false));
    }

    @Test
    void weightsMakeADeck() {
        String mix = Selections.names(catalog, null, "1k:3,1M:1").get(0);
        assertEquals(List.of("small", "small", "small", "big"), names(Selections.deck(catalog, mix, true)));
        for (String wrong : List.of("1k:99999999999", "1k:2147483647", "1k:60000,1M:60000")) {
            String reason = assertThrows(UsageException.class, () -> Selections.deck(catalog, wrong, true), wrong)
                    .getMessage();
            assertTrue(reason.startsWith("--mix"), reason);
        }
        for (String wrong : List.of("2k:1", "1k", "1k:x", "1k:0", "x:1")) {
            assertThrows(IllegalArgumentException.class, () -> Selections.deck(catalog, wrong, true), wrong);
        }
    }
}
