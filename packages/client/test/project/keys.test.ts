import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Basedrive, BasedriveError, type Basedrive as Project } from '../../src/in-node.js';
import { cutOff, fakeService, json } from '../support/fake-service.js';
import { freshName, key, ownService } from '../support/service.js';

describe('the keys of a running service', { concurrency: true }, () => {
  const service = ownService();
  const open = (given = key): Project => Basedrive(given, { url: service.url });
  const hasCode = (code: string) => (error: unknown) =>
    error instanceof BasedriveError && error.code === code;

  test('a key is created with limits, listed without its secret, and deleted', async () => {
    const { keys } = open();
    const name = freshName();
    const limits = {
      access: 'write',
      bases: ['a*'],
      drives: ['b'],
      prefix: 'x/',
      origins: ['https://a.example'],
    } as const;
    const made = await keys.create({ name, ...limits, expireIn: 60, requestsPerSecond: 100 });
    assert.match(made.key, /^demo_\w{52}$/);
    assert.equal((made.expires as number) - made.created, 60);
    const { key: _, ...listed } = made;
    const find = async () => (await keys.list()).find(({ id }) => id === made.id);
    assert.deepEqual(await find(), listed);
    assert.deepEqual({ ...listed, ...limits, name, requests_per_second: 100 }, listed);
    assert.equal(await keys.delete(made.id), true);
    assert.equal(await find(), undefined);
    assert.equal(await keys.delete(made.id), false);
    await assert.rejects(open(made.key).Base('a').get('x/1'), hasCode('unauthorized'));
  });

  test('what a limited key does not allow rejects with forbidden', async () => {
    const { key: limited } = await open().keys.create({ access: 'read', bases: ['a*'] });
    const project = open(limited);
    assert.equal(await project.Base('a').get('k'), null);
    await assert.rejects(project.Base('b').get('k'), hasCode('forbidden'));
    await assert.rejects(project.Base('a').put({ n: 1 }, 'k'), hasCode('forbidden'));
    await assert.rejects(project.Drive('a').get('f'), hasCode('forbidden'));
    await assert.rejects(project.keys.list(), hasCode('forbidden'));
    await assert.rejects(project.keys.create(), hasCode('forbidden'));
    await assert.rejects(open().keys.create({ prefix: '' }), hasCode('refused'));
  });

  test('calls beyond the rate wait as long as the service says, and succeed', async () => {
    const { key: slow } = await open().keys.create({ requestsPerSecond: 2 });
    const base = Basedrive(slow, { url: service.url, retry: { times: 10 } }).Base('a');
    assert.deepEqual(await Promise.all(Array.from({ length: 4 }, () => base.get('none'))), [
      null,
      null,
      null,
      null,
    ]);
  });
});

test('a create whose answer is lost is not repeated, and a delete is', async (context) => {
  const service = await fakeService(context, cutOff, cutOff, json(404, { errors: ['Key not found'] }));
  const { keys } = Basedrive(key, { url: service.url, retry: { firstDelayMs: 1 } });
  await assert.rejects(keys.create(), (error: BasedriveError) => error.code === 'network');
  assert.equal(await keys.delete('k'), true);
  assert.equal(service.seen.length, 3);
});
