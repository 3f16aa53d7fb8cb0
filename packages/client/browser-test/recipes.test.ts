import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build, type Loader } from 'esbuild';
import { Basedrive } from '../src/index.js';
import { recipe } from '../test/support/recipes.js';
import { key, useService } from '../test/support/service.js';
import { type Browser, openBrowser } from './open-browser.js';

/** Inside the package, so that its own name and React resolve. */
const inside = fileURLToPath(new URL('../', import.meta.url));

async function bundle(code: string, loader: Loader): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, loader, resolveDir: inside },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

describe('the pages of docs/feed.md', () => {
  const service = useService();
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser?.close());

  const mounted = `
    import { createRoot } from 'react-dom/client';
    createRoot(document.body.appendChild(document.createElement('main'))).render(<Tasks />);`;

  for (const [title, loader, own] of [
    ['A live page', 'js', ''],
    ['With React', 'jsx', mounted],
  ] as const) {
    test(`${title}: shows what is there, and what others write and delete`, async (context) => {
      const script = await bundle(`${await recipe(title)}\n${own}`, loader);
      const page = await browser.context.newPage();
      const site = createServer((request, response) => {
        const isScript = request.url === '/page.js';
        response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
        const given = JSON.stringify({ key, service: service.url });
        const html = `<!doctype html><head><script>Object.assign(window, ${given})</script><script type="module" src="/page.js"></script></head><body></body>`;
        response.end(isScript ? script : html);
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      context.after(() => {
        site.closeAllConnections();
        site.close();
      });
      const tasks = Basedrive(key, { url: service.url }).Base<{ text: string; done: boolean }>('tasks');
      await tasks.put({ text: 'paint', done: false }, 'a');
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const shows = (text: string) =>
        page.waitForFunction((wanted) => document.body.textContent.replaceAll(/[\s,]/g, '') === wanted, text);
      await shows('paint');
      await tasks.put({ text: 'wash', done: false }, 'b');
      await shows('paintwash');
      await tasks.delete('a');
      await shows('wash');
      await tasks.delete('b');
      await shows('');
      await page.close();
    });
  }
});
