package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessLog;
import io.terrace.placement.accesslog.AccessLog.Looks;
import io.terrace.protocol.proto.AdminProtos.AccessLogRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessLogResponseProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesRequestProto;
import io.terrace.protocol.proto.AdminProtos.AccessRulesResponseProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of accesses in parts, where its oldest file is deleted while it is fetched. */
class AccessLogCodecTest {

    private static final String DELETED = "accesses-1600000000000.csv.gz";
    private static final String NEXT = "accesses-1600000001000.csv.gz";

    @TempDir
    Path dir;

    private AccessLog log() throws IOException {
        for (String name : List.of(NEXT, "accesses-1600000002000.csv.gz")) {
            Files.writeString(dir.resolve(name), name);
        }
        return new AccessLog(
                dir, 1 << 20, System::currentTimeMillis, Looks.paths(blocks -> List.of(), 3), new MetricRegistry());
    }

    @Test
    void accessLog_afterADeletedFile_goesOnWithTheNext() throws IOException {
        try (AccessLog log = log()) {
            AccessLogResponseProto answer = AccessLogCodec.accessLog(
                    log,
                    AccessLogRequestProto.newBuilder()
                            .setFromMs(0)
                            .setSegment(DELETED)
                            .setOffset(100)
                            .build());
            assertThat(answer.getData()).as("of another file").isEmpty();
            assertThat(answer.getNextSegment()).isEqualTo(NEXT);
            assertThat(answer.getNextOffset()).isZero();
        }
    }

    @Test
    void accessRules_afterADeletedFile_goOnWithTheNext() throws IOException {
        try (AccessLog log = log()) {
            AccessRulesResponseProto answer = AccessLogCodec.accessRules(
                    log,
                    AccessRulesRequestProto.newBuilder()
                            .setFromMs(0)
                            .setPolicyText("policy: lru\n")
                            .setSegment(DELETED)
                            .setOffset(50_000)
                            .build());
            assertThat(answer.getNextSegment()).isEqualTo(NEXT);
            assertThat(answer.getNextOffset()).isZero();
        }
    }
}
