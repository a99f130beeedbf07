package io.terrace.placement.policyfile;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the extended attributes of one file or directory say of its placement. Immutable. */
public final class OwnAnnotations {

    public static final OwnAnnotations NONE = new OwnAnnotations(Map.of());

    /** Longer values are no annotations; none that is right needs as much. */
    static final int MOST_BYTES = 256;

    /** What the service stores of its own at the root directory. */
    private static final Set<String> OF_THE_SERVICE =
            Set.of("trusted.terrace.placement", "trusted.terrace.policy", "trusted.terrace.satisfied");

    /** Who may set an attribute: the superuser, or whoever may write the file. */
    public enum Scope {
        TRUSTED,
        USER;

        /** What the names of its attributes begin with. */
        public String prefix() {
            return name().toLowerCase(Locale.ROOT) + ".terrace.";
        }
    }

    /** An attribute that is not taken, and why. */
    record Refused(String attribute, String value, String why) {}

    private final Map<Scope, Map<AnnotationWord, String>> values = new EnumMap<>(Scope.class);
    private final List<Refused> refused = new ArrayList<>();
    private volatile @Nullable PathAnnotations below;

    private OwnAnnotations(Map<String, byte[]> attributes) {
        for (Scope scope : Scope.values()) {
            Map<AnnotationWord, String> words = new EnumMap<>(AnnotationWord.class);
            values.put(scope, words);
            attributes.forEach((name, value) -> {
                if (name.startsWith(scope.prefix()) && !OF_THE_SERVICE.contains(name)) {
                    read(words, name, name.substring(scope.prefix().length()), value);
                }
            });
        }
    }

    /** @param attributes by their names with namespace; others than annotations are left out */
    public static OwnAnnotations of(Map<String, byte[]> attributes) {
        OwnAnnotations own = new OwnAnnotations(attributes);
        return own.isEmpty() ? NONE : own;
    }

    private void read(Map<AnnotationWord, String> words, String attribute, String name, byte[] value) {
        String text = text(value);
        try {
            AnnotationWord word = AnnotationWord.of(name);
            if (text == null) {
                throw new IllegalArgumentException(
                        "its value is not UTF-8 text of 1 to " + MOST_BYTES + " bytes; set it again or remove it");
            }
            word.check(text);
            words.put(word, text);
        } catch (IllegalArgumentException e) {
            refused.add(new Refused(attribute, text == null ? "" : text, String.valueOf(e.getMessage())));
        }
    }

    private static @Nullable String text(byte @Nullable [] value) {
        if (value == null || value.length == 0 || value.length > MOST_BYTES) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString()
                    .strip();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private boolean isEmpty() {
        return values.values().stream().allMatch(Map::isEmpty) && refused.isEmpty();
    }

    @Nullable
    String value(Scope scope, AnnotationWord word) {
        return values.getOrDefault(scope, Map.of()).get(word);
    }

    /** Whether {@code satisfy: true} is among them by the superuser, or by others, which may still not be heeded. */
    public boolean satisfies(Scope scope) {
        return "true".equals(value(scope, AnnotationWord.SATISFY));
    }

    /** Whether a word that decides on new files is among them, by whomever. */
    public boolean decidesOnWrites() {
        return says(AnnotationWord.WRITE) || says(AnnotationWord.PLACE);
    }

    private boolean says(AnnotationWord word) {
        return value(Scope.TRUSTED, word) != null || value(Scope.USER, word) != null;
    }

    /** Attributes with an unknown word or a bad value. */
    List<Refused> refused() {
        return refused;
    }

    /** With those of the directories above; the same object for the same ones above, so that files share it. */
    PathAnnotations below(PathAnnotations above) {
        PathAnnotations known = below;
        if (known == null || known.above() != above) {
            known = new PathAnnotations(this, "", above);
            below = known;
        }
        return known;
    }
}
