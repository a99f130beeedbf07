package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.PathAnnotations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.permission.PermissionStatus;
import org.apache.hadoop.hdfs.server.namenode.INodeDirectory;
import org.apache.hadoop.hdfs.server.namenode.XAttrFeature;
import org.junit.jupiter.api.Test;

class AnnotationReaderTest {

    private static final PermissionStatus PERMISSIONS =
            new PermissionStatus("user", "group", FsPermission.getDirDefault());

    private long nowMs = 1;
    private final List<String> told = new ArrayList<>();
    private final AnnotationReader reader =
            new AnnotationReader((path, ofWrites) -> told.add(path + (ofWrites ? " decides" : "")), () -> nowMs);

    private static INodeDirectory directory(long id, String name, String attribute) {
        return directory(id, name, attribute, "nvm..disk");
    }

    private static INodeDirectory directory(long id, String name, String attribute, String value) {
        INodeDirectory made = new INodeDirectory(id, name.getBytes(StandardCharsets.UTF_8), PERMISSIONS, 0);
        XAttr xattr = new XAttr.Builder()
                .setNameSpace(XAttr.NameSpace.TRUSTED)
                .setName(attribute)
                .setValue(value.getBytes(StandardCharsets.UTF_8))
                .build();
        made.addXAttrFeature(new XAttrFeature(List.of(xattr)));
        return made;
    }

    @Test
    void annotatedPath_isToldAgainAfterMinutes_byTheNameItHasThen() {
        INodeDirectory root = new INodeDirectory(1, new byte[0], PERMISSIONS, 0);
        INodeDirectory annotated = directory(2, "a", "terrace.tiers");
        root.addChild(annotated);
        assertThat(reader.of(annotated)).isNotEqualTo(PathAnnotations.NONE);
        nowMs += AnnotationReader.TELL_AGAIN_MS - 1;
        reader.of(annotated);
        assertThat(told).containsExactly("/a");
        annotated.setLocalName("b".getBytes(StandardCharsets.UTF_8));
        nowMs += 1;
        assertThat(reader.of(annotated)).isNotEqualTo(PathAnnotations.NONE);
        assertThat(told).containsExactly("/a", "/b");
    }

    /** As in an encryption zone, where each file has one. */
    @Test
    void otherAttributes_ofManyFiles_leaveTheAnnotatedOnesKnown() {
        INodeDirectory annotated = directory(2, "a", "terrace.tiers");
        reader.of(annotated);
        List<INodeDirectory> others = new ArrayList<>();
        for (int id = 3; id < 20_003; id++) {
            INodeDirectory other = directory(id, "f" + id, "other");
            others.add(other);
            assertThat(reader.of(other)).isEqualTo(PathAnnotations.NONE);
        }
        assertThat(reader.known()).isEqualTo(1);
        assertThat(others).hasSize(20_000);
    }

    @Test
    void otherAttributes_areNotTold() {
        INodeDirectory other = directory(2, "a", "other");
        assertThat(reader.of(other)).isEqualTo(PathAnnotations.NONE);
        nowMs += AnnotationReader.TELL_AGAIN_MS;
        reader.of(other);
        assertThat(told).isEmpty();
    }

    @Test
    void directoryThatDecidesOnWrites_isToldAsSuch() {
        reader.of(directory(2, "a", "terrace.write", "home"));
        reader.of(directory(3, "b", "terrace.write", "nonsense"));
        assertThat(told).containsExactly("a decides", "b");
    }
}
