package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.verbs.device.ControlFrame;
import org.junit.jupiter.api.Test;

/** What is owed for frames that came. */
final class MessageAssemblerTest {
    @Test
    void frames_beyondTheCreditsThatWereGiven_areRefused() throws Exception {
        MessageAssembler messageAssembler = new MessageAssembler();
        for (int i = 0; i < ControlFrame.WINDOW; i++) {
            messageAssembler.owe();
        }
        assertThatThrownBy(messageAssembler::owe).isInstanceOf(MalformedMessageException.class);
        assertThat(messageAssembler.pay()).isEqualTo(ControlFrame.WINDOW);
        messageAssembler.owe();
        assertThat(messageAssembler.owed()).isEqualTo(1);
    }
}
