import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshName, key, useService } from '../test/support/service.js';
import { type Browser, openBrowser } from './open-browser.js';
import { serveSite } from './page.js';

type Library = typeof import('../src/index.js');

/** The parameters of a script in the page. */
interface Given {
  readonly url: string;
  readonly key: string;
  readonly name: string;
  readonly script: string;
}

describe('a page of another origin', () => {
  const service = useService();
  let site: Awaited<ReturnType<typeof serveSite>>;
  let browser: Browser;
  let page: Page;

  before(async () => {
    site = await serveSite();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
  beforeEach(async () => {
    page = await browser.context.newPage();
    await page.goto(site.url);
  });

  const given = (script = '/bundle.js'): Given => ({ url: service.url, key, name: freshName(), script });

  for (const script of ['/bundle.js', '/index.js']) {
    test(`a page can use a base through ${script}`, async () => {
      const seen = await page.evaluate(async ({ url, key, name, script }) => {
        const { Basedrive, BasedriveError, util } = (await import(script)) as Library;
        const base = Basedrive(key, { url }).Base<{ text: string; likes: number }>(name);
        const put = await base.put({ text: 'ä 🙂', likes: 1 }, 'a/ä');
        await base.update({ likes: util.increment(2) }, 'a/ä');
        await base.insert({ text: 'second', likes: 0 }, 'b');
        const conflict = await base.insert({ text: '', likes: 0 }, 'b').catch((error: unknown) => error);
        const all = await base.putAll(Array.from({ length: 60 }, (_, likes) => ({ text: 'many', likes })));
        const keys = [];
        for await (const item of base.items({ 'likes?gt': 57 }, { pageSize: 1 })) keys.push(item.key.length);
        await base.delete('b');
        return {
          put,
          got: await base.get('a/ä'),
          absent: await base.get('b'),
          conflict: conflict instanceof BasedriveError && [
            conflict.code,
            conflict.status,
            typeof conflict.requestId,
          ],
          stored: all.stored,
          keys,
        };
      }, given(script));
      assert.deepEqual(seen, {
        put: { key: 'a/ä', text: 'ä 🙂', likes: 1 },
        got: { key: 'a/ä', text: 'ä 🙂', likes: 3 },
        absent: null,
        conflict: ['conflict', 409, 'string'],
        stored: 60,
        keys: [12, 12],
      });
    });

    test(`a page can import and export lines through ${script}`, async () => {
      const seen = await page.evaluate(async ({ url, key, name, script }) => {
        const { Basedrive } = (await import(script)) as Library;
        const base = Basedrive(key, { url }).Base(name);
        const lines = Array.from(
          { length: 20_000 },
          (_, n) => `{"key":"k${n}","text":"${'é'.repeat(40)}"}\n`,
        ).join('');
        const file = new File([lines], 'items.ndjson');
        const imported = await base.importLines(file);
        const streamed = await base.importLines(file.stream());
        const exported = await new Response(base.exportLines()).text();
        const same = exported.split('\n').sort().join('\n') === lines.split('\n').sort().join('\n');
        return { imported, streamed: streamed.stored, same };
      }, given(script));
      const imported = { stored: 20_000, failedCount: 0, failed: [] };
      assert.deepEqual(seen, { imported, streamed: 20_000, same: true });
    });

    test(`a page can use a drive through ${script}`, async () => {
      const seen = await page.evaluate(async ({ url, key, name, script }) => {
        const { Basedrive } = (await import(script)) as Library;
        const drive = Basedrive(key, { url }).Drive(name);
        await drive.put('a/ä.txt', 'hällo');
        const texts = [await (await drive.get('a/ä.txt'))?.text()];
        await drive.put('a/ä.txt', new File(['second'], 'x', { type: 'text/css' }));
        const file = await drive.get('a/ä.txt');
        texts.push(await file?.text());
        const part = await drive.get('a/ä.txt', { range: { last: 3 } });
        const stream = new Blob(['from ', 'a ', 'stream']).stream();
        await drive.put('streamed', stream);
        texts.push(await part?.text(), await (await drive.get('streamed'))?.text());
        const path = await drive.put('p', { path: '/etc/passwd' }).catch((error: Error) => error.name);
        const gone = await drive.deleteMany(['streamed', 'bad/']);
        return {
          texts,
          type: file?.type,
          size: file?.size,
          etag: typeof file?.etag,
          range: part?.contentRange,
          path,
          gone,
          names: (await drive.list()).names,
        };
      }, given(script));
      assert.deepEqual(seen, {
        texts: ['hällo', 'second', 'ond', 'from a stream'],
        type: 'text/css',
        size: 6,
        etag: 'string',
        range: 'bytes 3-5/6',
        path: 'BasedriveError',
        gone: { deleted: ['streamed'], failed: { 'bad/': 'invalid name' } },
        names: ['a/ä.txt'],
      });
    });
  }

  test('a cached file is revalidated, because it may have been overwritten', async () => {
    const read = await page.evaluate(
      async ({ key, script, url }) => {
        const { Drive } = (await import(script)) as Library;
        const drive = Drive('d', { key, url });
        return [await (await drive.get('f'))?.text(), await (await drive.get('f'))?.text()];
      },
      { ...given(), url: site.url },
    );
    assert.deepEqual(read, ['read 1', 'read 2']);
  });

  /** Limits the speed of uploads, so that their progress can be observed. */
  async function slowDown(bytesPerSecond: number): Promise<void> {
    const devTools = await browser.context.newCDPSession(page);
    const network = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
    await devTools.send('Network.emulateNetworkConditions', network);
  }

  for (const [what, mib] of [
    ['one request', 3],
    ['parts', 17],
  ] as const) {
    test(`a page can observe the progress of an upload in ${what}`, async () => {
      await slowDown(mib * 1024 * 1024);
      const { reported, total, same } = await page.evaluate(
        async ({ url, key, name, script, mib }) => {
          const { Basedrive } = (await import(script)) as Library;
          const drive = Basedrive(key, { url }).Drive(name);
          const bytes = new Uint8Array(mib * 1024 * 1024).map((_, at) => at % 251);
          const reported: number[] = [];
          await drive.put('film', new Blob([bytes]), { onProgress: ({ sent }) => reported.push(sent) });
          const read = new Uint8Array((await (await drive.get('film'))?.arrayBuffer()) ?? []);
          return { reported, total: bytes.length, same: read.every((byte, at) => byte === at % 251) };
        },
        { ...given(), mib },
      );
      assert.ok(same);
      assert.equal(reported.at(-1), total);
      for (const [at, sent] of reported.entries()) assert.ok(at === 0 || sent > (reported[at - 1] as number));
      assert.ok(reported.filter((sent) => sent > 0 && sent < total).length >= 3, `${reported}`);
    });
  }

  test('a page can abort an upload in flight, and the old file stays', async () => {
    await slowDown(1024 * 1024);
    const seen = await page.evaluate(async ({ url, key, name, script }) => {
      const { Basedrive, BasedriveError } = (await import(script)) as Library;
      const drive = Basedrive(key, { url }).Drive(name);
      await drive.put('f', 'old');
      const controller = new AbortController();
      const options = { signal: controller.signal, onProgress: () => controller.abort() };
      const error = await drive
        .put('f', new Blob([new Uint8Array(12 * 1024 * 1024)]), options)
        .catch((e: unknown) => e);
      return [error instanceof BasedriveError && error.code, await (await drive.get('f'))?.text()];
    }, given());
    assert.deepEqual(seen, ['aborted', 'old']);
  });
});
