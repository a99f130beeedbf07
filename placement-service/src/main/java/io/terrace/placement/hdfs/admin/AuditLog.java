package io.terrace.placement.hdfs.admin;

import java.net.InetAddress;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line per changing call, and per {@code top}, to the logger {@value #LOGGER}, in the columns of HDFS's own audit log. */
final class AuditLog {

    static final String LOGGER = "io.terrace.audit";

    /** Characters of a target or result that are written; as many as a path of HDFS may have. */
    static final int LONGEST = 8000;

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    void line(boolean allowed, UserGroupInformation user, String command, @Nullable String target, String result) {
        InetAddress from = Server.getRemoteIp();
        LOG.info(
                "allowed={}\tugi={}\tip={}\tcmd={}\tsrc={}\tdst=null\tperm=null\tproto=rpc\tresult={}",
                allowed,
                onOneLine(user.toString()),
                from,
                command,
                target == null ? "null" : onOneLine(target),
                onOneLine(result));
    }

    /** A name must not be able to write a line or column of its own, nor fill the disk. */
    static String onOneLine(String text) {
        int length = Math.min(text.length(), LONGEST);
        StringBuilder out = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return length < text.length() ? out.append("...").toString() : out.toString();
    }
}
