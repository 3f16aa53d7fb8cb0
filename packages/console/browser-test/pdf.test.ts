import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';

/** A PDF of these texts, one a page, whose opening would run a script and whose whole first page is a link. */
function pdfOf(texts: readonly string[]): Buffer {
  const kids = texts.map((_, n) => `${5 + 2 * n} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\("run"\\))>>>>',
    `<</Type/Pages/Kids[${kids}]/Count ${texts.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    '<</Type/Annot/Subtype/Link/Rect[0 0 200 200]/A<</S/URI/URI(http://evil.test/)>>>>',
    ...texts.flatMap((text, n) => {
      const drawn = `1 0 0 rg 20 20 100 100 re f 0 0 0 rg BT /F1 18 Tf 10 150 Td (${text}) Tj ET`;
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Annots[4 0 R]/Resources<</Font<</F1 3 0 R>>>>/Contents ${6 + 2 * n} 0 R>>`,
        `<</Length ${drawn.length}>>stream\n${drawn}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, n) => {
    const at = text.length;
    text += `${n + 1} 0 obj${object}endobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  text += `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(text);
}

const console = useConsole({
  async prepare(service) {
    const type = 'application/pdf';
    await putFile(service, 'papers', 'plan.pdf', { body: new Uint8Array(pdfOf(['First', 'Second'])), type });
    await putFile(service, 'papers', 'broken.pdf', { body: 'no PDF at all', type });
  },
});

const isRed = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.pdf-page');
    const pixel = canvas?.getContext('2d')?.getImageData(canvas.width * 0.3, canvas.height * 0.7, 1, 1).data;
    return pixel !== undefined && pixel[0] === 255 && pixel[1] === 0;
  });

test('the pages of a PDF are drawn, and nothing in it runs, links or loads', async () => {
  const page = await console.open('#/drives/papers?file=plan.pdf');
  await page.locator('.pdf-page[data-drawn="1"]').waitFor();
  await becomes(() => isRed(page), true);
  await page.getByRole('img', { name: 'Page 1 of plan.pdf: First' }).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('img', { name: 'Page 2 of plan.pdf: Second' }).waitFor();
  await page.getByText('Page 2 of 2').waitFor();
  await becomes(() => page.getByRole('button', { name: 'Next page' }).isDisabled(), true);
  await becomes(() => page.locator('iframe, embed, object, a[href*="evil"]').count(), 0);
  await assertAccessible(page, 'a PDF');
});

test('what is no PDF says so', async () => {
  const page = await console.open('#/drives/papers?file=broken.pdf');
  await page.getByText('This PDF cannot be shown here.').waitFor();
});

test('the code for PDFs is loaded with the first one', async () => {
  const loaded: string[] = [];
  const page = await console.open('', {
    before: async (opened) => void opened.on('request', (request) => loaded.push(request.url())),
  });
  const hasCode = () => loaded.some((url) => /pdf-preview/.test(url));
  await page.goto(`${console.url}#/drives/papers`);
  await page.getByRole('button', { name: 'plan.pdf' }).waitFor();
  assert.equal(hasCode(), false);
  await page.getByRole('button', { name: 'plan.pdf' }).click();
  await page.locator('.pdf-page[data-drawn="1"]').waitFor();
  assert.equal(hasCode(), true);
});
