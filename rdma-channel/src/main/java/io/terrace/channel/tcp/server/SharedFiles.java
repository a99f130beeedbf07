package io.terrace.channel.tcp.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open files of the ranges of one listener. Ranges of one file share a descriptor, under whatever name, so that one
 * more grant of a block costs none. Thread-safe.
 */
final class SharedFiles {
    private final Map<Object, Shared> shared = new HashMap<>();

    /** A file until it is released, once for each time it was opened. */
    interface OpenFile {
        FileChannel channel();

        void release() throws IOException;
    }

    /** Opens a file, or joins those who have it open. */
    OpenFile open(Path path) throws IOException {
        // The path keeps the number this file's. A disk that hangs keeps nobody from other files.
        Object number = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        Shared known = number == null ? null : join(number);
        if (known != null) {
            return known;
        }
        FileChannel own = FileChannel.open(path, StandardOpenOption.READ);
        return number == null ? new Own(own) : share(number, own);
    }

    private @Nullable Shared join(Object number) {
        synchronized (shared) {
            Shared present = shared.get(number);
            if (present != null) {
                present.users++;
            }
            return present;
        }
    }

    /** For others too, unless somebody was faster. */
    private Shared share(Object number, FileChannel own) throws IOException {
        Shared present;
        synchronized (shared) {
            present = join(number);
            if (present == null) {
                present = new Shared(number, own);
                present.users++;
                shared.put(number, present);
                return present;
            }
        }
        own.close();
        return present;
    }

    /** Shared files that are open. */
    int count() {
        synchronized (shared) {
            return shared.size();
        }
    }

    private record Own(FileChannel channel) implements OpenFile {
        @Override
        public void release() throws IOException {
            channel.close();
        }
    }

    private final class Shared implements OpenFile {
        private final Object number;
        private final FileChannel channel;
        private int users;

        Shared(Object number, FileChannel channel) {
            this.number = number;
            this.channel = channel;
        }

        @Override
        public FileChannel channel() {
            return channel;
        }

        @Override
        public void release() throws IOException {
            @Nullable FileChannel unused = null;
            synchronized (shared) {
                users--;
                if (users == 0) {
                    shared.remove(number);
                    unused = channel;
                }
            }
            if (unused != null) {
                unused.close();
            }
        }
    }
}
