import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../src/options.js';

test('--against names a revision for --costs, and contenders for everything else', () => {
  const costs = parseOptions(['--costs', '--against', '1a2b3c4']);
  assert.deepEqual([costs?.revision, costs?.against, costs?.rounds], ['1a2b3c4', [], 15]);
  const workloads = parseOptions(['--against', 'nginx,etcd']);
  assert.deepEqual([workloads?.revision, workloads?.against], [undefined, ['nginx', 'etcd']]);
  assert.equal(parseOptions(['--costs'])?.revision, undefined);
  assert.equal(parseOptions(['--s3'])?.s3, true);
});
