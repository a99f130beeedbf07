package io.terrace.placement.hdfs;

import io.terrace.common.DaemonThreads;
import io.terrace.conf.TerraceSettings;
import io.terrace.conf.UnknownSettings;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.accesslog.AccessLog;
import io.terrace.placement.accesslog.Segments;
import io.terrace.placement.hdfs.admin.AdminRpc;
import io.terrace.placement.hdfs.admin.ClusterSnapshots;
import io.terrace.placement.hdfs.admin.WebQuestions;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore;
import io.terrace.placement.hdfs.namesystem.PolicyFileWatch;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.hdfs.namesystem.SatisfiedInodes;
import io.terrace.placement.hdfs.namesystem.XAttrStore;
import io.terrace.placement.hdfs.web.MetricsPublisher;
import io.terrace.placement.hdfs.web.PagePublisher;
import io.terrace.placement.journal.Journal;
import io.terrace.placement.write.WriteSpeeds;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.AdminProtos.PlacementAdminService;
import io.terrace.protocol.proto.DataNodeProtos.PlacementDataNodeService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The placement service of one NameNode, wired. Besides those of its RPC server it has up to five threads: the loop's, those of
 * the access log and of the journal, one that stores ({@link XAttrStore}) and one that watches the policy file and the ACLs. The last one waits
 * for the loop and for changes that are being stored, so it must not be the one that stores.
 */
final class PlacementService implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PlacementService.class);

    /** How to end what was begun, the latest first. */
    private final Deque<Runnable> ends;

    private PlacementService(Deque<Runnable> ends) {
        this.ends = ends;
    }

    /**
     * Builds and starts everything; the NameNode must be up.
     *
     * @throws IllegalArgumentException for a setting that cannot be
     * @throws IOException when the port cannot be had
     */
    static PlacementService start(NameNode nameNode, Configuration conf) throws IOException {
        PlacementService service = new PlacementService(new ArrayDeque<>());
        try {
            start(nameNode, conf, service.ends);
            return service;
        } catch (IOException | RuntimeException | Error e) {
            service.close();
            throw e;
        }
    }

    private static void start(NameNode nameNode, Configuration conf, Deque<Runnable> ends) throws IOException {
        UnknownSettings.refuse(conf);
        PlacementSettings settings = PlacementSettings.from(conf::get);
        int handlers = TerraceSettings.PLACEMENT_HANDLERS.get(conf);
        long policyFileIntervalMs = TerraceSettings.PLACEMENT_POLICY_FILE_INTERVAL.get(conf);
        FSNamesystem namesystem = nameNode.getNamesystem();
        MetricRegistry metricRegistry = new MetricRegistry();
        XAttrStore attributes = new XAttrStore(nameNode);
        ends.push(attributes::close);
        ScheduledExecutorService watch =
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("terrace-watch"));
        ends.push(watch::shutdownNow);
        SatisfiedInodes satisfied = new SatisfiedInodes(attributes.attribute(SatisfiedInodes.NAME), watch);
        NamesystemView view = new NamesystemView(
                namesystem, metricRegistry, TerraceSettings.PLACEMENT_LOCK_BLOCKS.get(conf), satisfied);
        OperatorStateStore store = new OperatorStateStore(attributes.attribute(OperatorStateStore.NAME));
        AccessLog accessLog = accessLog(conf, metricRegistry, view, namesystem);
        PolicyStore policies = new PolicyStore(
                attributes.attribute(PolicyStore.NAME), settings.policy(), policyFile(conf, metricRegistry), Time::now);
        PlacementEngine placement = new PlacementEngine(settings, view, metricRegistry);
        if (accessLog != null) {
            ends.push(accessLog::close);
            placement.tellAccesses(accessLog);
        }
        Journal journal = journal(conf, namesystem, settings, metricRegistry);
        if (journal != null) {
            ends.push(journal::close);
            placement.keepIn(journal.engineSide());
        }
        PlacementLoop loop = new PlacementLoop(
                placement,
                new NameNodeLeadership(nameNode, store, satisfied, policies, Time::monotonicNow),
                metricRegistry,
                Math.toIntExact(TerraceSettings.PLACEMENT_INTERVAL.get(conf)),
                Time::monotonicNow);
        ends.push(loop::close);
        WriteSpeeds speeds = new WriteSpeeds(System::nanoTime);
        AdminRpc admin = new AdminRpc(
                nameNode,
                conf,
                settings,
                loop,
                view,
                store,
                policies,
                accessLog,
                journal,
                speeds,
                metricRegistry,
                handlers);
        FirstNodes firstNodes = new FirstNodes(namesystem.getBlockManager(), speeds, metricRegistry);
        ends.push(firstNodes::close);
        HeartbeatRpc heartbeats = new HeartbeatRpc(
                new DataNodeCheck(namesystem, conf),
                loop,
                firstNodes,
                settings.heartbeats().entries(),
                metricRegistry);
        RPC.Server server = server(nameNode, conf, handlers, heartbeats, admin);
        ends.push(server::stop);
        if (conf.getBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, false)) {
            // Must be in place before the first call.
            RPC.Server clients = ((NameNodeRpcServer) nameNode.getRpcServer()).getClientRpcServer();
            ServiceAclWatch.start(clients, server, conf, watch);
        }
        loop.start();
        policies.serve(loop, policyFileIntervalMs, watch);
        server.start();
        InetSocketAddress bound = server.getListenerAddress();
        // As the NameNode does for its own addresses, so that whoever has this Configuration finds the real port.
        conf.updateConnectAddr(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), bound);
        LOG.info(
                "Terrace placement service up at {} with policy {}",
                bound,
                settings.policy().spec().policy());
        ends.push(new MetricsPublisher(nameNode, bound.getPort(), metricRegistry)::close);
        ends.push(PagePublisher.publish(
                nameNode,
                conf,
                new ClusterSnapshots(admin, loop, namesystem, view, conf, store, policies, metricRegistry),
                new WebQuestions(admin),
                watch)::close);
        // It waits for the others, so it ends first.
        ends.push(watch::shutdownNow);
    }

    private static @Nullable PolicyFileWatch policyFile(Configuration conf, MetricRegistry metricRegistry) {
        Path file = TerraceSettings.PLACEMENT_POLICY_FILE.orNull(conf);
        return file == null ? null : new PolicyFileWatch(file, metricRegistry);
    }

    /** The log of accesses, writing; null when it is off or its directory cannot be used, which is logged. */
    private static @Nullable AccessLog accessLog(
            Configuration conf, MetricRegistry metricRegistry, NamesystemView view, FSNamesystem namesystem) {
        Path dir = TerraceSettings.PLACEMENT_ACCESS_LOG_DIR.orNull(conf);
        long mostBytes = TerraceSettings.PLACEMENT_ACCESS_LOG_BYTES.get(conf);
        if (dir == null || !TerraceSettings.PLACEMENT_ACCESS_LOG_ENABLED.get(conf)) {
            return null;
        }
        try {
            return new AccessLog(
                    Segments.below(dir),
                    mostBytes,
                    Time::now,
                    AccessLogLooks.of(conf, view, namesystem),
                    metricRegistry);
        } catch (IOException e) {
            LOG.error(
                    "No accesses are logged: {} is {}, which cannot be used; make it a directory of the NameNode's"
                            + " user",
                    TerraceSettings.PLACEMENT_ACCESS_LOG_DIR.key(),
                    dir,
                    e);
            return null;
        }
    }

    /** The journal, running; null when none is configured. */
    private static @Nullable Journal journal(
            Configuration conf, FSNamesystem namesystem, PlacementSettings settings, MetricRegistry metricRegistry) {
        Path dir = TerraceSettings.PLACEMENT_JOURNAL_DIR.orNull(conf);
        long mostBytes = TerraceSettings.PLACEMENT_JOURNAL_BYTES.get(conf);
        return dir == null
                ? null
                : Journal.start(
                        dir,
                        namesystem.getBlockManager().getBlockPoolId(),
                        mostBytes,
                        settings.heat().trackedBlocks(),
                        settings.heat().halfLifeMs(),
                        Time::now,
                        metricRegistry);
    }

    private static RPC.Server server(
            NameNode nameNode, Configuration conf, int handlers, PlacementDataNodePB heartbeats, PlacementAdminPB admin)
            throws IOException {
        ListenAddress address = ListenAddress.of(nameNode, conf);
        RPC.setProtocolEngine(conf, PlacementDataNodePB.class, ProtobufRpcEngine2.class);
        RPC.Server server = new RPC.Builder(conf)
                .setProtocol(PlacementDataNodePB.class)
                .setInstance(PlacementDataNodeService.newReflectiveBlockingService(heartbeats))
                .setBindAddress(address.bindHost())
                .setPort(address.port())
                .setNumHandlers(handlers)
                .setVerbose(false)
                .build();
        DFSUtil.addInternalPBProtocol(
                conf, PlacementAdminPB.class, PlacementAdminService.newReflectiveBlockingService(admin), server);
        server.addTerseExceptions(
                AccessControlException.class, StandbyException.class, RetriableException.class, IOException.class);
        return server;
    }

    @Override
    public void close() {
        for (Runnable end = ends.poll(); end != null; end = ends.poll()) {
            end.run();
        }
    }
}
