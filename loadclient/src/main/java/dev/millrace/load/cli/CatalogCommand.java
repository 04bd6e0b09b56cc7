package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.scenario.Catalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient catalog DIR}: writes the catalogue that {@code download} reads. */
@Command(
        name = "catalog",
        mixinStandardHelpOptions = true,
        description = "Writes names, sizes and MD5 of the files below DIR, as loadclient download reads them.",
        footer = {"", "Example:", "  loadclient catalog /srv/www && loadclient download http://127.0.0.1:8080/"})
final class CatalogCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The file to write (default: " + Catalog.NAME + " in DIR).")
    private @Nullable Path output;

    @Parameters(paramLabel = "DIR", description = "The folder that the server's files are in.")
    private Path folder;

    @Override
    public Integer call() throws IOException {
        require(Files.isDirectory(folder), "no such folder: " + folder);
        Path file = output == null ? folder.resolve(Catalog.NAME) : output;
        Catalog catalog = Catalog.ofFolder(folder, file);
        require(!catalog.files().isEmpty(), "no file in " + folder);
        try {
            Files.write(file, catalog.json());
        } catch (IOException e) {
            throw OutputFolder.unwritable(file, e);
        }
        spec.commandLine().getOut().println(file + ": " + catalog.files().size() + " files");
        return ExitCode.GOOD;
    }
}
