import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandText, parseOptions } from '../src/options.js';
import { connectionsFor } from '../src/workloads/bench.js';

test('--against names a revision for --costs, and contenders for everything else', () => {
  const costs = parseOptions(['--costs', '--against', '1a2b3c4']);
  assert.deepEqual([costs?.revision, costs?.against, costs?.rounds], ['1a2b3c4', [], 15]);
  const workloads = parseOptions(['--against', 'nginx,etcd']);
  assert.deepEqual([workloads?.revision, workloads?.against], [undefined, ['nginx', 'etcd']]);
  assert.equal(parseOptions(['--costs'])?.revision, undefined);
  assert.equal(parseOptions(['--s3'])?.s3, true);
});

test('a smoke test tries every group of workloads, but only those that are named', () => {
  const sizes = (...args: string[]) => {
    const options = parseOptions(args);
    return [options?.ranges, options?.clientReads];
  };
  assert.ok(sizes('--quick').every((size) => size! > 0));
  assert.deepEqual(sizes('--quick', '--only', 'put'), [0, 0]);
  assert.deepEqual(sizes(), [0, 0]);
  assert.deepEqual(sizes('--all'), [1_000_000, 1_000_000]);
});

test('one connection is measured beside many only where a lone client waits for something else', () => {
  assert.deepEqual(connectionsFor('put', [1, 64]), [1, 64]);
  assert.deepEqual(connectionsFor('download 4 KB', [1, 64]), [64]);
  assert.deepEqual(connectionsFor('download 4 KB', [1]), [1]);
});

test('the command in the results has no folder of this machine', () => {
  const args = [
    '--before',
    '/somewhere/else',
    '--folder',
    '/a/disk',
    '--only',
    'put,get',
    '--against',
    'bare json',
    '--rounds',
    '2',
  ];
  const command = commandText(parseOptions(args)!, '1a2b3c4');
  assert.equal(command, 'npm run bench -- --before 1a2b3c4 --only put,get --against "bare json" --rounds 2');
});
