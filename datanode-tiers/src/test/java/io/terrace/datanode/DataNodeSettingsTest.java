package io.terrace.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.SettingKeys;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The settings as they are listed are the settings as they are read. */
class DataNodeSettingsTest {

    private static Configuration required() {
        Configuration conf = new Configuration(false);
        conf.set(DataNodeSettings.MEMORY_DIR, "/memory");
        conf.set(DataNodeSettings.MEMORY_CAPACITY, "4g");
        return conf;
    }

    private static List<Object> values(Configuration conf) throws ReflectiveOperationException {
        DataNodeSettings settings = new DataNodeSettings(conf).check();
        List<Object> values = new ArrayList<>();
        for (Method method : DataNodeSettings.class.getMethods()) {
            if (method.getDeclaringClass() == DataNodeSettings.class
                    && method.getParameterCount() == 0
                    && !method.getName().equals("check")) {
                values.add(method.getName() + "=" + method.invoke(settings));
            }
        }
        return values;
    }

    @Test
    void defaults_areThoseOfTheList() throws Exception {
        Configuration listed = required();
        for (SettingKeys key : SettingKeys.values()) {
            if (key.key().startsWith("terrace.datanode.") && !key.defaultValue().isEmpty()) {
                listed.set(key.key(), key.defaultValue());
            }
        }
        assertThat(values(listed)).containsExactlyInAnyOrderElementsOf(values(required()));
    }

    @Test
    void keys_areThoseOfTheList() throws Exception {
        Set<String> read = new TreeSet<>();
        for (var field : DataNodeSettings.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                read.add((String) field.get(null));
            }
        }
        Set<String> listed = new TreeSet<>(Set.of(DataNodeSettings.ENABLED, DataNodeSettings.CHANNEL_DIR));
        for (SettingKeys key : SettingKeys.values()) {
            if (key.key().startsWith("terrace.datanode.")) {
                listed.add(key.key());
            }
        }
        assertThat(read).isEqualTo(listed);
    }

    @Test
    void testSwitches_areThoseThatAreOn() {
        Configuration conf = required();
        assertThat(new DataNodeSettings(conf).testSwitches()).isEmpty();
        conf.setBoolean(DataNodeSettings.MEMORY_DIR_PER_DATANODE, true);
        conf.setBoolean(DataNodeSettings.PROMOTE_AT_ONCE, true);
        assertThat(new DataNodeSettings(conf).testSwitches())
                .containsExactly(DataNodeSettings.PROMOTE_AT_ONCE, DataNodeSettings.MEMORY_DIR_PER_DATANODE);
    }
}
