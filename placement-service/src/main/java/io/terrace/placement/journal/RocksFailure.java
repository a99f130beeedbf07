package io.terrace.placement.journal;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.journal.JournalException.Next;
import java.nio.file.Path;
import java.util.Locale;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status.Code;

/** What a failure of RocksDB means for a journal: which are to be tried again, and which journals are of no use any more. */
final class RocksFailure {

    private RocksFailure() {}

    static JournalException of(Path dir, RocksDBException e) {
        Code code = e.getStatus() == null ? Code.Undefined : e.getStatus().getCode();
        String said = String.valueOf(e.getMessage());
        String lower = said.toLowerCase(Locale.ROOT);
        if (code == Code.Corruption
                || code == Code.InvalidArgument
                || code == Code.NotSupported
                || lower.contains("no such file")) {
            return new JournalException(Next.BEGIN_ANEW, "the journal in " + dir + " is damaged (" + said + ")", e);
        }
        // A block of a file has "lock" in its name too.
        if (lower.contains("while lock file") || lower.contains("lock hold by")) {
            return new JournalException(
                    Next.RETRY,
                    "another NameNode has the journal in " + dir + " (" + said + "): give each its own "
                            + TerraceSettings.PLACEMENT_JOURNAL_DIR.key(),
                    e);
        }
        return new JournalException(
                Next.RETRY,
                "the journal in " + dir + " cannot be used (" + said + "): look at its disk and its owner",
                e);
    }
}
