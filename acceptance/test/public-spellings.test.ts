import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshName } from '../src/names.js';
import { expectStatus } from './support/expect.js';
import { publicFilesOf } from './support/public-files.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

/** docs/http.md#public-files */
describe('beside public files', { concurrency: true }, () => {
  const service = useService();
  const { publicDrive, put } = publicFilesOf(service);

  test('nothing else is reached, however it is spelled', async () => {
    const name = freshName('drive');
    const drive = await publicDrive({ 'site/a': 'public' }, name);
    for (const file of [
      'secret',
      'a',
      'sites/a',
      'SITE/a',
      'site\\a',
      'site',
      'site.',
      '/site/a',
      'site%2fa',
      'ſite/a',
    ]) {
      expectStatus(await put(drive, file, 'private'), 201);
    }
    const { project } = service.target;
    const root = `/public/${project}/${name}`;
    const spellings = [
      '/secret',
      '/site/../secret',
      '/site/%2e%2e/secret',
      '/site/%2E%2E%2Fsecret',
      '/site/..%2fsecret',
      '/site/..%5csecret',
      '/site/..\\secret',
      '/site/%252e%252e/secret',
      '/site/..;/secret',
      '/site/;/../secret',
      '/./secret',
      '//secret',
      '/%2fsecret',
      '/site//../secret',
      '/site/./../secret',
      '/%00secret',
      '/site/%00/../secret',
      '/site%00/a',
      '/sites/a',
      '/SITE/a',
      '/Site/a',
      '/%53ITE/a',
      '/site\\a',
      '/site%5ca',
      '/site.',
      '/site./a',
      '/site%20/a',
      '/ site/a',
      '/+site/a',
      '/%20site/a',
      '//site/a',
      '/%2Fsite/a',
      '/site%252fa',
      '/site%252Fa',
      '/site%25252fa',
      '/%C5%BFite/a',
      '/si%CC%87te/a',
      '/s%C4%B1te/a',
      '/%EF%BC%93ite/a',
      '/site%EF%BC%8Fa',
      '/site%E2%88%95a',
      '/%C0%AFsite/a',
      '/site%C0%AFa',
      '/site/%C0%AE%C0%AE/secret',
      '/%73%69te.%2fa',
      '/',
      '',
      '/?name=secret',
      '/site/?name=secret',

      '/*',
      '/site/*/secret',
      '/a',
      '/site%0d%0aX-Injected:%20yes',
      '/site/%0d%0aX-Injected:%20yes',
      `/${'../'.repeat(20)}etc/passwd`,
      `/site/${'%2e%2e/'.repeat(20)}etc/passwd`,
      `/site/${'x'.repeat(3000)}`,
      `/${'x'.repeat(3000)}/`,
    ];
    const elsewhere = [
      `/public/${project}/${name}%2Fsite/a`,
      `/public/${project}%2F${name}/site/a`,
      `/public/${project}/${name}/../${name}/secret`,
      `/public/${project}/../${project}/${name}/secret`,
      `/public//${project}/${name}/site/a`,
      `/public/${project}//${name}/site/a`,
      `/public/${project.toUpperCase()}/${name}/site/a`,
      `/public/${project}/${name.toUpperCase()}/site/a`,
      `/public/${project}/${name}%00/site/a`,
      `/public/${project}%00/${name}/site/a`,
      `/public/${project}/${'d'.repeat(300)}/site/a`,
      `/public/${'p'.repeat(3000)}/d/site/a`,
      `/public/%20/${name}/site/a`,
      `/public/other/${name}/site/a`,
      '/public',
      '/public/',
      '/public/%2F/%2F/%2F',
      '/public/../health',
      `/PUBLIC/${project}/${name}/site/a`,
      `/v1/../public/${project}/${name}/site/a`,
      `/public/${project}/${encodeURIComponent('🙂')}/site/a`,
      `/public/${project}/${name}/site/a/`,
      `/public/${project}/${name}/site/a//`,
    ];
    for (const target of [...spellings.map((spelling) => root + spelling), ...elsewhere]) {
      for (const method of ['GET', 'HEAD']) {
        // Byte for byte, on a connection of its own: no client and no pool changes the spelling.
        const reply = await raw(method, target);
        assert.ok([400, 404].includes(reply.status), `${method} ${target}: ${reply.status} ${reply.text}`);
        assert.doesNotMatch(reply.text, /private/, target);
        assert.equal(reply.headers['x-injected'], undefined);
      }
    }
    for (const target of [
      `${root}/site/a`,
      `${root}/site%2Fa`,
      `${root}/%73ite/%61`,
      `${root}/site/a?b=c&name=secret`,
    ]) {
      assert.deepEqual([target, (await raw('GET', target)).text], [target, 'public']);
    }
  });

  async function raw(method: string, target: string) {
    const connection = await openRaw(service.target);
    try {
      connection.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return await connection.reply(method === 'HEAD' ? 'HEAD' : undefined);
    } finally {
      connection.destroy();
    }
  }
});
