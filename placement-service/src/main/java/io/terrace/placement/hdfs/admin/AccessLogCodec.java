package io.terrace.placement.hdfs.admin;

import io.terrace.placement.accesslog.AccessLog;
import io.terrace.placement.accesslog.AccessLog.NamedBlock;
import io.terrace.placement.accesslog.Segments.Segment;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.firstread.DirectoryPattern;
import io.terrace.protocol.proto.AdminProtos.AccessLogRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessLogResponseProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesResponseProto;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.thirdparty.protobuf.ByteString;

/** The log of accesses on its way to {@code placementctl}, part by part. */
final class AccessLogCodec {

    private static final int CHUNK_BYTES = 1 << 20;
    private static final int BLOCKS_PER_ANSWER = 50_000;

    private AccessLogCodec() {}

    /** Which rules of a policy hold for some of the blocks in the log. */
    static AccessRulesResponseProto accessRules(AccessLog log, AccessRulesRequestProto request) throws IOException {
        PolicySpec spec = PolicyStore.stored("policy", request.getPolicyText());
        List<Segment> segments = log.since(request.getFromMs());
        AccessRulesResponseProto.Builder response = AccessRulesResponseProto.newBuilder();
        int at = request.hasSegment() ? indexOf(request.getSegment(), segments) : 0;
        if (at >= segments.size()) {
            return response.build();
        }
        Segment segment = segments.get(at);
        if (isGone(request.hasSegment(), request.getSegment(), segment)) {
            return response.setNextSegment(segment.name()).setNextOffset(0).build();
        }
        List<NamedBlock> named = log.named(segment, request.getOffset(), BLOCKS_PER_ANSWER);
        for (NamedBlock block : named) {
            PathRule rule = spec.ruleFor(block.path());
            response.addBlocks(block.block())
                    .addRules(rule == null ? 0 : rule.number())
                    .addDirectories(DirectoryPattern.number(block.path()))
                    .addFiles(DirectoryPattern.numberOfFile(block.path()));
        }
        if (named.size() == BLOCKS_PER_ANSWER) {
            response.setNextSegment(segment.name()).setNextOffset(request.getOffset() + BLOCKS_PER_ANSWER);
        } else if (at + 1 < segments.size()) {
            response.setNextSegment(segments.get(at + 1).name()).setNextOffset(0);
        }
        return response.build();
    }

    /** The next part of the log from where the request says. */
    static AccessLogResponseProto accessLog(AccessLog log, AccessLogRequestProto request) throws IOException {
        if (!request.hasSegment()) {
            log.finishFile();
        }
        List<Segment> segments = log.since(request.getFromMs());
        AccessLogResponseProto.Builder response = AccessLogResponseProto.newBuilder()
                .setTotalBytes(segments.stream().mapToLong(Segment::bytes).sum())
                .setData(ByteString.EMPTY);
        int at = request.hasSegment() ? indexOf(request.getSegment(), segments) : 0;
        if (at >= segments.size()) {
            return response.build();
        }
        Segment segment = segments.get(at);
        if (isGone(request.hasSegment(), request.getSegment(), segment)) {
            return response.setNextSegment(segment.name()).setNextOffset(0).build();
        }
        byte[] data = log.read(segment.name(), request.getOffset(), CHUNK_BYTES);
        response.setData(ByteString.copyFrom(data));
        long next = request.getOffset() + data.length;
        if (next < segment.bytes() && data.length > 0) {
            response.setNextSegment(segment.name()).setNextOffset(next);
        } else if (at + 1 < segments.size()) {
            response.setNextSegment(segments.get(at + 1).name()).setNextOffset(0);
        }
        return response.build();
    }

    /** Whether the segment that was asked for was deleted meanwhile, so that the log goes on with this one. */
    private static boolean isGone(boolean asked, String name, Segment at) {
        return asked && !at.name().equals(name);
    }

    /** Of the segment with this name, else of the first later one; the number of segments where there is none. */
    private static int indexOf(String name, List<Segment> segments) {
        int at = 0;
        while (at < segments.size() && segments.get(at).name().compareTo(name) < 0) {
            at++;
        }
        return at;
    }
}
