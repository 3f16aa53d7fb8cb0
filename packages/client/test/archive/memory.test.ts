import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { addressOfUrl } from '../../src/archive/api/address.js';
import { createFileImport } from '../../src/archive/import/import-file.js';
import type { ImportRun } from '../../src/archive/import/import-run.js';
import { newReport } from '../../src/archive/import/report.js';
import type { SourceFile } from '../../src/archive/import/source.js';
import { createProgressCounter } from '../../src/archive/progress.js';
import { fakeService, json, type Reaction, silence } from '../support/fake-service.js';

const mib = 1024 * 1024;
const partBytes = 10 * mib;
const chunkBytes = 256 * 1024;

for (const [what, size] of [
  ['of one part', partBytes],
  ['of several parts', 30 * mib],
] as const) {
  test(`of eight files ${what} that are imported at once, four parts are in memory`, async (context) => {
    let bytesRead = 0;
    let held = 0;
    let tell = () => {};
    const fourAreHeld = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const answer: Reaction = (response, request) => {
      if (request.method === 'GET') return json(200, { names: [] })(response, request);
      if (request.path.includes('/uploads?')) return json(202, { upload_id: 'u' })(response, request);
      if (++held === 4) tell();
      return silence(response, request);
    };
    const { url } = await fakeService(context, answer);
    const controller = new AbortController();
    const { signal } = controller;
    const address = { ...addressOfUrl(new URL(url), 'demo', 'demo_s3cret'), signal };
    const run: ImportRun = {
      address,
      nowMs: Date.now,
      onlyNew: false,
      acceptChanges: false,
      selection: { bases: undefined, drives: undefined },
      progress: createProgressCounter(undefined, signal),
      report: newReport('demo'),
      setAside: () => {},
    };
    const source: SourceFile = {
      path: 'drives/d/x',
      size,
      isChecked: false,
      async *open() {
        for (let at = 0; at < size; at += chunkBytes) {
          bytesRead += chunkBytes;
          yield Buffer.alloc(chunkBytes);
        }
      },
    };
    const importFile = createFileImport(run);
    const files = Array.from({ length: 8 }, (_, n) => {
      return importFile({ drive: 'd', name: `${n}`, source, entry: undefined, sha256: undefined });
    });
    const ended = Promise.allSettled(files);
    await fourAreHeld;
    // Whoever did not wait for a place would read now.
    for (let turns = 0; turns < 200; turns++) await turn();
    assert.ok(bytesRead <= 4 * partBytes, `${bytesRead / mib} MiB were read`);
    controller.abort();
    await ended;
  });
}
