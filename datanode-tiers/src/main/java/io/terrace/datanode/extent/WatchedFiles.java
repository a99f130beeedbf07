package io.terrace.datanode.extent;

import java.util.function.Consumer;

/**
 * Files of extents, and somebody who is told before one goes, while its bytes are still there; told again when its removal
 * failed and is tried again. Thread-safe.
 */
public final class WatchedFiles implements ExtentFiles {
    private final ExtentFiles files;
    private volatile Consumer<Extent> beforeRemoval = extent -> {};

    /** Nobody is told yet. */
    public WatchedFiles(ExtentFiles files) {
        this.files = files;
    }

    /** Says who is told. */
    public void beforeRemoval(Consumer<Extent> listener) {
        this.beforeRemoval = listener;
    }

    @Override
    public boolean remove(Extent extent, boolean truncate) {
        beforeRemoval.accept(extent);
        return files.remove(extent, truncate);
    }
}
