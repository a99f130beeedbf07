package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.conf.TerraceSettings;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The settings as they are listed are the settings as they are read. */
class DataNodeConfigTest {

    private static Configuration required() {
        Configuration conf = new Configuration(false);
        conf.set(DataNodeConfig.MEMORY_DIR, "/memory");
        conf.set(DataNodeConfig.MEMORY_CAPACITY, "4g");
        return conf;
    }

    private static List<Object> values(Configuration conf) throws ReflectiveOperationException {
        DataNodeConfig settings = new DataNodeConfig(conf).check();
        List<Object> values = new ArrayList<>();
        for (Method method : DataNodeConfig.class.getMethods()) {
            if (method.getDeclaringClass() == DataNodeConfig.class
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
        for (TerraceSettings key : TerraceSettings.values()) {
            if (key.key().startsWith("terrace.datanode.") && !key.defaultValue().isEmpty()) {
                listed.set(key.key(), key.defaultValue());
            }
        }
        assertThat(values(listed)).containsExactlyInAnyOrderElementsOf(values(required()));
    }

    @Test
    void keys_areThoseOfTheList() throws Exception {
        Set<String> read = new TreeSet<>();
        for (var field : DataNodeConfig.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
                read.add((String) field.get(null));
            }
        }
        Set<String> listed = new TreeSet<>(Set.of(DataNodeConfig.ENABLED, DataNodeConfig.CHANNEL_DIR));
        for (TerraceSettings key : TerraceSettings.values()) {
            if (key.key().startsWith("terrace.datanode.")) {
                listed.add(key.key());
            }
        }
        assertThat(read).isEqualTo(listed);
    }

    @Test
    void testSwitches_areThoseThatAreOn() {
        Configuration conf = required();
        assertThat(new DataNodeConfig(conf).testSwitches()).isEmpty();
        conf.setBoolean(DataNodeConfig.MEMORY_DIR_PER_DATANODE, true);
        conf.setBoolean(DataNodeConfig.PROMOTE_AT_ONCE, true);
        assertThat(new DataNodeConfig(conf).testSwitches())
                .containsExactly(DataNodeConfig.PROMOTE_AT_ONCE, DataNodeConfig.MEMORY_DIR_PER_DATANODE);
    }
}
