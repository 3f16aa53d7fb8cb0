import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Basedrive, Drive } from '../src/index.js';
import { freshName, key, useService } from '../test/support/service.js';
import { type Browser, openBrowser } from './open-browser.js';
import { serveSite } from './page.js';

type Library = typeof import('../src/index.js');

/** A red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** The page has no key without limits: it is given what an application would give to it. */
describe('a page of another origin shows and stores files', () => {
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

  const openDrive = () => Drive(freshName(), { key, url: service.url });
  const minute = { expireIn: 60 };

  /** Shows an image in the page, and gives its width; 0 if it cannot be shown. */
  const widthOf = (url: string) =>
    page.evaluate(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode().catch(() => {});
      return image.naturalWidth;
    }, url);

  test('with links: it uploads a picture and shows it', async () => {
    const drive = openDrive();
    const upload = await drive.uploadLink('in/pixel.png', {
      ...minute,
      maxBytes: 1000,
      contentType: 'image/*',
    });
    const show = await drive.link('in/pixel.png', minute);
    assert.equal(await widthOf(show.url), 0);
    const statuses = await page.evaluate(
      async ({ url, bytes }) => {
        const body = new Blob([new Uint8Array(bytes)], { type: 'image/png' });
        const post = async (init: RequestInit) => (await fetch(url, { method: 'POST', ...init })).status;
        return [
          await post({ body: new Blob(['<script>'], { type: 'text/html' }) }),
          await post({ body: new Blob([new Uint8Array(1001)], { type: 'image/png' }) }),
          await post({ body }),
          await post({ body }),
        ];
      },
      { url: upload.url, bytes: [...png] },
    );
    assert.deepEqual(statuses, [415, 413, 201, 409]);
    assert.equal(await widthOf(show.url), 1);
    assert.equal(await widthOf(`${show.url}x`), 0);
  });

  test('with links: a film plays from where the viewer wants, by ranges', async () => {
    const drive = openDrive();
    const upload = await drive.uploadLink('film.webm', minute);
    const show = await drive.link('film.webm', minute);
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url() === show.url) statuses.push(response.status());
    });
    const seen = await page.evaluate(
      async ({ to, from }) => {
        const canvas = document.createElement('canvas');
        const drawing = canvas.getContext('2d') as CanvasRenderingContext2D;
        const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm;codecs=vp8' });
        const recorded = new Promise<Blob>((resolve) => {
          recorder.ondataavailable = ({ data }) => resolve(data);
        });
        recorder.start();
        for (let frame = 0; frame < 15; frame++) {
          drawing.fillStyle = `rgb(${frame * 10} 0 0)`;
          drawing.fillRect(0, 0, canvas.width, canvas.height);
          await new Promise((resolve) => setTimeout(resolve, 40));
        }
        recorder.stop();
        const { status } = await fetch(to, { method: 'POST', body: await recorded });
        const video = document.createElement('video');
        video.muted = true;
        video.src = from;
        await video.play();
        const isOver = new Promise((resolve) => {
          video.onended = resolve;
        });
        video.currentTime = 0.2;
        await isOver;
        return { status, width: video.videoWidth, time: video.currentTime };
      },
      { to: upload.url, from: show.url },
    );
    assert.equal(seen.status, 201);
    assert.ok(seen.width > 0 && seen.time > 0.2, JSON.stringify(seen));
    assert.ok(statuses.length > 0 && statuses.every((status) => status === 206), `${statuses}`);
  });

  test('with links: a click saves a file under its name', async () => {
    const drive = openDrive();
    await drive.put('letters/grüße "1".html', '<script>document.title = "ran"</script>');
    const { url } = await drive.link('letters/grüße "1".html', { ...minute, disposition: 'attachment' });
    const saved = page.waitForEvent('download');
    await page.evaluate((href) => {
      const anchor = Object.assign(document.createElement('a'), { href, download: '', textContent: 'save' });
      document.body.append(anchor);
      anchor.click();
    }, url);
    // Chromium replaces what file systems do not allow.
    assert.match((await saved).suggestedFilename(), /^grüße .1.\.html$/);
    assert.equal(await page.title(), 'An application of another origin');
  });

  test('with links: fetch reads a file and its headers, and sees why it is refused', async () => {
    const drive = openDrive();
    await drive.put('f.txt', 'hello');
    const { url } = await drive.link('f.txt', minute);
    const seen = await page.evaluate(async (url) => {
      const whole = await fetch(url);
      const part = await fetch(url, { headers: { Range: 'bytes=1-2' } });
      const same = await fetch(url, { headers: { 'If-None-Match': String(whole.headers.get('etag')) } });
      const refused = await fetch(`${url}x`);
      return [
        await whole.text(),
        await part.text(),
        part.status,
        same.status,
        refused.status,
        await refused.json(),
      ];
    }, url);
    const errors = ['Forbidden: the link is not valid, or no longer'];
    const codes = [{ code: 'invalid_link' }];
    assert.deepEqual(seen, ['hello', 'el', 206, 304, 403, { errors, codes }]);
  });

  test('with a limited key: it uploads a picture and shows it, from its origin only', async () => {
    const { keys } = Basedrive(key, { url: service.url });
    const name = freshName();
    const limited = await keys.create({
      access: 'write',
      drives: [name],
      prefix: 'in/',
      origins: [site.url],
      expireIn: 60,
    });
    const given = { url: service.url, limited: limited.key, name, bytes: [...png] };
    const use = async ({ url, limited, name, bytes }: typeof given) => {
      const library = '/bundle.js';
      const { Drive } = (await import(library)) as Library;
      const drive = Drive(name, { key: limited, url });
      await drive.put('in/pixel.png', new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
      const image = new Image();
      image.src = URL.createObjectURL((await (await drive.get('in/pixel.png'))?.blob()) as Blob);
      await image.decode();
      const beyond = await drive.put('out.png', 'x').catch((error: { code: string }) => error.code);
      return [image.naturalWidth, beyond];
    };
    assert.deepEqual(await page.evaluate(use, given), [1, 'forbidden']);
    // The same page under another name is another origin.
    await page.goto(site.url.replace('127.0.0.1', 'localhost'));
    assert.match(
      String(await page.evaluate(use, given).catch((error: Error) => error.message)),
      /403|not for web pages/,
    );
  });

  test('from a public prefix: pictures, styles and fetch', async () => {
    const drive = openDrive();
    await drive.publish(['site/']);
    await drive.put('site/pixel.png', png);
    await drive.put('site/page.css', 'body { color: rgb(1, 2, 3) }');
    assert.equal(await widthOf(drive.publicUrl('site/pixel.png')), 1);
    const seen = await page.evaluate(async (href) => {
      const link = Object.assign(document.createElement('link'), {
        rel: 'stylesheet',
        href,
        crossOrigin: '',
      });
      await new Promise((resolve, reject) => {
        link.onload = resolve;
        link.onerror = reject;
        document.head.append(link);
      });
      const answer = await fetch(href);
      return [
        getComputedStyle(document.body).color,
        await answer.text(),
        answer.headers.get('etag') !== null,
      ];
    }, drive.publicUrl('site/page.css'));
    assert.deepEqual(seen, ['rgb(1, 2, 3)', 'body { color: rgb(1, 2, 3) }', true]);
  });

  test('from a public prefix: a page with its style and pictures, and links between pages', async () => {
    const drive = openDrive();
    await drive.publish(['site/']);
    await drive.put('site/pixel.png', png);
    await drive.put('site/page.css', 'body { color: rgb(1, 2, 3) }');
    await drive.put('site/about/index.html', '<title>about</title>');
    await drive.put('site/404.html', '<title>not here</title>');
    await drive.put(
      'site/index.html',
      '<!doctype html><title>home</title><link rel="stylesheet" href="page.css"><img src="pixel.png"><a href="about">about</a>',
    );
    await page.goto(drive.publicUrl('site'));
    assert.equal(page.url(), drive.publicUrl('site/'));
    const shown = await page.evaluate(() => {
      const image = document.querySelector('img');
      return [document.title, getComputedStyle(document.body).color, image?.naturalWidth];
    });
    assert.deepEqual(shown, ['home', 'rgb(1, 2, 3)', 1]);
    await page.click('a');
    await page.waitForURL(drive.publicUrl('site/about/'));
    assert.equal(await page.title(), 'about');
    await page.goto(drive.publicUrl('site/nowhere'));
    assert.equal(await page.title(), 'not here');
  });
});
