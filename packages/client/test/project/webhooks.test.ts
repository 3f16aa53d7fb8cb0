import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Basedrive, BasedriveError } from '../../src/in-node.js';
import { cutOff, fakeService, json } from '../support/fake-service.js';
import { freshName, key, useService } from '../support/service.js';

describe('the webhooks of a running service', () => {
  const service = useService();
  const open = (given = key) => Basedrive(given, { url: service.url }).webhooks;

  test('one is created, listed without its secret, changed, tested and deleted', async () => {
    const webhooks = open();
    const name = freshName();
    const url = 'https://in.example/';
    const made = await webhooks.create({
      url,
      name,
      bases: ['a*'],
      query: { n: 9007199254740993n },
      values: false,
    });
    assert.match(made.secret, /^whsec_/);
    const find = async () => (await webhooks.list()).find(({ id }) => id === made.id);
    const { secret: _, ...listed } = made;
    assert.deepEqual(await find(), listed);
    assert.deepEqual([made.bases, made.values, made.name], [['a*'], false, name]);
    assert.equal((await webhooks.change(made.id, { paused: true, name: null })).state, 'paused');
    assert.equal((await find())?.name, undefined);
    assert.equal((await webhooks.test(made.id)).delivered, false);
    assert.equal(await webhooks.delete(made.id), true);
    assert.equal(await webhooks.delete(made.id), false);
  });

  test('what a limited key does not allow rejects with forbidden', async () => {
    const { key: limited } = await Basedrive(key, { url: service.url }).keys.create({ access: 'write' });
    const isForbidden = (error: unknown) => error instanceof BasedriveError && error.code === 'forbidden';
    await assert.rejects(open(limited).list(), isForbidden);
    await assert.rejects(open(limited).create({ url: 'https://in.example/' }), isForbidden);
  });
});

test('a create whose answer is lost is not repeated, and a delete is', async (context) => {
  const service = await fakeService(context, cutOff, cutOff, json(404, { errors: ['Webhook not found'] }));
  const { webhooks } = Basedrive(key, { url: service.url, retry: { firstDelayMs: 1 } });
  await assert.rejects(
    webhooks.create({ url: 'https://in.example/' }),
    (error: BasedriveError) => error.code === 'network',
  );
  assert.equal(await webhooks.delete('w'), true);
  assert.equal(service.seen.length, 3);
});
