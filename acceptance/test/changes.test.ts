import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Change, type ChangesPage, changesPath, Follower, nextChange, openFeed } from '../src/feed.js';
import { type Base, type Drive, freshBase, freshDrive, freshName } from '../src/names.js';
import { createRandom } from '../src/random.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { createKey, deleteKey } from './support/keys.js';
import { describeOverBoth } from './support/service.js';

describeOverBoth('the feed of changes', (service) => {
  const nameOf = ({ root }: Base | Drive) => decodeURIComponent(root.split('/').at(-1) ?? '');

  async function page(parameters: Record<string, string | number> = {}, key?: string): Promise<ChangesPage> {
    const { api } = service;
    const reply = await api.send('GET', changesPath(api, parameters), key === undefined ? {} : { key });
    expectStatus(reply, 200);
    return reply.json<ChangesPage>();
  }

  /** Everything after a cursor, page by page. */
  async function all(parameters: Record<string, string | number>): Promise<Change[]> {
    const changes: Change[] = [];
    let since = parameters.since;
    for (;;) {
      const found = await page({ ...parameters, ...(since !== undefined && { since }) });
      changes.push(...found.changes);
      since = found.cursor;
      if (found.live) return changes;
    }
  }

  const withoutTx = (changes: readonly Change[]) => changes.map(({ tx: _, ...change }) => change);

  test('says what is put and deleted after a cursor, as it is now', async () => {
    const base = freshBase(service.api);
    const name = nameOf(base);
    const { cursor, changes, live } = await page({ bases: name });
    assert.deepEqual([changes, live], [[], true]);
    await base.put({ key: 'a', big: 1 }, { key: 'b' });
    await base.update('a', { set: { big: 2 } });
    await base.remove('b');
    const found = await page({ since: cursor, bases: name });
    assert.deepEqual(withoutTx(found.changes), [
      { base: name, key: 'a', type: 'put', item: { key: 'a', big: 2 } },
      { base: name, key: 'b', type: 'delete' },
      { base: name, key: 'a', type: 'put', item: { key: 'a', big: 2 } },
      { base: name, key: 'b', type: 'delete' },
    ]);
    assert.equal(found.changes[0]?.tx, found.changes[1]?.tx);
    assert.deepEqual((await page({ since: found.cursor, bases: name })).changes, []);
  });

  test('says what happens to files: upload, overwrite, change, move, deletion', async () => {
    const drive = freshDrive(service.api);
    const { cursor } = await page({ drives: drive.name });
    await drive.put('a', 'one');
    await drive.put('b', 'two');
    await service.api.send('POST', `${drive.root}/files/move`, { json: { files: [{ from: 'a', to: 'c' }] } });
    await drive.remove({ names: ['b'] }.names);
    const follower = new Follower();
    const changes = await all({ since: cursor, drives: drive.name });
    for (const change of changes) follower.apply(change);
    assert.deepEqual([...follower.files.keys()], [JSON.stringify([drive.name, 'c'])]);
    const moved = changes.filter(({ name }) => name === 'c');
    assert.equal(moved[0]?.file?.size, 3);
  });

  test('the changes of a transaction have one tx and follow each other', async () => {
    const base = freshBase(service.api);
    const name = nameOf(base);
    const { cursor } = await page({ bases: name });
    await base.transact({ put: { key: 'x' } }, { put: { key: 'y' } }, { delete: { key: 'z' } });
    const { changes } = await page({ since: cursor, bases: name });
    assert.deepEqual(
      changes.map(({ key }) => key),
      ['x', 'y', 'z'],
    );
    assert.equal(new Set(changes.map(({ tx }) => tx)).size, 1);
  });

  test('a page has at most `limit` changes, and goes on within a transaction', async () => {
    const base = freshBase(service.api);
    const name = nameOf(base);
    const { cursor } = await page({ bases: name });
    await base.transact(...Array.from({ length: 10 }, (_, n) => ({ put: { key: `k${n}` } })));
    const keys: (string | undefined)[] = [];
    let since = cursor;
    for (;;) {
      const found = await page({ since, bases: name, limit: 3 });
      assert.ok(found.changes.length <= 3);
      keys.push(...found.changes.map(({ key }) => key));
      since = found.cursor;
      if (found.live) break;
    }
    assert.deepEqual(
      keys,
      Array.from({ length: 10 }, (_, n) => `k${n}`),
    );
  });

  test('since=0 gives everything that is there, and then what changes, from any cursor on', async () => {
    const base = freshBase(service.api);
    const name = nameOf(base);
    const keys = Array.from({ length: 60 }, (_, n) => `k${String(n).padStart(2, '0')}`);
    for (let at = 0; at < keys.length; at += 20)
      await base.put(...keys.slice(at, at + 20).map((key) => ({ key, text: 'x'.repeat(5000) })));
    const follower = new Follower();
    let since = '0';
    let pages = 0;
    for (;;) {
      const found = await page({ since, bases: name, limit: 7 });
      for (const change of found.changes) follower.apply(change);
      // What is behind the cursor and what is ahead of it changes while the snapshot is read.
      if (pages++ < 5) {
        await base.put({ key: 'k00', again: pages }, { key: `new${pages}` });
        await base.remove(`k5${pages}`);
      }
      since = found.cursor;
      if (found.live) break;
    }
    const stored = (await base.query({ limit: 1000 })).json<{ items: { key: string }[] }>().items;
    assert.deepEqual(
      Object.fromEntries(follower.items),
      Object.fromEntries(stored.map((item) => [JSON.stringify([name, item.key]), item])),
    );
  });

  test('with a query, what does not match comes as a delete; values=false leaves items out', async () => {
    const base = freshBase(service.api);
    const bases = nameOf(base);
    const { cursor: since } = await page({ bases });
    await base.put({ key: 'a', n: 5 }, { key: 'b', n: 1 });
    const query = JSON.stringify({ 'n?gt': 3 });
    assert.deepEqual(withoutTx((await page({ since, bases, query })).changes), [
      { base: bases, key: 'a', type: 'put', item: { key: 'a', n: 5 } },
      { base: bases, key: 'b', type: 'delete' },
    ]);
    assert.deepEqual(withoutTx((await page({ since, bases, query, values: 'false' })).changes), [
      { base: bases, key: 'a', type: 'put' },
      { base: bases, key: 'b', type: 'delete' },
    ]);
    const onKey = JSON.stringify([{ 'key?pfx': 'b' }]);
    assert.deepEqual(
      (await page({ since, bases, query: onKey })).changes.map(({ type }) => type),
      ['delete', 'put'],
    );
  });

  test('names of bases and drives may be separated by commas, or repeated', async () => {
    const [one, two, other] = [freshName('one'), freshName('two'), freshName('other')];
    const { api } = service;
    for (const name of [one, two, other]) {
      await freshBase(api, name).put({ key: 'a' });
      await freshDrive(api, name).put('a', 'x');
    }
    for (const asked of [
      `bases=${one},${two}&drives=${other}`,
      `bases=${one}&drives=${other}&bases=${two}`,
    ]) {
      const reply = await api.send('GET', `${changesPath(api)}since=0&${asked}`);
      expectStatus(reply, 200);
      const named = reply.json<ChangesPage>().changes.map(({ base = '', drive = '' }) => base + drive);
      assert.deepEqual(named.toSorted(), [one, two, other].toSorted());
    }
  });

  test('an expired item comes as a delete, within seconds', async () => {
    const base = freshBase(service.api);
    const bases = nameOf(base);
    let { cursor: since } = await page({ bases });
    await base.put({ key: 'soon', __expires: Math.floor(Date.now() / 1000) + 2 });
    const { changes: first, cursor: afterPut } = await page({ since, bases, wait: 5 });
    assert.equal(first[0]?.key, 'soon');
    since = afterPut;
    // A slow machine may have removed it already.
    if (first.length === 2) return;
    for (;;) {
      const { changes, cursor } = await page({ since, bases, wait: 5 });
      since = cursor;
      if (changes.length === 0) continue;
      assert.deepEqual(withoutTx(changes), [{ base: bases, key: 'soon', type: 'delete' }]);
      return;
    }
  });

  test('a page waits for the first change, and no longer than it is told', async () => {
    const base = freshBase(service.api);
    const bases = nameOf(base);
    const { cursor: since } = await page({ bases });
    const waiting = page({ since, bases, wait: 30 });
    await base.put({ key: 'a' });
    assert.equal((await waiting).changes.length, 1);
    const empty = await page({ bases, wait: 1 });
    assert.deepEqual([empty.changes, empty.live], [[], true]);
  });

  test('a stream of lines goes on, and a cursor of it continues', async () => {
    const { api } = service;
    const base = freshBase(api);
    const bases = nameOf(base);
    const accept = 'application/x-ndjson';
    const stream = await openFeed(api, changesPath(api, { bases }), { accept });
    assert.deepEqual([stream.status, stream.type], [200, accept]);
    const begin = JSON.parse((await stream.lines.next()).value);
    assert.deepEqual([typeof begin.cursor, begin.live], ['string', undefined]);
    assert.equal(JSON.parse((await stream.lines.next()).value).live, true);
    await base.put({ key: 'a' });
    assert.equal((await nextChange(stream)).key, 'a');
    const { cursor } = JSON.parse((await stream.lines.next()).value);
    assert.ok(cursor);
    stream.cut();
    await base.put({ key: 'b' });
    const next = await openFeed(api, changesPath(api, { bases, since: cursor }), { accept });
    assert.equal((await nextChange(next)).key, 'b');
    next.cut();
  });

  test('a stream that begins with nothing at all goes on', async () => {
    const { api } = service;
    const base = freshBase(api);
    for (const accept of ['application/x-ndjson', 'text/event-stream']) {
      const stream = await openFeed(api, changesPath(api, { bases: nameOf(base), since: 0 }), { accept });
      await base.put({ key: 'a', accept });
      for (let found = ''; !found.includes(`"accept":"${accept}"`); ) {
        const { value, done } = await stream.lines.next();
        assert.ok(!done, `${accept}: the stream has ended`);
        found = value;
      }
      stream.cut();
      await base.remove('a');
    }
  });

  test('what `Accept` prefers by its weights is given', async () => {
    const { api } = service;
    const path = changesPath(api, { bases: freshName('none') });
    const [json, lines, events] = ['application/json', 'application/x-ndjson', 'text/event-stream'] as const;
    for (const [accept, type] of [
      [`${json}, ${events};q=0.1`, json],
      [`${lines};q=0.5, ${json}`, json],
      [`${events};q=0`, json],
      [`${events};q=0, ${lines};Q=0.001`, lines],
      [`${lines};q=0.5,${events} ; q=0.9`, events],
      [`${events};q=0.5;x=y, ${json};q=0.4`, events],
      [`${json}, ${events}`, events],
      [`${events}, */*`, events],
      [`${events};q=high`, events],
      ['*/*', json],
    ] as const) {
      const stream = await openFeed(api, path, { accept });
      assert.deepEqual([stream.status, stream.type], [200, type], accept);
      stream.cut();
    }
  });

  test('a stream of events goes on from Last-Event-ID', async () => {
    const { api } = service;
    const base = freshBase(api);
    const bases = nameOf(base);
    const accept = 'text/event-stream';
    const stream = await openFeed(api, changesPath(api, { bases }), { accept });
    assert.deepEqual([stream.status, stream.type], [200, accept]);
    const event = async (from: typeof stream, isWanted: (fields: Record<string, string>) => boolean) => {
      let fields: Record<string, string> = {};
      for (;;) {
        const { value: line, done } = await from.lines.next();
        assert.ok(!done, 'the stream has ended');
        const at = line.indexOf(': ');
        if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
        if (line !== '') continue;
        if (isWanted(fields)) return fields;
        fields = {};
      }
    };
    const isLive = ({ event: name }: Record<string, string>) => name === 'live';
    const isChange = ({ data = '{}' }: Record<string, string>) => data !== '{}';
    await event(stream, isLive);
    await base.put({ key: 'a' });
    const first = await event(stream, isChange);
    assert.equal((JSON.parse(first.data ?? '') as Change).key, 'a');
    stream.cut();
    await base.put({ key: 'b' });
    const again = await openFeed(api, changesPath(api, { bases, since: '0' }), {
      accept,
      headers: { 'Last-Event-ID': first.id ?? '' },
    });
    assert.equal((JSON.parse((await event(again, isChange)).data ?? '') as Change).key, 'b');
    again.cut();
  });

  test('a key sees in the feed what its reads would show, and its streams end with it', async () => {
    const { api } = service;
    const [seen, hidden] = [freshName('seen'), freshName('hidden')];
    const limited = await createKey(api, {
      access: 'read',
      bases: [seen],
      drives: [freshName('other')],
      prefix: 'a/',
    });
    const { cursor: since } = await page();
    for (const name of [seen, hidden]) {
      await freshBase(api, name).put({ key: 'a/1' }, { key: 'b/1' });
      await freshDrive(api, name).put('a/1', 'x');
    }
    for (const from of [since, '0']) {
      const { changes } = await page({ since: from }, limited.key);
      assert.deepEqual(withoutTx(changes), [{ base: seen, key: 'a/1', type: 'put', item: { key: 'a/1' } }]);
      assert.deepEqual((await page({ since: from, bases: hidden }, limited.key)).changes, []);
      assert.deepEqual((await page({ since: from, prefix: 'b' }, limited.key)).changes, []);
    }
    // A cursor is what the server made of a position, and anybody can make another.
    const parts = JSON.parse(Buffer.from(since, 'base64url').toString());
    const made = (...snapshot: unknown[]) =>
      Buffer.from(JSON.stringify([...parts, ...snapshot])).toString('base64url');
    for (const [of, name, key] of [
      ['bases', hidden, ''],
      ['bases', hidden, 'a'],
      ['bases', seen, '\u0001'],
      ['drives', hidden, ''],
    ])
      for (const { base, key: found, drive } of (await page({ since: made(of, name, key) }, limited.key))
        .changes)
        assert.deepEqual([base, found, drive], [seen, 'a/1', undefined]);
    const accept = 'application/x-ndjson';
    const stream = await openFeed(api, changesPath(api), { accept, key: limited.key });
    assert.equal((await stream.lines.next()).done, false);
    await deleteKey(api, limited);
    while (!(await stream.lines.next()).done);
    expectStatus(await api.send('GET', changesPath(api), { key: limited.key }), 401);
  });

  test('a name that no base or drive can have shows nothing, however it is given', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    expectStatus(await api.send('PUT', `${base.root}/indexes/t`, { json: { fields: ['t'] } }), 202);
    await base.put({ key: 'own/1', t: 'mine' }, { key: 'other/1', t: 'secret' });
    await drive.put('a', 'x');
    // Rows that belong to the base and are no items begin with the number of its index.
    const limited = await createKey(api, { access: 'read', prefix: '1/' });
    const { cursor: now } = await page();
    const parts = JSON.parse(Buffer.from(now, 'base64url').toString());
    const shape = `/v1/${api.target.project}/shape`;
    const tickets = `/v1/${api.target.project}/changes/tickets`;
    const names = [`${nameOf(base)}\0`, `${nameOf(base)}\0\0`, `${nameOf(base)}\u00001/3secret`];
    for (const name of names) {
      for (const key of [api.target.key, limited.key]) {
        assert.deepEqual((await page({ since: 0, bases: name }, key)).changes, []);
        const reply = await api.send(
          'GET',
          `${shape}?${new URLSearchParams({ table: name, offset: '-1' })}`,
          { key },
        );
        expectStatus(reply, 200);
        assert.deepEqual(
          reply.json<{ key?: string }[]>().filter((message) => message.key !== undefined),
          [],
        );
        const since = Buffer.from(JSON.stringify([...parts, 'bases', name, ''])).toString('base64url');
        for (const change of (await page({ since }, key)).changes) assert.notEqual(change.base, name);
        const made = await api.send('POST', tickets, { json: { since: '0', bases: [name] }, key });
        expectStatus(made, 201);
        const { pathname } = new URL(made.json<{ url: string }>().url);
        const stream = await openFeed(api, pathname, { accept: 'text/event-stream', key: null });
        for (;;) {
          const { value, done } = await stream.lines.next();
          assert.ok(!done);
          assert.doesNotMatch(value, /secret/);
          if (value === 'data: {}') break;
        }
        stream.cut();
      }
    }
    assert.deepEqual((await page({ since: 0, drives: `${drive.name}\0` })).changes, []);
  });

  test('a cursor that no answer gave is refused', async () => {
    const { cursor } = await page();
    const [epoch, next] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    await freshBase(service.api).put({ key: 'a' });
    for (const parts of [
      [epoch, next, -1],
      [epoch, next, 0.5],
      [epoch, '9'.repeat(1000), 0],
      [epoch, '', 0],
      [epoch, next],
      [epoch, next, 0, 'keys', 'a', 'b'],
    ]) {
      const since = Buffer.from(JSON.stringify(parts)).toString('base64url');
      const reply = await service.api.send('GET', changesPath(service.api, { since }));
      expectErrors(reply, 400, /^since: must be 0, or a cursor that an answer gave$/);
    }
  });

  test('a ticket opens a stream of events without a key, and ends with its key', async () => {
    const { api } = service;
    const base = freshBase(api);
    const bases = nameOf(base);
    const root = `/v1/${api.target.project}`;
    const limited = await createKey(api, { access: 'read', bases: [bases] });
    const ask = (json: object, key = limited.key) =>
      api.send('POST', `${root}/changes/tickets`, { json, key });
    const reply = await ask({ bases: [bases, 'others'], query: { n: 1 }, values: false });
    expectStatus(reply, 201);
    const { url } = reply.json<{ url: string }>();
    const { pathname } = new URL(url);
    const accept = 'text/event-stream';
    const stream = await openFeed(api, pathname, { accept, key: null });
    assert.deepEqual([stream.status, stream.type], [200, accept]);
    const data = async () => {
      for (;;) {
        const { value, done } = await stream.lines.next();
        if (done) return undefined;
        if (value.startsWith('data: {"'))
          return withoutTx([JSON.parse(value.slice('data: '.length)) as Change])[0];
      }
    };
    // Until it is live, what is put belongs to no change.
    for (let line = ''; line !== 'event: live'; ) {
      const { value, done } = await stream.lines.next();
      assert.ok(!done, 'the stream has ended');
      line = value;
    }
    await base.put({ key: 'a', n: 1 }, { key: 'b', n: 2 });
    assert.deepEqual(await data(), { base: bases, key: 'a', type: 'put' });
    assert.deepEqual(await data(), { base: bases, key: 'b', type: 'delete' });
    for (const wrong of [pathname.slice(0, -1), `${pathname}x`, '/changes/a.b.c'])
      expectErrors(await api.send('GET', wrong, { key: null }), 403, /^Forbidden: the ticket is not valid/);
    await deleteKey(api, limited);
    assert.equal(await data(), undefined);
    expectStatus(await api.send('GET', pathname, { key: null }), 403);
    for (const [json, message] of [
      [{ bases: 'a' }, /^bases: must be a list of names$/],
      [{ limit: 3 }, /^limit: is not a member of this request$/],
      [{ since: 'x' }, /^since: must be 0/],
      [{ query: { 'n?huh': 1 } }, /^Bad query$/],
    ] as const)
      expectErrors(await api.send('POST', `${root}/changes/tickets`, { json }), 400, message);
  });

  test('bad parameters are refused by name', async () => {
    const { api } = service;
    const bad: [Record<string, string>, RegExp][] = [
      [{ since: 'x' }, /^since: must be 0, or a cursor that an answer gave$/],
      [
        { since: Buffer.from('["a","b",1]').toString('base64url') },
        /^since: must be 0, or a cursor that an answer gave$/,
      ],
      [{ limit: '0' }, /^limit: must be an integer of 1 or more$/],
      [{ wait: '61' }, /^wait: must be at most 60$/],
      [{ values: 'no' }, /^values: must be true or false$/],
      [{ query: '{' }, /^query: must be JSON$/],
    ];
    for (const [parameters, message] of bad)
      expectErrors(await api.send('GET', changesPath(api, parameters)), 400, message);
    const other = Buffer.from(JSON.stringify(['another', '00000001000000000000', 0])).toString('base64url');
    expectErrors(
      await api.send('GET', changesPath(api, { since: other })),
      410,
      /^since: the changes after this cursor are no longer kept: begin again with since=0$/,
    );
  });

  test('whoever follows has the base at the end, through cuts, while many write', async () => {
    const { api } = service;
    const base = freshBase(api);
    const drive = freshDrive(api, nameOf(base));
    const bases = nameOf(base);
    const { int: below } = createRandom(11);
    let isOver = false;
    const follower = new Follower();
    let since = '0';
    const following = (async () => {
      for (;;) {
        const wasOver = isOver;
        if (below(2) === 0) {
          const found = await page({ since, bases, drives: bases, limit: 1 + below(20) });
          for (const change of found.changes) follower.apply(change);
          since = found.cursor;
          if (wasOver && found.live) return;
          continue;
        }
        const stream = await openFeed(api, changesPath(api, { since, bases, drives: bases }), {
          accept: 'application/x-ndjson',
        });
        // What is cut off between two cursors comes again.
        for (let lines = below(30); lines >= 0; lines--) {
          const { value, done } = await stream.lines.next();
          if (done) break;
          const line = JSON.parse(value) as Change & { cursor?: string; live?: true };
          if (line.cursor === undefined) follower.apply(line);
          else since = line.cursor;
          if (line.live) break;
        }
        stream.cut();
      }
    })();
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let n = 0; n < 30; n++) {
          const key = `k${below(20)}`;
          const choice = below(6);
          if (choice < 2) await base.put({ key, writer, n }, { key: `w${writer}`, n });
          else if (choice === 2) await base.remove(key);
          else if (choice === 3) await base.transact({ put: { key, n } }, { delete: { key: `w${writer}` } });
          else if (choice === 4) await drive.put(key, `${writer}-${n}`);
          else await drive.remove([key]);
        }
      }),
    );
    isOver = true;
    await following;
    const stored = (await base.query({ limit: 1000 })).json<{ items: { key: string }[] }>().items;
    assert.deepEqual(
      Object.fromEntries(follower.items),
      Object.fromEntries(stored.map((item) => [JSON.stringify([bases, item.key]), item])),
    );
    const files = (await drive.list({ details: 'true' })).json<{ files: { name: string; etag: string }[] }>();
    assert.deepEqual(
      Object.fromEntries(follower.files),
      Object.fromEntries(files.files.map(({ name, etag }) => [JSON.stringify([bases, name]), etag])),
    );
  });
});
