package io.terrace.bench.site;

import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All properties that Terrace is configured by: the few of Hadoop's own that plug it in, and every {@code terrace.*} key
 * with the default and the explanation of {@link TerraceSettings}.
 */
public final class SiteProperties {
    /** Settings without a default, because only the operator knows the value; shown with a usual value. */
    private static final Map<String, String> CHOICES = Map.of(
            "terrace.channel.dir", "/var/lib/terrace/channel",
            "terrace.datanode.memory.dir", "/mnt/terrace-memory",
            "terrace.datanode.memory.capacity", "4g");

    private static final List<SiteProperty> HADOOP = List.of(
            new SiteProperty(
                    "dfs.namenode.plugins",
                    "io.terrace.placement.hdfs.TerraceNameNodePlugin",
                    "Runs the placement service in the NameNode. Append it, with a comma, to plugins that are there.",
                    Set.of(PropertyReader.NAMENODE),
                    true),
            new SiteProperty(
                    "dfs.datanode.fsdataset.factory",
                    "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory",
                    "Hadoop's own dataset, extended: hot blocks are served from their memory copies.",
                    Set.of(PropertyReader.DATANODE),
                    true),
            new SiteProperty(
                    "dfs.datanode.plugins",
                    "io.terrace.datanode.hdfs.TerraceDataNodePlugin",
                    "Runs the memory tier and its grants in the DataNode. Append it, with a comma, to plugins that are there.",
                    Set.of(PropertyReader.DATANODE),
                    true),
            new SiteProperty(
                    "dfs.client.replica.accessor.builder.classes",
                    "io.terrace.client.TerraceAccessorBuilder",
                    "Reads blocks that are in memory on the client's host through a grant. A client without the jar logs a"
                            + " warning and reads as before.",
                    Set.of(PropertyReader.CLIENT),
                    true));

    private SiteProperties() {}

    /** Every property, Hadoop's first. */
    public static List<SiteProperty> all() {
        List<SiteProperty> all = new ArrayList<>(HADOOP);
        for (Setting<?> key : TerraceSettings.all()) {
            String choice = CHOICES.get(key.key());
            all.add(new SiteProperty(
                    key.key(), choice == null ? key.defaultText() : choice, key.doc(), readBy(key), choice != null));
        }
        return List.copyOf(all);
    }

    /** The properties that these parts require. */
    public static List<SiteProperty> needed(Set<PropertyReader> parts) {
        return of(parts).stream().filter(SiteProperty::set).toList();
    }

    /** Every property of these parts. */
    public static List<SiteProperty> of(Set<PropertyReader> parts) {
        return all().stream()
                .filter(property -> property.readBy().stream().anyMatch(parts::contains))
                .toList();
    }

    private static Set<PropertyReader> readBy(Setting<?> key) {
        Set<PropertyReader> parts = EnumSet.noneOf(PropertyReader.class);
        for (String reader : key.readBy().split(",", -1)) {
            Arrays.stream(PropertyReader.values())
                    .filter(propertyReader -> propertyReader.title().equals(reader.strip()))
                    .forEach(parts::add);
        }
        if (parts.isEmpty()) {
            throw new IllegalStateException(key.key() + " is read by '" + key.readBy() + "', which is no part");
        }
        return parts;
    }
}
