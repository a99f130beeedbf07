package io.terrace.placementctl.client;

import java.io.File;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/** Hadoop's configuration, as the tools find it. */
public final class SiteConfiguration {

    private SiteConfiguration() {}

    /**
     * What core-site.xml and hdfs-site.xml say. With a directory, nothing is taken from those of the class path: in an
     * installation it begins with the configuration of this host, which may be of another cluster.
     *
     * @param dir of these files; null: {@code HADOOP_CONF_DIR}, else the class path
     * @throws IllegalArgumentException if the directory has neither, or a file cannot be read
     */
    public static Configuration read(@Nullable File dir) {
        String fromEnvironment = System.getenv("HADOOP_CONF_DIR");
        File chosen =
                dir != null || fromEnvironment == null || fromEnvironment.isBlank() ? dir : new File(fromEnvironment);
        Configuration configuration = new HdfsConfiguration(chosen == null);
        if (chosen != null) {
            configuration.addResource("core-default.xml");
            configuration.addResource("hdfs-default.xml");
            boolean any = false;
            for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
                File file = new File(chosen, name);
                if (file.isFile()) {
                    load(configuration, file);
                    any = true;
                }
            }
            if (!any) {
                throw new IllegalArgumentException(
                        chosen + " holds no core-site.xml or hdfs-site.xml: name a Hadoop configuration with --conf");
            }
        }
        if (chosen == null) {
            load(configuration, null);
        }
        UserGroupInformation.setConfiguration(configuration);
        return configuration;
    }

    /**
     * Reads a file now. Hadoop does when the first property is asked for, and throws any kind of exception for a bad file.
     *
     * @param file null for those of the class path
     */
    private static void load(Configuration configuration, @Nullable File file) {
        try {
            if (file != null) {
                configuration.addResource(new Path(file.toURI()));
            }
            int unused = configuration.size();
        } catch (RuntimeException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            String reason = String.valueOf(why.getMessage()).lines().findFirst().orElse(why.toString());
            throw new IllegalArgumentException(
                    (file == null ? "core-site.xml or hdfs-site.xml on the class path" : file) + " cannot be read: "
                            + reason + "; correct the file, or the rights to read it",
                    e);
        }
    }
}
