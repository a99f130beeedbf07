package io.terrace.client;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The user that each HDFS client of this process reads for. Hadoop gives every DFSClient a name of its own and one
 * user for life, whose rights count even when a thread of another user reads with it. To find the user costs a walk
 * over the thread's access control context, so it is done once for each client and not for each read.
 *
 * <p>Bounded: when full, all are forgotten and found again. Thread-safe.
 */
final class ClientUsers {
    private static final int MAX_CLIENTS = 1024;

    private final Map<String, String> users = new ConcurrentHashMap<>();

    /** The user of the client of that name; without a name, the present one. */
    String of(String clientName) throws IOException {
        if (clientName.isEmpty()) {
            return UserGroupInformation.getCurrentUser().getUserName();
        }
        String known = users.get(clientName);
        if (known == null) {
            known = UserGroupInformation.getCurrentUser().getUserName();
            if (users.size() >= MAX_CLIENTS) {
                users.clear();
            }
            users.put(clientName, known);
        }
        return known;
    }
}
