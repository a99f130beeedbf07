package io.terrace.placement.hdfs.admin;

import io.terrace.placement.hdfs.admin.Bulkhead.Question;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line per changing call, and per {@code top}, and per {@code explain} of the web page, to the logger {@value #LOGGER}, in the columns of HDFS's own audit log. */
final class AuditLog {

    static final String LOGGER = "io.terrace.audit";

    /** Characters of a target or result that are written; as many as a path of HDFS may have. */
    static final int LONGEST = 8000;

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

    /** Whom this thread answers outside of an RPC; stock keeps the callers of WebHDFS in the same way. */
    private static final ThreadLocal<String> WEB_CALLER = new ThreadLocal<>();

    /** Lines that the action writes name this address, of a user of the web page. */
    static <T> T answeringWeb(String address, Question<T> question)
            throws IOException, TimeoutException, InterruptedException {
        WEB_CALLER.set(address);
        try {
            return question.answer();
        } finally {
            WEB_CALLER.remove();
        }
    }

    void line(boolean allowed, UserGroupInformation user, String command, @Nullable String target, String result) {
        String web = WEB_CALLER.get();
        LOG.info(
                "allowed={}\tugi={}\tip={}\tcmd={}\tsrc={}\tdst=null\tperm=null\tproto={}\tresult={}",
                allowed,
                onOneLine(user.toString()),
                web == null ? Server.getRemoteIp() : onOneLine(web),
                command,
                target == null ? "null" : onOneLine(target),
                web == null ? "rpc" : "web",
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
