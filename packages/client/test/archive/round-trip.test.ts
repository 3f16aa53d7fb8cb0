import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { ProjectAddress } from '../../src/archive/api/address.js';
import { runExport } from '../../src/archive/export/run-export.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { objectJson } from '../support/arbitrary-json.js';
import {
  assertSameFiles,
  baseOf,
  driveOf,
  openProjectService,
  temporaryFolder,
} from '../support/archive-project.js';

const mib = 1024 * 1024;
const later = 4_102_444_800;

const awkward = fc.constantFrom(
  ...[
    'a',
    'A',
    'a/b',
    'a/b/c',
    'A/b',
    '..',
    '../../etc/passwd',
    '/a',
    'con',
    'aux.txt',
    'é',
    'e\u0301',
    'x'.repeat(250),
  ],
  ...[
    'a//b',
    './a',
    'a ',
    'a.',
    ' a',
    'a:b',
    'a\\b',
    '😀',
    '~',
    '%2F',
    'basedrive.json',
    'a?b#c',
    'a;',
    'a;1',
    '\u202ea',
    '\ufeff',
  ],
);
const word = fc.oneof(awkward, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }));
// biome-ignore lint/suspicious/noControlCharactersInRegex: no name may have them (docs/http.md#files-and-names)
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;
const isName = (text: string) => text.isWellFormed() && !controlCharacter.test(text);
const collectionName = word.filter((name) => isName(name) && Buffer.byteLength(name) <= 255);
const fileName = fc
  .oneof(
    word,
    fc.tuple(word, word).map((words) => words.join('/')),
  )
  .filter((name) => isName(name) && name.trim() !== '' && !name.endsWith('/'));
const contentType = fc.constantFrom(
  'text/plain',
  'image/png',
  'application/json; charset=utf-8',
  'a/b',
  'TEXT/Html',
);

const item = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), objectJson, fc.boolean())
  .map(([key, object, expires]) => {
    const rest = object.slice(1, -1);
    const expiry = expires ? `,"__expires":${later}` : '';
    return `{"key":${JSON.stringify(key)}${expiry}${rest === '' ? '' : `,"value":{${rest}}`}}`;
  });

const project = fc.record({
  bases: fc.dictionary(collectionName, fc.array(item, { minLength: 1, maxLength: 8 }), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
  drives: fc.dictionary(
    collectionName,
    fc.array(
      fc.record({
        name: fileName,
        contentType: fc.option(contentType, { nil: undefined }),
        expires: fc.constantFrom(undefined, later),
        metadata: fc.constantFrom(undefined, { camera: 'Leica M3', 'place.of-it': 'Ærø 😀 100%', empty: '' }),
        bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    { maxKeys: 3, noNullPrototype: true },
  ),
});

async function fill(
  address: ProjectAddress,
  { bases, drives }: Parameters<Parameters<typeof project.map>[0]>[0],
) {
  for (const [base, items] of Object.entries(bases)) {
    await baseOf(address, base).importLines(items.join('\n'));
  }
  for (const [drive, files] of Object.entries(drives)) {
    for (const { name, contentType, expires, metadata, bytes } of files) {
      await driveOf(address, drive).put(name, bytes, { contentType, expireAt: expires, metadata });
    }
  }
}

/** In another locale `unzip` writes other names. */
const env = { ...process.env, LC_ALL: 'C.UTF-8' };

describe('export, import, export', () => {
  for (const [first, second, form] of [
    ['memory', 'disk', 'folder'],
    ['disk', 'memory', 'zip'],
  ] as const) {
    test(`gives the same files for any project: from ${first} to ${second} as a ${form}`, async (context) => {
      const folder = await temporaryFolder(context);
      const from = await openProjectService(first);
      const to = await openProjectService(second);
      context.after(async () => {
        await from.close();
        await to.close();
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(project, async (content) => {
          run++;
          const path = (name: string) => join(folder, `${run}-${name}`);
          await from.inNewProject(async (address) => {
            await fill(address, content);
            await runExport(address, path('before'));
            await runExport(address, path('before.zip'));
          });
          await to.inNewProject(async (address) => {
            const report = await runImport(address, path(form === 'zip' ? 'before.zip' : 'before'));
            assert.deepEqual(report.setAside, []);
            await runExport(address, path('after'));
          });
          await assertSameFiles(path('after'), path('before'));
          await promisify(execFile)('unzip', ['-q', path('before.zip'), '-d', path('unzipped')], { env });
          await assertSameFiles(path('unzipped'), path('before'));
        }),
        { numRuns: 20, endOnFailure: true },
      );
    });
  }

  test('gives files back that say they are forms', async (context) => {
    const folder = await temporaryFolder(context);
    const path = (name: string) => join(folder, name);
    const part =
      '--x\r\nContent-Disposition: form-data; name="f"; filename="other.txt"\r\n\r\nother\r\n--x--\r\n';
    const [from, to] = [await openProjectService(), await openProjectService('disk')];
    context.after(async () => {
      await from.close();
      await to.close();
    });
    await from.inNewProject(async (address) => {
      const drive = driveOf(address, 'forms');
      for (const [name, type] of Object.entries({
        whole: 'multipart/form-data; boundary=x',
        bare: 'Multipart/Form-Data',
        similar: 'multipart/form-data-x; boundary=x',
      })) {
        for (const [size, bytes] of [part, ''].entries()) {
          await drive.put(`${name}${size}`, bytes, { contentType: type });
          const kept = await drive.get(`${name}${size}`);
          assert.equal(await kept?.text(), bytes);
        }
      }
      await runExport(address, path('before'));
    });
    await to.inNewProject(async (address) => {
      const report = await runImport(address, path('before'));
      assert.deepEqual([report.files, report.setAside], [6, []]);
      await runExport(address, path('after'));
    });
    await assertSameFiles(path('after'), path('before'));
  });

  test('gives files of every size back, and does not store again what is there', async (context) => {
    const folder = await temporaryFolder(context);
    const path = (name: string) => join(folder, name);
    const sizes = [0, 1, 16 * 1024, 300_000, 10 * mib - 1, 10 * mib, 10 * mib + 1, 25 * mib];
    const from = await openProjectService('disk');
    const to = await openProjectService('disk');
    context.after(async () => {
      await from.close();
      await to.close();
    });
    await from.inNewProject(async (address) => {
      for (const size of sizes) {
        const bytes = Buffer.alloc(size, `bytes of ${size}, `);
        await driveOf(address, 'sizes').put(`${size}`, bytes, { contentType: 'x/y' });
      }
      await runExport(address, path('before'));
    });
    await to.inNewProject(async (address) => {
      assert.equal((await runImport(address, path('before'))).files, sizes.length);
      await runExport(address, path('after'));
      const again = await runImport(address, path('before'));
      assert.deepEqual([again.files, again.filesKept, again.setAsideCount], [0, sizes.length, 0]);
    });
    await assertSameFiles(path('after'), path('before'));
  });
});
