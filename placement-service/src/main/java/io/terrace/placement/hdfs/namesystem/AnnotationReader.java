package io.terrace.placement.hdfs.namesystem;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.terrace.placement.policyfile.OwnAnnotations;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.policyfile.PathAnnotations;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
    private static final String PREFIX = "terrace.";

    /** Names change while attributes do not, so a path is told again after that. */
    static final long TELL_AGAIN_MS = TimeUnit.MINUTES.toMillis(5);

    /** What the attributes say; a path with annotations was told at that time. */
    private record Read(OwnAnnotations own, long toldMs) {}

    /** By identity; not those with other attributes alone, which may be all files of a cluster. */
    private final Cache<XAttrFeature, Read> known = Caffeine.newBuilder()
            .weakKeys()
            .maximumSize(MOST_KNOWN)
            .executor(Runnable::run)
            .build();

    /** Is told paths that have annotations. */
    interface Listener {

        /** @param ofWrites whether it is a directory, with one that decides on new files below it */
        void annotated(String path, boolean ofWrites);
    }

    private final Listener listener;
    private final LongSupplier clockMs;

    /**
     * Nothing is read yet.
     *
     * @param listener is told each path now and then again
     * @param clockMs a monotonic clock
     */
    AnnotationReader(Listener listener, LongSupplier clockMs) {
        this.listener = listener;
        this.clockMs = clockMs;
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

    /** Whether it is a directory whose annotations decide on new files below it; tells nobody of it. */
    boolean decidesOnWrites(INode inode) {
        XAttrFeature attributes = inode.getXAttrFeature();
        if (attributes == null || !inode.isDirectory()) {
            return false;
        }
        Read before = known.getIfPresent(attributes);
        return (before == null ? read(attributes.getXAttrs()) : before.own).decidesOnWrites();
    }

    boolean hasOwn(INode inode) {
        return own(inode) != OwnAnnotations.NONE;
    }

    private OwnAnnotations own(INode inode) {
        XAttrFeature attributes = inode.getXAttrFeature();
        if (attributes == null) {
            return OwnAnnotations.NONE;
        }
        Read before = known.getIfPresent(attributes);
        if (before != null && before.own == OwnAnnotations.NONE) {
            return before.own;
        }
        long nowMs = clockMs.getAsLong();
        if (before != null && nowMs - before.toldMs < TELL_AGAIN_MS) {
            return before.own;
        }
        OwnAnnotations own;
        if (before == null) {
            List<XAttr> all = attributes.getXAttrs();
            if (!hasOurs(all)) {
                return OwnAnnotations.NONE;
            }
            own = read(all);
        } else {
            own = before.own;
        }
        known.put(attributes, new Read(own, nowMs));
        if (own != OwnAnnotations.NONE) {
            listener.annotated(inode.getFullPathName(), inode.isDirectory() && own.decidesOnWrites());
        }
        return own;
    }

    /** Whether any may be an annotation. In an encryption zone each file has an attribute, and none is one. */
    private static boolean hasOurs(List<XAttr> attributes) {
        for (XAttr attribute : attributes) {
            XAttr.NameSpace nameSpace = attribute.getNameSpace();
            if ((nameSpace == XAttr.NameSpace.USER || nameSpace == XAttr.NameSpace.TRUSTED)
                    && attribute.getName().startsWith(PREFIX)) {
                return true;
            }
        }
        return false;
    }

    /** Attributes of files and directories that are known. */
    long known() {
        return known.estimatedSize();
    }

    private static OwnAnnotations read(List<XAttr> attributes) {
        Map<String, byte[]> values = new HashMap<>();
        for (XAttr attribute : attributes) {
            byte[] value = attribute.getValue();
            values.put(XAttrHelper.getPrefixedName(attribute), value == null ? new byte[0] : value);
        }
        return OwnAnnotations.of(values);
    }
}
