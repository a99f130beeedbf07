package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WebAnswerTest {

    @Test
    void takesPacked_whereGzipIsNamedAndNotRefused() {
        for (String header : new String[] {"gzip", "br, gzip", "deflate,GZIP;q=0.1", " gzip ; q=1.0"}) {
            assertThat(WebAnswer.takesPacked(header)).as(header).isTrue();
        }
        for (String header : new String[] {null, "", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip-not"}) {
            assertThat(WebAnswer.takesPacked(header)).as(header).isFalse();
        }
    }

    @Test
    void shortAnswer_isNotPacked() {
        assertThat(WebAnswer.error(404, "there is no such file").packed()).isNull();
        assertThat(WebAnswer.error(404, "a".repeat(2000)).packed()).hasSizeLessThan(200);
    }
}
