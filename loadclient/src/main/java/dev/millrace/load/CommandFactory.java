package dev.millrace.load;

import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes the commands, giving those that measure the means to be interrupted. */
final class CommandFactory implements IFactory {

    private final Interruption interruption;
    private final IFactory fallback = CommandLine.defaultFactory();

    CommandFactory(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public <K> K create(Class<K> type) throws Exception {
        if (type == UuidCommand.class) {
            return type.cast(new UuidCommand(interruption));
        }
        if (type == DownloadCommand.class) {
            return type.cast(new DownloadCommand(interruption));
        }
        if (type == DemoCommand.class) {
            return type.cast(new DemoCommand(interruption));
        }
        if (type == SelftestCommand.class) {
            return type.cast(new SelftestCommand(interruption));
        }
        if (type == ReplayCommand.class) {
            return type.cast(new ReplayCommand(interruption));
        }
        return fallback.create(type);
    }
}
