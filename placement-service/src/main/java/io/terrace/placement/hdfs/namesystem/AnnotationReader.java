package io.terrace.placement.hdfs.namesystem;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.terrace.placement.policyfile.OwnAnnotations;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.policyfile.PathAnnotations;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.hdfs.XAttrHelper;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.XAttrFeature;

/**
 * Reads annotations from the extended attributes of a file and of the directories above it; to be called under the read
 * lock of the namespace. HDFS replaces the object with all attributes of a file whenever one of them changes, so what was
 * read of that very object stays right: nothing has to be forgotten. Thread-safe.
 */
final class AnnotationReader {

    private static final int MOST_KNOWN = 10_000;

    /** By identity. */
    private final Cache<XAttrFeature, OwnAnnotations> known = Caffeine.newBuilder()
            .weakKeys()
            .maximumSize(MOST_KNOWN)
            .executor(Runnable::run)
            .build();

    private final Consumer<String> annotated;

    /** @param annotated is told paths that have annotations, now and then again */
    AnnotationReader(Consumer<String> annotated) {
        this.annotated = annotated;
    }

    /** What holds for a file or directory, shared with others that have the same. */
    PathAnnotations of(INode inode) {
        Deque<OwnAnnotations> nearestLast = new ArrayDeque<>(2);
        for (INode at = inode; at != null; at = at.getParent()) {
            OwnAnnotations own = own(at);
            if (own != OwnAnnotations.NONE) {
                nearestLast.addFirst(own);
            }
        }
        PathAnnotations annotations = PathAnnotations.NONE;
        for (OwnAnnotations own : nearestLast) {
            annotations = annotations.and(own);
        }
        return annotations;
    }

    /** As {@link #of}, saying whose annotations they are. */
    PathAnnotations withPaths(INode inode) {
        INode parent = inode.getParent();
        PathAnnotations above = parent == null ? PathAnnotations.NONE : withPaths(parent);
        return above.and(own(inode), inode.getFullPathName());
    }

    /**
     * Whether it is annotated with {@code satisfy: true} itself.
     *
     * @param users whether {@code user} annotations count
     */
    boolean satisfies(INode inode, boolean users) {
        OwnAnnotations own = own(inode);
        return own.satisfies(Scope.TRUSTED) || (users && own.satisfies(Scope.USER));
    }

    boolean hasOwn(INode inode) {
        return own(inode) != OwnAnnotations.NONE;
    }

    private OwnAnnotations own(INode inode) {
        XAttrFeature attributes = inode.getXAttrFeature();
        if (attributes == null) {
            return OwnAnnotations.NONE;
        }
        OwnAnnotations own = known.getIfPresent(attributes);
        if (own == null) {
            own = read(attributes);
            known.put(attributes, own);
            if (own != OwnAnnotations.NONE) {
                annotated.accept(inode.getFullPathName());
            }
        }
        return own;
    }

    private static OwnAnnotations read(XAttrFeature attributes) {
        Map<String, byte[]> values = new HashMap<>();
        for (XAttr attribute : attributes.getXAttrs()) {
            byte[] value = attribute.getValue();
            values.put(XAttrHelper.getPrefixedName(attribute), value == null ? new byte[0] : value);
        }
        return OwnAnnotations.of(values);
    }
}
