package io.terrace.bench.cluster;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** The placement service of a local cluster, with the requests of placementctl. */
public final class PlacementAdmin implements Closeable {
    private final PlacementAdminPB service;

    public PlacementAdmin(HdfsCluster cluster) throws IOException {
        this(cluster.confStock(), cluster.placementPort());
    }

    /** The service of a NameNode on this host. */
    public PlacementAdmin(Configuration conf, int port) throws IOException {
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        this.service = RPC.getProxy(
                PlacementAdminPB.class,
                RPC.getProtocolVersion(PlacementAdminPB.class),
                new InetSocketAddress("localhost", port),
                conf);
    }

    /** The service's own figures by id. */
    public Map<String, Long> serviceFigures() throws IOException {
        return asked(() -> byId(
                service.status(null, StatusRequestProto.getDefaultInstance()).getFiguresList()));
    }

    /** What the DataNodes reported with their last heartbeats. */
    public List<NodeProto> nodes() throws IOException {
        return asked(() ->
                service.tiers(null, TiersRequestProto.getDefaultInstance()).getNodesList());
    }

    /** Numbers of the hottest blocks, hottest first; at most 1,000. */
    public List<Long> hottest(int count) throws IOException {
        TopRequestProto request = TopRequestProto.newBuilder().setCount(count).build();
        return asked(() -> service.top(null, request).getBlocksList()).stream()
                .map(hot -> hot.getBlock().getBlockId())
                .toList();
    }

    /** A DataNode's figures by id. */
    public static Map<String, Long> figures(NodeProto node) {
        return byId(node.getFiguresList());
    }

    /**
     * Orders the blocks of a file into memory.
     *
     * @return how many blocks the service took the order for
     */
    public int promote(Path file) throws IOException {
        ChangeRequestProto request = ChangeRequestProto.newBuilder()
                .setVerb(VerbProto.PROMOTE_NOW)
                .setTarget(file.toUri().getPath())
                .build();
        ChangeResponseProto answer = asked(() -> service.change(null, request));
        if (answer.getRefused() > 0) {
            throw new IOException(file + " was not promoted: " + answer.getMessagesList());
        }
        return answer.getAccepted();
    }

    /**
     * Puts a policy in force.
     *
     * @param text of a policy file
     */
    public void apply(String text) throws IOException {
        ChangeRequestProto request = ChangeRequestProto.newBuilder()
                .setVerb(VerbProto.APPLY_POLICY)
                .setPolicyText(text)
                .build();
        ChangeResponseProto answer = asked(() -> service.change(null, request));
        if (answer.getRefused() > 0) {
            throw new IOException("the policy was not applied: " + answer.getMessagesList());
        }
    }

    /** Switches the service on or off. */
    public void turn(boolean on) throws IOException {
        ChangeRequestProto request = ChangeRequestProto.newBuilder()
                .setVerb(on ? VerbProto.ON : VerbProto.OFF)
                .build();
        ChangeResponseProto answer = asked(() -> service.change(null, request));
        if (answer.getRefused() > 0) {
            throw new IOException("the service was not switched: " + answer.getMessagesList());
        }
    }

    private interface Question<T> {
        T ask() throws ServiceException;
    }

    private static <T> T asked(Question<T> question) throws IOException {
        try {
            return answer(question);
        } catch (EOFException e) {
            // The connection was kept from an earlier question, to a process that died since. All questions may be
            // repeated.
            return answer(question);
        }
    }

    private static <T> T answer(Question<T> question) throws IOException {
        try {
            return question.ask();
        } catch (ServiceException e) {
            if (e.getCause() instanceof EOFException died) {
                throw died;
            }
            throw new IOException("the placement service does not answer", e.getCause() == null ? e : e.getCause());
        }
    }

    private static Map<String, Long> byId(List<FigureValueProto> values) {
        Map<String, Long> figures = new TreeMap<>();
        values.forEach(value -> figures.put(value.getId(), value.getValue()));
        return figures;
    }

    @Override
    public void close() {
        RPC.stopProxy(service);
    }
}
