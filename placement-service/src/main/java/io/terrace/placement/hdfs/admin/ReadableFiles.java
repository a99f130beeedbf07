package io.terrace.placement.hdfs.admin;

import io.terrace.placement.hdfs.admin.HottestBlocks.Hot;
import io.terrace.placement.hdfs.admin.HottestBlocks.Ranking;
import io.terrace.placement.state.NamespaceView.Named;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.ipc.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Which files of the hottest blocks a user may read. The namespace is asked once for each user and file of a {@link
 * Ranking}, which is good for a second, for a bounded number of files at a time, and for {@value #MOST_USERS} users of one
 * ranking at most. Thread-safe; whoever asks meanwhile waits.
 */
final class ReadableFiles {

    static final int MOST_USERS = 16;

    private final int filesPerLook;
    private final Map<String, Map<Named, Boolean>> answers = new HashMap<>();
    private @Nullable Ranking answered;

    /** Whether the caller may read each of a bounded number of files. */
    @FunctionalInterface
    interface Check {
        List<Boolean> mayRead(List<Named> files) throws IOException;
    }

    ReadableFiles(int filesPerLook) {
        this.filesPerLook = filesPerLook;
    }

    /**
     * For each of the first rows whether the user may read the block's file; false where it is gone.
     *
     * @throws RetriableException when too many others have asked about this ranking
     */
    synchronized List<Boolean> of(Ranking ranking, int rows, String user, Check check) throws IOException {
        if (ranking != answered) {
            answers.clear();
            answered = ranking;
        }
        Map<Named, Boolean> known = answers.get(user);
        if (known == null) {
            if (answers.size() == MOST_USERS) {
                throw new RetriableException(
                        "placement looks up what " + MOST_USERS + " users may read in a second; ask again");
            }
            known = new HashMap<>();
            answers.put(user, known);
        }
        List<Hot> hottest =
                ranking.hottest().subList(0, Math.min(rows, ranking.hottest().size()));
        learn(hottest, known, check);
        Map<Named, Boolean> readable = known;
        return hottest.stream()
                .map(hot -> hot.file() != null && readable.getOrDefault(hot.file(), false))
                .toList();
    }

    private void learn(List<Hot> hottest, Map<Named, Boolean> known, Check check) throws IOException {
        List<Named> unknown = hottest.stream()
                .map(Hot::file)
                .filter(Objects::nonNull)
                .filter(file -> !known.containsKey(file))
                .distinct()
                .toList();
        for (int from = 0; from < unknown.size(); from += filesPerLook) {
            List<Named> some = unknown.subList(from, Math.min(unknown.size(), from + filesPerLook));
            List<Boolean> may = check.mayRead(some);
            for (int i = 0; i < some.size(); i++) {
                known.put(some.get(i), may.get(i));
            }
        }
    }
}
