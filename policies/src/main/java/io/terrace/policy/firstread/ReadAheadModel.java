package io.terrace.policy.firstread;

import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Learns which files are read on once they are begun, and how far ahead of a reader a copy must be made to be there before it. A
 * reader begins with the first block of a file; what is read of the following ones, within a window, moves it on. It ends with the
 * last block, or when it stood for {@value #IDLE_MS} ms. Each end teaches something about the file and about its group: how many
 * blocks were read, and how many would have been copied in vain. Later ends count more.
 *
 * <p>One block is copied for each that is read: the next one which can be there in time by the reader's pace and the time that
 * copies took. A reader who would need more blocks ahead than are allowed is too fast, as all are who read a file in parallel. There
 * is one reader of a file at a time, the first one. Single-threaded.
 */
public final class ReadAheadModel {

    /** A reader who stood for so long is gone. */
    public static final long IDLE_MS = 120_000;

    /** Of the blocks that would have been copied, so many must have been read. */
    static final double NEEDED = 0.9;

    /** Blocks are told in the order of reports, which is not quite that of the reads. */
    static final int WINDOW = 64;

    /** What an end counts when the next one comes: about 30 of them matter. */
    private static final double FADING = 0.97;

    private static final double LATEST = 0.2;

    /** A group is known from so many blocks that were read, or would have been copied in vain. */
    private static final int KNOWN_BLOCKS = 50;

    private static final long STOPS_MS = 24 * 3_600_000L;

    /** Of a copy, from the wish until it is there, as long as none is known. */
    private static final double UNKNOWN_COPY_MS = 3_000;

    /** Of what copies took longer than that, half is forgotten in this time. */
    private static final double FORGET_MS = 300_000;

    /** Copies are to be there so much sooner than they must. */
    private static final double SPARE = 1.25;

    private final int mostAhead;
    private final int mostReaders;
    private final Map<String, Ends> groups;
    private final Map<Long, Ends> files;
    /** By file, the one that stood longest first. */
    private final Long2ObjectLinkedOpenHashMap<Reader> readers = new Long2ObjectLinkedOpenHashMap<>();

    private double copyMs = UNKNOWN_COPY_MS;
    private long copiedMs;

    /**
     * Blocks of a file that are to be copied, from the first to before the last; none if they are equal.
     *
     * @param waitMs until the reader has read them
     */
    public record Range(int from, int to, long waitMs) {

        public static final Range NONE = new Range(0, 0, 0);

        /** Reads for each byte that waits and each millisecond for which it does. */
        public double worth(long blockBytes) {
            return 1 / Math.max(1.0, (double) blockBytes * waitMs);
        }
    }

    /** How readers of a file or of a group ended. */
    private static final class Ends {
        double read;
        double vain;
        double paceMs;
        long latestMs;

        void add(long nowMs, int blocksRead, int blocksInVain, double itsPaceMs) {
            latestMs = nowMs;
            read = read * FADING + blocksRead;
            vain = vain * FADING + blocksInVain;
            paceMs = itsPaceMs > 0 ? itsPaceMs : paceMs;
        }

        /** Whether the next reader goes on, even if one more does not. */
        boolean goOn(int ahead) {
            return read >= NEEDED * (read + vain + ahead);
        }
    }

    private final class Reader {
        private final long file;
        private final String group;
        private int blocks;
        private int next;
        private long readBeyond;
        private long lastMs;
        /** Of the group's last reader, until its own is known. */
        private double paceMs;

        private boolean hasOwnPace;
        private int copiedTo;

        Reader(long nowMs, long file, String group, double paceMs) {
            this.file = file;
            this.group = group;
            this.lastMs = nowMs;
            this.paceMs = paceMs;
        }

        /** Whether it got on. */
        boolean read(long nowMs, int index) {
            int beyond = index - next;
            if (beyond < 0 || beyond >= WINDOW) {
                return false;
            }
            readBeyond |= 1L << beyond;
            int got = Long.numberOfTrailingZeros(~readBeyond);
            if (got == 0) {
                return false;
            }
            readBeyond = got == WINDOW ? 0 : readBeyond >>> got;
            if (next > 0) {
                double tookMs = (double) (nowMs - lastMs) / got;
                paceMs = hasOwnPace ? paceMs + LATEST * (tookMs - paceMs) : tookMs;
                hasOwnPace = true;
            }
            next += got;
            lastMs = nowMs;
            return true;
        }

        /** So many blocks from the next one on are read before a copy can be there. */
        int lead(long nowMs) {
            return (int) Math.min(mostAhead, Math.ceil(SPARE * copyMs(nowMs) / Math.max(1, paceMs)));
        }

        /** What to copy, now that it got on. */
        Range ahead() {
            int lead = lead(lastMs);
            if (paceMs == 0 || lead >= mostAhead || !goOn(file, group, lead + 1)) {
                return Range.NONE;
            }
            int from = Math.max(copiedTo, next + lead);
            int to = Math.min(blocks, next + lead + 1);
            if (from >= to) {
                return Range.NONE;
            }
            copiedTo = to;
            return new Range(from, to, Math.round((to - next) * paceMs));
        }

        void end() {
            // A file that became shorter may end before its reader.
            int inVain = Math.max(0, Math.min(blocks - next, lead(lastMs) + 1));
            double knownPaceMs = hasOwnPace ? paceMs : 0;
            groups.computeIfAbsent(group, name -> new Ends()).add(lastMs, next, inVain, knownPaceMs);
            files.computeIfAbsent(file, id -> new Ends()).add(lastMs, next, inVain, knownPaceMs);
        }
    }

    /**
     * Knows nothing yet.
     *
     * @param mostAhead so many blocks ahead of a reader are copied at most
     * @param mostKnown files and groups; beyond, the one whose readers ended longest ago is forgotten
     * @param mostReaders beyond, the one that stood longest is taken to be gone
     */
    public ReadAheadModel(int mostAhead, int mostKnown, int mostReaders) {
        this.mostAhead = mostAhead;
        this.mostReaders = mostReaders;
        this.groups = bounded(mostKnown);
        this.files = bounded(mostKnown);
    }

    private static <K> Map<K, Ends> bounded(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, Ends> eldest) {
                return size() > most;
            }
        };
    }

    /** Whether there is a reader of a file. */
    public boolean follows(long file) {
        return readers.containsKey(file);
    }

    /** Whether readers of a group are known to stop, so that its files are not worth a look; for a day, as readers change. */
    public boolean stops(long nowMs, String group) {
        Ends known = groups.get(group);
        return known != null
                && nowMs - known.latestMs < STOPS_MS
                && known.read + known.vain >= KNOWN_BLOCKS
                && !known.goOn(0);
    }

    /**
     * A block was read.
     *
     * @param index of the block in its file
     * @param blocks of the file
     * @return the blocks to copy now
     */
    public Range read(long nowMs, long file, String group, int index, int blocks) {
        expire(nowMs);
        Reader reader = readers.get(file);
        if (reader == null) {
            if (index != 0 || blocks < 2) {
                return Range.NONE;
            }
            if (readers.size() >= mostReaders) {
                readers.removeFirst().end();
            }
            Ends known = groups.get(group);
            reader = new Reader(nowMs, file, group, known == null ? 0 : known.paceMs);
            readers.put(file, reader);
        }
        reader.blocks = blocks;
        if (!reader.read(nowMs, index)) {
            return Range.NONE;
        }
        readers.getAndMoveToLast(file);
        if (reader.next >= blocks) {
            readers.remove(file);
            reader.end();
            return Range.NONE;
        }
        return reader.ahead();
    }

    /** The file's own readers tell more than those of its group. */
    private boolean goOn(long file, String group, int ahead) {
        Ends ofFile = files.get(file);
        if (ofFile != null && (ofFile.vain > 0 || ofFile.goOn(ahead))) {
            return ofFile.goOn(ahead);
        }
        Ends ofGroup = groups.get(group);
        return ofGroup != null && ofGroup.goOn(ahead);
    }

    /** Whether a block is still to come for a reader of its file. */
    public boolean awaits(long nowMs, long file, int index) {
        expire(nowMs);
        Reader reader = readers.get(file);
        return reader != null && index >= reader.next;
    }

    /** A copy took so long, from the wish until it was there. */
    public void copied(long nowMs, long tookMs) {
        double before = copyMs(nowMs);
        copyMs = before + LATEST * (Math.min(IDLE_MS, tookMs) - before);
        copiedMs = nowMs;
    }

    /** About how long a copy takes. Where that is too long for all readers none is made, so it is forgotten with time. */
    public double copyMs(long nowMs) {
        double longer = Math.max(0, copyMs - UNKNOWN_COPY_MS);
        return copyMs - longer + longer * Math.pow(0.5, Math.max(0, nowMs - copiedMs) / FORGET_MS);
    }

    /** Ends readers that stood for too long. */
    public void expire(long nowMs) {
        while (!readers.isEmpty() && nowMs - readers.get(readers.firstLongKey()).lastMs >= IDLE_MS) {
            readers.removeFirst().end();
        }
    }

    public int readers() {
        return readers.size();
    }
}
