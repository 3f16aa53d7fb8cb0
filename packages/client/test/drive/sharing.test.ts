import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Basedrive, Drive } from '../../src/in-node.js';
import { freshName, key, useService } from '../support/service.js';

describe('sharing files', { concurrency: true }, () => {
  const service = useService();
  const open = () => Drive(freshName(), { key, url: service.url });

  test('a link reads the file, and says when it ends', async () => {
    const drive = open();
    await drive.put('a/ä b.txt', 'hällo');
    const before = Math.floor(Date.now() / 1000);
    const { name, url, expires } = await drive.link('a/ä b.txt', { expireIn: 60 });
    assert.equal(name, 'a/ä b.txt');
    assert.ok(expires >= before + 60 && expires <= before + 90);
    const answer = await fetch(url);
    assert.equal(await answer.text(), 'hällo');
    assert.match(String(answer.headers.get('content-disposition')), /^inline/);
    const saved = await fetch(
      (await drive.link('a/ä b.txt', { expireIn: 60, disposition: 'attachment' })).url,
    );
    assert.match(String(saved.headers.get('content-disposition')), /^attachment/);
    await saved.text();
  });

  test('listed links are found again, and each can be ended', async () => {
    const drive = open();
    await drive.put('f', 'x');
    const [one, two] = await drive.links(['f', 'f'], { expireIn: 60, listed: true });
    const upload = await drive.uploadLink('g', { expireIn: 60, listed: true });
    await drive.link('f', { expireIn: 60 });
    const listed = async (prefix = '') => {
      const found = new Map<string | undefined, string | undefined>();
      for await (const { id, url } of drive.listLinks({ prefix })) found.set(id, url);
      return found;
    };
    assert.deepEqual(
      [...(await listed())].toSorted(),
      [one, two, upload].map((link) => [link?.id, link?.url]).toSorted(),
    );
    assert.equal((await listed('g')).size, 1);
    await drive.endLink(String(one?.id));
    assert.equal((await fetch(one?.url ?? '')).status, 403);
    assert.equal((await fetch(two?.url ?? '')).status, 200);
    await assert.rejects(drive.endLink(String(one?.id)), { code: 'not_found' });
  });

  test('an upload link stores the file within its bounds', async () => {
    const drive = open();
    const bounds = { expireIn: 60, maxBytes: 5, contentType: 'text/*' };
    const { url } = await drive.uploadLink('in/f', bounds);
    const send = async (body: string, type = 'text/plain', to = url) => {
      const answer = await fetch(to, { method: 'POST', body, headers: { 'Content-Type': type } });
      await answer.text();
      return answer.status;
    };
    assert.equal(await send('123456'), 413);
    assert.equal(await send('12345', 'image/png'), 415);
    assert.equal(await send('12345'), 201);
    assert.equal(await send('12345'), 409);
    const again = await drive.uploadLink('in/f', { ...bounds, overwrite: true });
    assert.equal(await send('54321', 'text/plain', again.url), 201);
    assert.equal(await (await drive.get('in/f'))?.text(), '54321');
  });

  test('links for any number of names come in their order', async () => {
    const drive = open();
    const names = Array.from({ length: 1001 }, (_, n) => `f${n}`);
    const links = await drive.links(names, { expireIn: 60 });
    assert.deepEqual(
      links.map(({ name }) => name),
      names,
    );
    assert.equal((await drive.uploadLinks(names, { expireIn: 60 })).length, 1001);
    assert.deepEqual(await drive.links([], { expireIn: 60 }), []);
    await assert.rejects(drive.links('name' as never, { expireIn: 60 }), { code: 'invalid' });
  });

  test('a refused link rejects', async () => {
    const drive = open();
    await assert.rejects(drive.link('f', { expireIn: 604_801 }), { code: 'refused', status: 400 });
    await assert.rejects(drive.link('', { expireIn: 60 }), { code: 'refused' });
    const { keys } = Basedrive(key, { url: service.url });
    const limited = await keys.create({ access: 'write', expireIn: 60 });
    const other = Drive(freshName(), { key: limited.key, url: service.url });
    await assert.rejects(other.link('f', { expireIn: 60 }), { code: 'forbidden', status: 403 });
  });

  test('published files are read at their address', async () => {
    const drive = open();
    assert.deepEqual(await drive.published(), { prefixes: [], max_age: 60 });
    const set = { prefixes: ['site/'], max_age: 5 };
    assert.deepEqual(await drive.publish(new Set(['site/']), { maxAge: 5 }), set);
    assert.deepEqual(await drive.published(), set);
    await drive.put('site/ä?b/index.html', '<h1>');
    for (const name of ['site/ä?b/', 'site/ä?b/index.html', 'site/ä?b']) {
      assert.equal(await (await fetch(drive.publicUrl(name))).text(), '<h1>');
    }
    assert.throws(() => drive.publicUrl('site/../f'), { code: 'invalid' });
    await drive.publish([]);
    assert.equal((await fetch(drive.publicUrl('site/ä?b/'))).status, 404);
    await assert.rejects(drive.publish(['site']), { code: 'refused' });
  });

  test('the address of a public file has the path of a proxy in front', () => {
    const drive = Drive('a b', { key, url: 'https://example.com/v1/data/' });
    assert.equal(drive.publicUrl('x/y z'), 'https://example.com/v1/data/public/demo/a%20b/x/y%20z');
  });
});
