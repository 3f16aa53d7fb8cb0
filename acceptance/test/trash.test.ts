import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drive, freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { useService } from './support/service.js';

interface Trashed {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly deleted: number;
  readonly expires: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

describe('the trash', { concurrency: true }, () => {
  const service = useService();

  async function driveWithTrash(trash = '2d'): Promise<Drive> {
    const drive = freshDrive(service.api);
    expectJson(await service.api.send('PUT', `${drive.root}/settings`, { json: { trash } }), 200, {
      trash,
      counted: false,
    });
    return drive;
  }
  const trashOf = async (drive: Drive, query = '', key?: string) => {
    const options = key === undefined ? {} : { key };
    const reply = await service.api.send('GET', `${drive.root}/trash${query}`, options);
    expectStatus(reply, 200);
    return reply.json<{ files: Trashed[]; paging?: { last: string } }>();
  };
  const restore = (drive: Drive, json: unknown, key?: string) =>
    service.api.send('POST', `${drive.root}/trash/restore`, { json, ...(key !== undefined && { key }) });

  test('has what was deleted and overwritten, and counts its bytes', async () => {
    const drive = await driveWithTrash();
    expectStatus(await drive.put('a', 'one', { headers: { 'X-Meta-by': 'ada' } }), 201);
    expectStatus(await drive.put('a', 'second'), 201);
    expectStatus(await drive.remove(['a']), 200);
    const { files } = await trashOf(drive);
    assert.deepEqual(
      files.map(({ name, size, metadata }) => [name, size, metadata]),
      [
        ['a', 6, undefined],
        ['a', 3, { by: 'ada' }],
      ],
    );
    for (const { deleted, expires } of files) assert.equal(expires - deleted, 2 * 24 * 60 * 60);
    const stats = await service.api.send('GET', `${drive.root}/stats`);
    const { drive: of } = stats.json<{ drive: unknown }>();
    assert.deepEqual(of, { files: 0, bytes: 0, exact: true, trash_files: 2, trash_bytes: 9 });
    const first = await trashOf(drive, '?limit=1');
    const second = await trashOf(drive, `?limit=1&last=${first.paging?.last}`);
    assert.deepEqual([...first.files, ...second.files], files);
    assert.equal(second.paging, undefined);
    expectJson(await restore(drive, { files: [{ id: files[1]?.id }] }), 200, { restored: 1 });
    const back = await drive.get('a');
    assert.deepEqual([back.text, back.headers['x-meta-by']], ['one', 'ada']);
    expectJson(await service.api.send('DELETE', `${drive.root}/trash?all=true`), 200, { deleted: 1 });
    assert.deepEqual(await trashOf(drive), { files: [] });
  });

  test('a drive without settings has none; settings say what they are', async () => {
    const drive = freshDrive(service.api);
    const settings = (json: unknown) => service.api.send('PUT', `${drive.root}/settings`, { json });
    expectStatus(await drive.put('a', 'x'), 201);
    expectStatus(await drive.remove(['a']), 200);
    assert.deepEqual(await trashOf(drive), { files: [] });
    expectJson(await service.api.send('GET', `${drive.root}/settings`), 200, { trash: null, counted: false });
    expectJson(await settings({ trash: '36h' }), 200, { trash: '36h', counted: false });
    expectJson(await settings({ trash: '48h' }), 200, { trash: '2d', counted: false });
    expectJson(await settings({ trash: '0s' }), 200, { trash: null, counted: false });
    expectJson(await settings({ trash: null }), 200, { trash: null, counted: false });
    for (const [json, message] of [
      [{ trash: 5 }, /^trash: must be a time/],
      [{ trash: '30' }, /^trash: must be a time/],
      [{ trash: '3651d' }, /^trash: must be at most 3650d/],
      [{ trush: '3d' }, /^trush: is not a member/],
      [[], /^body: must be a JSON object/],
    ] as const)
      expectErrors(await settings(json), 400, message);
  });

  test('what breaks a rule is refused and changes nothing', async () => {
    const drive = await driveWithTrash();
    expectStatus(await drive.put('a', 'x'), 201);
    expectStatus(await drive.remove(['a']), 200);
    const id = (await trashOf(drive)).files[0]?.id;
    const none = '0'.repeat(44);
    for (const [json, status, message] of [
      [{ files: [] }, 400, /^files: must be a list of 1 to 1000/],
      [{ files: [{ id: 'x' }] }, 400, /^files\[0\]\.id: must be an id/],
      [{ files: [{ id, name: 'a/' }] }, 400, /^files\[0\]\.name: must not end/],
      [{ files: [{ id }, { id }] }, 400, /^files\[1\]\.id: occurs twice/],
      [{ files: [{ id, to: 'x' }] }, 400, /^files\[0\]\.to: is not a member/],
      [{ files: [{ id: none }] }, 404, /^files\[0\]\.id: is not in the trash/],
    ] as const)
      expectErrors(await restore(drive, json), status, message);
    expectStatus(await drive.put('a', 'y'), 201);
    expectErrors(await restore(drive, { files: [{ id }] }), 409, /^files\[0\]\.name: File already exists/);
    expectErrors(await service.api.send('GET', `${drive.root}/trash?last=a`), 400, /^last: must be/);
    assert.deepEqual((await trashOf(drive, '?prefix=none')).files, []);
    expectErrors(await service.api.send('DELETE', `${drive.root}/trash?all=yes`), 400);
    const some = { json: { ids: [none, id] } };
    expectJson(await service.api.send('DELETE', `${drive.root}/trash`, some), 200, { deleted: 1 });
    assert.equal((await drive.get('a')).text, 'y');
  });

  test('a key with limits sees and restores what is within them', async () => {
    const drive = await driveWithTrash();
    for (const name of ['in/a', 'out/b']) expectStatus(await drive.put(name, name), 201);
    expectStatus(await drive.remove(['in/a', 'out/b']), 200);
    const ids = Object.fromEntries((await trashOf(drive)).files.map(({ name, id }) => [name, id]));
    const limits = { access: 'write', drives: [drive.name], prefix: 'in/' } as const;
    const { key } = await createKey(service.api, limits);
    const seen = await trashOf(drive, '', key);
    assert.deepEqual(
      seen.files.map(({ name }) => name),
      ['in/a'],
    );
    // Neither what is beyond its prefix, nor to a name beyond it.
    expectErrors(await restore(drive, { files: [{ id: ids['out/b'], name: 'in/b' }] }, key), 404);
    expectErrors(
      await restore(drive, { files: [{ id: ids['in/a'], name: 'out/a' }] }, key),
      403,
      /^Forbidden/,
    );
    expectStatus(await service.api.send('DELETE', `${drive.root}/trash?all=true`, { key }), 403);
    expectStatus(
      await service.api.send('PUT', `${drive.root}/settings`, { key, json: { trash: null } }),
      403,
    );
    expectJson(await restore(drive, { files: [{ id: ids['in/a'] }] }, key), 200, { restored: 1 });
    const full = await createKey(service.api, { ...limits, access: 'full', prefix: 'out/' });
    expectStatus(await drive.remove(['in/a']), 200);
    const all = await service.api.send('DELETE', `${drive.root}/trash?all=true`, { key: full.key });
    expectJson(all, 200, { deleted: 1 });
    assert.deepEqual(
      (await trashOf(drive)).files.map(({ name }) => name),
      ['in/a'],
    );
    const ofBase = await createKey(service.api, { access: 'full', bases: [drive.name], drives: ['other'] });
    // It sees of the drive what it may: nothing.
    const seenByBase = await service.api.send('GET', `${drive.root}/settings`, { key: ofBase.key });
    expectJson(seenByBase, 200, { trash: null, counted: false });
    const set = { key: ofBase.key, json: { trash: '1d' } };
    expectErrors(await service.api.send('PUT', `${drive.root}/settings`, set), 403);
  });
});
