package io.terrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos;
import io.terrace.protocol.proto.DataNodeProtos;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.Descriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.EnumDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FieldDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FileDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.ServiceDescriptor;
import org.junit.jupiter.api.Test;

/**
 * Names, numbers and types of all that services, DataNodes and {@code placementctl} of other versions send. The names of the
 * fields are also those of {@code --json}. Lines may be added to the lists; none may change.
 */
final class ProtocolGoldenTest {

    @Test
    void datanode() throws Exception {
        assertThat(lines(DataNodeProtos.getDescriptor())).isEqualTo(golden("terrace_datanode.golden"));
    }

    @Test
    void admin() throws Exception {
        assertThat(lines(AdminProtos.getDescriptor())).isEqualTo(golden("terrace_admin.golden"));
    }

    /** The names and versions by which Hadoop's RPC finds the services; spelt so that no renaming of packages changes them. */
    @Test
    void services() {
        assertThat(name(PlacementDataNodePB.class))
                .isEqualTo(String.join(".", "io", "terrace", "protocol", "PlacementDataNodePB") + " 1");
        assertThat(name(PlacementAdminPB.class))
                .isEqualTo(String.join(".", "io", "terrace", "protocol", "PlacementAdminPB") + " 1");
    }

    /** A page with fewer entries ends a full report of residency. */
    @Test
    void heartbeatPage() {
        assertThat(HeartbeatLimits.ENTRIES).isEqualTo(8192);
    }

    private static String name(Class<?> protocol) {
        ProtocolInfo info = protocol.getAnnotation(ProtocolInfo.class);
        return info.protocolName() + " " + info.protocolVersion();
    }

    private static List<String> golden(String name) throws IOException {
        try (InputStream in = ProtocolGoldenTest.class.getResourceAsStream("/protocol/" + name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static List<String> lines(FileDescriptor file) {
        List<String> lines = new ArrayList<>();
        file.getEnumTypes().forEach(type -> addEnum(type, lines));
        file.getMessageTypes().forEach(type -> addMessage(type, lines));
        for (ServiceDescriptor service : file.getServices()) {
            service.getMethods()
                    .forEach(method -> lines.add(service.getName() + "." + method.getName() + " "
                            + method.getInputType().getName() + " "
                            + method.getOutputType().getName()));
        }
        return lines;
    }

    private static void addEnum(EnumDescriptor type, List<String> lines) {
        type.getValues()
                .forEach(value -> lines.add(type.getFullName() + "." + value.getName() + " = " + value.getNumber()));
    }

    private static void addMessage(Descriptor type, List<String> lines) {
        lines.add(type.getFullName());
        type.getEnumTypes().forEach(inner -> addEnum(inner, lines));
        type.getFields().forEach(field -> lines.add(line(field)));
        type.getNestedTypes().forEach(inner -> addMessage(inner, lines));
    }

    private static String line(FieldDescriptor field) {
        String label = field.isRequired() ? "required" : field.isRepeated() ? "repeated" : "optional";
        String type =
                switch (field.getJavaType()) {
                    case MESSAGE -> field.getMessageType().getFullName();
                    case ENUM -> field.getEnumType().getFullName();
                    default -> field.getType().name().toLowerCase(Locale.ROOT);
                };
        String standard = field.hasDefaultValue() ? " default " + field.getDefaultValue() : "";
        return field.getFullName() + " = " + field.getNumber() + " " + label + " " + type + standard
                + (field.isPacked() ? " packed" : "");
    }
}
