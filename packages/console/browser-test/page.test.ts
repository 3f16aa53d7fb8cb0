import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startServer } from 'basedrive-acceptance/server-process';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { people, store } from './support/items.js';

const console = useConsole({
  prepare: (service) => store(service, 'users', people(300)),
});

const maxFirstLoadBytes = 120 * 1024;
const maxFirstLoadRequests = 6;

test('the first load is small, and the editor is loaded when it is first shown', async () => {
  const files = new Set<string>();
  const page = await console.open('', { isSignedIn: false });
  page.on('request', (request) => {
    if (!request.url().includes('/v1/')) files.add(request.url());
  });
  await page.reload();
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByText('300').first().waitFor();
  await page.goto(`${console.url}#/bases/users?item=user-000001`);
  await page.getByRole('textbox', { name: 'age' }).waitFor();
  const first = [...files];
  const sizes = await Promise.all(
    first.map(async (url) => gzipSync(await bytesOf(url), { level: 9 }).length),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < maxFirstLoadBytes, `${total} bytes in ${first.join(', ')}`);
  assert.ok(first.length <= maxFirstLoadRequests, first.join(', '));

  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByRole('textbox', { name: 'JSON of user-000001' }).waitFor();
  // A picture of the first load may come late.
  const added = [...files].filter((url) => url.endsWith('.js') && !first.includes(url));
  assert.deepEqual(
    added.map((url) => /assets\/([a-z-]+)-/.exec(url)?.[1]),
    ['code-mirror'],
  );
});

const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

/** A proxy that serves the service below a path of its own. */
async function openProxy(context: TestContext, prefix: string, target: URL): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(prefix)) {
      outgoing.writeHead(404).end();
      return;
    }
    const path = `/${incoming.url.slice(prefix.length)}`;
    const { method, headers } = incoming;
    const upstream = sendRequest(
      { host: target.hostname, port: target.port, method, path, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`;
}

test('the console works below a path of a proxy', async (context) => {
  const url = await openProxy(context, '/tools/data/', console.server.url);
  const page = await console.open('', { address: url });
  await page.getByRole('link', { name: 'users' }).first().click();
  await page.getByText('user-000000').waitFor();
  await page.goto(url);
  await page.getByText(`curl -X PUT '${url}v1/demo/users/items'`).waitFor();
});

test('a stored script of the same origin does not run in the console, also below a path of a proxy', async (context) => {
  await console.call('PUT', '/site/public', '{"prefixes":["js/"]}');
  const headers = { 'X-API-Key': key, 'Content-Type': 'text/javascript' };
  const stored = { method: 'POST', headers, body: 'document.title = "run";' };
  await fetch(`${console.url}v1/demo/site/files?name=js/run.js`, stored);
  for (const address of [console.url, await openProxy(context, '/tools/data/', console.server.url)]) {
    const script = `${address}public/demo/site/js/run.js`;
    assert.equal((await fetch(script)).status, 200);
    const refused: string[] = [];
    const page = await console.open('', {
      address,
      async attack(attacked) {
        attacked.on('console', (message) => {
          if (message.text().includes('Content Security Policy')) refused.push(message.text());
        });
        await attacked.route(address, async (route) => {
          const response = await route.fetch();
          const html = (await response.text()).replace('<body>', `<body><script src="${script}"></script>`);
          await route.fulfill({ response, body: html });
        });
      },
    });
    await page.getByText('300').first().waitFor();
    const imported = await page.evaluate((url) => import(url).then(() => 'imported', String), script);
    assert.match(imported, /TypeError/);
    await becomes(() => page.title(), 'Overview · demo · Basedrive');
    assert.equal(refused.filter((text) => text.includes('run.js')).length, 2, refused.join('\n'));
  }
});

test('while the server is away, a save fails with a message and loses nothing; then it succeeds', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-console-'));
  const flags = ['--data', folder, '--key', key, '--log-level', 'error'];
  let server = await startServer(flags);
  context.after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { port, url } = server;
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  await fetch(`${url}v1/demo/b/items`, { method: 'PUT', headers, body: '{"items":[{"key":"k","n":1}]}' });
  const page = await console.open('#/bases/b?item=k', { address: url.href });
  await page.getByRole('textbox', { name: 'n', exact: true }).fill('2');
  await page.keyboard.press('Tab');
  await page.getByText('1 change').waitFor();

  await server.stop();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('The service does not answer. Is it running?').waitFor();
  server = await startServer([...flags, '--port', String(port)]);
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Saved 1 item').waitFor();
  const answer = await fetch(`${url}v1/demo/b/items/k`, { headers });
  assert.equal(await answer.text(), '{"key":"k","n":2}');
});

test('a screen that could not be read is read once the service is back', async () => {
  const page = await console.open('#/bases/users', {
    before: async (opened) => {
      await opened.route('**/users/query', (route) => route.abort());
      await opened.route('**/ready', (route) => route.abort());
    },
  });
  await page.getByText('The service does not answer. Is it running?').waitFor();
  await page.unroute('**/users/query');
  await page.unroute('**/ready');
  await page.getByRole('grid').waitFor();
});

test('a message covers no button at the end of the screen, and a success ends what failed before', async () => {
  const page = await console.open('#/bases/users?item=user-000001', {
    before: (opened) => opened.clock.install(),
  });
  await page.getByRole('textbox', { name: 'age', exact: true }).fill('99');
  await page.route('**/transactions', (route) => route.abort());
  await page.keyboard.press('Control+s');
  const failed = page.locator('.toast.failed');
  await failed.waitFor();
  const [toast, bar] = [await failed.boundingBox(), await page.locator('.staged-bar').boundingBox()];
  assert.ok(toast !== null && bar !== null);
  assert.ok(toast.y >= bar.y + bar.height, `${toast.y} ${bar.y + bar.height}`);
  await page.unroute('**/transactions');
  await page.clock.fastForward(7000);
  await failed.waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved 1 item').waitFor();
  await becomes(() => failed.count(), 0);
});

test('the overview shows no number that it does not know, and says why', async () => {
  const broken = { status: 500, contentType: 'application/json', body: '{"errors":["broken"]}' };
  const page = await console.open('', {
    before: (opened) => opened.route('**/v1/demo/bases*', (route) => route.fulfill(broken)),
  });
  const figure = page.getByRole('region', { name: 'Bases', exact: true });
  await figure.getByRole('alert').getByText('broken').waitFor();
  await figure.getByText('— items').waitFor();

  await page.route('**/v1/demo/users/stats', (route) => route.fulfill(broken));
  await page.unroute('**/v1/demo/bases*');
  await figure.getByRole('button', { name: 'Try again' }).click();
  await figure.getByText('— items').waitFor();
  await page.unroute('**/v1/demo/users/stats');
  await page.reload();
  await figure.getByText('300 items', { exact: true }).waitFor();
});

test('a key that is revoked ends the session with a message', async () => {
  const made = await console.call('POST', '/keys', '{"name":"for a test"}');
  const { id, key: limited } = (await made.json()) as { id: string; key: string };
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').fill(limited);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'users' }).first().waitFor();
  await console.call('DELETE', `/keys?id=${encodeURIComponent(id)}`);
  await page.getByRole('link', { name: 'users' }).first().click();
  await page.getByText('The key is not valid any more.').waitFor();
  await page.getByLabel('Key').waitFor();
  await becomes(() => page.evaluate(() => sessionStorage.length), 0);
});

test('everything is reached and done with the keyboard alone', async () => {
  const page = await console.open();
  await page.getByText('300').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'users' }).waitFor();
  await page.keyboard.type('us');
  await page.getByRole('option', { name: 'Overview' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  const grid = page.getByRole('grid');
  await grid.waitFor();
  await page.waitForFunction(() => document.activeElement?.id === 'main');
  for (let at = 0; !(await isFocused()); at++) {
    assert.ok(at < 40, 'Tab reaches the grid');
    await page.keyboard.press('Tab');
  }
  const name = () =>
    page.evaluate(() => document.querySelector('.grid')?.getAttribute('aria-activedescendant'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const active = page.locator(`[id="${await name()}"]`);
  await becomes(() => active.textContent(), 'Alan Turing');
  await page.keyboard.press('Enter');
  await page.keyboard.type('A. Turing');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved 1 item').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog', { name: 'Delete 1 item?' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Deleted 1 item').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');

  function isFocused(): Promise<boolean> {
    return page.evaluate(() => document.activeElement?.getAttribute('role') === 'grid');
  }
});
