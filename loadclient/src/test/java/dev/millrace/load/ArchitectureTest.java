package dev.millrace.load;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies between packages have no cycle. */
class ArchitectureTest {

    @Test
    void packagesHaveNoCycles() {
        JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.millrace.load");
        assertFalse(classes.isEmpty());
        slices().matching("dev.millrace.(load..)").should().beFreeOfCycles().check(classes);
    }
}
