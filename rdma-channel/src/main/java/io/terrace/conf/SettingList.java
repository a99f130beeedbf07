package io.terrace.conf;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings by key, in the order in which they were defined: {@code key(...).type(...).doc(...)} defines one. */
final class SettingList {

    private final Map<String, Setting<?>> settings = new LinkedHashMap<>();

    Collection<Setting<?>> all() {
        return Collections.unmodifiableCollection(settings.values());
    }

    @Nullable
    Setting<?> find(String key) {
        return settings.get(key);
    }

    Key key(String key, String readBy) {
        return new Key(this, key, readBy);
    }

    /** A setting whose type is to be said. */
    record Key(SettingList list, String key, String readBy) {

        Typed<Boolean> flag(boolean byDefault) {
            return new Typed<>(this, SettingType.FLAG, Boolean.toString(byDefault), null, null);
        }

        Typed<Integer> whole(int byDefault, int least, int most) {
            return new Typed<>(this, SettingType.WHOLE, Integer.toString(byDefault), least, most);
        }

        Typed<Long> bytes(String byDefault, long least) {
            return new Typed<>(this, SettingType.BYTES, byDefault, least, null);
        }

        Typed<Long> bytes(String byDefault, long least, long most) {
            return new Typed<>(this, SettingType.BYTES, byDefault, least, most);
        }

        Typed<Long> millis(String byDefault, long leastMs) {
            return new Typed<>(this, SettingType.MILLIS, byDefault, leastMs, null);
        }

        Typed<Long> millis(String byDefault, long leastMs, long mostMs) {
            return new Typed<>(this, SettingType.MILLIS, byDefault, leastMs, mostMs);
        }

        Typed<String> text(String byDefault) {
            return new Typed<>(this, SettingType.TEXT, byDefault, null, null);
        }

        /** @param words the first is the default */
        Typed<String> oneOf(String... words) {
            return new Typed<>(this, SettingType.oneOf(words), words[0], null, null);
        }

        Typed<Path> path() {
            return new Typed<>(this, SettingType.PATH, "", null, null);
        }

        Typed<Path> absolutePath() {
            return new Typed<>(this, SettingType.ABSOLUTE_PATH, "", null, null);
        }
    }

    /** A setting whose text is to be said. */
    record Typed<T extends Comparable<T>>(
            Key key, SettingType<T> type, String byDefault, @Nullable T least, @Nullable T most) {

        Setting<T> doc(String text) {
            Setting<T> setting = new Setting<>(key.key(), type, byDefault, least, most, key.readBy(), text);
            if (key.list().settings.put(setting.key(), setting) != null) {
                throw new IllegalStateException(setting.key() + " is listed twice");
            }
            return setting;
        }
    }
}
