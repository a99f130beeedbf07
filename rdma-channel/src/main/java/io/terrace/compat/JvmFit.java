package io.terrace.compat;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this JVM can load Terrace's classes. Looks at class files, and loads no class but those of this package. */
public final class JvmFit {
    private static final Logger LOG = LoggerFactory.getLogger(JvmFit.class);

    /** Class files of Java n have version 44 + n. */
    private static final int BEFORE_JAVA_1 = 44;

    private JvmFit() {}

    /** Whether clients can read through Terrace. Looks at the first call, and says at ERROR why not and what to do. */
    public static boolean ofClient() {
        return Client.FITS;
    }

    /**
     * Why not; null when it can.
     *
     * @param root a class of those that Hadoop does not load by name; null where there is none
     */
    static @Nullable String problem(@Nullable ClassFile root) {
        double most = Double.parseDouble(System.getProperty("java.class.version", "0"));
        if (root == null || root.majorVersion <= most) {
            return null;
        }
        return "its classes need Java " + (root.majorVersion - BEFORE_JAVA_1) + ", this JVM is Java "
                + (int) (most - BEFORE_JAVA_1) + ": run it with a newer JDK";
    }

    /** Initialised at the first use. Afterwards a call costs nothing: accessors are made for each positional read. */
    private static final class Client {
        static final boolean FITS = look();

        private static boolean look() {
            String why;
            try {
                why = problem(new Linkage(JvmFit.class.getClassLoader()).find("io/terrace/client/LocalAccess"));
            } catch (IOException | RuntimeException e) {
                why = "its classes cannot be read, check Terrace's jar: " + e;
            }
            if (why != null) {
                LOG.error("Terrace is off, this client is stock: {}", why);
            }
            return why == null;
        }
    }
}
