import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReportText } from '../../src/cli/output/check-report.js';
import { progressText } from '../../src/cli/output/copy-progress.js';
import { copyReportText } from '../../src/cli/output/copy-report.js';
import { fittingLine } from '../../src/cli/output/status-line.js';
import { transferText } from '../../src/cli/output/transfer-progress.js';
import { emptyReport } from '../../src/store/check/report.js';
import { emptyCopyReport } from '../../src/store/copy/report.js';

test('the report of check counts one thing in the singular, and others in the plural', () => {
  const one = { items: 1, files: 1, parts: 1, uploads: 1, bytes: 1, uploadsOutOfDate: 1, quarantine: 1 };
  assert.equal(
    checkReportText({ ...emptyReport(), ...one, quarantineFolder: '/q' }),
    [
      'Read 1 item, 1 file and 1 part of 1 open upload; 1 byte compared with their checksums',
      '1 upload is out of date: the server drops such uploads by itself',
      '1 blob without a row was moved into quarantine: /q',
      'Nothing is wrong',
    ].join('\n'),
  );
  assert.match(
    checkReportText({ ...emptyReport(), items: 1200, bytes: 2 }),
    /^Read 1,200 items, 0 files and 0 parts of 0 open uploads; 2 bytes compared/,
  );
});

test('the report of copy counts one thing in the singular, and others in the plural', () => {
  const report = { ...emptyCopyReport(), rowsPut: 1, blobsCopied: 1, bytesCopied: 5, rowsDeleted: 2 };
  assert.equal(
    copyReportText({
      ...report,
      rows: 1,
      rowBytes: 9,
      spaceCount: 1,
      rowsChangedMeanwhile: 1,
      blobsVerified: 1,
    }),
    [
      'Copied 1 blob (5 B) and put 1 row, deleted 2 rows and 0 blobs, in 0.0 s',
      '1 row changed during the copy: run it again',
      'Read 1 blob of the destination, copied 0 of them again',
      'Equal: 1 row of 9 bytes in 1 space (bases, drives and others), by count and checksum',
    ].join('\n'),
  );
});

test('the progress of copy counts one row and one blob in the singular', () => {
  const progress = { phase: 'copying', rows: 1, blobs: 1, bytes: 7, seconds: 0 } as const;
  assert.equal(progressText(progress), 'Copying: 1 row · 1 blob · 7 B');
});

test('control characters of keys are escaped, so that a terminal does not obey them', () => {
  const problems = [{ where: 'base/demo/b', key: '\u001b[2J\u009b', problem: 'damaged' }];
  for (const text of [
    checkReportText({ ...emptyReport(), problems, problemCount: 2 }),
    copyReportText({ ...emptyCopyReport(), problems, problemCount: 2 }),
  ]) {
    assert.match(text, /^Problems: 2\n"base\/demo\/b" "\\u001b\[2J\\u009b": damaged\n… and 1 more$/m);
  }
});

test('a line of progress fits into a narrow terminal, without its bar and what comes last', () => {
  const line = 'Exporting: [######------------------] 25% · 30 s left · 12,000 items · 1 file · 250.0 MB';
  assert.equal(fittingLine(line, line.length + 1), line);
  assert.equal(fittingLine(line, line.length), line.replace('[######------------------] ', ''));
  assert.equal(fittingLine(line, 44), 'Exporting: 25% · 30 s left · 12,000 items');
  assert.equal(fittingLine(line, 30), 'Exporting: 25% · 30 s left');
  assert.equal(fittingLine(line, 10), 'Exporting');
  assert.equal(fittingLine('Deleting what the source no longer has', 20), 'Deleting what the s');
});

test('the progress of an export has a bar on a terminal, the time that is left, and what was done', () => {
  const progress = { items: 12_000, files: 1, bytes: 250_000_000, share: 0.25, seconds: 10 };
  assert.equal(
    transferText(progress, true),
    '[######------------------] 25% · 30 s left · 12,000 items · 1 file · 250.0 MB · 25.0 MB/s',
  );
  assert.equal(
    transferText({ ...progress, share: undefined, items: 0, files: 0, seconds: 0.5 }, false),
    '250.0 MB',
  );
});
