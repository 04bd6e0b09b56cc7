package dev.millrace.uuid;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private final JavaClasses service = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.millrace.uuid");

    @Test
    void onlyTheServletAndTheReaderOfQueriesKnowHttp() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.(UuidServlet|QueryReader)")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jakarta.servlet..")
                .check(service);
    }

    @Test
    void onlyXmlClassesKnowXml() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("Xml")
                .and()
                .areNotAssignableTo(UuidServlet.class)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.xml..", "org.codehaus..", "com.ctc..")
                .check(service);
    }

    @Test
    void onlyTheReaderOfJsonKnowsItsParser() {
        noClasses()
                .that()
                .doNotHaveSimpleName("JsonReader")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.fasterxml.jackson..")
                .check(service);
    }

    @Test
    void runsInEveryServletContainer() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.eclipse..", "dev.millrace.connector..", "org.w3c.dom..", "javax.xml.parsers..")
                .check(service);
    }

    @Test
    void theServletIsTheOnlyPublicType() {
        classes()
                .that()
                .areTopLevelClasses()
                .and()
                .arePublic()
                .should()
                .be(UuidServlet.class)
                .check(service);
    }
}
