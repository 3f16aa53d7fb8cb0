// The error messages that differ from npm deta's: the table of docs/moving-in.md shows what this library says.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { type Base, Deta, type Drive } from '../src/in-node.js';
import { key, ownService } from './support/service.js';

const page = await readFile(new URL('../../../../docs/moving-in.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('\n#### Error messages\n');
const [table = ''] = section.split(/\n#+ /);
const rows = Array.from(table.matchAll(/^\| `(.+?)` \| `(.+?)` \| `(.+?)` \|$/gm), ([, call, , message]) => ({
  call: String(call),
  message: String(message).replaceAll('\\|', '|'),
}));

/** Each call as the table writes it. */
const calls: Readonly<Record<string, (base: Base, drive: Drive) => Promise<unknown>>> = {
  "base.update({}, '   ')": (base) => base.update({}, '   '),
  'drive.put(name, { data: 12 })': (_, drive) => drive.put('name', { data: 12 } as never),
  "drive.deleteMany([''])": (_, drive) => drive.deleteMany(['']),
  "drive.deleteMany(['   '])": (_, drive) => drive.deleteMany(['   ']),
  'drive.deleteMany(new Array(1001))': (_, drive) => drive.deleteMany(new Array(1001)),
};

describe('the error messages that docs/moving-in.md lists', { concurrency: true }, () => {
  const service = ownService();
  let base: Base;
  let drive: Drive;
  before(() => {
    const project = Deta(key, { url: service.url });
    base = project.Base('messages');
    drive = project.Drive('messages');
  });

  test('each row of the table has its call here', () => {
    assert.deepEqual(
      rows.map(({ call }) => call),
      Object.keys(calls),
    );
  });

  for (const { call, message } of rows) {
    test(`${call} rejects with the message of the table`, async () => {
      await assert.rejects(async () => calls[call]?.(base, drive), { message });
    });
  }
});
