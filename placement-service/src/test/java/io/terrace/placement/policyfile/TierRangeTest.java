package io.terrace.placement.policyfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.StorageTier;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TierRangeTest {

    private static PathRule rule(String... lines) throws PolicyFileException {
        return PolicyFile.read("file.yaml", "policy: idecider\nrules:\n- path: /a/**\n  " + String.join("\n  ", lines))
                .rules()
                .get(0);
    }

    @Test
    void range_isRead() throws Exception {
        assertThat(rule("tiers: ssd..archive").tiers())
                .isEqualTo(new TierRange(StorageTier.SSD, StorageTier.ARCHIVE, false))
                .hasToString("ssd..archive");
        assertThat(rule("tiers: nvm").tiers()).isEqualTo(new TierRange(StorageTier.NVM, StorageTier.NVM, false));
        assertThat(rule("tiers: nvm..nvm", "replicas: one").tiers()).hasToString("nvm");
        assertThat(rule("tiers: nvm..disk", "replicas: all").tiers())
                .isEqualTo(new TierRange(StorageTier.NVM, StorageTier.DISK, true));
        assertThat(rule("place: never").tiers()).isNull();
    }

    @Test
    void tiers_areInTheSequenceInWhichTheyAreTried() {
        TierRange range = new TierRange(StorageTier.NVM, StorageTier.DISK, false);
        assertThat(range.inwards(StorageTier.ARCHIVE))
                .isEqualTo(List.of(StorageTier.DISK, StorageTier.SSD, StorageTier.NVM));
        assertThat(new TierRange(StorageTier.SSD, StorageTier.DISK, false).inwards(StorageTier.NVM))
                .isEqualTo(List.of(StorageTier.SSD, StorageTier.DISK));
        assertThat(range.fasterThan(StorageTier.DISK)).isEqualTo(List.of(StorageTier.NVM, StorageTier.SSD));
        assertThat(range.fasterThan(StorageTier.NVM)).isEmpty();
        assertThat(range.slowerThan(StorageTier.NVM)).isEqualTo(List.of(StorageTier.SSD, StorageTier.DISK));
        assertThat(range.slowerThan(StorageTier.DISK)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tiers: disk..ssd     | 4: rule 1: tiers is 'disk..ssd', slower tier first; write ssd..disk",
                "tiers: sdd..disk     | did you mean 'ssd'?",
                "tiers: memory..disk  | memory holds copies, not replicas",
                "tiers: ssd..         | it must be one of nvm, ssd, disk, archive",
                "tiers: [ssd, disk]   | tiers must be a single value",
                "tiers: nvm...disk    | it must be one of nvm, ssd, disk, archive",
                "replicas: all        | replicas goes with tiers",
                "replicas: two        | replicas is 'two'; it must be one of one, all",
            })
    void mistake_isNamedWithLineAndRemedy(String line, String said) {
        assertThatThrownBy(() -> rule(line))
                .isInstanceOf(PolicyFileException.class)
                .hasMessageContaining("file.yaml:")
                .hasMessageContaining(said);
    }

    @Test
    void within_isWhatIsLeftInOnePiece() {
        TierRange range = new TierRange(StorageTier.NVM, StorageTier.ARCHIVE, true, 7);
        assertThat(range.within(List.of(StorageTier.DISK, StorageTier.SSD)))
                .isEqualTo(new TierRange(StorageTier.SSD, StorageTier.DISK, true, 7, true));
        assertThat(range.within(List.of(StorageTier.SSD, StorageTier.ARCHIVE)))
                .isEqualTo(new TierRange(StorageTier.SSD, StorageTier.SSD, true, 7, true));
        assertThat(new TierRange(StorageTier.NVM, StorageTier.SSD, false).within(List.of(StorageTier.DISK)))
                .isNull();
    }
}
