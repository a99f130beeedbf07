package io.terrace.placement.hdfs.namesystem;

import java.net.InetAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.server.namenode.AuditLogger;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.TerraceReadCheck;
import org.jspecify.annotations.Nullable;

/**
 * Tells the placement service of changed attributes, storage policies and of renames, so that annotations take effect within seconds; without
 * it they do within a minute. To be listed in {@code dfs.namenode.audit.loggers}, after {@code default}. It only notes
 * paths, takes no lock and writes no line. Nothing it is given makes it fail: HDFS fails the call of the client if an audit
 * logger throws.
 */
public final class AnnotationAuditLogger implements AuditLogger {

    private final AnnotationChanges changes = new AnnotationChanges();

    @Override
    public void initialize(@Nullable Configuration conf) {}

    @Override
    public void logAuditEvent(
            boolean succeeded,
            @Nullable String userName,
            @Nullable InetAddress address,
            @Nullable String command,
            @Nullable String source,
            @Nullable String destination,
            @Nullable FileStatus status) {
        // Nearly all calls are of no interest, so the command is looked at first.
        if (command == null || !isOfInterest(command)) {
            return;
        }
        if (!succeeded || source == null || !TerraceReadCheck.isPath(source)) {
            return;
        }
        if (command.equals("setXAttr") || command.equals("removeXAttr")) {
            changes.attributesChanged(source);
        } else if (command.equals("setStoragePolicy") || command.equals("unsetStoragePolicy")) {
            changes.policyChanged(source);
        } else if (command.equals("delete")) {
            changes.deleted(source);
        } else if (destination != null && command.equals("rename")) {
            changes.renamedToOrInto(source, destination);
        } else if (destination != null && command.startsWith("rename (")) {
            changes.renamed(source, destination, command.contains("OVERWRITE"));
        }
    }

    private static boolean isOfInterest(String command) {
        return command.startsWith("rename")
                || command.startsWith("set")
                || command.startsWith("unset")
                || command.startsWith("remove")
                || command.equals("delete");
    }

    AnnotationChanges changes() {
        return changes;
    }

    /** What the logger of that NameNode notes; without such a logger, nothing is noted there. */
    static AnnotationChanges changesOf(FSNamesystem namesystem) {
        return namesystem.getAuditLoggers().stream()
                .filter(AnnotationAuditLogger.class::isInstance)
                .map(logger -> ((AnnotationAuditLogger) logger).changes)
                .findFirst()
                .orElseGet(AnnotationChanges::new);
    }
}
