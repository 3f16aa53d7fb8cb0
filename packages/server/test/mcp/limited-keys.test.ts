import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitedKey, openSession, request, startService } from '../support/mcp-session.js';

const baseTools = ['list_bases', 'query_items', 'get_item', 'count_items', 'aggregate_items'];
const driveTools = ['list_drives', 'list_files', 'read_file', 'list_changes'];

test('a session has only the tools that its key may use', async (context) => {
  const { url } = await startService(context);
  const toolsOf = async (limits: object) => {
    const { key } = await limitedKey(url, limits);
    const { tools, client } = await openSession(context, url, { withKey: key });
    return { names: await tools(), told: client.getInstructions() ?? '' };
  };
  const reading = await toolsOf({ access: 'read' });
  assert.deepEqual(reading.names, [...baseTools, ...driveTools]);
  assert.match(reading.told, /You may only read/);
  const ofBases = await toolsOf({ access: 'write', bases: ['shop-*'], prefix: 't' });
  assert.deepEqual(ofBases.names, [
    ...baseTools,
    'list_changes',
    'put_items',
    'insert_item',
    'update_item',
    'delete_item',
  ]);
  assert.match(ofBases.told, /only these bases .*: shop-\*\..*begins with "t"/s);
  const ofDrives = await toolsOf({ drives: ['photos'] });
  assert.deepEqual(ofDrives.names, [...driveTools, 'put_file', 'delete_file']);
  assert.match(ofDrives.told, /only these drives .*: photos\./);
  const ofBoth = await toolsOf({ access: 'read', bases: ['a'], drives: ['b'] });
  assert.deepEqual(ofBoth.names, [...baseTools, ...driveTools]);
});

test('what a key does not reach is refused in the words of the service, or not there', async (context) => {
  const { url } = await startService(context);
  const items = '{"items":[{"key":"tea","n":1},{"key":"cup","n":1}]}';
  await request(url, 'shop-goods/items', { method: 'PUT', body: items });
  await request(url, 'secret/items', { method: 'PUT', body: '{"items":[{"key":"tea"}]}' });
  const { key } = await limitedKey(url, { access: 'write', bases: ['shop-*'], prefix: 't' });
  const { read, refusal } = await openSession(context, url, { withKey: key });
  assert.deepEqual(await read('list_bases', {}), { bases: ['shop-goods'] });
  assert.deepEqual(await read('query_items', { base: 'shop-goods' }), { items: [{ key: 'tea', n: 1 }] });
  assert.match(
    await refusal('query_items', { base: 'secret' }),
    /^Forbidden: the base is beyond the scope of the key \(forbidden, status 403\)$/,
  );
  assert.match(await refusal('get_item', { base: 'shop-goods', key: 'cup' }), /\(forbidden, status 403\)/);
  assert.match(
    await refusal('put_items', { base: 'shop-goods', items: [{ key: 'tin' }, { key: 'cup' }] }),
    /must begin with the prefix of the key \(forbidden, status 403\)/,
  );
  assert.deepEqual(await read('put_items', { base: 'shop-goods', items: [{ key: 'tin' }] }), {
    keys: ['tin'],
  });
  assert.deepEqual(await read('count_items', { base: 'shop-goods' }), { count: 2 });
});

test('a key that is revoked during a session is refused from then on, and the session stays', async (context) => {
  const { url } = await startService(context);
  const { id, key } = await limitedKey(url, { access: 'read' });
  const { read, refusal, tools } = await openSession(context, url, { withKey: key });
  assert.deepEqual(await read('list_bases', {}), { bases: [] });
  await request(url, `keys?id=${id}`, { method: 'DELETE' });
  assert.equal(await refusal('list_bases', {}), 'Unauthorized (unauthorized, status 401)');
  assert.equal((await tools()).length, 9);
});
