import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Reply, SendOptions } from '../../src/api.js';
import { freshBase, freshDrive, freshName } from '../../src/names.js';
import { answering, held, openReceiver, type Receiver } from '../../src/receiver.js';
import { launchTarget } from '../../src/target.js';
import { expectErrors, expectStatus } from '../support/expect.js';
import { createKey, deleteKey } from '../support/keys.js';
import { useService } from '../support/service.js';

interface Hook {
  readonly id: string;
  readonly url: string;
  readonly secret?: string;
  readonly state: string;
  readonly lag: number;
  readonly failing_since?: number;
  readonly failures?: number;
  readonly last?: { readonly at: number; readonly status?: number; readonly error?: string };
}

describe('webhooks', { concurrency: true }, () => {
  const service = useService(() => launchTarget('--hook-networks', '127.0.0.0/8'));
  const receivers: Receiver[] = [];
  let hookRoot = '';
  before(() => {
    hookRoot = `/v1/${service.target.project}/hooks`;
  });
  after(() => Promise.all(receivers.map((receiver) => receiver.close())));

  async function receive(): Promise<Receiver> {
    const receiver = await openReceiver();
    receivers.push(receiver);
    return receiver;
  }

  const send = (method: string, path: string, options: SendOptions = {}): Promise<Reply> =>
    service.api.send(method, `${hookRoot}${path}`, options);

  async function create(
    json: object,
    options: SendOptions = {},
  ): Promise<Required<Pick<Hook, 'secret'>> & Hook> {
    const reply = await send('POST', '', { json, ...options });
    expectStatus(reply, 201);
    return reply.json();
  }

  async function look(id: string, key?: string): Promise<Hook | undefined> {
    const reply = await send('GET', '', key === undefined ? {} : { key });
    expectStatus(reply, 200);
    return reply.json<{ hooks: Hook[] }>().hooks.find((hook) => hook.id === id);
  }

  /** Asks until the webhook is as it should be: there is no event to wait for. */
  async function until(id: string, condition: (hook: Hook) => boolean): Promise<Hook> {
    for (;;) {
      const hook = await look(id);
      assert.ok(hook);
      if (condition(hook)) return hook;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const nameOf = ({ root }: { readonly root: string }) => decodeURIComponent(root.split('/').at(-1) ?? '');

  test('what changes is sent, signed as the library of Standard Webhooks verifies it', async () => {
    const base = freshBase(service.api);
    const receiver = await receive();
    const hook = await create({ url: `${receiver.url}/in?x=1`, name: 'search', bases: [nameOf(base)] });
    await base.put({ key: 'a', text: 'grüße 👋', big: 1 });
    await receiver.until(() => receiver.changes().length === 1);
    const [message] = receiver.received;
    assert.ok(message);
    assert.equal(message.path, '/in?x=1');
    const verified = new Webhook(hook.secret).verify(message.body, message.headers as Record<string, string>);
    const { type, data } = verified as { type: string; data: { changes: object[]; cursor: string } };
    assert.equal(type, 'changes');
    assert.deepEqual(data.changes, [
      {
        base: nameOf(base),
        key: 'a',
        type: 'put',
        item: { key: 'a', text: 'grüße 👋', big: 1 },
        tx: receiver.changes()[0]?.tx,
      },
    ]);
    const forged = { ...(message.headers as Record<string, string>) };
    assert.throws(() => new Webhook(hook.secret).verify(`${message.body} `, forged));
    const seen = await until(hook.id, ({ last }) => last !== undefined);
    assert.deepEqual([seen.state, seen.lag, seen.last?.status, seen.secret], ['active', 0, 204, undefined]);
    assert.match(hook.secret, /^whsec_/);
  });

  test('follows only what it was asked to: names, prefix, query, without values', async () => {
    const base = freshBase(service.api);
    const drive = freshDrive(service.api);
    const receiver = await receive();
    const followed = {
      bases: [nameOf(base)],
      prefix: 'a',
      query: { big: 9007199254740993n },
      values: false,
    };
    const json = JSON.stringify({ url: receiver.url, ...followed }, (_, value) =>
      typeof value === 'bigint' ? `#${value}` : value,
    ).replace(/"#(\d+)"/, '$1');
    const reply = await send('POST', '', { body: json, type: 'application/json' });
    expectStatus(reply, 201);
    // What it follows is told with every digit, too.
    const { id } = reply.json<Hook>();
    const told = [reply, await send('GET', ''), await send('PATCH', `/${id}`, { json: {} })];
    for (const { text } of told) assert.match(text, /"query":\{"big":9007199254740993\},/);
    await drive.put('a-file', 'x');
    await base.put({ key: 'b' }, { key: 'a1', big: 5 });
    const item = '{"item":{"key":"a2","big":9007199254740993}}';
    await service.api.send('POST', `${base.root}/items`, { body: item, type: 'application/json' });
    await receiver.until(() => receiver.changes().length === 2);
    const changes = receiver.changes().map(({ tx: _, ...change }) => change);
    assert.deepEqual(changes, [
      { base: nameOf(base), key: 'a1', type: 'delete' },
      { base: nameOf(base), key: 'a2', type: 'put' },
    ]);
  });

  test('a thousand changes come in their order, at most 100 in a message', async () => {
    const base = freshBase(service.api);
    const receiver = await receive();
    await create({ url: receiver.url, bases: [nameOf(base)] });
    const keys = Array.from({ length: 1000 }, (_, n) => `k${n}`);
    for (let at = 0; at < keys.length; at += 25)
      await base.put(...keys.slice(at, at + 25).map((key) => ({ key })));
    await receiver.until(() => receiver.changes().length >= 1000);
    assert.deepEqual(
      receiver.changes().map(({ key }) => key),
      keys,
    );
    for (const { body } of receiver.received)
      assert.ok((JSON.parse(body) as { data: { changes: object[] } }).data.changes.length <= 100);
    assert.equal(
      new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size,
      receiver.received.length,
    );
  });

  test('a message that is not taken comes again, the same under the same id, before anything else', async () => {
    const base = freshBase(service.api);
    const receiver = await receive();
    const second = held((response) => response.socket?.destroy());
    receiver.answers.push(answering(500), second.answer);
    const hook = await create({ url: receiver.url, bases: [nameOf(base)] });
    await base.put({ key: 'a' });
    await receiver.until(() => receiver.received.length === 1);
    const failing = await until(hook.id, ({ failures }) => failures !== undefined);
    assert.equal(failing.state, 'failing');
    assert.ok(failing.failing_since);
    await base.put({ key: 'b' });
    second.release();
    await receiver.until(() => receiver.received.length >= 4);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids.slice(1, 3), [ids[0], ids[0]]);
    assert.notEqual(ids[3], ids[0]);
    assert.deepEqual(
      receiver.changes().map(({ key }) => key),
      ['a', 'a', 'a', 'b'],
    );
    await until(hook.id, ({ state, lag }) => state === 'active' && lag === 0);
  });

  test('a redirect is not followed', async () => {
    const base = freshBase(service.api);
    const [receiver, elsewhere] = [await receive(), await receive()];
    const second = held(answering(302, { Location: elsewhere.url }));
    receiver.answers.push(answering(307, { Location: elsewhere.url }), second.answer);
    const hook = await create({ url: receiver.url, bases: [nameOf(base)] });
    await base.put({ key: 'a' });
    assert.equal((await until(hook.id, ({ failures }) => failures === 1)).last?.status, 307);
    second.release();
    await receiver.until(() => receiver.received.length === 3);
    assert.deepEqual(elsewhere.received, []);
  });

  test('an answer that never ends is not read to its end, and counts', async () => {
    const base = freshBase(service.api);
    const receiver = await receive();
    receiver.answers.push((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more).on('error', () => {});
      more();
    });
    const hook = await create({ url: receiver.url, bases: [nameOf(base)] });
    await base.put({ key: 'a' });
    assert.equal((await until(hook.id, ({ last }) => last !== undefined)).last?.status, 200);
    await base.put({ key: 'b' });
    await receiver.until(() => receiver.received.length === 2);
  });

  test('receivers of another project that do not answer hold up nobody else', async () => {
    const { api, target } = service;
    const key = target.otherKey;
    const other = `/v1/${key.split('_')[0]}`;
    const [silent, receiver] = [await receive(), await receive()];
    const answers = Array.from({ length: 30 }, () => held(answering(204)));
    silent.answers.push(...answers.map(({ answer }) => answer));
    const bases = [freshName('silent')];
    const made: string[] = [];
    for (let n = 0; n < 20; n++) {
      const reply = await api.send('POST', `${other}/hooks`, { json: { url: silent.url, bases }, key });
      expectStatus(reply, 201);
      made.push(reply.json<Hook>().id);
    }
    expectStatus(
      await api.send('PUT', `${other}/${bases[0]}/items`, { json: { items: [{ key: 'a' }] }, key }),
      207,
    );
    await silent.until(() => silent.received.length === 4);
    const base = freshBase(api);
    await create({ url: receiver.url, bases: [nameOf(base)] });
    await base.put({ key: 'a' });
    await receiver.until(() => receiver.changes().length === 1);
    // Four at once for a project: whoever waited for them would have waited for all 20.
    assert.ok(silent.received.length < 16, `${silent.received.length}`);
    for (const id of made) expectStatus(await api.send('DELETE', `${other}/hooks/${id}`, { key }), 200);
    for (const { release } of answers) release();
  });

  test('a receiver that says 410 gets nothing more until somebody resumes it', async () => {
    const base = freshBase(service.api);
    const receiver = await receive();
    receiver.answers.push(answering(410));
    const hook = await create({ url: receiver.url, bases: [nameOf(base)] });
    await base.put({ key: 'a' });
    await until(hook.id, ({ state }) => state === 'gone');
    expectStatus(await send('PATCH', `/${hook.id}`, { json: { paused: false } }), 200);
    await receiver.until(() => receiver.received.length === 2);
    assert.deepEqual(
      receiver.changes().map(({ key }) => key),
      ['a', 'a'],
    );
  });

  test('pause, another address, and resume: nothing is lost', async () => {
    const base = freshBase(service.api);
    const [first, second] = [await receive(), await receive()];
    const hook = await create({ url: first.url, bases: [nameOf(base)] });
    const paused = await send('PATCH', `/${hook.id}`, { json: { paused: true, name: 'later' } });
    assert.deepEqual([paused.json<Hook>().state, paused.json<{ name: string }>().name], ['paused', 'later']);
    await base.put({ key: 'a' });
    expectStatus(await send('PATCH', `/${hook.id}`, { json: { url: second.url } }), 200);
    expectStatus(await send('PATCH', `/${hook.id}`, { json: { paused: false } }), 200);
    await second.until(() => second.changes().length === 1);
    assert.deepEqual(first.received, []);
  });

  test('begins with everything that is there, if it is asked to', async () => {
    const base = freshBase(service.api);
    await base.put({ key: 'a' }, { key: 'b' });
    const receiver = await receive();
    const hook = await create({ url: receiver.url, bases: [nameOf(base)], since: '0' });
    await receiver.until(() => receiver.changes().length === 2);
    await base.put({ key: 'c' });
    await receiver.until(() => receiver.changes().length === 3);
    expectStatus(await send('PATCH', `/${hook.id}`, { json: { since: '0' } }), 200);
    await receiver.until(() => receiver.changes().length === 6);
    assert.deepEqual(
      receiver.changes().map(({ key }) => key),
      ['a', 'b', 'c', 'a', 'b', 'c'],
    );
  });

  test('a test message is signed, and its answer is told', async () => {
    const receiver = await receive();
    const hook = await create({ url: receiver.url, bases: ['none'] });
    const path = `/${hook.id}/test`;
    const taken = await send('POST', path);
    assert.deepEqual(taken.json(), { delivered: true, status: 204 });
    const [message] = receiver.received;
    assert.ok(message);
    const verified = new Webhook(hook.secret).verify(message.body, message.headers as Record<string, string>);
    assert.equal((verified as { type: string }).type, 'test');
    receiver.answers.push(answering(418));
    assert.deepEqual((await send('POST', path)).json(), { delivered: false, status: 418 });
    await receiver.close();
    assert.deepEqual((await send('POST', path)).json(), { delivered: false, error: 'connection_refused' });
    expectStatus(await send('DELETE', `/${hook.id}`), 200);
    for (const reply of [await send('POST', path), await send('DELETE', `/${hook.id}`)])
      expectStatus(reply, 404);
  });

  test('a limited key sees its own webhooks, which send what it may see, and end with it', async () => {
    const base = freshBase(service.api);
    const name = nameOf(base);
    const receiver = await receive();
    const limited = await createKey(service.api, { access: 'full', bases: [name], prefix: 'mine/' });
    const others = await create({ url: receiver.url, bases: [`${name}-none`] });
    const { key } = limited;
    const hook = await create({ url: receiver.url }, { key });
    assert.equal((await look(others.id, key))?.id, undefined);
    assert.equal((await look(hook.id, key))?.id, hook.id);
    assert.equal((await look(hook.id))?.id, hook.id);
    for (const method of ['PATCH', 'DELETE'])
      expectStatus(
        await send(method, `/${others.id}`, { key, ...(method === 'PATCH' && { json: {} }) }),
        404,
      );
    await base.put({ key: 'yours' }, { key: 'mine/a' });
    await freshBase(service.api).put({ key: 'mine/b' });
    await receiver.until(() => receiver.changes().length === 1);
    assert.equal(receiver.changes()[0]?.key, 'mine/a');
    await deleteKey(service.api, limited);
    await base.put({ key: 'mine/c' });
    await until(hook.id, ({ state }) => state === 'key_ended');
    expectStatus(await send('POST', `/${hook.id}/test`), 409);
    // Another webhook with the same address tells that the change has come through.
    await create({ url: receiver.url, bases: [name], since: '0' });
    await receiver.until(() => receiver.changes().length >= 4);
    assert.equal(receiver.changes().filter(({ key: changed }) => changed === 'mine/c').length, 1);
  });

  test('keys with less access make none, nor do signed keys', async () => {
    const json = { url: 'https://example.com' };
    for (const limits of [{ access: 'write' }, { access: 'full', stored: false, expires_in: 60 }]) {
      const { key } = await createKey(service.api, limits);
      expectStatus(await send('POST', '', { json, key }), 403);
    }
  });

  test('a base or drive of the name hooks is as any other', async () => {
    const { project } = service.target;
    for (const [method, path, options, status] of [
      ['PUT', 'items', { json: { items: [{ key: 'test' }] } }, 207],
      ['GET', 'items/test', {}, 200],
      ['DELETE', 'items/test', {}, 200],
      ['POST', 'files?name=a', { body: 'x' }, 201],
      ['PATCH', 'files?name=a', { json: { content_type: 'text/plain' } }, 200],
      ['DELETE', 'files', { json: { names: ['a'] } }, 200],
    ] as const) {
      expectStatus(await service.api.send(method, `/v1/${project}/hooks/${path}`, options), status);
    }
  });

  test('addresses and bodies that are not allowed are refused', async () => {
    const urls = [
      'ftp://example.com',
      'https://',
      'https://user:secret@example.com/',
      'https://example.com/#part',
      'http://example.com:22/',
      `https://example.com/${'x'.repeat(2048)}`,
      'http://10.0.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://2852039166/',
      'http://[::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://[fd00::1]/',
    ];
    for (const url of urls) expectStatus(await send('POST', '', { json: { url } }), 400);
    const url = 'https://example.com';
    const { id } = await create({ url, bases: ['none'] });
    for (const other of urls) expectStatus(await send('PATCH', `/${id}`, { json: { url: other } }), 400);
    assert.equal((await look(id))?.url, url);
    for (const json of [
      {},
      { url, nme: 'x' },
      { url, since: 'yesterday' },
      { url, bases: 'a' },
      { url, name: '' },
    ])
      expectStatus(await send('POST', '', { json }), 400);
    for (const [field, lists] of [
      ['bases', { bases: [] }],
      ['drives', { drives: [''] }],
      ['bases', { bases: [], drives: [] }],
    ] as const)
      expectErrors(
        await send('POST', '', { json: { url, ...lists } }),
        400,
        new RegExp(`^${field}: must have a name`),
      );
    await create({ url, bases: ['none'], drives: [] });
    expectStatus(await send('PATCH', `/${'0'.repeat(32)}`, { json: {} }), 404);
    for (const none of ['unknown', 'last-made'])
      expectStatus(await send('PATCH', `/${none}`, { json: {} }), 404);
  });
});

describe('a server whose webhooks may reach only the internet', () => {
  const service = useService(() => launchTarget());

  test('sends nothing to this machine by a name, and says so', async () => {
    const { api, target } = service;
    const root = `/v1/${target.project}/hooks`;
    const made = await api.send('POST', root, { json: { url: 'http://localhost:8080/' } });
    expectStatus(made, 201);
    const tested = await api.send('POST', `${root}/${made.json<Hook>().id}/test`);
    assert.equal(tested.json<{ delivered: boolean }>().delivered, false);
    assert.notEqual(tested.json<{ error: string }>().error, 'connection_refused');
  });

  test('a project has at most 50', async () => {
    const { api, target } = service;
    const other = target.otherKey.split('_')[0];
    const made = await Promise.all(
      Array.from({ length: 55 }, () =>
        api.send('POST', `/v1/${other}/hooks`, {
          json: { url: 'https://example.com' },
          key: target.otherKey,
        }),
      ),
    );
    assert.deepEqual(made.map(({ status }) => status).sort(), [
      ...Array.from({ length: 50 }, () => 201),
      ...Array.from({ length: 5 }, () => 409),
    ]);
  });
});
