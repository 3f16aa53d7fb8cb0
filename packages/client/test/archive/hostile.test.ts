import assert from 'node:assert/strict';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ProjectAddress } from '../../src/archive/api/address.js';
import { findFile } from '../../src/archive/api/project.js';
import { readItems } from '../../src/archive/api/read.js';
import { runExport } from '../../src/archive/export/run-export.js';
import type { ImportReport } from '../../src/archive/import/report.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { BasedriveError } from '../../src/in-node.js';
import { catalogNames } from '../../src/project/catalog.js';
import { openProjectService, type ProjectService, temporaryFolder } from '../support/archive-project.js';
import { editManifest } from '../support/edit-manifest.js';
import { type HostileEntry, writeZip } from '../support/write-zip.js';

const good: readonly HostileEntry[] = [
  { path: 'bases/users.json', bytes: '[{"key":"ada"}]' },
  { path: 'drives/photos/cat.txt', bytes: 'meow' },
];

describe('an import of what is damaged or hostile', () => {
  let service: ProjectService;

  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  async function contentOf(address: ProjectAddress): Promise<string[]> {
    const found: string[] = [];
    for await (const base of catalogNames(address.endpoint, 'bases', {})) {
      for await (const lines of readItems(address, base, () => assert.fail()))
        found.push(`${base}: ${lines}`.trim());
    }
    for await (const drive of catalogNames(address.endpoint, 'drives', {})) found.push(`drive ${drive}`);
    return found;
  }

  async function importZip(folder: string, zip: Buffer, maxRatio = 200) {
    const path = join(folder, 'x.zip');
    await writeFile(path, zip);
    return await service.inNewProject(async (address) => {
      const report = await runImport(address, path, { maxRatio });
      return { report, address, content: await contentOf(address) };
    });
  }

  const asides = (report: ImportReport) => report.setAside.map(({ path, problem }) => `${path} ${problem}`);
  const outside = 'its path leads out of the folder';
  const cases: readonly (readonly [
    what: string,
    entries: readonly HostileEntry[],
    aside: readonly string[],
  ])[] = [
    ['a path that climbs', [{ path: '../../etc/passwd', bytes: 'x' }], [`../../etc/passwd ${outside}`]],
    ['an absolute path', [{ path: '/etc/passwd', bytes: 'x' }], [`/etc/passwd ${outside}`]],
    ['a path of Windows', [{ path: 'C:\\boot', bytes: 'x' }], [`C:/boot ${outside}`]],
    ['a climb within a drive', [{ path: 'drives/d/../../x', bytes: 'x' }], [`drives/d/../../x ${outside}`]],
    [
      'a link',
      [{ path: 'drives/d/link', bytes: '/etc/passwd', mode: 0o120777 }],
      ['drives/d/link is a link or a device, not a file'],
    ],
    [
      'a name that comes twice',
      [
        { path: 'drives/d/x', bytes: 'one' },
        { path: 'drives/d/x', bytes: 'two' },
      ],
      ['drives/d/x is in the archive several times'],
    ],
    [
      'a wrong checksum of a file',
      [{ path: 'drives/d/x', bytes: 'x', crc32: 1 }],
      ['drives/d/x is damaged: it has another checksum than the archive says'],
    ],
    [
      'a wrong checksum of a base, none of whose items goes in',
      [{ path: 'bases/b.json', bytes: '[{"key":"a"}]', crc32: 1, deflated: true }],
      ['bases/b.json is damaged: it has another checksum than the archive says'],
    ],
    [
      'more bytes than announced',
      [{ path: 'drives/d/x', bytes: 'x'.repeat(1000), deflated: true, size: 10 }],
      ['drives/d/x is damaged: it has another size than the archive says'],
    ],
    [
      'fewer bytes than announced',
      [{ path: 'drives/d/x', bytes: 'x', deflated: true, size: 10 }],
      ['drives/d/x is damaged: it has another size than the archive says'],
    ],
    ['an encrypted file', [{ path: 'drives/d/x', bytes: 'x', flags: 1 }], ['drives/d/x is encrypted']],
    [
      'a bomb',
      [{ path: 'drives/d/x', bytes: Buffer.alloc(70 * 1024 * 1024), deflated: true }],
      [
        'drives/d/x is 1029 times larger than its compressed form: if that is right, raise --max-ratio, maxRatio',
      ],
    ],
    [
      'names that the service refuses',
      [
        { path: 'drives/d/ ', bytes: 'x' },
        { path: `bases/${'b'.repeat(300)}.json`, bytes: '[{"key":"a"}]' },
      ],
      [
        'drives/d/  name: must not be empty or blank',
        `bases/${'b'.repeat(300)}.json name: a base or drive has 1 to 255 bytes of UTF-8, this one 300`,
      ],
    ],
  ];

  for (const [what, entries, aside] of cases) {
    test(`${what} is set aside, and the rest goes in`, async (context) => {
      const folder = await temporaryFolder(context);
      const [first, second] = good as [HostileEntry, HostileEntry];
      const { report, content } = await importZip(folder, writeZip([first, ...entries, second]));
      assert.deepEqual(asides(report).sort(), [...aside].sort());
      assert.equal(report.setAsideCount, aside.length);
      assert.deepEqual(content, ['users: {"key":"ada"}', 'drive photos']);
    });
  }

  test('an archive that is cut off anywhere is refused, or says what is damaged', async (context) => {
    const folder = await temporaryFolder(context);
    const whole = writeZip(good);
    for (let bytes = 2; bytes < whole.length; bytes += 7) {
      await assert.rejects(importZip(folder, whole.subarray(0, bytes)), {
        code: 'bad_archive',
        message: /x\.zip is not a whole zip archive: /,
      });
    }
  });

  test('an archive with changed bytes never ends in another way than with a report or one line', async (context) => {
    const folder = await temporaryFolder(context);
    const whole = writeZip(good.map((entry) => ({ ...entry, deflated: true })));
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 0x55;
      const result = await importZip(folder, changed).catch((cause) => cause);
      if (result instanceof Error) {
        assert.ok(
          result instanceof BasedriveError && result.code === 'bad_archive',
          `${at}: ${result.stack}`,
        );
      }
    }
  });

  test('an archive whose entries share bytes is refused', async (context) => {
    const folder = await temporaryFolder(context);
    const bytes = Buffer.alloc(1024 * 1024);
    const shared = Array.from({ length: 50 }, (_, n) => ({
      path: `drives/d/${n}`,
      bytes,
      deflated: true,
      sharedWith: 0,
    }));
    const zip = writeZip([{ path: 'drives/d/x', bytes, deflated: true }, ...shared]);
    await assert.rejects(importZip(folder, zip), {
      code: 'bad_archive',
      message: /its entries share bytes$/,
    });
  });

  test('links in a folder are set aside; what they lead to is not read', async (context) => {
    const folder = await temporaryFolder(context);
    const secret = join(await temporaryFolder(context), 'secret');
    await writeFile(secret, 'secret');
    await mkdir(join(folder, 'drives/d'), { recursive: true });
    await writeFile(join(folder, 'drives/d/good'), 'good');
    await symlink(secret, join(folder, 'drives/d/file'));
    await symlink('/etc', join(folder, 'drives/d/folder'));
    await service.inNewProject(async (address) => {
      const report = await runImport(address, folder);
      const problem = 'is a link or a device, not a file';
      assert.deepEqual(asides(report), [`drives/d/file ${problem}`, `drives/d/folder ${problem}`]);
      assert.equal(report.files, 1);
    });
  });

  test('items that the service refuses are named with file and line', async (context) => {
    const folder = await temporaryFolder(context);
    await mkdir(join(folder, 'bases'));
    const lines = [
      '[',
      '{"key":"a","n":1e400},',
      '{"key":"b"},',
      '{"key":7},',
      '"text",',
      '{"key":"c"',
      ']',
      ']',
    ];
    await writeFile(join(folder, 'bases/users.json'), lines.join('\n'));
    await writeFile(join(folder, 'notes.txt'), 'not of an export');
    await service.inNewProject(async (address) => {
      const report = await runImport(address, folder);
      assert.deepEqual(
        report.setAside.map(({ path, line }) => [path, line]),
        [2, 4, 5, 6].map((line) => ['bases/users.json', line]),
      );
      assert.match(report.setAside[0]?.problem ?? '', /^line: n: a number that is too large/);
      assert.deepEqual([report.items, report.ignored], [1, 1]);
      assert.deepEqual(await contentOf(address), ['users: {"key":"b"}']);
    });
  });

  test('what was changed or lost since the export is set aside, unless changes are accepted', async (context) => {
    const folder = await temporaryFolder(context);
    const exported = join(folder, 'export');
    await service.inNewProject(async (address) => {
      await runImport(address, await source(folder));
      await runExport(address, exported);
    });
    await writeFile(join(exported, 'bases/users.json'), '[\n{"key":"ada","changed":true}\n]\n');
    await writeFile(join(exported, 'drives/photos/cat.txt'), 'woof');
    await rm(join(exported, 'drives/photos/dog.txt'));
    const lost = 'drives/photos/dog.txt is missing: basedrive.json lists it';
    const changed =
      'has another checksum than basedrive.json says: it is damaged, or was changed (then accept that: --accept-changes, acceptChanges)';
    await service.inNewProject(async (address) => {
      const report = await runImport(address, exported);
      assert.deepEqual(asides(report), [
        `bases/users.json ${changed}`,
        `drives/photos/cat.txt ${changed}`,
        lost,
      ]);
      assert.deepEqual(await contentOf(address), []);
      const accepted = await runImport(address, exported, { acceptChanges: true });
      assert.deepEqual(asides(accepted), [lost]);
      assert.equal((await findFile(address, 'photos', 'cat.txt'))?.size, 4);
      assert.deepEqual(await contentOf(address), ['users: {"key":"ada","changed":true}', 'drive photos']);
    });
    await editManifest(exported, (text) => text.replace('"version":1', '"version":2'));
    await service.inNewProject((address) =>
      assert.rejects(runImport(address, exported), { code: 'bad_archive', message: /use a newer one/ }),
    );
  });

  /** A small export of the old service, in a folder of its own. */
  async function source(folder: string): Promise<string> {
    const path = join(folder, 'old');
    await mkdir(join(path, 'bases'), { recursive: true });
    await mkdir(join(path, 'drives/photos'), { recursive: true });
    await writeFile(join(path, 'bases/users.json'), '[{"key":"ada"}]');
    await writeFile(join(path, 'drives/photos/cat.txt'), 'meow');
    await cp(join(path, 'drives/photos/cat.txt'), join(path, 'drives/photos/dog.txt'));
    return path;
  }
});
