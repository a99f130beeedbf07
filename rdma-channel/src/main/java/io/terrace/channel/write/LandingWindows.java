package io.terrace.channel.write;

import java.io.IOException;

/** Where a DataNode gets the windows that clients write into by RDMA. Thread-safe. */
public interface LandingWindows {
    /** Of a DataNode without RDMA. */
    LandingWindows NONE = new LandingWindows() {
        @Override
        public String where() {
            return "";
        }

        @Override
        public LandingWindow open(String owner) throws IOException {
            throw new IOException("this DataNode has no RDMA");
        }
    };

    /** Host and port at which clients attach windows; empty where there are none now. */
    String where();

    /**
     * A window for one client, who closes it.
     *
     * @param owner host of the client: one host leaves some windows for others
     * @throws IOException when no more memory may be registered, or the device fails
     */
    LandingWindow open(String owner) throws IOException;
}
