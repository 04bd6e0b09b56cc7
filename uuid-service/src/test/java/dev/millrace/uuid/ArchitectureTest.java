package dev.millrace.uuid;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses SERVICE = new ClassFileImporter()
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
                .check(SERVICE);
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
                .check(SERVICE);
    }

    @Test
    void onlyTheReaderOfJsonKnowsItsParser() {
        noClasses()
                .that()
                .doNotHaveSimpleName("JsonReader")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.fasterxml.jackson..")
                .check(SERVICE);
    }

    @Test
    void runsInEveryServletContainer() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.eclipse..", "dev.millrace.connector..", "org.w3c.dom..", "javax.xml.parsers..")
                .check(SERVICE);
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
                .check(SERVICE);
    }
}
