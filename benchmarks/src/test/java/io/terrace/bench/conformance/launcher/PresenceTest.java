package io.terrace.bench.conformance.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.conformance.launcher.Presence.Line;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link Presence} names loggers as strings: a class that is renamed must be renamed there too. */
class PresenceTest {

    @ParameterizedTest
    @EnumSource(Line.class)
    void line_logger_isThatOfAClass(Line line) throws ReflectiveOperationException {
        assertThat(loggerName(Class.forName(line.logger))).isEqualTo(line.logger);
    }

    @ParameterizedTest
    @EnumSource(
            value = Line.class,
            names = {"DATANODE", "NAMENODE"},
            mode = EnumSource.Mode.EXCLUDE)
    void line_ofTerrace_isInItsClass(Line line) throws Exception {
        Class<?> owner = Class.forName(line.logger);
        try (InputStream in = owner.getResourceAsStream(owner.getSimpleName() + ".class")) {
            assertThat(in).isNotNull();
            assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                    .contains(line.beginning);
        }
    }

    private static String loggerName(Class<?> owner) throws ReflectiveOperationException {
        for (Field field : owner.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().equals("LOG")) {
                field.setAccessible(true);
                return (String) field.getType().getMethod("getName").invoke(field.get(null));
            }
        }
        throw new AssertionError(owner + " has no field LOG");
    }
}
