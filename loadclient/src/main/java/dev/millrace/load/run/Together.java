package dev.millrace.load.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs cells of equally many clients in one window, in which their clients take turns of a few requests. So what else
 * the machine does happens to all of them. One thread calls {@link #run} once; any thread may call {@link #stop}.
 */
public final class Together {

    private final List<CellRun> runs;

    /** The runs of the cells, in the order in which they begin. */
    public Together(List<CellRun> runs) {
        this.runs = List.copyOf(runs);
    }

    /** Ends the window early for all cells. */
    public void stop() {
        runs.forEach(CellRun::stop);
    }

    /**
     * Runs the cells.
     *
     * @param repetition counted from 0
     * @return their results, in their order
     * @throws InterruptedException if the calling thread is interrupted; the clients end then
     */
    public List<CellResult> run(int repetition) throws InterruptedException {
        if (runs.size() == 1) {
            return List.of(runs.get(0).run(repetition));
        }
        SharedWindow window = new SharedWindow(
                runs.stream().map(CellRun::clock).toList(),
                runs.stream().map(CellRun::cpu).toList());
        for (int i = 0; i < runs.get(0).clock().turns().size(); i++) {
            int client = i;
            Turn.join(runs.stream().map(run -> run.clock().turns().get(client)).toList());
        }
        List<Callable<CellResult>> tasks = new ArrayList<>();
        runs.forEach(run -> tasks.add(() -> run.run(repetition, window)));
        ExecutorService threads = Executors.newFixedThreadPool(runs.size());
        try {
            List<CellResult> results = new ArrayList<>();
            for (Future<CellResult> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
        } finally {
            window.giveUp();
            threads.shutdown();
        }
    }
}
