package io.terrace.placement.hdfs.namesystem;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Locale;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.jspecify.annotations.Nullable;

/**
 * The NameNode's read lock. Hadoop 3.5 has modes: the namespace, the blocks, or both. Hadoop 3.4 has one lock, which
 * every mode takes. The methods that take it differ, so they are looked up once, when this class is loaded.
 */
public enum NamesystemLock {
    /** Files and directories. */
    FS,
    /** Blocks and their replicas. */
    BM,
    /** Both. */
    GLOBAL;

    private static final String MODES = "org.apache.hadoop.hdfs.util.RwLockMode";

    private final MethodHandle lock;
    private final MethodHandle unlock;

    NamesystemLock() {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        try {
            Class<?> modes = modes();
            if (modes == null) {
                lock = lookup.findVirtual(FSNamesystem.class, "readLock", MethodType.methodType(void.class));
                unlock = lookup.findVirtual(
                        FSNamesystem.class, "readUnlock", MethodType.methodType(void.class, String.class));
            } else {
                Object mode = lookup.findStatic(modes, "valueOf", MethodType.methodType(modes, String.class))
                        .invoke(name());
                MethodHandle takes =
                        lookup.findVirtual(FSNamesystem.class, "readLock", MethodType.methodType(void.class, modes));
                MethodHandle returns = lookup.findVirtual(
                        FSNamesystem.class, "readUnlock", MethodType.methodType(void.class, modes, String.class));
                lock = MethodHandles.insertArguments(takes, 1, mode);
                unlock = MethodHandles.insertArguments(returns, 1, mode);
            }
        } catch (Throwable e) {
            throw new LinkageError("no read lock of mode " + name().toLowerCase(Locale.ROOT) + " in this Hadoop", e);
        }
    }

    /** Null in Hadoop 3.4. */
    private static @Nullable Class<?> modes() {
        try {
            return Class.forName(MODES, true, FSNamesystem.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /** Takes the lock. */
    public void readLock(FSNamesystem namesystem) {
        try {
            lock.invokeExact(namesystem);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** @param operation the name under which the NameNode counts how long the lock was held */
    public void readUnlock(FSNamesystem namesystem, String operation) {
        try {
            unlock.invokeExact(namesystem, operation);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException failure ? failure : new IllegalStateException(e);
    }
}
