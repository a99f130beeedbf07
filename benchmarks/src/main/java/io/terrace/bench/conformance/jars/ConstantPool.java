package io.terrace.bench.conformance.jars;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Where the entries of a class file's constant pool stand (JVM specification, 4.4). */
final class ConstantPool {
    static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHOD_REFERENCE = 10;

    /** Where a class file says how many entries there are. */
    static final int COUNT_AT = 8;

    private final byte[] classFile;
    private final int[] offsets;
    private final int[] ends;

    private ConstantPool(byte[] classFile, int[] offsets, int[] ends) {
        this.classFile = classFile;
        this.offsets = offsets;
        this.ends = ends;
    }

    static ConstantPool read(byte[] classFile) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
        in.skipNBytes(COUNT_AT);
        int count = in.readUnsignedShort();
        int[] offsets = new int[count];
        int[] ends = new int[count];
        for (int i = 1; i < count; i++) {
            offsets[i] = classFile.length - in.available();
            int tag = in.readUnsignedByte();
            in.skipNBytes(
                    switch (tag) {
                        case UTF8 -> in.readUnsignedShort();
                        case CLASS, 8, 16, 19, 20 -> 2;
                        case 15 -> 3;
                        case 3, 4, 9, METHOD_REFERENCE, 11, 12, 17, 18 -> 4;
                        case 5, 6 -> 8;
                        default -> throw new IOException("no constant has the tag " + tag);
                    });
            ends[i] = classFile.length - in.available();
            if (tag == 5 || tag == 6) {
                // A long or double takes two places.
                ends[i + 1] = ends[i];
                i++;
            }
        }
        return new ConstantPool(classFile, offsets, ends);
    }

    int offset(int index) {
        return offsets[index];
    }

    int end(int index) {
        return ends[index];
    }

    /** Entries, plus one. */
    int count() {
        return offsets.length;
    }

    /** Where the pool ends. */
    int end() {
        return ends[offsets.length - 1];
    }

    int utf8(String text) throws IOException {
        for (int i = 1; i < offsets.length; i++) {
            if (tag(i) == UTF8
                    && text.equals(
                            new String(classFile, offsets[i] + 3, ends[i] - offsets[i] - 3, StandardCharsets.UTF_8))) {
                return i;
            }
        }
        throw new IOException("the class has no entry for " + text);
    }

    int classNamed(String name) throws IOException {
        int utf8 = utf8(name);
        for (int i = 1; i < offsets.length; i++) {
            if (tag(i) == CLASS && u2(offsets[i] + 1) == utf8) {
                return i;
            }
        }
        throw new IOException("the class does not refer to " + name);
    }

    /** The reference to a method of that name: its second half is a name and type, which begins with the name. */
    int methodReference(int name) throws IOException {
        for (int i = 1; i < offsets.length; i++) {
            if (tag(i) == METHOD_REFERENCE && u2(offsets[u2(offsets[i] + 3)] + 1) == name) {
                return i;
            }
        }
        throw new IOException("the class does not call that method");
    }

    private int tag(int index) {
        // The second half of a long or double is no entry.
        return offsets[index] == 0 ? 0 : classFile[offsets[index]];
    }

    /** Two bytes of a class file as an unsigned number. */
    static int u2(byte[] classFile, int at) {
        return (classFile[at] & 0xff) << 8 | (classFile[at + 1] & 0xff);
    }

    private int u2(int at) {
        return u2(classFile, at);
    }
}
