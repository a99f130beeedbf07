package io.terrace.bench.site;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.cli.CommandLines;
import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SitePropertiesTest {
    private static final Path CONF = Path.of("..", "conf");
    private static final Pattern KEY = Pattern.compile("<name>(terrace\\.[^<]*)</name>");

    @ParameterizedTest
    @EnumSource
    void file_comparedWithCommand_isWhatConfCompletePrints(PropertyReader propertyReader) throws IOException {
        Path file = CONF.resolve(propertyReader.name().toLowerCase(Locale.ROOT) + "-site.xml");

        assertThat(Files.readString(file))
                .as(
                        "%s is generated: bin/terrace conf --complete %s > conf/%s",
                        file, propertyReader, file.getFileName())
                .isEqualTo(CommandLines.output("conf", "--complete", propertyReader.name()));
    }

    @Test
    void minimalFile_comparedWithCommand_isWhatConfPrints() throws IOException {
        assertThat(Files.readString(CONF.resolve("minimal-site.xml")))
                .as("it is generated: bin/terrace conf > conf/minimal-site.xml")
                .isEqualTo(CommandLines.output("conf"));
    }

    @Test
    void keysOfFiles_comparedWithSettingKeys_areTheSame() throws IOException {
        Set<String> inFiles = new TreeSet<>();
        for (PropertyReader propertyReader : PropertyReader.values()) {
            Matcher keys = KEY.matcher(
                    Files.readString(CONF.resolve(propertyReader.name().toLowerCase(Locale.ROOT) + "-site.xml")));
            while (keys.find()) {
                inFiles.add(keys.group(1));
            }
        }
        // What only placementctl reads is set on its command line or where it runs, not in these files.
        Set<String> known = TerraceSettings.all().stream()
                .filter(key -> !key.readBy().equals("placementctl"))
                .map(Setting::key)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(inFiles).isEqualTo(known);
    }

    @Test
    void conf_parsedByHadoop_givesTheNeededProperties() {
        Configuration conf = new Configuration(false);
        conf.addResource(
                new ByteArrayInputStream(CommandLines.output("conf").getBytes(StandardCharsets.UTF_8)), "conf");

        for (SiteProperty property : SiteProperties.needed(EnumSet.allOf(PropertyReader.class))) {
            assertThat(conf.get(property.key())).as(property.key()).isEqualTo(property.value());
        }
        assertThat(conf.size())
                .isEqualTo(SiteProperties.needed(EnumSet.allOf(PropertyReader.class))
                        .size());
    }

    @Test
    void needed_ofTheClient_areAccessorAndChannel() {
        assertThat(SiteProperties.needed(EnumSet.of(PropertyReader.CLIENT)))
                .extracting(SiteProperty::key)
                .containsExactlyInAnyOrder("dfs.client.replica.accessor.builder.classes", "terrace.channel.dir");
    }

    @Test
    void text_withMarkupAndHyphens_isWellFormed() {
        SiteProperty odd =
                new SiteProperty("terrace.odd", "a<b & c", "one -- two <three>", Set.of(PropertyReader.CLIENT), true);
        Configuration conf = new Configuration(false);
        conf.addResource(
                new ByteArrayInputStream(SiteXml.text("odd", Set.of(odd)).getBytes(StandardCharsets.UTF_8)), "odd");

        assertThat(conf.get("terrace.odd")).isEqualTo("a<b & c");
    }
}
