'use strict';

/* What the page asks for, and the sections that ask when somebody wants to know: paths cost the NameNode a look-up. */
const questions = (() => {
  const { element, bytes, day, count, share, several, fill } = make;
  const byId = id => document.getElementById(id);

  /* Who asks is passed on to each question, for servers that take it from the address. */
  function address(question, parameters) {
    const query = new URLSearchParams(parameters);
    const own = new URLSearchParams(window.location.search);
    for (const [name, value] of own) {
      if (['user.name', 'doas', 'delegation'].includes(name.toLowerCase())) {
        query.set(name, value);
      }
    }
    const text = query.toString();
    return 'api/' + question + (text ? '?' + text : '');
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
    [...files].sort((a, b) => b[1].heat - a[1].heat).map(([path, file]) => [explainable(path), file.heat.toFixed(1),
      count(file.blocks), count(file.reads), bytes(file.read), share(file.memory, file.read)]));
    return several(answer.trackedBlocks, 'block') + ' tracked.'
      + (others > 0 ? ' Not shown: ' + several(others, 'hot block') + ' of files that are gone, or that you may not read.' : '');
  });

  onDemand('pins', (answer, table) => {
    fill(table, [['File or directory', 'name'], ['Pinned by'], ['Since', 'time'], ['Until', 'time'], ['Bytes', 'number'],
      ['Blocks left out', 'number']],
      answer.pins.slice(0, 1000).map(pin => [
        pin.gone ? '(deleted, inode ' + pin.inode + ')'
          : [explainable(pin.path), pin.kind === 'directory' ? ' (recursive)' : ''],
        pin.kind !== 'rule' ? pin.by || 'operator' : pin.rule > 0 ? 'rule ' + pin.rule : 'annotation',
        day(pin.sinceMs), pin.kind !== 'rule' && pin.untilMs === undefined ? 'for ever' : day(pin.untilMs),
        pin.bytes === undefined ? '-' : bytes(pin.bytes),
        pin.leftOutBlocks === undefined ? '-' : count(pin.leftOutBlocks)]));
    return (answer.pins.length > 1000 ? '1000 of ' + answer.pins.length + ' are shown.' : several(answer.pins.length, 'pin') + '.')
      + (answer.leftOutBlocks > 0 ? ' Pinned blocks that are left out: ' + count(answer.leftOutBlocks)
        + ', as the service looks after ' + count(answer.mostBlocks) + ' at most.' : '');
  });

  function blockName(block) {
    return Number.isSafeInteger(block.blockId) ? 'blk_' + block.blockId : 'a block of an erasure-coded file';
  }

  function explainedTable(caption, columns, rows) {
    const box = element('div', [], 'scroll');
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', caption);
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
      const title = element('h3', answer.path, 'name');
      title.tabIndex = 0;
      parts.push(title, element('p', bytes(answer.lengthBytes) + ', ' + answer.blockCount
        + (answer.blockCount === 1 ? ' block' : ' blocks') + ', storage policy ' + answer.storagePolicy));
    }
    for (const line of answer.writing ? answer.writing.lines : []) {
      parts.push(element('p', line, 'name'));
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
        [['Replica on', 'wide'], ['Tier'], ['Copy in memory'], ['Reads', 'number'], ['From memory', 'number']],
        block.replicaRows.map(row => [row.datanode, row.tier, row.copy, row.reads, row.fromMemory])));
      if (block.moveRows.length > 0) {
        parts.push(explainedTable('Moves of ' + name,
          [['When', 'time'], ['Move', 'wide'], ['By'], ['Result'], ['Because', 'name']],
          block.moveRows.map(row => [row.when, row.move, row.by, row.result, row.because])));
      }
    }
    if (answer.path !== undefined && answer.blocks.length < answer.blockCount) {
      parts.push(element('p', 'The first ' + answer.blocks.length + ' blocks are shown.'));
    }
    return parts;
  }

  async function explain(path) {
    const box = byId('explain');
    box.ariaBusy = 'true';
    box.replaceChildren(element('p', 'Loading …'));
    try {
      box.replaceChildren(...explained(await ask('explain', { path })));
    } catch (e) {
      box.replaceChildren(element('p', e.message, 'bad'));
    }
    box.ariaBusy = 'false';
  }

  /* A path of a list; who clicks it has it explained. */
  function explainable(path) {
    const button = element('button', path);
    button.type = 'button';
    button.addEventListener('click', () => {
      byId('explain-path').value = path;
      byId('explain-title').scrollIntoView();
      explain(path);
    });
    return button;
  }

  byId('explain-form').addEventListener('submit', event => {
    event.preventDefault();
    explain(byId('explain-path').value);
  });
  byId('explain-path').addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      byId('explain-form').requestSubmit();
    }
  });

  return { ask };
})();
