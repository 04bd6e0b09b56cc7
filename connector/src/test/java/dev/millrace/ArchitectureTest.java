package dev.millrace;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The directions of dependencies. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.millrace");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.millrace.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void transferKnowsNobody() {
        noClasses()
                .that()
                .resideInAPackage("dev.millrace.transfer..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.millrace.connector..",
                        "dev.millrace.files..",
                        "dev.millrace.ee11..",
                        "org.eclipse.jetty.server..")
                .check(CLASSES);
    }

    @Test
    void jettyIsBelowAll() {
        noClasses()
                .that()
                .resideInAPackage("dev.millrace.jetty..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.millrace..").and(resideOutsideOfPackage("dev.millrace.jetty..")))
                .check(CLASSES);
    }

    @Test
    void jettyAloneKnowsWhatJettyDoesNotExport() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.millrace.jetty..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty..internal..")
                .check(CLASSES);
    }

    @Test
    void limitsKnowNoConnector() {
        noClasses()
                .that()
                .resideInAPackage("dev.millrace.limits..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.millrace.connector..", "dev.millrace.monitor..", "dev.millrace.files..")
                .check(CLASSES);
    }

    @Test
    void connectorAndFilesMeetInTransferOnly() {
        noClasses()
                .that()
                .resideInAPackage("dev.millrace.connector..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.millrace.files..", "dev.millrace.xsendfile..", "dev.millrace.ee11..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage("dev.millrace.files..", "dev.millrace.xsendfile..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.millrace.connector..", "dev.millrace.ee11..")
                .check(CLASSES);
    }

    @Test
    void blockingAndSelectorsAreApart() {
        noClasses()
                .that(simpleNameStartingWith("Bio"))
                .should()
                .dependOnClassesThat(simpleNameStartingWith("Nio"))
                .check(CLASSES);
        noClasses()
                .that(simpleNameStartingWith("Nio"))
                .should()
                .dependOnClassesThat(simpleNameStartingWith("Bio"))
                .check(CLASSES);
    }

    @Test
    void servletsAreInTheirOwnJar() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.millrace.ee11..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet..", "org.eclipse.jetty.ee11..")
                .check(CLASSES);
    }
}
