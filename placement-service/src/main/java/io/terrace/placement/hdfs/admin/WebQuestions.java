package io.terrace.placement.hdfs.admin;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.PinsRequestProto;
import io.terrace.protocol.proto.AdminProtos.PinsResponseProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import io.terrace.protocol.proto.AdminProtos.TopResponseProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * Questions about paths from the web page, answered with the rights that the user has by RPC, at most {@value
 * Bulkhead#PLACES} at a time. Thread-safe.
 */
public final class WebQuestions {

    private static final int BLOCKS_EXPLAINED = 20;

    private final PlacementAdminPB admin;
    private final Bulkhead bulkhead = new Bulkhead();
    private final AuditLog audit = new AuditLog();

    public WebQuestions(PlacementAdminPB admin) {
        this.admin = admin;
    }

    /** @param address where the user asks from */
    public TopResponseProto top(UserGroupInformation user, String address, int blocks)
            throws IOException, TimeoutException, InterruptedException {
        return ask(
                user,
                address,
                () -> admin.top(
                        null, TopRequestProto.newBuilder().setCount(blocks).build()));
    }

    /** As {@link #top}; by RPC, too, only for those who may change placement. */
    public PinsResponseProto pins(UserGroupInformation user, String address)
            throws IOException, TimeoutException, InterruptedException {
        return ask(user, address, () -> admin.pins(null, PinsRequestProto.getDefaultInstance()));
    }

    /** As {@link #top}. HDFS's audit log has the check of an RPC alone, so Terrace's has this one. */
    public ExplainResponseProto explain(UserGroupInformation user, String address, String target)
            throws IOException, TimeoutException, InterruptedException {
        ExplainRequestProto request = ExplainRequestProto.newBuilder()
                .setTarget(target)
                .setBlocks(BLOCKS_EXPLAINED)
                .build();
        try {
            ExplainResponseProto answer = ask(user, address, () -> admin.explain(null, request));
            line(true, user, address, target, "explained");
            return answer;
        } catch (AccessControlException | FileNotFoundException e) {
            line(false, user, address, target, "no such file or block that the user may read");
            throw e;
        }
    }

    private void line(boolean allowed, UserGroupInformation user, String address, String target, String result)
            throws IOException, TimeoutException, InterruptedException {
        AuditLog.answeringWeb(address, () -> {
            audit.line(allowed, user, "terrace.explain", target, result);
            return allowed;
        });
    }

    private <T> T ask(UserGroupInformation user, String address, PrivilegedExceptionAction<T> question)
            throws IOException, TimeoutException, InterruptedException {
        return bulkhead.pass(() -> AuditLog.answeringWeb(address, () -> as(user, question)));
    }

    /** The answer that the user gets; failures as those of the question, without the wrapping of the two calls in between. */
    static <T> T as(UserGroupInformation user, PrivilegedExceptionAction<T> question)
            throws IOException, InterruptedException {
        try {
            return user.doAs(question);
        } catch (UndeclaredThrowableException e) {
            if (e.getCause() instanceof ServiceException failed && failed.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
