'use strict';

/* Everything that comes from the cluster is shown as text (textContent), never as HTML. */
(() => {
  const INTERVAL_MS = 5000;
  const MOST_ROWS = 100;
  const byId = id => document.getElementById(id);
  let cluster = null;

  /* Who asks is passed on to each question, for servers that take it from the address. */
  function address(name, parameters) {
    const query = new URLSearchParams(parameters);
    const own = new URLSearchParams(window.location.search);
    for (const who of ['user.name', 'doas', 'delegation']) {
      if (own.has(who)) {
        query.set(who, own.get(who));
      }
    }
    const text = query.toString();
    return 'api/' + name + (text ? '?' + text : '');
  }

  async function ask(name, parameters) {
    const response = await fetch(address(name, parameters || {}), { credentials: 'same-origin', redirect: 'error' });
    let body;
    try {
      body = await response.json();
    } catch (e) {
      throw new Error('the NameNode answered ' + response.status);
    }
    if (!response.ok) {
      throw new Error(body.error || 'the NameNode answered ' + response.status);
    }
    return body;
  }

  function element(tag, text, style) {
    const made = document.createElement(tag);
    if (text !== undefined) {
      made.textContent = text;
    }
    if (style) {
      made.className = style;
    }
    return made;
  }

  function bytes(value) {
    const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
    let unit = 0;
    let left = value;
    while (left >= 1024 && unit < units.length - 1) {
      left /= 1024;
      unit++;
    }
    return (unit === 0 || left >= 100 ? left.toFixed(0) : left.toFixed(1)) + ' ' + units[unit];
  }

  function time(ms) {
    const seconds = Math.floor(ms / 1000);
    return ms < 1000 ? ms + ' ms' : seconds < 120 ? seconds + ' s'
      : seconds < 7200 ? Math.floor(seconds / 60) + ' m'
        : seconds < 172800 ? Math.floor(seconds / 3600) + ' h' : Math.floor(seconds / 86400) + ' d';
  }

  const share = (part, whole) => whole === 0 ? '-' : Math.round(100 * part / whole) + ' %';
  const words = text => text.replace(/_/g, ' ');

  /* columns: [title, style]; rows: lists of texts. */
  function fill(table, columns, rows) {
    const caption = table.caption;
    table.replaceChildren(caption);
    const head = table.createTHead().insertRow();
    for (const [title, style] of columns) {
      const cell = element('th', title, style);
      cell.scope = 'col';
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((text, i) => line.append(element('td', text, columns[i][1])));
    }
    if (rows.length === 0) {
      const cell = body.insertRow().insertCell();
      cell.colSpan = columns.length;
      cell.textContent = 'None';
    }
  }

  function overview(status) {
    const at = id => status.figures['placement.' + id] || 0;
    const rows = [
      ['Serving', status.serve ? 'on' : 'off', status.serve ? 'good' : 'doubtful'],
      ['Moves', status.moves ? 'on' : 'paused', status.moves ? 'good' : 'doubtful'],
      ['Policy', status.policy],
      ['Budget of moves', status.moveBytesPerSecond === 0 ? 'none' : bytes(status.moveBytesPerSecond) + '/s per DataNode'],
      ['DataNodes reporting', at('datanodes')],
      ['DataNodes silent', at('datanodes.silent'), at('datanodes.silent') > 0 ? 'bad' : ''],
      ['Blocks tracked', at('blocks.tracked')],
      ['Blocks in memory', at('blocks.resident')],
      ['Pinned files', status.pinnedFiles],
      ['Bytes read', bytes(at('read.bytes'))],
      ['Read from memory', share(at('read.memory.bytes'), at('read.bytes'))],
      ['Blocks promoted', at('promotions.done') + ' (' + bytes(at('promoted.bytes')) + ')'],
      ['Blocks dropped', at('drops.done')],
      ['Moves failed', at('moves.failed')],
      ['Moves waiting', at('moves.waiting')],
      ['Moves in flight', at('moves.in_flight')],
      ['NameNode lock, longest', (at('lock.longest.nanoseconds') / 1e6).toFixed(1) + ' ms'],
      ['Up', time(status.upMs)]
    ];
    byId('overview').replaceChildren(...rows.map(([name, value, style]) => {
      const box = element('div');
      box.append(element('dt', name), element('dd', value, style));
      return box;
    }));
  }

  function state(status, viewer) {
    const line = byId('state');
    line.className = status.active ? '' : 'doubtful';
    line.textContent = status.active ? 'Active in NameNode ' + status.nameNode + ', epoch ' + status.epoch
      : 'NameNode ' + status.nameNode + ' is a standby: it decides nothing and hears of no reads. ';
    if (!status.active && viewer.otherNameNodes.length > 0) {
      line.append('See ');
      viewer.otherNameNodes.forEach((page, i) => {
        const link = element('a', page);
        link.href = page;
        line.append(...(i > 0 ? [' or '] : []), link);
      });
    }
    if (status.trouble) {
      line.append(element('span', ' ' + status.trouble, 'bad'));
    }
    byId('viewer').textContent = viewer.user ? 'You are ' + viewer.user : viewer.nobody;
  }

  function tiers() {
    const wanted = byId('node-filter').value.trim().toLowerCase();
    const named = cluster.nodes.filter(node => node.name.toLowerCase().includes(wanted));
    const rows = [];
    for (const node of named.slice(0, MOST_ROWS)) {
      const how = !node.live ? 'silent' : !node.serving ? 'not serving' : node.idle ? 'idle' : 'busy';
      const rest = [node.movesWaiting + '+' + node.movesInFlight, time(node.silentMs)];
      if (node.tiers.length === 0) {
        rows.push([node.name, how, '-', '-', '-', '-', '-', '-', ...rest]);
      }
      for (const tier of node.tiers) {
        rows.push([node.name, how, tier.tier, bytes(tier.capacityBytes), bytes(tier.usedBytes),
          share(tier.usedBytes, tier.capacityBytes),
          bytes(tier.tier === 'memory' ? node.pinnedBytes : tier.pinnedBytes || 0), tier.extents, ...rest]);
      }
    }
    for (const name of cluster.withoutPlugin) {
      if (name.toLowerCase().includes(wanted) && rows.length < MOST_ROWS) {
        rows.push([name, 'no plugin', '-', '-', '-', '-', '-', '-', '-', 'never']);
      }
    }
    fill(byId('tiers'), [['DataNode'], ['State'], ['Tier'], ['Capacity', 'number'], ['Used', 'number'], ['Use', 'number'],
      ['Pinned', 'number'], ['Blocks', 'number'], ['Moves waiting+in flight', 'number'], ['Heard', 'number']], rows);
    byId('nodes-shown').textContent = named.length > MOST_ROWS
      ? MOST_ROWS + ' of ' + named.length + ' are shown; type a part of a name' : named.length + ' of ' + cluster.nodes.length;
  }

  function reads() {
    const names = { memory: 'memory', nvm: 'nvm', replica: 'replica (ssd, disk, archive)' };
    const all = Object.values(cluster.reads);
    const sum = field => all.reduce((total, tier) => total + tier[field], 0);
    fill(byId('reads'), [['Served from'], ['Reads', 'number'], ['Hits by reads', 'number'], ['Bytes', 'number'],
      ['Hits by bytes', 'number']],
    Object.entries(cluster.reads).map(([tier, of]) => [names[tier], of.reads, share(of.reads, sum('reads')), bytes(of.bytes),
      share(of.bytes, sum('bytes'))]));
  }

  function moves(table, listed, ended) {
    fill(table, [['Move', 'number'], ['What'], ['DataNode'], ['State'], [ended ? 'Ended' : 'Since', 'number'], ['Cause'],
      ['Why', 'sentence']],
    listed.map(move => [move.id, move.to ? move.from + ' to ' + move.to : words(move.kind), move.node, words(move.state),
      time(move.endedAgoMs !== undefined ? move.endedAgoMs : move.wishedAgoMs), words(move.cause),
      (move.state !== 'done' && move.message) || move.reason || '']));
  }

  function findings() {
    const table = byId('findings');
    table.parentElement.hidden = cluster.findings.length === 0;
    byId('findings-none').textContent = cluster.findings.length === 0 ? 'Nothing needs attention.' : '';
    fill(table, [['Severity'], ['Where'], ['Finding'], ['What', 'sentence'], ['Remedy', 'sentence']],
      cluster.findings.map(one => [one.severity, one.where, one.id, one.text || '', one.remedy || '']));
  }

  async function refresh() {
    try {
      const [viewer, status, now, past] = await Promise.all(
        [ask('viewer'), ask('status'), ask('cluster'), ask('history', { after: charts.after() })]);
      cluster = now;
      state(status, viewer);
      overview(status);
      findings();
      tiers();
      reads();
      moves(byId('moves-in-flight'), now.movesInFlight, false);
      moves(byId('moves-ended'), now.movesEnded, true);
      charts.append(past);
      charts.show();
      document.body.dataset.ready = 'true';
    } catch (e) {
      byId('state').className = 'bad';
      byId('state').textContent = 'No figures now: ' + e.message;
    }
    window.setTimeout(refreshWhenSeen, INTERVAL_MS);
  }

  function refreshWhenSeen() {
    if (document.hidden) {
      document.addEventListener('visibilitychange', refreshWhenSeen, { once: true });
    } else {
      refresh();
    }
  }

  /* The sections below ask the namespace, so only when somebody wants to know. */
  function onDemand(name, show) {
    byId(name + '-show').addEventListener('click', async () => {
      const note = byId(name + '-note');
      note.textContent = 'Loading …';
      try {
        note.textContent = show(await ask(name), byId(name));
        byId(name).parentElement.hidden = false;
      } catch (e) {
        note.textContent = e.message;
      }
    });
  }

  onDemand('top', (answer, table) => {
    const files = new Map();
    let others = 0;
    for (const block of answer.blocks) {
      if (block.path === undefined) {
        others++;
        continue;
      }
      const file = files.get(block.path) || { heat: 0, reads: 0, read: 0, memory: 0, blocks: 0 };
      files.set(block.path, file);
      file.heat += block.heat;
      file.reads += block.reads;
      file.read += block.bytesRead;
      file.memory += block.bytesFromMemory;
      file.blocks++;
    }
    fill(table, [['File', 'name'], ['Heat', 'number'], ['Hot blocks', 'number'], ['Reads', 'number'], ['Bytes', 'number'],
      ['From memory', 'number']],
    [...files].sort((a, b) => b[1].heat - a[1].heat).map(([path, file]) => [path, file.heat.toFixed(1), file.blocks,
      file.reads, bytes(file.read), share(file.memory, file.read)]));
    return answer.trackedBlocks + ' blocks are tracked.'
      + (others > 0 ? ' ' + others + ' hot blocks are not shown: their files are gone, or you may not read them.' : '');
  });

  onDemand('pins', (answer, table) => {
    const at = ms => ms === undefined ? '-' : new Date(ms).toLocaleString();
    fill(table, [['File or directory', 'name'], ['Pinned by'], ['Since'], ['Until'], ['Bytes', 'number']],
      answer.pins.slice(0, 1000).map(pin => [
        (pin.gone ? '(deleted, inode ' + pin.inode + ')' : pin.path) + (pin.kind === 'directory' ? ' (recursive)' : ''),
        pin.kind !== 'rule' ? pin.by || 'operator' : pin.rule > 0 ? 'rule ' + pin.rule : 'annotation',
        at(pin.sinceMs), pin.kind !== 'rule' && pin.untilMs === undefined ? 'for ever' : at(pin.untilMs),
        pin.bytes === undefined ? '-' : bytes(pin.bytes)]));
    return answer.pins.length > 1000 ? '1000 of ' + answer.pins.length + ' are shown.' : answer.pins.length + ' pins.';
  });

  function blockName(block) {
    return Number.isSafeInteger(block.blockId) ? 'blk_' + block.blockId : 'a block of an erasure-coded file';
  }

  function explainedTable(caption, columns, rows) {
    const box = element('div', undefined, 'scroll');
    const table = element('table');
    table.append(element('caption', caption));
    fill(table, columns, rows);
    box.append(table);
    return box;
  }

  // The service makes the sentences, so placementctl explain has the same.
  function explained(answer) {
    const parts = [];
    if (answer.path !== undefined) {
      parts.push(element('h3', answer.path, 'name'), element('p', bytes(answer.lengthBytes) + ', ' + answer.blockCount
        + (answer.blockCount === 1 ? ' block' : ' blocks') + ', storage policy ' + answer.storagePolicy));
    }
    if (answer.pin) {
      parts.push(element('p', answer.pin, 'name'));
    }
    for (const block of answer.blocks) {
      const name = blockName(block.block);
      parts.push(element('h3', name + ', ' + bytes(block.block.lengthBytes) + ': ' + block.verdict, 'name'));
      for (const [label, text] of [['Why', block.because], ['Next', block.next], ['Tiers', block.tiers], ['Moves', block.comings]]) {
        if (text) {
          parts.push(element('p', label + ': ' + text, 'name'));
        }
      }
      parts.push(explainedTable('Replicas of ' + name,
        [['Replica on'], ['Tier'], ['Copy in memory'], ['Reads', 'number'], ['From memory', 'number']],
        block.replicaRows.map(row => [row.datanode, row.tier, row.copy, row.reads, row.fromMemory])));
      if (block.moveRows.length > 0) {
        parts.push(explainedTable('Moves of ' + name,
          [['When'], ['Move'], ['By'], ['Result'], ['Because', 'name']],
          block.moveRows.map(row => [row.when, row.move, row.by, row.result, row.because])));
      }
    }
    if (answer.path !== undefined && answer.blocks.length < answer.blockCount) {
      parts.push(element('p', 'The first ' + answer.blocks.length + ' blocks are shown.'));
    }
    return parts;
  }

  byId('explain-form').addEventListener('submit', async event => {
    event.preventDefault();
    try {
      byId('explain').replaceChildren(...explained(await ask('explain', { path: byId('explain-path').value })));
    } catch (e) {
      byId('explain').replaceChildren(element('p', e.message, 'bad'));
    }
  });
  byId('node-filter').addEventListener('input', () => cluster && tiers());
  refresh();
})();
