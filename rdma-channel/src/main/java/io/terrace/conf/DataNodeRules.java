package io.terrace.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/** What has to hold between settings of a DataNode, each of which may have its value. A DataNode that breaks one is stock. */
public final class DataNodeRules {

    private DataNodeRules() {}

    /** What is broken: key, value and remedy. Nothing is said of a setting that is unset, or that has no readable value. */
    public static List<IllegalArgumentException> broken(Configuration conf) {
        List<IllegalArgumentException> broken = new ArrayList<>();
        Long capacity = readable(TerraceSettings.DATANODE_MEMORY_CAPACITY, conf);
        Long most = readable(TerraceSettings.DATANODE_MEMORY_CAPACITY_MAX, conf);
        Long region = readable(TerraceSettings.DATANODE_REGION_SIZE, conf);
        if (capacity != null && most != null && most < capacity) {
            broken.add(TerraceSettings.DATANODE_MEMORY_CAPACITY_MAX.refusal(
                    String.valueOf(most), atLeast("", capacity), null));
        }
        long pages = region == null ? 0 : region / TerraceSettings.PAGE * TerraceSettings.PAGE;
        if (capacity != null && region != null && pages < 2 * capacity) {
            broken.add(TerraceSettings.DATANODE_REGION_SIZE.refusal(
                    String.valueOf(pages), atLeast("twice ", capacity), null));
        }
        try {
            List<Path> unused = nvmLocalDirs(conf);
        } catch (IllegalArgumentException e) {
            broken.add(e);
        }
        return broken;
    }

    private static String atLeast(String times, long capacity) {
        return "at least " + times + TerraceSettings.DATANODE_MEMORY_CAPACITY.key() + ", which is " + capacity;
    }

    /** Null as well where it cannot be read. */
    private static <T extends Comparable<T>> @Nullable T readable(Setting<T> setting, Configuration conf) {
        try {
            return setting.orNull(conf);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Where clients of a DataNode's host open replicas on NVM; none where they are not granted any.
     *
     * @throws IllegalArgumentException naming key, value and remedy
     */
    public static List<Path> nvmLocalDirs(Configuration conf) {
        List<Path> directories = new ArrayList<>();
        for (String text : TerraceSettings.DATANODE_NVM_LOCAL_DIR.get(conf).split(",", -1)) {
            String directory = text.trim();
            if (directory.isEmpty()) {
                continue;
            }
            if (!directory.startsWith("/")) {
                throw TerraceSettings.DATANODE_NVM_LOCAL_DIR.refusal(directory, "absolute paths", null);
            }
            directories.add(Path.of(directory).normalize());
        }
        return directories;
    }
}
