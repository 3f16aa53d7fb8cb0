import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { cpuSeconds } from '../src/processes/process-tree.js';

const burnedSeconds = 0.2;

test('the processor time of a process grows as the process itself counts it, in steps smaller than a tick', {
  skip: existsSync('/proc/self/schedstat') ? false : 'this kernel does not count the time of threads',
}, () => {
  const read = () => cpuSeconds(process.pid) ?? Number.NaN;
  const [before, usage] = [read(), process.cpuUsage()];
  const own = () => {
    const { user, system } = process.cpuUsage(usage);
    return (user + system) / 1e6;
  };
  const seen = new Set<number>();
  while (own() < burnedSeconds) seen.add(read());
  const ratio = (read() - before) / own();
  assert.ok(ratio > 0.8 && ratio < 1.2, `${ratio}`);
  assert.ok(seen.size > burnedSeconds / 0.01 + 1, `${seen.size} steps`);
});
