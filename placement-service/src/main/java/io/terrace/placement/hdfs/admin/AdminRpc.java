package io.terrace.placement.hdfs.admin;

import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.accesslog.AccessLog;
import io.terrace.placement.hdfs.admin.HottestBlocks.Found;
import io.terrace.placement.hdfs.admin.HottestBlocks.Hot;
import io.terrace.placement.hdfs.admin.HottestBlocks.Ranking;
import io.terrace.placement.hdfs.health.HealthChecks;
import io.terrace.placement.hdfs.health.PolicyHealthChecks;
import io.terrace.placement.hdfs.health.RangePolicyChecks;
import io.terrace.placement.hdfs.health.Releases;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.journal.Journal;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.write.WriteSpeeds;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.AccessLogRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessLogResponseProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesResponseProto;
import io.terrace.protocol.proto.AdminProtos.AnnotationsRequestProto;
import io.terrace.protocol.proto.AdminProtos.AnnotationsResponseProto;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.DoctorRequestProto;
import io.terrace.protocol.proto.AdminProtos.DoctorResponseProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.AdminProtos.HistoryRequestProto;
import io.terrace.protocol.proto.AdminProtos.HistoryResponseProto;
import io.terrace.protocol.proto.AdminProtos.MovesRequestProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import io.terrace.protocol.proto.AdminProtos.PinsRequestProto;
import io.terrace.protocol.proto.AdminProtos.PinsResponseProto;
import io.terrace.protocol.proto.AdminProtos.PolicyRequestProto;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import io.terrace.protocol.proto.AdminProtos.ReportRequestProto;
import io.terrace.protocol.proto.AdminProtos.ReportResponseProto;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import io.terrace.protocol.proto.AdminProtos.TopResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.HAUtil;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code placementctl}, on the RPC server's threads. Questions about a file need READ on it, changes need the
 * superuser or {@code terrace.placement.admin.acl} and leave an audit line, allowed or not.
 */
public final class AdminRpc implements PlacementAdminPB {

    private final NameNode nameNode;
    private final Configuration conf;
    private final PlacementSettings settings;
    private final PlacementLoop loop;
    private final NamesystemLookup lookup;
    private final RangePolicyChecks rangeChecks;
    private final MetricRegistry metricRegistry;
    private final PolicyStore policies;
    private final OperatorStateStore store;
    private final @Nullable AccessLog accessLog;
    private final @Nullable Journal journal;
    private final FileHistory fileHistory;
    private final AdminChanges changes;
    private final CallerRights rights;
    private final Explanations explanations;
    private final HottestBlocks hottest;
    private final SharedTiers tiers;
    private final ReadableFiles readableFiles;
    private final AdminCalls calls;
    private final AuditLog audit = new AuditLog();
    private final long startedMs;

    /** @param handlers threads of the RPC server, of which users hold at most half at a time */
    public AdminRpc(
            NameNode nameNode,
            Configuration conf,
            PlacementSettings settings,
            PlacementLoop loop,
            NamesystemView view,
            OperatorStateStore store,
            PolicyStore policies,
            @Nullable AccessLog accessLog,
            @Nullable Journal journal,
            WriteSpeeds speeds,
            MetricRegistry metricRegistry,
            int handlers)
            throws IOException {
        this.policies = policies;
        this.store = store;
        this.accessLog = accessLog;
        this.journal = journal;
        this.nameNode = nameNode;
        this.conf = conf;
        this.settings = settings;
        this.loop = loop;
        this.metricRegistry = metricRegistry;
        this.lookup = new NamesystemLookup(nameNode.getNamesystem(), view);
        this.rangeChecks = new RangePolicyChecks(lookup::policies, view.lockBlocks(), System::nanoTime);
        OperatorStateUpdater updater = new OperatorStateUpdater(loop, store);
        this.changes = new AdminChanges(loop, view, lookup, updater, new PolicyChanges(loop, policies));
        this.rights = new CallerRights(nameNode, view, conf);
        this.calls = new AdminCalls(rights, metricRegistry, handlers);
        this.explanations = new Explanations(loop, lookup, view, rights, settings.moves(), speeds);
        this.fileHistory = new FileHistory(loop, lookup, explanations, rights, journal, Time::now, hasPeers(conf));
        this.hottest = new HottestBlocks(
                loop::nowMs,
                most -> loop.ask(placement -> new Found(
                        placement.reports().trackedBlocks(), placement.reports().top(loop.nowMs(), most))),
                view::names,
                view.lockBlocks());
        this.tiers = SharedTiers.of(loop, () -> new HealthChecks(nameNode.getNamesystem(), conf, lookup));
        this.readableFiles = new ReadableFiles(view.lockBlocks());
        this.startedMs = loop.nowMs();
    }

    @Override
    public StatusResponseProto status(RpcController controller, StatusRequestProto request) throws ServiceException {
        return calls.answer(() -> {
            EngineStatus engineStatus = loop.freshStatus();
            StatusResponseProto.Builder response = StatusResponseProto.newBuilder()
                    .setActive(engineStatus.active())
                    .setEpoch(engineStatus.epoch())
                    .setServe(engineStatus.operatorState().serve())
                    .setMoves(engineStatus.operatorState().moves())
                    .setPolicy(engineStatus.policy())
                    .setPinnedFiles(engineStatus.operatorState().pins().size());
            if (loop.hasGivenUp()) {
                response.setFailed(true);
            }
            metricRegistry
                    .snapshot(Metric.Where.NAMENODE)
                    .forEach((id, value) -> response.addFigures(AdminCodec.figure(id, value)));
            Releases.add(response, engineStatus.releases());
            if (engineStatus.volumeMovesStopped() != null) {
                response.setVolumeMovesStopped(engineStatus.volumeMovesStopped());
            }
            if (store.problem() != null) {
                response.setTrouble("what was stored of pins, pause and off cannot be read; see placementctl doctor");
            }
            String problem = journal == null ? "off" : journal.problem();
            response.setJournal(problem == null ? "on" : problem);
            return response.setNameNode(nameNode.getNameNodeAddressHostPortString())
                    .setBlockPoolId(nameNode.getNamesystem().getBlockManager().getBlockPoolId())
                    .setMoveBytesPerSecond(settings.moves().bytesPerSecond())
                    .setUpMs(loop.nowMs() - startedMs)
                    .build();
        });
    }

    @Override
    public TiersResponseProto tiers(RpcController controller, TiersRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(tiers::latest);
    }

    @Override
    public TopResponseProto top(RpcController controller, TopRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            Ranking ranking = hottest.latest();
            int rows =
                    Math.min(Math.max(1, request.getCount()), ranking.hottest().size());
            List<Boolean> readable = readable(ranking, rows);
            TopResponseProto.Builder response = TopResponseProto.newBuilder().setTrackedBlocks(ranking.trackedBlocks());
            for (int i = 0; i < rows; i++) {
                Hot hot = ranking.hottest().get(i);
                Named file = hot.file();
                response.addBlocks(
                        readable.get(i)
                                ? AdminCodec.hot(hot.block(), file == null ? null : file.path())
                                : AdminCodec.nameless(hot.block()));
            }
            return response.build();
        });
    }

    /** Which of the first rows the caller may read; one line in the audit log, however many they are. */
    private List<Boolean> readable(Ranking ranking, int rows) throws IOException {
        if (rights.isSuperuser()) {
            return Collections.nCopies(rows, true);
        }
        UserGroupInformation caller = CallerRights.caller();
        List<Boolean> readable = readableFiles.of(ranking, rows, caller.getShortUserName(), rights::mayRead);
        audit.line(
                true,
                caller,
                "terrace.top",
                null,
                Collections.frequency(readable, true) + " of " + rows + " blocks may be read");
        return readable;
    }

    @Override
    public MovesResponseProto moves(RpcController controller, MovesRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            return explanations.moves(request);
        });
    }

    @Override
    public ExplainResponseProto explain(RpcController controller, ExplainRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            return explanations.explain(request);
        });
    }

    @Override
    public HistoryResponseProto history(RpcController controller, HistoryRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            return fileHistory.answer(request);
        });
    }

    @Override
    public ReportResponseProto report(RpcController controller, ReportRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            return loop.ask(placement -> placement.reports().readTimes(loop.nowMs()));
        });
    }

    @Override
    public AnnotationsResponseProto annotations(RpcController controller, AnnotationsRequestProto request)
            throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            return explanations.annotations(request);
        });
    }

    @Override
    public PinsResponseProto pins(RpcController controller, PinsRequestProto request) throws ServiceException {
        return calls.answer(() -> {
            UserGroupInformation caller = CallerRights.caller();
            if (!rights.mayChange()) {
                audit.line(false, caller, "terrace.pins", null, "denied");
                throw new AccessControlException(caller.getShortUserName()
                        + " may not list pins: superuser or terrace.placement.admin.acl is needed");
            }
            checkActive();
            return new PinList(loop, lookup).answer();
        });
    }

    @Override
    public ChangeResponseProto change(RpcController controller, ChangeRequestProto request) throws ServiceException {
        return calls.answer(() -> {
            UserGroupInformation caller = CallerRights.caller();
            String command = "terrace."
                    + request.getVerb().name().toLowerCase(Locale.ROOT).replace("_now", "");
            if (!rights.mayChange()) {
                audit.line(false, caller, command, request.hasTarget() ? request.getTarget() : null, "denied");
                throw new AccessControlException(caller.getShortUserName()
                        + " may not change placement: superuser or terrace.placement.admin.acl is needed");
            }
            String target = request.hasTarget()
                    ? request.getTarget()
                    : request.getVerb() == VerbProto.RESIZE
                            ? ResizeChanges.named(request)
                            : PolicyChanges.named(request);
            try {
                checkActive();
                ChangeResponseProto response = changes.carryOut(request, caller.getShortUserName());
                audit.line(
                        true,
                        caller,
                        command,
                        target,
                        response.getAccepted() + " accepted, " + response.getRefused() + " refused");
                return response;
            } catch (IOException | RuntimeException | TimeoutException | InterruptedException e) {
                audit.line(true, caller, command, target, "failed: " + e.getMessage());
                throw e;
            }
        });
    }

    @Override
    public DoctorResponseProto doctor(RpcController controller, DoctorRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            HealthChecks healthChecks = new HealthChecks(nameNode.getNamesystem(), conf, lookup);
            // A standby gets no heartbeats, so it would find every DataNode unreachable.
            DoctorResponseProto.Builder response = DoctorResponseProto.newBuilder();
            if (loop.engineStatus().active()) {
                response.addAllFindings(healthChecks.find(nodes()));
            }
            List<FindingProto> ofPolicy =
                    loop.ask(placement -> PolicyHealthChecks.find(placement, store, policies, metricRegistry));
            PolicySpec spec = loop.ask(placement -> placement.policyInForce().spec());
            return response.addAllFindings(ofPolicy)
                    .addAllFindings(rangeChecks.find(spec))
                    .addAllFindings(PolicyHealthChecks.ofJournal(journal, metricRegistry))
                    .build();
        });
    }

    @Override
    public PolicyResponseProto policy(RpcController controller, PolicyRequestProto request) throws ServiceException {
        return calls.answerOneOfFew(() -> {
            checkActive();
            boolean full = rights.mayChange();
            PolicyResponseProto.Builder policy =
                    loop.ask(placement -> PolicyCodec.policy(placement, loop.nowMs(), policies, full));
            return policy.addAllSteps(PolicyCodec.steps(policies.history(), policy.getNumber(), full))
                    .setMoveBytesPerSecond(settings.moves().bytesPerSecond())
                    .setAccessLog(accessLog != null)
                    .build();
        });
    }

    @Override
    public AccessLogResponseProto accessLog(RpcController controller, AccessLogRequestProto request)
            throws ServiceException {
        return calls.answer(
                () -> AccessLogCodec.accessLog(readable("terrace.access-log", !request.hasSegment()), request));
    }

    @Override
    public AccessRulesResponseProto accessRules(RpcController controller, AccessRulesRequestProto request)
            throws ServiceException {
        return calls.answer(
                () -> AccessLogCodec.accessRules(readable("terrace.access-rules", !request.hasSegment()), request));
    }

    /**
     * The log of accesses, for those who may read it.
     *
     * @param first whether the caller begins, which leaves an audit line
     */
    private AccessLog readable(String command, boolean first) throws IOException {
        UserGroupInformation caller = CallerRights.caller();
        if (!rights.mayChange()) {
            audit.line(false, caller, command, null, "denied");
            throw new AccessControlException(caller.getShortUserName()
                    + " may not read the log of accesses: superuser or terrace.placement.admin.acl is needed");
        }
        if (accessLog == null) {
            throw new IOException("this NameNode logs no accesses; set "
                    + TerraceSettings.PLACEMENT_ACCESS_LOG_DIR.key() + " in its configuration");
        }
        if (first) {
            audit.line(true, caller, command, null, "read");
        }
        return accessLog;
    }

    private static boolean hasPeers(Configuration conf) {
        String nameservice = DFSUtil.getNamenodeNameServiceId(conf);
        return nameservice != null && HAUtil.isHAEnabled(conf, nameservice);
    }

    private List<NodeReport> nodes() throws TimeoutException, InterruptedException {
        return loop.ask(placement -> placement.reports().nodes(loop.nowMs()));
    }

    private void checkActive() throws IOException, TimeoutException, InterruptedException {
        if (!loop.ask(PlacementEngine::isActive)) {
            throw new StandbyException("placement is not active on this NameNode");
        }
    }
}
