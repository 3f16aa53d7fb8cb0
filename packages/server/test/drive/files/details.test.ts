import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { detailsOf, detailsText } from '../../../src/drive/files/details.js';
import { type FileRow, fileRow } from '../../../src/drive/rows.js';
import { anyCharacter } from '../../support/any-character.js';

const rows: fc.Arbitrary<FileRow> = fc.record(
  {
    id: fc.stringMatching(/^[0-9a-f]{32}$/),
    layout: fc.constantFrom('row', 'blob', 'parts'),
    sizeBytes: fc.nat(),
    crc32: fc.nat(),
    chunkCrc32s: fc.base64String(),
    contentType: fc.oneof(fc.constant('image/png'), fc.string({ unit: anyCharacter }), fc.string()),
    modifiedMs: fc.oneof(fc.nat(), fc.constant(1_795_336_732_123)),
    expiresAtSeconds: fc.nat(),
    metadata: fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: anyCharacter })),
    revision: fc.nat(),
  },
  { requiredKeys: ['id', 'layout', 'sizeBytes', 'contentType', 'modifiedMs'] },
) as fc.Arbitrary<FileRow>;

test('the text of the details is that of the parsed row, whatever the row holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), rows, (name, file) => {
      const row = Buffer.from(fileRow(name, file).value);
      const parsed = JSON.parse(row.toString()) as FileRow;
      assert.equal(detailsText(name, row.toString()), JSON.stringify(detailsOf(name, parsed)));
    }),
    { numRuns: 2000 },
  );
});

test('an ordinary row is read without being parsed', () => {
  const file: FileRow = {
    id: '0'.repeat(32),
    layout: 'row',
    sizeBytes: 5,
    crc32: 7,
    contentType: 'text/plain',
    modifiedMs: 1_795_336_732_123,
  };
  const row = Buffer.from(fileRow('a', file).value);
  const parse = JSON.parse;
  JSON.parse = () => assert.fail('it was parsed');
  try {
    assert.match(detailsText('a', row.toString()), /"modified":1795336732,/);
  } finally {
    JSON.parse = parse;
  }
});
