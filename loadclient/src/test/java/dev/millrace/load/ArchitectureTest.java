package dev.millrace.load;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Test;

/** Neither packages nor source files depend on each other in a cycle. */
class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.millrace.load");

    /** Assigns nested types to the file of their outermost type. */
    private static final SliceAssignment FILES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""));
        }

        @Override
        public String getDescription() {
            return "source files";
        }
    };

    @Test
    void packagesHaveNoCycles() {
        assertFalse(CLASSES.isEmpty());
        slices().matching("dev.millrace.(load..)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void filesHaveNoCycles() {
        slices().assignedFrom(FILES).should().beFreeOfCycles().check(CLASSES);
    }
}
