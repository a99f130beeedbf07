package io.terrace.datanode.extent;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** The files behind extents, as those see them who make and check copies. Thread-safe. */
public interface ExtentStore extends ExtentFiles {

    /** Makes the empty file of an extent that is being copied. */
    FileChannel create(Extent extent) throws IOException;

    /** The file holds the whole block: nobody writes it any more. */
    void seal(Extent extent) throws IOException;

    /** Opens a sealed file for reading. */
    FileChannel open(Extent extent) throws IOException;
}
