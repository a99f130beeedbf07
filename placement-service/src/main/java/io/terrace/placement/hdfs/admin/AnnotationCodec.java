package io.terrace.placement.hdfs.admin;

import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.AnnotatedRule.Held;
import io.terrace.placement.policyfile.AnnotatedRule.Ignored;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.protocol.proto.AdminProtos.HeldWordProto;
import io.terrace.protocol.proto.AdminProtos.IgnoredAnnotationProto;
import java.util.List;
import java.util.Locale;

/** What rules and annotations say of a file, as messages. */
final class AnnotationCodec {

    private AnnotationCodec() {}

    static List<HeldWordProto> words(AnnotatedRule resolved) {
        return resolved.words().stream().map(held -> word(resolved, held)).toList();
    }

    /** The words that annotations give. */
    static List<HeldWordProto> annotations(AnnotatedRule resolved) {
        return resolved.words().stream()
                .filter(held -> held.by() != null)
                .map(held -> word(resolved, held))
                .toList();
    }

    private static HeldWordProto word(AnnotatedRule resolved, Held held) {
        HeldWordProto.Builder word = HeldWordProto.newBuilder()
                .setWord(held.word().word())
                .setValue(held.value())
                .setSource(held.by() == null ? "policy" : held.by().name().toLowerCase(Locale.ROOT));
        if (held.path() != null) {
            word.setPath(held.path());
        } else if (resolved.rule() != null && resolved.rule().number() > 0) {
            word.setRule(resolved.rule().number());
        }
        return word.build();
    }

    /** @param full whether annotations of the superuser may be shown, which HDFS shows to nobody else */
    static List<IgnoredAnnotationProto> ignored(AnnotatedRule resolved, boolean full) {
        return resolved.ignored().stream()
                .filter(ignored -> full || !ignored.attribute().startsWith(Scope.TRUSTED.prefix()))
                .map(AnnotationCodec::ignored)
                .toList();
    }

    private static IgnoredAnnotationProto ignored(Ignored ignored) {
        return IgnoredAnnotationProto.newBuilder()
                .setAttribute(ignored.attribute())
                .setPath(ignored.path())
                .setValue(ignored.value())
                .setWhy(ignored.why())
                .build();
    }
}
