package io.terrace.placement.heartbeat;

import io.terrace.metrics.FigureTable;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import it.unimi.dsi.fastutil.objects.Object2IntMap;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Figures by id: a {@code long} for each that this release knows, and a map of those of another release. Each heartbeat brings all of
 * a DataNode, and the last ones of ten thousand DataNodes are kept. As messages they were most of what a collection of the young
 * generation copied: 290 objects and 12 KB a DataNode. Unmodifiable.
 */
final class HeartbeatFigures extends AbstractMap<String, Long> {

    private static final int UNKNOWN_ID = -1;
    /** No total is that. */
    private static final long ABSENT = Long.MIN_VALUE;

    private static final Object2IntMap<String> PLACES = places();

    private final long[] values = new long[PLACES.size()];
    private final Map<String, Long> ofOtherReleases;

    private HeartbeatFigures(Map<String, Long> ofOtherReleases) {
        Arrays.fill(values, ABSENT);
        this.ofOtherReleases = ofOtherReleases;
    }

    /** Of any release of a DataNode. */
    static HeartbeatFigures byId(List<FigureValueProto> told) {
        Map<String, Long> others = new HashMap<>(0);
        HeartbeatFigures figures = new HeartbeatFigures(others);
        for (FigureValueProto figure : told) {
            int place = PLACES.getInt(figure.getId());
            if (place != UNKNOWN_ID) {
                figures.values[place] = figure.getValue();
            } else {
                others.put(figure.getId(), figure.getValue());
            }
        }
        return figures;
    }

    /** Of a DataNode with the same {@link FigureTable}. */
    static HeartbeatFigures ofTable(List<Long> told) {
        HeartbeatFigures figures = new HeartbeatFigures(Map.of());
        int places = Math.min(figures.values.length, told.size());
        for (int i = 0; i < places; i++) {
            figures.values[i] = told.get(i);
        }
        return figures;
    }

    private static Object2IntMap<String> places() {
        Object2IntMap<String> places = new Object2IntOpenHashMap<>();
        places.defaultReturnValue(UNKNOWN_ID);
        for (Metric metric : FigureTable.METRICS) {
            places.put(metric.id(), places.size());
        }
        return places;
    }

    @Override
    public Set<Entry<String, Long>> entrySet() {
        Map<String, Long> all = new HashMap<>(ofOtherReleases);
        PLACES.forEach((id, place) -> {
            if (values[place] != ABSENT) {
                all.put(id, values[place]);
            }
        });
        return Collections.unmodifiableMap(all).entrySet();
    }

    @Override
    public @Nullable Long get(@Nullable Object id) {
        int place = PLACES.getInt(id);
        if (place == UNKNOWN_ID) {
            return ofOtherReleases.get(id);
        }
        return values[place] == ABSENT ? null : values[place];
    }

    @Override
    public boolean containsKey(@Nullable Object id) {
        return get(id) != null;
    }
}
