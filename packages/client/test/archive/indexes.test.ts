import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addressOfUrl, type ProjectAddress } from '../../src/archive/api/address.js';
import { runExport } from '../../src/archive/export/run-export.js';
import { runImport } from '../../src/archive/import/run-import.js';
import { baseOf, openProjectService, temporaryFolder } from '../support/archive-project.js';
import { editManifest } from '../support/edit-manifest.js';

const items = Array.from({ length: 300 }, (_, n) => ({
  key: `k${n}`,
  age: n % 50,
  mail: `m${n}`,
  tags: [`t${n % 3}`],
}));

/** Gives the address of an empty project with each call. */
async function projects(context: TestContext): Promise<() => ProjectAddress> {
  const service = await openProjectService();
  context.after(() => service.close());
  return () => {
    const { url, key } = service.newProject();
    const address = addressOfUrl(new URL(url), key.replace('_s3cret', ''), key);
    context.after(() => address.close());
    return address;
  };
}

test('an import brings the indexes of the bases ready', async (context) => {
  const newProject = await projects(context);
  const [source, destination] = [newProject(), newProject()];
  const staff = baseOf(source, 'staff');
  await staff.putMany(items.slice(0, 25));
  await staff.declareIndex('by-age', ['age']);
  await staff.declareIndex('one-mail', ['mail'], { unique: true });
  await staff.declareIndex('of-tags', ['tags'], { each: true });
  await staff.putAll(items);
  for (const name of ['export', 'export.zip']) {
    const to = join(await temporaryFolder(context), name);
    await runExport(source, to);
    const address = name === 'export' ? destination : newProject();
    assert.deepEqual((await runImport(address, to)).setAside, []);
    const found = await baseOf(address, 'staff').indexes();
    assert.deepEqual(
      found.map((index) => [index.name, index.fields, index.unique, index.each, index.state, index.entries]),
      [
        ['by-age', ['age'], undefined, undefined, 'ready', 300],
        ['one-mail', ['mail'], true, undefined, 'ready', 300],
        ['of-tags', ['tags'], undefined, true, 'ready', 300],
      ],
    );
    // Again: they are there already.
    assert.deepEqual((await runImport(address, to)).setAside, []);
  }
});

test('an index that cannot be declared is set aside, and the items go in', async (context) => {
  const newProject = await projects(context);
  const [source, destination] = [newProject(), newProject()];
  await baseOf(source, 'staff').putAll(items.slice(0, 5));
  await baseOf(source, 'staff').declareIndex('by-age', ['age']);
  const to = join(await temporaryFolder(context), 'export');
  await runExport(source, to);
  await baseOf(destination, 'staff').declareIndex('by-age', ['other']);
  const report = await runImport(destination, to);
  assert.equal(report.items, 5);
  assert.equal(report.setAside.length, 1);
  assert.match(report.setAside[0]?.problem ?? '', /^its index "by-age": .*other fields/);
  const manifest = join(to, 'basedrive.json');
  const text = await readFile(manifest, 'utf8');
  assert.ok(text.includes('"indexes":[{"name":"by-age","fields":["age"]}]'), text);
  await editManifest(to, (whole) => whole.replace('"fields":["age"]', '"fields":5'));
  const broken = await runImport(newProject(), to);
  assert.equal(broken.items, 5);
});
