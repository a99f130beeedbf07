package org.apache.hadoop.hdfs;

import java.io.InterruptedIOException;

/** Ends stock's wait for acknowledgements without a fault of the stream. */
final class LeftToStockException extends InterruptedIOException {
    private static final long serialVersionUID = 1;

    LeftToStockException() {
        super("the file was left to stock's stream");
    }
}
