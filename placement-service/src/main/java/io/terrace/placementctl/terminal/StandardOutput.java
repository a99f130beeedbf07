package io.terrace.placementctl.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a command prints. A {@link PrintWriter} says that something was not written; this one knows why. */
public final class StandardOutput extends PrintWriter {

    /** As Linux says it, in an exception of the JDK. */
    private static final String NO_READER = "Broken pipe";

    private final Failing failing;

    /** What was written, or failed. */
    private static final class Failing extends FilterOutputStream {
        private final boolean isPipe;
        private volatile @Nullable IOException failure;

        private Failing(OutputStream out, boolean isPipe) {
            super(out);
            this.isPipe = isPipe;
        }

        @Override
        public void write(int letter) throws IOException {
            write(new byte[] {(byte) letter}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                out.write(bytes, from, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }

    public StandardOutput(OutputStream out, Charset charset) {
        this(new Failing(out, false), charset);
    }

    private StandardOutput(Failing failing, Charset charset) {
        super(new OutputStreamWriter(failing, charset), true);
        this.failing = failing;
    }

    /** That of this process, in the charset of its terminal. */
    public static StandardOutput ofProcess() {
        // Not known to JDK 17, whose default it is.
        String charset = System.getProperty("stdout.encoding");
        return new StandardOutput(
                new Failing(new FileOutputStream(FileDescriptor.out), isPipe()),
                charset == null ? Charset.defaultCharset() : Charset.forName(charset));
    }

    /** A pipe is never full as a disk is, and the reason that the JDK gives is in the language of the user. */
    private static boolean isPipe() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * Why not all that was printed is there; null where it is, or where the reader went away by its own will, as {@code head}
     * does.
     */
    public static @Nullable String lost(PrintWriter out) {
        if (!out.checkError()) {
            return null;
        }
        Failing failing = out instanceof StandardOutput standard ? standard.failing : null;
        IOException failure = failing == null ? null : failing.failure;
        if (failing == null || failure == null) {
            return "the output could not be written";
        }
        String why = String.valueOf(failure.getMessage());
        return failing.isPipe || why.contains(NO_READER) ? null : "the output could not be written: " + why;
    }
}
