import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { launchBrowser, useConsole } from './support/console.js';

// Pages of others, at an origin of their own, which have an upload link and nothing else.

const service = useConsole();
const mib = 1024 * 1024;
let pages: Server;
/** The HTML of pages, by their paths. Other paths are those of the library's modules. */
const pageTexts = new Map<string, string>();

before(async () => {
  const library = new URL('.', import.meta.resolve('basedrive-client'));
  pages = createServer(({ url = '' }, answer) => {
    const page = pageTexts.get(url);
    const type = page === undefined ? 'text/javascript' : 'text/html; charset=utf-8';
    answer.setHeader('Content-Type', type);
    if (page === undefined)
      createReadStream(new URL(`.${url}`, library))
        .on('error', () => answer.end())
        .pipe(answer);
    else answer.end(page);
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
});
after(() => pages.close());

const addressOf = (path: string) => `http://127.0.0.1:${(pages.address() as { port: number }).port}${path}`;

async function linkTo(name: string, more: object = {}): Promise<string> {
  const request = { name, method: 'POST', expires_in: 600, ...more };
  const answer = await service.call('POST', '/in/links', JSON.stringify(request));
  const { links } = (await answer.json()) as { links: { url: string }[] };
  return links[0]?.url ?? '';
}

async function stored(name: string): Promise<{ readonly type: string | null; readonly bytes: Buffer }> {
  const answer = await service.call('GET', `/in/files/download?name=${encodeURIComponent(name)}`);
  assert.equal(answer.status, 200);
  return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** A page of a browser without a key, and with scripts or without. */
async function openPage(path: string, javaScriptEnabled: boolean) {
  const browser = await launchBrowser();
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
  await page.goto(addressOf(path));
  return { page, close: () => browser.close() };
}

test('a plain form without a script stores the file of its field by a link', async () => {
  const link = await linkTo('letters/über uns.txt');
  pageTexts.set(
    '/form',
    `<!doctype html><title>Form</title><form method="post" enctype="multipart/form-data" action="${link}">
<input type="hidden" name="token" value="ignored"><label>File <input type="file" name="file"></label><button>Send</button></form>`,
  );
  const { page, close } = await openPage('/form', false);
  try {
    const buffer = Buffer.from('a letter,\r\n--with a line that begins like a boundary');
    const send = async () => {
      await page
        .getByLabel('File')
        .setInputFiles({ name: 'brief "1".md', mimeType: 'text/markdown', buffer });
      const [answer] = await Promise.all([
        page.waitForResponse((given) => given.url() === new URL(link).href),
        page.getByRole('button', { name: 'Send' }).click(),
      ]);
      return answer.status();
    };
    assert.equal(await send(), 201);
    const { type, bytes } = await stored('letters/über uns.txt');
    assert.equal(type, 'text/markdown');
    assert.ok(bytes.equals(buffer), bytes.toString());
    // A link stores one file. The browser shows why.
    await page.goto(addressOf('/form'));
    assert.equal(await send(), 409);
    await page.getByText('The file exists already').waitFor();
  } finally {
    await close();
  }
});

test('a page with nothing but a link sends a large file in parts, and goes on after it was reloaded', async () => {
  const link = await linkTo('film.bin', { parts: true, max_bytes: 100 * mib });
  pageTexts.set(
    '/parts',
    `<!doctype html><title>Parts</title><label>File <input type="file"></label><p>waiting</p><script type="module">
import { uploadByLink } from '/index.js';
const say = (text) => { document.querySelector('p').textContent = text; };
document.querySelector('input').onchange = ({ target }) =>
  uploadByLink(${JSON.stringify(link)}, target.files[0], { concurrency: 1, retry: { times: 0 } })
    .then(() => say('stored'), (cause) => say('failed: ' + cause.code));
</script>`,
  );
  const buffer = Buffer.alloc(22 * mib, 'film');
  buffer.write('the end', buffer.length - 7);
  const { page, close } = await openPage('/parts', true);
  try {
    const parts: string[] = [];
    let failsFrom = 3;
    await page.route(/\/uploads\/[^/]+\/parts/, async (route) => {
      const part = new URL(route.request().url()).searchParams.get('part') ?? '';
      if (Number(part) >= failsFrom) return await route.abort();
      parts.push(part);
      await route.continue();
    });
    const file = { name: 'film.bin', mimeType: 'video/mp4', buffer };
    await page.getByLabel('File').setInputFiles(file);
    await page.getByText('failed: network').waitFor();
    assert.deepEqual(parts, ['1', '2']);
    failsFrom = Number.POSITIVE_INFINITY;
    await page.reload();
    await page.getByLabel('File').setInputFiles(file);
    await page.getByText('stored').waitFor();
    assert.deepEqual(parts, ['1', '2', '3', '4']);
    const { type, bytes } = await stored('film.bin');
    assert.equal(type, 'video/mp4');
    assert.ok(bytes.equals(buffer));
  } finally {
    await close();
  }
});
