package io.terrace.bench.conformance.jars;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Makes the published libhadoop (3.4.3) serve Hadoop 3.5.0, for the tests of both sides alike.
 *
 * <p>The class {@code NativeIO.POSIX} of 3.5.0 initialises itself by a native method of its own, {@code
 * initNativePosix}, which older libraries do not have; until 3.4 it called {@code NativeIO.initNative}, which does the
 * same, sets a field of that class, and is declared in both. Without it, tests of short-circuit reads and lazy
 * persistence skip themselves or take the JVM down with them. So copies of these two classes are put before Hadoop's
 * jars: in one the call goes to {@code NativeIO.initNative}, the other has the field. A library that has the new method
 * is left alone.
 */
public final class OlderLibhadoop {
    private static final String OUTER = "org/apache/hadoop/io/nativeio/NativeIO";
    private static final String INNER = OUTER + "$POSIX";
    private static final String NEW_NAME = "initNativePosix";
    private static final String OLD_NAME = "initNative";
    private static final String NEW_SYMBOL = "Java_org_apache_hadoop_io_nativeio_NativeIO_00024POSIX_initNativePosix";

    /** A static field that the older library sets in the class whose method it is. */
    private static final String FIELD = "workaroundNonThreadSafePasswdCalls";

    private static final int ACC_PRIVATE_STATIC = 0x000a;

    private OlderLibhadoop() {}

    /** Where the build of that checkout unpacks libhadoop for this processor. */
    public static Path unpackedIn(Path root) {
        return root.resolve("benchmarks/target/native/nativelib").resolve("Linux-" + System.getProperty("os.arch"));
    }

    /** Whether the library does not have what this Hadoop calls; 3.4 calls what both have. */
    public static boolean isOlder(Path library, Path hadoopCommon) throws IOException {
        try (ZipFile zip = new ZipFile(hadoopCommon.toFile())) {
            return contains(bytes(zip, INNER), NEW_NAME) && !contains(Files.readAllBytes(library), NEW_SYMBOL);
        }
    }

    /** As Latin-1, so that every byte is one character. */
    private static boolean contains(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
    }

    /** Writes the two classes below {@code target}, made from those in hadoop-common's jar. */
    public static void fit(Path hadoopCommon, Path target) throws IOException {
        try (ZipFile zip = new ZipFile(hadoopCommon.toFile())) {
            write(target, INNER, redirected(bytes(zip, INNER)));
            write(target, OUTER, withField(bytes(zip, OUTER)));
        }
    }

    /**
     * The class with its call of {@code POSIX.initNativePosix} made one of {@code NativeIO.initNative}: in the constant
     * pool, the name is another one and the method reference names another class (JVM specification, 4.4).
     */
    static byte[] redirected(byte[] classFile) throws IOException {
        ConstantPool pool = ConstantPool.read(classFile);
        int name = pool.utf8(NEW_NAME);
        int owner = pool.classNamed(OUTER);
        int call = pool.methodReference(name);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(classFile.length);
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(classFile, 0, pool.offset(name));
        out.writeByte(ConstantPool.UTF8);
        out.writeUTF(OLD_NAME);
        out.write(classFile, pool.end(name), classFile.length - pool.end(name));
        byte[] renamed = bytes.toByteArray();
        // Entries after the name moved by the difference in length.
        int shift = renamed.length - classFile.length;
        int at = pool.offset(call) + (pool.offset(call) > pool.offset(name) ? shift : 0) + 1;
        renamed[at] = (byte) (owner >> 8);
        renamed[at + 1] = (byte) owner;
        return renamed;
    }

    /** The class with one more private static boolean field, whose name and type are added to the constant pool. */
    static byte[] withField(byte[] classFile) throws IOException {
        ConstantPool pool = ConstantPool.read(classFile);
        int interfaces = pool.end() + 6;
        int fields = interfaces + 2 + 2 * ConstantPool.u2(classFile, interfaces);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(classFile.length + 64);
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(classFile, 0, ConstantPool.COUNT_AT);
        out.writeShort(pool.count() + 2);
        out.write(classFile, ConstantPool.COUNT_AT + 2, pool.end() - ConstantPool.COUNT_AT - 2);
        out.writeByte(ConstantPool.UTF8);
        out.writeUTF(FIELD);
        out.writeByte(ConstantPool.UTF8);
        out.writeUTF("Z");
        out.write(classFile, pool.end(), fields - pool.end());
        out.writeShort(ConstantPool.u2(classFile, fields) + 1);
        out.writeShort(ACC_PRIVATE_STATIC);
        out.writeShort(pool.count());
        out.writeShort(pool.count() + 1);
        out.writeShort(0);
        out.write(classFile, fields + 2, classFile.length - fields - 2);
        return bytes.toByteArray();
    }

    private static byte[] bytes(ZipFile zip, String className) throws IOException {
        ZipEntry entry = zip.getEntry(className + ".class");
        if (entry == null) {
            throw new IOException(className + " is not in " + zip.getName());
        }
        try (InputStream stream = zip.getInputStream(entry)) {
            return stream.readAllBytes();
        }
    }

    private static void write(Path target, String className, byte[] classFile) throws IOException {
        Path file = target.resolve(className + ".class");
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, classFile);
    }
}
