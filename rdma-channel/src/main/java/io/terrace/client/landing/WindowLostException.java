package io.terrace.client.landing;

import java.io.IOException;

/** RDMA to a DataNode failed while data was on its way. The DataNode itself may be well: it is written to over tcp again. */
public final class WindowLostException extends IOException {
    private static final long serialVersionUID = 1L;

    WindowLostException(String where, Throwable why) {
        super("the connection by RDMA to " + where + " has ended with data on its way", why);
    }
}
