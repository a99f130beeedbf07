package io.terrace.placement.hdfs.admin;

import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.util.List;

/**
 * The cluster at one moment, without anything that only some may know: no path, no block.
 *
 * @param status as {@code placementctl status} has it
 * @param nodes without conditions, and with the metrics of {@link ClusterSnapshots#FIGURES} alone
 * @param withoutPlugin live DataNodes that the service never heard of
 * @param inFlight the moves that are carried out now, of both sorts
 * @param ended the latest moves that ended, latest first
 */
public record ClusterSnapshot(
        StatusResponseProto status,
        List<NodeProto> nodes,
        List<String> withoutPlugin,
        List<MoveProto> inFlight,
        List<MoveProto> ended,
        List<FindingProto> findings) {}
