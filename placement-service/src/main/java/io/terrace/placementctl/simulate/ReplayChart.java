package io.terrace.placementctl.simulate;

import io.terrace.common.Quantity;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import javax.imageio.ImageIO;

/**
 * Simulations as a picture: above, the share of bytes that memory served so far; below, the bytes moved so far. PNG, drawn
 * by the JDK without a display.
 */
public final class ReplayChart {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 640;
    private static final int LEFT = 90;
    private static final int RIGHT = 30;
    private static final int PANEL = 220;
    private static final int TICKS = 4;
    /** Told apart by people who see few colours (Okabe and Ito). */
    private static final List<Color> COLOURS = List.of(new Color(0x0072B2), new Color(0xD55E00));

    private static final Color INK = new Color(0x333333);
    private static final Color GRID = new Color(0xDDDDDD);

    private final List<PolicyReplay> replays;

    public ReplayChart(List<PolicyReplay> replays) {
        this.replays = List.copyOf(replays);
    }

    public void write(Path file) throws IOException {
        System.setProperty("java.awt.headless", "true");
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        try {
            g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            g.setColor(Color.WHITE);
            g.fillRect(0, 0, WIDTH, HEIGHT);
            g.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
            legend(g);
            panel(
                    g,
                    70,
                    "bytes from memory, share of all read so far",
                    1,
                    ReplayChart::percent,
                    ReplayTimeline::memoryShare);
            double most = replays.stream()
                    .mapToDouble(replay -> replay.timeline().moved()[ReplayTimeline.SLICES - 1])
                    .max()
                    .orElse(1);
            panel(
                    g,
                    70 + PANEL + 70,
                    "bytes moved into memory so far",
                    Math.max(1, most),
                    ReplayChart::bytes,
                    ReplayTimeline::moved);
        } finally {
            g.dispose();
        }
        try (var out = Files.newOutputStream(file)) {
            if (!ImageIO.write(image, "png", out)) {
                throw new IOException("this JDK writes no PNG");
            }
        }
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }

    private static String bytes(double bytes) {
        return Quantity.bytes((long) bytes);
    }

    private void legend(Graphics2D g) {
        int x = LEFT;
        for (int i = 0; i < replays.size(); i++) {
            String text = replays.get(i).label() + ": " + replays.get(i).spec().policy();
            g.setColor(COLOURS.get(i));
            g.fillRect(x, 22, 24, 4);
            g.setColor(INK);
            g.drawString(text, x + 32, 30);
            x += 70 + g.getFontMetrics().stringWidth(text);
        }
    }

    private void panel(
            Graphics2D g,
            int top,
            String title,
            double most,
            DoubleFunction<String> label,
            Function<ReplayTimeline, double[]> values) {
        int width = WIDTH - LEFT - RIGHT;
        g.setColor(INK);
        g.drawString(title, LEFT, top - 10);
        for (int tick = 0; tick <= TICKS; tick++) {
            int y = top + PANEL - tick * PANEL / TICKS;
            g.setColor(GRID);
            g.drawLine(LEFT, y, LEFT + width, y);
            g.setColor(INK);
            String text = label.apply(most * tick / TICKS);
            g.drawString(text, LEFT - 10 - g.getFontMetrics().stringWidth(text), y + 5);
            String time = Quantity.millis(replays.get(0).lengthMs() * tick / TICKS);
            int x = LEFT + tick * width / TICKS;
            g.drawString(time, x - g.getFontMetrics().stringWidth(time) / 2, top + PANEL + 20);
        }
        g.setStroke(new BasicStroke(2.5f));
        for (int i = 0; i < replays.size(); i++) {
            g.setColor(COLOURS.get(i));
            g.draw(line(values.apply(replays.get(i).timeline()), top, width, most));
        }
        g.setStroke(new BasicStroke(1));
    }

    private static Path2D line(double[] values, int top, int width, double most) {
        Path2D line = new Path2D.Double();
        for (int i = 0; i < values.length; i++) {
            if (Double.isNaN(values[i])) {
                continue;
            }
            double x = LEFT + (double) i * width / (values.length - 1);
            double y = top + PANEL - values[i] / most * PANEL;
            if (line.getCurrentPoint() == null) {
                line.moveTo(x, y);
            } else {
                line.lineTo(x, y);
            }
        }
        return line;
    }
}
