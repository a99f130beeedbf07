package io.terrace.compat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a class file declares and what it refers to, read without loading the class: chapter 4 of the JVM specification.
 * Names are those of class files, with slashes.
 */
final class ClassFile {
    private static final int MAGIC = 0xCAFEBABE;
    private static final int SYNTHETIC = 0x1000;

    /** The version of the class file; 52 is Java 8. */
    final int majorVersion;

    final int access;
    final String name;
    /** Null for {@code java/lang/Object}. */
    final @Nullable String superName;

    final List<String> interfaces = new ArrayList<>();
    /** Name and descriptor of each field and method, and its access flags. */
    final Map<String, Integer> members = new HashMap<>();
    /** Classes that the code names. */
    final Set<String> classes = new LinkedHashSet<>();
    /** Members that the code names. */
    final Set<Member> references = new LinkedHashSet<>();

    /** A field or method as code names it: {@code signature} is its name and descriptor. */
    static final class Member {
        final String owner;
        final String signature;

        Member(String owner, String signature) {
            this.owner = owner;
            this.signature = signature;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Member && toString().equals(other.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            return owner.replace('/', '.') + "." + signature;
        }
    }

    ClassFile(InputStream bytes) throws IOException {
        DataInputStream in = new DataInputStream(bytes);
        if (in.readInt() != MAGIC) {
            throw new IOException("no class file");
        }
        in.readUnsignedShort();
        majorVersion = in.readUnsignedShort();
        Constants constants = new Constants(in);
        access = in.readUnsignedShort();
        name = constants.text(in.readUnsignedShort());
        int above = in.readUnsignedShort();
        superName = above == 0 ? null : constants.text(above);
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            interfaces.add(constants.text(in.readUnsignedShort()));
        }
        members(in, constants);
        members(in, constants);
        constants.references(this);
    }

    private void members(DataInputStream in, Constants constants) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int flags = in.readUnsignedShort();
            String member = constants.text(in.readUnsignedShort());
            members.put(member + constants.text(in.readUnsignedShort()), flags);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.readUnsignedShort();
                skip(in, in.readInt());
            }
        }
    }

    /** Names of the methods that a class of the same package could override. */
    Set<String> overridable() {
        Set<String> names = new LinkedHashSet<>();
        for (Map.Entry<String, Integer> member : members.entrySet()) {
            int parameters = member.getKey().indexOf('(');
            boolean fixed = (member.getValue() & (Modifier.STATIC | Modifier.PRIVATE | SYNTHETIC)) != 0;
            if (parameters > 0 && !fixed && !member.getKey().startsWith("<")) {
                names.add(member.getKey().substring(0, parameters));
            }
        }
        return names;
    }

    private static void skip(DataInputStream in, int bytes) throws IOException {
        for (int left = bytes; left > 0; ) {
            int skipped = in.skipBytes(left);
            if (skipped <= 0) {
                throw new IOException("a class file ends early");
            }
            left -= skipped;
        }
    }

    /** The constant pool. */
    private static final class Constants {
        private static final int UTF8 = 1;
        private static final int LONG = 5;
        private static final int DOUBLE = 6;
        private static final int CLASS = 7;
        private static final int FIELD = 9;
        private static final int INTERFACE_METHOD = 11;
        private static final int NAME_AND_TYPE = 12;

        private final int[] tags;
        private final int[] first;
        private final int[] second;
        private final String[] texts;

        Constants(DataInputStream in) throws IOException {
            int count = in.readUnsignedShort();
            tags = new int[count];
            first = new int[count];
            second = new int[count];
            texts = new String[count];
            for (int i = 1; i < count; i++) {
                read(in, i);
                if (tags[i] == LONG || tags[i] == DOUBLE) {
                    i++; // They take two places.
                }
            }
        }

        private void read(DataInputStream in, int i) throws IOException {
            tags[i] = in.readUnsignedByte();
            switch (tags[i]) {
                case UTF8:
                    texts[i] = in.readUTF();
                    break;
                case CLASS:
                case 8: // String
                case 16: // MethodType
                case 19: // Module
                case 20: // Package
                    first[i] = in.readUnsignedShort();
                    break;
                case LONG:
                case DOUBLE:
                    in.readLong();
                    break;
                case 15: // MethodHandle
                    in.readUnsignedByte();
                    in.readUnsignedShort();
                    break;
                case 3: // Integer
                case 4: // Float
                case FIELD:
                case 10: // Method
                case INTERFACE_METHOD:
                case NAME_AND_TYPE:
                case 17: // Dynamic
                case 18: // InvokeDynamic
                    first[i] = in.readUnsignedShort();
                    second[i] = in.readUnsignedShort();
                    break;
                default:
                    throw new IOException("a class file with a constant of type " + tags[i]);
            }
        }

        /** A text, or the name of a class. */
        String text(int i) {
            return tags[i] == CLASS ? texts[first[i]] : texts[i];
        }

        void references(ClassFile of) {
            for (int i = 1; i < tags.length; i++) {
                if (tags[i] == CLASS) {
                    of.classes.add(elementType(text(i)));
                } else if (tags[i] >= FIELD && tags[i] <= INTERFACE_METHOD) {
                    String signature = text(first[second[i]]) + text(second[second[i]]);
                    of.references.add(new Member(text(first[i]), signature));
                }
            }
        }

        private static String elementType(String type) {
            if (!type.startsWith("[")) {
                return type;
            }
            String element = type.replace("[", "");
            return element.startsWith("L") ? element.substring(1, element.length() - 1) : "java/lang/Object";
        }
    }
}
