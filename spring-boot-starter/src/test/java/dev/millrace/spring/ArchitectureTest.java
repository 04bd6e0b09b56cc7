package dev.millrace.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.millrace.spring");

    /** An application may have neither. */
    @Test
    void onlyStaticResourcesKnowServletsAndSpringMvc() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(StaticResource.*|File(Region)?Converter|LeftToServer.*|MillraceAutoConfiguration.*)")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet..", "org.eclipse.jetty.ee11..", "org.springframework.web..")
                .check(STARTER);
    }

    @Test
    void whatUsersNameIsPublic() {
        classes()
                .that()
                .areTopLevelClasses()
                .and()
                .arePublic()
                .should()
                .haveNameMatching(".*\\.Millrace((Metrics)?AutoConfiguration|Properties)")
                .check(STARTER);
    }
}
