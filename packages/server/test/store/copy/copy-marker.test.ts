import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomId } from '../../../src/lib/random-id.js';
import { createLease } from '../../../src/maintenance/leader-lease.js';
import { OperatorError } from '../../../src/operator-error.js';
import { leaveCopy } from '../../../src/store/copy/copy-marker.js';
import { refuseRunningServer } from '../../../src/store/copy/running-server.js';
import { claimBlobs } from '../../../src/store/identity.js';
import {
  blobsOf,
  drive,
  fill,
  large,
  memoryStore,
  putItems,
  rowsOf,
  runCopy,
  servicesOver,
} from '../../support/copy-fixture.js';

const refused = (message: RegExp) => (cause: unknown) =>
  cause instanceof OperatorError && message.test(cause.message);

describe('the destination of a copy', () => {
  test('is refused and not changed when it holds other rows or blobs, unless it may be overwritten', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const withRows = await memoryStore(context);
    await putItems(withRows, 'theirs', ['precious']);
    const withBlobs = await memoryStore(context);
    await withBlobs.blobs.write(randomId(), [large('t')]);
    for (const destination of [withRows, withBlobs]) {
      const before = [await rowsOf(destination), await blobsOf(destination)];
      await assert.rejects(runCopy(source, destination), refused(/holds something else.*--overwrite/));
      assert.deepEqual([await rowsOf(destination), await blobsOf(destination)], before);
      const report = await runCopy(source, destination, { overwrite: true });
      assert.deepEqual(report.problems, []);
      assert.deepEqual(await rowsOf(destination), await rowsOf(source));
      const owned = [...(await blobsOf(source))].filter(([, bytes]) => bytes[0] !== '1'.charCodeAt(0));
      assert.deepEqual([...(await blobsOf(destination))], owned);
    }
  });

  test('is refused when it is a copy of another source', async (context) => {
    const [one, other, destination] = [
      await memoryStore(context),
      await memoryStore(context),
      await memoryStore(context),
    ];
    await putItems(one, 'b', ['1']);
    await putItems(other, 'b', ['2']);
    await runCopy(one, destination);
    await assert.rejects(runCopy(other, destination), refused(/a copy of another source/));
    await runCopy(one, destination);
    assert.deepEqual(await rowsOf(destination), await rowsOf(one));
  });

  test('is no copy any more when a server was started on it, so what was written there stays', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const destination = await memoryStore(context);
    await runCopy(source, destination);
    await leaveCopy(destination.items);
    await putItems(destination, 'plain', ['written by the new server']);
    await assert.rejects(runCopy(source, destination), refused(/a server was started on it/));
    assert.ok((await rowsOf(destination)).some((row) => row.key === 'written by the new server'));
  });

  test('takes no server until the copy is complete', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const destination = await memoryStore(context);
    const broken = {
      ...destination,
      items: {
        ...destination.items,
        transact: (space: string, ...rest: [readonly string[], never]) =>
          space.startsWith('drive/')
            ? Promise.reject(new Error('killed'))
            : destination.items.transact(space, ...rest),
      },
    };
    await assert.rejects(runCopy(source, broken as typeof destination), /killed/);
    await assert.rejects(leaveCopy(destination.items), refused(/did not complete/));
    await assert.rejects(
      runCopy(destination, await memoryStore(context)),
      refused(/source is itself a copy that did not/),
    );
    await runCopy(source, destination);
    await leaveCopy(destination.items);
    await leaveCopy(source.items);
  });

  test('is refused when it is the source or has the bytes of the source, and nothing is lost', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const before = [await rowsOf(source), await blobsOf(source)];
    const { items, blobs } = await memoryStore(context);
    for (const overwrite of [false, true]) {
      const options = { overwrite };
      await assert.rejects(runCopy(source, source, options), refused(/the same bytes/));
      await assert.rejects(
        runCopy(source, { items, blobs: source.blobs }, options),
        refused(/the same bytes/),
      );
      await assert.rejects(runCopy(source, { items: source.items, blobs }, options), OperatorError);
    }
    assert.deepEqual([await rowsOf(source), await blobsOf(source)], before);
    await leaveCopy(source.items);
    await leaveCopy(items);
  });

  test('is refused when its bytes belong to other rows, and so is such a source', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const other = await memoryStore(context);
    await claimBlobs(other.items, other.blobs);
    const { items } = await memoryStore(context);
    await assert.rejects(runCopy(source, { items, blobs: other.blobs }), OperatorError);
    await runCopy(source, { items, blobs: other.blobs }, { overwrite: true });
    assert.ok(await claimBlobs(items, other.blobs));
    await claimBlobs(source.items, source.blobs);
    await assert.rejects(
      runCopy({ items: other.items, blobs: source.blobs }, await memoryStore(context)),
      refused(/--from: these bytes belong to other rows/),
    );
  });

  test('ends the first copy when another one has begun meanwhile', async (context) => {
    const source = await memoryStore(context);
    await fill(source);
    const destination = await memoryStore(context);
    let isFirst = true;
    const racing = {
      ...destination,
      items: {
        ...destination.items,
        async transact(...given: Parameters<typeof destination.items.transact>) {
          const done = await destination.items.transact(...given);
          if (isFirst && given[0] === 'copy') {
            isFirst = false;
            await runCopy(source, destination);
          }
          return done;
        },
      },
    } as typeof destination;
    await assert.rejects(runCopy(source, racing), refused(/Another copy to the destination has begun/));
    assert.deepEqual(await rowsOf(destination), await rowsOf(source));
  });

  test('is refused when a server runs on it, but not for the lease of a server that was killed', async (context) => {
    const { items } = await memoryStore(context);
    const shared = { ...items, isShared: true };
    await refuseRunningServer(shared, () => assert.fail('There is no lease to wait for'));
    const lease = createLease({ items, log: { info() {}, error: assert.fail } });
    await lease.acquireOrRenew();
    const waited: number[] = [];
    const pause = async (ms: number) => waited.push(ms);
    await refuseRunningServer(shared, pause);
    assert.ok(
      waited.reduce((sum, ms) => sum + ms) > 2 * 1500,
      'long enough to see a server that lives say so twice',
    );
    await assert.rejects(
      refuseRunningServer(shared, () => lease.acquireOrRenew()),
      refused(/A server runs on the destination/),
    );
    await lease.stop();
  });

  test('is read at the end, and rows that it did not keep are reported', async (context) => {
    const source = await memoryStore(context);
    const { drives } = servicesOver(source);
    await drives.put(...drive, 'file', { source: large('f'), contentType: 'text/plain' });
    await putItems(source, 'b', ['kept', 'lost']);
    const destination = await memoryStore(context);
    const forgetful = {
      ...destination,
      items: {
        ...destination.items,
        transact: (
          space: string,
          keys: readonly string[],
          decide: Parameters<typeof destination.items.transact>[2],
        ) =>
          destination.items.transact(space, keys, (rows) => {
            const change = decide(rows);
            return { ...change, puts: (change.puts ?? []).filter((put) => put.key !== 'lost') };
          }),
      },
    } as typeof destination;
    const report = await runCopy(source, forgetful);
    assert.equal(report.problemCount, 1);
    assert.deepEqual(
      report.problems.map(({ where, problem }) => [where, problem]),
      [['base/demo/b', 'the destination is not equal: 2 rows of 36 bytes were read, 1 of 18 are there']],
    );
  });
});
