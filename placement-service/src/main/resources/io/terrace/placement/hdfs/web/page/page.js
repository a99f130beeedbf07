'use strict';

(() => {
  const { element, bytes, time, count, share, words, several, bar, fill } = make;
  const INTERVAL_MS = 5000;
  const MOST_ROWS = 100;
  const SEVERITIES = ['error', 'warning', 'note'];
  const byId = id => document.getElementById(id);
  let cluster = null;
  let seenAt = null;

  /* A figure of placementctl status, shown as text; bin/terrace test page compares the two. */
  function figure(status, id, show) {
    const shown = element('span', (show || count)(id in status.figures ? status.figures[id] : status[id]));
    shown.dataset.figure = id;
    return shown;
  }

  function headlines(status) {
    const at = (id, show) => figure(status, 'placement.' + id, show);
    const number = id => status.figures['placement.' + id] || 0;
    const hits = element('span', share(number('read.memory.bytes'), number('read.bytes')));
    if (number('read.bytes') > 0) {
      hits.dataset.figure = 'placement.read.memory.bytes/placement.read.bytes';
    }
    const memory = tierSums().memory || { used: 0, capacity: 0 };
    const missing = cluster.withoutPlugin.length;
    const troubled = number('datanodes.silent') + missing > 0;
    const ms = nanoseconds => (nanoseconds / 1e6).toFixed(1) + ' ms';
    const rows = [
      ['Read from memory', hits, [at('read.memory.bytes', bytes), ' of ', at('read.bytes', bytes)]],
      ['Memory used', share(memory.used, memory.capacity), bytes(memory.used) + ' of ' + bytes(memory.capacity)],
      ['DataNodes reporting', at('datanodes'), element('span', [at('datanodes.silent'), ' silent'
        + (missing > 0 ? ', ' + count(missing) + ' without the plugin' : '')], troubled ? 'bad' : '')],
      ['Moves in flight', at('moves.in_flight'), [at('moves.waiting'), ' waiting, ', at('moves.failed'), ' failed']],
      ['Copied into memory', at('promoted.bytes', bytes), [at('promotions.done'), ' blocks, ', at('drops.done'), ' dropped']],
      ['Longest NameNode lock', at('lock.longest.nanoseconds', ms), [at('lock.holds'), ' holds']]
    ];
    byId('headlines').replaceChildren(...rows.map(([name, value, more]) => {
      const box = element('div');
      box.append(element('dt', name), element('dd', value), element('dd', more));
      return box;
    }));
  }

  function details(status) {
    const rows = [
      ['Policy', status.policy],
      ['Move budget', status.moveBytesPerSecond === 0 ? 'none'
        : [figure(status, 'moveBytesPerSecond', bytes), '/s per DataNode']],
      ['Blocks tracked', figure(status, 'placement.blocks.tracked')],
      ['in memory', figure(status, 'placement.blocks.resident')],
      ['Pinned files', figure(status, 'pinnedFiles')],
      ['Up', time(status.upMs)],
      ['Epoch', figure(status, 'epoch')],
      ...(status.release ? [['Release', status.release]] : [])
    ];
    byId('details').replaceChildren(...rows.map(([name, value]) => {
      const box = element('div');
      box.append(element('dt', name), element('dd', value));
      return box;
    }));
  }

  /* One sentence for whoever is called at night. */
  function verdict(status) {
    const worst = SEVERITIES.find(severity => cluster.findings.some(one => one.severity === severity));
    const number = severity => cluster.findings.filter(one => one.severity === severity).length;
    const sentences = [];
    if (status.trouble) {
      sentences.push(status.trouble);
    }
    if (status.failed) {
      sentences.push('The placement service of this NameNode failed too often. It is off until this NameNode is restarted.');
    }
    if (!status.serve) {
      sentences.push('Terrace is off: all reads are stock. placementctl on ends this.');
    } else if (!status.moves) {
      sentences.push('Moves are paused: what is in memory stays and is served. placementctl resume ends this.');
    }
    const bad = status.trouble || status.failed || worst === 'error';
    const doubtful = bad || worst === 'warning' || !status.serve || !status.moves;
    const found = ['error', 'warning'].filter(number).map(severity => several(number(severity), severity));
    const line = byId('verdict');
    line.className = bad ? 'bad' : doubtful ? 'doubtful' : 'good';
    line.textContent = sentences.join(' ');
    if (found.length > 0) {
      const link = element('a', found.join(' and '));
      link.href = '#findings-section';
      line.append(sentences.length > 0 ? ' ' : '', link, element('span', ': ' + sentence(cluster.findings[0])));
    } else if (sentences.length === 0) {
      line.textContent = !status.active ? 'This NameNode is a standby.' : 'Nothing needs attention.';
    }
    document.title = (bad ? 'Error - ' : doubtful ? 'Warning - ' : '') + 'Terrace';
  }

  function sentence(finding) {
    return (finding.text || finding.id) + ' (' + finding.where.slice(0, 3).join(', ')
      + (finding.count > 3 ? ' and ' + count(finding.count - 3) + ' more' : '') + ').';
  }

  function state(status, viewer) {
    const line = byId('state');
    line.className = status.active ? '' : 'doubtful';
    line.textContent = status.active ? 'Active in NameNode ' + status.nameNode
      : 'NameNode ' + status.nameNode + ' is a standby: it decides nothing and hears of no reads. ';
    if (!status.active && viewer.otherNameNodes.length > 0) {
      line.append('See ');
      viewer.otherNameNodes.forEach((page, i) => {
        const link = element('a', page);
        link.href = page;
        line.append(...(i > 0 ? [' or '] : []), link);
      });
    }
    line.append(element('span', ' Updated ' + clock(seenAt), 'note'));
    byId('viewer').textContent = viewer.user ? 'You are ' + viewer.user : viewer.nobody;
  }

  const clock = date => date.toTimeString().slice(0, 8);

  function tierSums() {
    const sums = {};
    for (const node of cluster.nodes) {
      for (const tier of node.tiers) {
        const sum = sums[tier.tier] || (sums[tier.tier] = { nodes: 0, capacity: 0, used: 0, blocks: 0 });
        sum.nodes++;
        sum.capacity += tier.capacityBytes;
        sum.used += tier.usedBytes;
        sum.blocks += tier.extents;
      }
    }
    return sums;
  }

  const how = node => !node.live ? 'silent' : !node.serving ? 'not serving' : node.idle ? 'idle' : 'busy';
  const rank = node => !node.live ? 0 : !node.serving ? 1 : 2;

  function tiers() {
    fill(byId('tier-sums'), [['Tier'], ['DataNodes', 'number'], ['Capacity', 'number'], ['Used', 'number'], ['Use', 'number'],
      ['Blocks', 'number']],
    Object.entries(tierSums()).map(([tier, sum]) => [tier, count(sum.nodes), bytes(sum.capacity), bytes(sum.used),
      bar(sum.used, sum.capacity), count(sum.blocks)]), 'No DataNode reports a tier.');
    const wanted = byId('node-filter').value.trim().toLowerCase();
    const named = cluster.nodes.filter(node => node.name.toLowerCase().includes(wanted))
      .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
    const missing = cluster.withoutPlugin.filter(name => name.toLowerCase().includes(wanted));
    const rows = missing.slice(0, MOST_ROWS).map(name =>
      [name, element('span', 'no plugin', 'bad'), '-', '-', '-', '-', '-', '-', '-', '-', 'never']);
    for (const node of named.slice(0, MOST_ROWS - rows.length)) {
      const looks = element('span', how(node), ['bad', 'doubtful', ''][rank(node)]);
      const rest = [count(node.movesWaiting), count(node.movesInFlight), time(node.silentMs) + ' ago'];
      if (node.tiers.length === 0) {
        rows.push([node.name, looks, '-', '-', '-', '-', '-', '-', ...rest]);
      }
      node.tiers.forEach((tier, i) => {
        rows.push([node.name, i === 0 ? looks : how(node), tier.tier, bytes(tier.capacityBytes), bytes(tier.usedBytes),
          bar(tier.usedBytes, tier.capacityBytes),
          bytes(tier.tier === 'memory' ? node.pinnedBytes : tier.pinnedBytes || 0), count(tier.extents), ...rest]);
      });
    }
    fill(byId('tiers'), [['DataNode', 'wide'], ['State'], ['Tier'], ['Capacity', 'number'], ['Used', 'number'], ['Use', 'number'],
      ['Pinned', 'number'], ['Blocks', 'number'], ['Moves waiting', 'number'], ['Moves in flight', 'number'],
      ['Last heartbeat', 'number']], rows, wanted ? 'No DataNode has such a name.'
      : 'No DataNode reports: see dfs.datanode.plugins of the DataNodes, and their logs.');
    const all = cluster.nodes.length + cluster.withoutPlugin.length;
    const found = named.length + missing.length;
    byId('nodes-shown').textContent = found > MOST_ROWS
      ? 'The first ' + MOST_ROWS + ' of ' + count(found) + ' are shown; type a part of a name.' : count(found) + ' of ' + count(all);
  }

  function reads() {
    const names = { memory: 'memory', nvm: 'nvm', replica: 'replica (ssd, disk, archive)' };
    const all = Object.values(cluster.reads);
    const sum = field => all.reduce((total, tier) => total + tier[field], 0);
    fill(byId('reads'), [['Served from'], ['Reads', 'number'], ['Share of reads', 'number'], ['Bytes', 'number'],
      ['Share of bytes', 'number']],
    Object.entries(cluster.reads).filter(([tier, of]) => tier !== 'nvm' || of.reads > 0 || tierSums().nvm)
      .map(([tier, of]) => [names[tier], count(of.reads), share(of.reads, sum('reads')),
      bytes(of.bytes), bar(of.bytes, sum('bytes'))]));
  }

  /* As the table of placementctl explain. */
  function moves(table, listed, ended) {
    const what = move => move.to ? move.from + ' to ' + move.to + ' on '
      : (move.kind === 'promote' ? 'into' : 'out of') + ' memory of ';
    const result = move => words(move.state) + (move.state === 'done' && move.bytesMoved > 0
      ? ', ' + bytes(move.bytesMoved) : '');
    fill(table, [['When', 'time'], ['Move', 'wide'], ['By'], ['Result'], ['Because', 'sentence']],
      listed.map(move => [move.endedAgoMs !== undefined ? time(move.endedAgoMs) + ' ago' : 'for ' + time(move.wishedAgoMs),
        what(move) + move.node, words(move.cause),
        element('span', result(move), !ended || move.state === 'done' ? '' : 'doubtful'),
        (move.state !== 'done' && move.message) || move.reason || '']), ended ? 'None yet.' : 'None now.');
  }

  function findings() {
    byId('findings-section').hidden = cluster.findings.length === 0;
    const style = { error: 'bad', warning: 'doubtful' };
    fill(byId('findings'), [['Severity'], ['Finding'], ['What', 'sentence'], ['Where', 'places'], ['Remedy', 'sentence']],
      cluster.findings.map(one => [element('span', one.severity, style[one.severity]), one.id, one.text || '',
        one.where.join(', ') + (one.count > one.where.length ? ' and ' + count(one.count - one.where.length) + ' more' : ''),
        one.remedy || '']));
  }

  /* Right after the NameNode's next sample, so that all viewers share the snapshot that it takes for it. */
  const soonAfter = past => past.nextSampleInMs + 200 + 400 * Math.random();

  async function refresh() {
    let pauseMs = INTERVAL_MS;
    try {
      const [viewer, status, now, past] = await Promise.all([questions.ask('viewer'), questions.ask('status'),
        questions.ask('cluster'), questions.ask('history', { after: charts.after() })]);
      cluster = now;
      seenAt = new Date();
      state(status, viewer);
      verdict(status);
      headlines(status);
      details(status);
      findings();
      tiers();
      reads();
      moves(byId('moves-in-flight'), now.movesInFlight, false);
      moves(byId('moves-ended'), now.movesEnded, true);
      charts.append(past);
      pauseMs = Math.max(1000, soonAfter(past));
      charts.show(status.active);
      if (!document.body.dataset.ready) {
        performance.mark('ready');
        document.body.dataset.ready = 'true';
      }
    } catch (e) {
      byId('verdict').className = 'bad';
      byId('verdict').textContent = 'No figures now: ' + e.message
        + (seenAt === null ? '' : '. What is below is from ' + clock(seenAt) + '.');
      document.title = 'No figures - Terrace';
    }
    window.setTimeout(refreshWhenSeen, pauseMs);
  }

  function refreshWhenSeen() {
    if (document.hidden) {
      document.addEventListener('visibilitychange', refreshWhenSeen, { once: true });
    } else {
      refresh();
    }
  }

  byId('node-filter').addEventListener('input', () => cluster && tiers());
  refresh();
})();
