import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Basedrive, BasedriveError } from '../../src/in-node.js';
import { exportProject, importProject, type ProjectProgress } from '../../src/node.js';
import {
  assertSameFiles,
  filesIn,
  openProjectService,
  type ProjectService,
  temporaryFolder,
} from '../support/archive-project.js';
import { holdingProxy } from '../support/holding-proxy.js';
import { writeZip } from '../support/write-zip.js';

const mib = 1024 * 1024;
const later = 4_102_444_800;
const accounts =
  '{"key":"exact","n":1.50,"large":9007199254740993,"small":1E-7}\n{"key":"é","__expires":4102444800,"v":null}\n';

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe('a whole project', () => {
  let service: ProjectService;

  before(async () => {
    service = await openProjectService();
  });
  after(() => service.close());

  /** Options of a project that no other test has, and what opens it. */
  function open() {
    const options = service.newProject();
    return { options, project: Basedrive(options.key, { url: options.url }) };
  }

  /** A project with two bases and two drives. */
  async function filled() {
    const opened = open();
    const { Base, Drive } = opened.project;
    await Base('accounts').importLines(accounts);
    await Base('logs').putAll(
      Array.from({ length: 3000 }, (_, n) => ({ key: `${n}`, text: 'x'.repeat(200) })),
    );
    await Drive('photos').put('2024/tea.txt', 'a cup of tea', { contentType: 'text/x-tea; charset=latin1' });
    await Drive('photos').put('../up', 'a name that climbs', { expireAt: later });
    await Drive('films').put('large.bin', Buffer.alloc(11 * mib, 'large'));
    return opened;
  }

  async function pathsIn(context: TestContext) {
    const folder = await temporaryFolder(context);
    return (name: string) => join(folder, name);
  }

  for (const form of ['folder', 'zip'] as const) {
    test(`is the same in every byte and digit after a way through a ${form}`, async (context) => {
      const path = await pathsIn(context);
      const from = await filled();
      const to = open();
      const archive = path(form === 'zip' ? 'all.zip' : 'all');
      const seen: ProjectProgress[] = [];
      const out = await exportProject(archive, { ...from.options, onProgress: (now) => seen.push(now) });
      const { seconds: _, ...did } = out;
      const bytes = did.bytes;
      assert.deepEqual(did, {
        project: from.options.key.split('_')[0],
        ...{ bases: 2, items: 3002, drives: 2, files: 3, bytes, reused: 0, leftOut: [], leftOutCount: 0 },
      });
      assert.deepEqual(
        seen.map((now) => now.bytes),
        seen.map((now) => now.bytes).sort((a, b) => a - b),
      );
      assert.deepEqual([seen.at(-1)?.share, seen.at(-1)?.items, seen.at(-1)?.files], [1, 3002, 3]);

      const back = await importProject(archive, to.options);
      assert.deepEqual([back.items, back.files, back.setAside, back.ignored], [3002, 3, [], 0]);
      assert.equal(back.fromPaths, false);
      const kept: Buffer[] = [];
      for await (const chunk of to.project.Base('accounts').exportLines()) kept.push(Buffer.from(chunk));
      assert.equal(Buffer.concat(kept).toString(), accounts);
      const files = await all(to.project.Drive('photos').files());
      assert.deepEqual(
        files.map(({ name, content_type, expires }) => [name, content_type, expires]),
        [
          ['../up', 'application/octet-stream', later],
          ['2024/tea.txt', 'text/x-tea; charset=latin1', undefined],
        ],
      );
      await exportProject(path('before'), from.options);
      await exportProject(path('after'), to.options);
      await assertSameFiles(path('after'), path('before'));

      const again = await importProject(archive, to.options);
      assert.deepEqual([again.items, again.files, again.filesKept], [3002, 0, 3]);
    });
  }

  for (const form of ['folder', 'zip'] as const) {
    test(`empty drives, and where they are, come through a ${form}, also one of an earlier version`, async (context) => {
      const path = await pathsIn(context);
      const [from, to, older] = [open(), open(), open()];
      await from.project.Drive('far').changeSettings({ kept: true, location: 'eu-central-1' });
      await from.project.Drive('near').changeSettings({ kept: true });
      const archive = path(form === 'zip' ? 'all.zip' : 'all');
      await exportProject(archive, from.options);
      await importProject(archive, to.options);
      const settings = async ({ Drive }: typeof to.project) => [
        await Drive('far').settings(),
        await Drive('near').settings(),
      ];
      const near = { trash: null, counted: false, kept: true };
      assert.deepEqual(await settings(to.project), [{ ...near, location: 'eu-central-1' }, near]);
      await to.project.Drive('far').changeSettings({ kept: true, location: 'eu-west-1' });
      await importProject(archive, to.options);
      assert.equal((await to.project.Drive('far').settings()).location, 'eu-west-1', 'as it is there');

      await mkdir(path('older'));
      const manifest = '{"format":"basedrive","version":1,"entries":[\n],"kept":[\n"far",\n"near"\n]}\n';
      await writeFile(path('older/basedrive.json'), manifest);
      await importProject(path('older'), older.options);
      assert.deepEqual(await settings(older.project), [near, near]);
    });
  }

  test('a call that is wrong says what is wrong, and transfers nothing', async (context) => {
    const path = await pathsIn(context);
    const { options } = open();
    const calls: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => exportProject('', options), /^exportProject: the path must be a text that is not empty$/],
      [() => importProject(undefined as never, options), /^importProject: the path must be a text/],
      [
        () => exportProject(path('a'), { ...options, base: ['b'] } as never),
        /there is no option base; it takes .*\bbases,/,
      ],
      [() => exportProject(path('a'), { ...options, keepExisting: true } as never), /no option keepExisting/],
      [() => importProject(path('a'), { ...options, keepexisting: true } as never), /no option keepexisting/],
      [
        () => exportProject(path('a'), { ...options, bases: 'users' as never }),
        /: bases must be a list of names$/,
      ],
      [
        () => exportProject(path('a'), { ...options, drives: [1] as never }),
        /: drives must be a list of names$/,
      ],
    ];
    for (const [call, message] of calls) await assert.rejects(call, { code: 'invalid', message });
    assert.deepEqual(await readdir(path('')), []);
  });

  test('an export to a folder that was aborted goes on, and one to an archive leaves nothing', async (context) => {
    const path = await pathsIn(context);
    const { options, project } = open();
    for (let n = 0; n < 30; n++) await project.Drive('files').put(`${n}`, `file ${n}`);
    for (const to of [path('folder'), path('all.zip')]) {
      // It is the thirteenth in the order of the names, however often one before it is asked for.
      const proxy = await holdingProxy(context, options.url, ({ url = '' }) =>
        url.endsWith('/download?name=2'),
      );
      const controller = new AbortController();
      const reason = new Error('the user left');
      void proxy.held.then(() => controller.abort(reason));
      const ended = exportProject(to, { ...options, url: proxy.url, signal: controller.signal });
      await assert.rejects(ended, { name: 'AbortError', code: 'aborted', cause: reason });
    }
    assert.deepEqual(await readdir(path('')), ['folder']);
    assert.deepEqual(await readdir(path('folder')).then((names) => names.sort()), [
      'basedrive.partial',
      'drives',
    ]);
    await assert.rejects(exportProject(path('folder'), { ...options, key: open().options.key }), {
      code: 'conflict',
      message: /holds the unfinished export of another project/,
    });
    const report = await exportProject(path('folder'), options);
    assert.ok(report.reused >= 9, `${report.reused} files were there`);
    assert.equal(report.files, 30);
    await exportProject(path('whole'), options);
    await assertSameFiles(path('folder'), path('whole'));
  });

  test('an import that was aborted drops its upload, and goes on when it is run again', async (context) => {
    const path = await pathsIn(context);
    const from = await filled();
    await exportProject(path('all'), from.options);
    const to = open();
    const proxy = await holdingProxy(context, to.options.url, ({ url = '' }) => url.includes('part=2'));
    const controller = new AbortController();
    void proxy.held.then(() => controller.abort());
    const ended = importProject(path('all'), { ...to.options, url: proxy.url, signal: controller.signal });
    await assert.rejects(ended, { code: 'aborted' });
    assert.deepEqual(await all(to.project.Drive('films').uploads()), []);
    assert.equal(await to.project.Drive('films').get('large.bin'), null);
    assert.deepEqual((await importProject(path('all'), to.options)).setAside, []);
    await exportProject(path('after'), to.options);
    await assertSameFiles(path('after'), path('all'));
  });

  test('a transfer ends after its time, also when the service does not answer', async (context) => {
    const path = await pathsIn(context);
    const { options } = await filled();
    const { url } = await holdingProxy(context, options.url, ({ url: asked = '' }) =>
      asked.includes('/stats'),
    );
    await assert.rejects(exportProject(path('all'), { ...options, url, timeoutMs: 200 }), {
      code: 'timeout',
    });
    const signal = AbortSignal.abort();
    await assert.rejects(exportProject(path('all'), { ...options, signal }), { code: 'aborted' });
    await assert.rejects(importProject(path('all'), { ...options, signal }), { code: 'aborted' });
  });

  test('a key that may only read exports everything, and imports nothing', async (context) => {
    const path = await pathsIn(context);
    const { options, project } = await filled();
    const { key } = await project.keys.create({ access: 'read' });
    const report = await exportProject(path('all'), { ...options, key });
    assert.deepEqual(
      [report.items, report.files, report.leftOut, report.limitedTo],
      [3002, 3, [], undefined],
    );
    await assert.rejects(importProject(path('all'), { ...options, key }), {
      code: 'forbidden',
      message: /the key may only read/,
    });
  });

  test('the report of a limited key names what it could not read or write', async (context) => {
    const path = await pathsIn(context);
    const { options, project } = await filled();
    await project.Drive('photos').put('2024/more.txt', 'more');
    const { key } = await project.keys.create({ bases: ['acc*'], drives: ['photos'], prefix: '2024/' });
    const out = await exportProject(path('part'), { ...options, key });
    assert.deepEqual(out.limitedTo, { bases: ['acc*'], drives: ['photos'], prefix: '2024/' });
    assert.deepEqual([out.items, out.files, out.leftOut], [0, 2, []]);
    const names = { bases: ['accounts', 'logs', 'absent'], drives: ['films', 'photos'] };
    const asked = await exportProject(path('asked'), { ...options, key, ...names });
    assert.deepEqual(asked.leftOut, [
      { base: 'accounts', problem: 'there is nothing of this name' },
      { base: 'logs', problem: 'Forbidden: the base is beyond the scope of the key' },
      { base: 'absent', problem: 'Forbidden: the base is beyond the scope of the key' },
      { drive: 'films', problem: 'Forbidden: the drive is beyond the scope of the key' },
    ]);
    await exportProject(path('all'), options);
    const { key: writer } = await project.keys.create({
      access: 'write',
      drives: ['photos'],
      prefix: '2024/',
    });
    const { setAside, filesKept } = await importProject(path('all'), { ...options, key: writer });
    assert.equal(filesKept, 2);
    assert.deepEqual(setAside.map((aside) => `${aside.path} ${aside.problem}`).sort(), [
      'bases/accounts.json Forbidden: the base is beyond the scope of the key',
      'bases/logs.json Forbidden: the base is beyond the scope of the key',
      'drives/films/large.bin Forbidden: the drive is beyond the scope of the key',
      'drives/photos/_~5ec1f7e700/up Forbidden: keys of items and names of files must begin with the prefix of the key',
    ]);
  });

  test('an import replaces what has the same name, or keeps it, and deletes nothing', async (context) => {
    const path = await pathsIn(context);
    await mkdir(path('in/bases'), { recursive: true });
    await mkdir(path('in/drives/d'), { recursive: true });
    await writeFile(path('in/bases/b.json'), '[{"key":"a","v":"new"},{"key":"c","v":"new"}]');
    await writeFile(path('in/drives/d/a'), 'new');
    await writeFile(path('in/drives/d/c'), 'new');
    for (const keepExisting of [true, false]) {
      const { options, project } = open();
      const [base, drive] = [project.Base<{ v: string }>('b'), project.Drive('d')];
      for (const name of ['a', 'b']) {
        await base.put({ v: 'old' }, name);
        await drive.put(name, 'old');
      }
      const report = await importProject(path('in'), { ...options, keepExisting });
      assert.deepEqual([report.itemsKept, report.filesKept], keepExisting ? [1, 1] : [0, 0]);
      const first = keepExisting ? 'old' : 'new';
      const items = (await all(base.items())).map(({ v }) => v);
      const files = await Promise.all(['a', 'b', 'c'].map(async (name) => (await drive.get(name))?.text()));
      assert.deepEqual(
        [items, files],
        [
          [first, 'old', 'new'],
          [first, 'old', 'new'],
        ],
      );
    }
  });

  test('paths that climb are set aside, and nothing is written anywhere else', async (context) => {
    const path = await pathsIn(context);
    const { options, project } = open();
    const entries = [
      { path: 'bases/b.json', bytes: '[{"key":"a"}]' },
      { path: '../../outside', bytes: 'x' },
      { path: 'drives/d/../../../outside', bytes: 'x' },
    ];
    await writeFile(path('x.zip'), writeZip(entries));
    const { items, files, setAside, setAsideCount } = await importProject(path('x.zip'), options);
    assert.deepEqual([items, files, setAsideCount], [1, 0, 2]);
    assert.deepEqual(
      setAside.map((aside) => aside.path),
      ['../../outside', 'drives/d/../../../outside'],
    );
    assert.deepEqual(await all(project.drives()), []);
    // Nor does an export write outside, whatever the names of files are.
    await project.Drive('d').put('../../outside', 'x');
    await exportProject(path('deep/down'), options);
    assert.deepEqual((await readdir(path(''))).sort(), ['deep', 'x.zip']);
    assert.deepEqual(await readdir(path('deep')), ['down']);
  });

  test('only what is selected is transferred; one file of items goes into the base that is named', async (context) => {
    const path = await pathsIn(context);
    const from = await filled();
    const part = await exportProject(path('part'), { ...from.options, bases: ['accounts'] });
    assert.deepEqual([part.bases, part.drives], [1, 0]);
    assert.deepEqual([...(await filesIn(path('part'))).keys()], ['basedrive.json', 'bases/accounts.json']);
    await exportProject(path('all.zip'), from.options);
    const to = open();
    const drives = ['photos', 'absent'];
    const { items, files, setAside } = await importProject(path('all.zip'), { ...to.options, drives });
    assert.deepEqual([items, files], [0, 2]);
    assert.deepEqual(setAside, [
      { path: 'drives/absent', problem: 'there is nothing of this name to import' },
    ]);
    const lines = path('part/bases/accounts.json');
    assert.equal((await importProject(lines, { ...to.options, bases: ['copy'] })).items, 2);
    assert.deepEqual(await all(to.project.bases()), ['copy']);
  });

  test('what goes wrong as a whole has a code', async (context) => {
    const path = await pathsIn(context);
    const { options } = open();
    await mkdir(path('full'));
    await writeFile(path('full/notes.txt'), 'mine');
    await writeFile(path('broken.zip'), 'PK is not enough');
    const cases: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => exportProject(path('full'), options), 'conflict'],
      [() => exportProject(path('broken.zip'), options), 'conflict'],
      [() => exportProject(path('full/notes.txt'), options), 'invalid'],
      [() => exportProject(path('new'), { ...options, url: 'http://127.0.0.1:1' }), 'network'],
      [() => exportProject(path('new'), { ...options, key: 'p1_wrong' }), 'unauthorized'],
      [() => exportProject(path('new'), { ...options, key: 'malformed' }), 'invalid'],
      [() => importProject(path('absent'), options), 'invalid'],
      [() => importProject(path('full'), options), 'bad_archive'],
      [() => importProject(path('full/notes.txt'), options), 'bad_archive'],
      [() => importProject(path('broken.zip'), options), 'bad_archive'],
      [() => importProject(path('full'), { ...options, maxRatio: 0 }), 'invalid'],
    ];
    for (const [call, code] of cases) {
      const error = await call().then(
        () => assert.fail(`${code} was expected`),
        (cause: unknown) => cause,
      );
      assert.ok(error instanceof BasedriveError, String((error as Error).stack));
      assert.equal(error.code, code, error.message);
      assert.ok(!error.message.includes('s3cret'));
    }
    assert.deepEqual((await readdir(path(''))).sort(), ['broken.zip', 'full']);
    assert.equal(await readFile(path('full/notes.txt'), 'utf8'), 'mine');
  });
});
