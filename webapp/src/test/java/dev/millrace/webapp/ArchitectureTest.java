package dev.millrace.webapp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.millrace.webapp");

    @Test
    void packagesHaveNoCycle() {
        slices().matching("dev.millrace.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void theApplicationKnowsNoServer() {
        noClasses()
                .that()
                .resideInAPackage("dev.millrace.webapp")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.eclipse.jetty..", "dev.millrace.connector..", "dev.millrace.webapp.server..")
                .check(CLASSES);
    }

    /** What it is annotated with is for the compiler: the JVM does without. */
    @Test
    void theLauncherUsesNothingButTheJdk() {
        classes()
                .that()
                .resideInAPackage("dev.millrace.webapp.launch")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify.annotations", "dev.millrace.webapp.launch")
                .check(CLASSES);
    }
}
