import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { controlGroupBytes, isLittleMemory, memoryShare } from '../../src/lib/memory.js';

const mib = 1024 * 1024;

describe('the limit of the control groups of a process', () => {
  /** The lowest limit, for a process in these groups (as in cgroups(7)) and these files below the root. */
  async function limitOf(context: TestContext, list: string, files: Readonly<Record<string, string>>) {
    const root = await mkdtemp(join(tmpdir(), 'basedrive-groups-'));
    context.after(() => rm(root, { recursive: true, maxRetries: 10 }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), `${text}\n`);
    }
    await writeFile(join(root, 'list'), list);
    return controlGroupBytes({ list: join(root, 'list'), root });
  }

  test('is that of version 2, of its group or one above it', async (context) => {
    const files = {
      'a/memory.max': String(256 * mib),
      'a/b/memory.max': 'max',
      'a/b/c/memory.max': '1073741824',
    };
    assert.equal(await limitOf(context, '0::/a/b/c\n', files), 256 * mib);
    assert.equal(await limitOf(context, '0::/a\n', files), 256 * mib);
    assert.equal(await limitOf(context, '0::/\n', files), Number.POSITIVE_INFINITY);
  });

  test('is also the one above which the kernel slows a group down', async (context) => {
    const files = { 'a/memory.max': '1073741824', 'a/memory.high': String(300 * mib) };
    assert.equal(await limitOf(context, '0::/a\n', files), 300 * mib);
  });

  test('is that of version 1, of its group or one above it', async (context) => {
    const files = {
      'memory/memory.limit_in_bytes': '9223372036854771712',
      'memory/docker/memory.limit_in_bytes': String(512 * mib),
      'memory/docker/x/memory.limit_in_bytes': '9223372036854771712',
      'cpu/memory.limit_in_bytes': '1',
    };
    const list = '12:cpu,cpuacct:/\n4:memory:/docker/x\n1:name=systemd:/\n0::/\n';
    assert.equal(await limitOf(context, list, files), 512 * mib);
  });

  test('is found where a container sees its own group as the root', async (context) => {
    const own = { 'memory.max': String(256 * mib), 'memory/memory.limit_in_bytes': String(384 * mib) };
    for (const path of ['/', '/system.slice/docker-1.scope', '/../../other']) {
      assert.equal(await limitOf(context, `0::${path}\n`, own), 256 * mib, path);
      assert.equal(await limitOf(context, `9:memory:${path}\n`, own), 384 * mib, path);
    }
  });

  test('is none elsewhere than on Linux', () => {
    assert.equal(controlGroupBytes({ list: '/none', root: '/none' }), Number.POSITIVE_INFINITY);
  });
});

test('bounds shrink below 1 GiB of memory, in proportion', () => {
  assert.equal(memoryShare(44 * mib, 1024 * mib), 44 * mib);
  assert.equal(memoryShare(44 * mib, 64 * 1024 * mib), 44 * mib);
  assert.equal(memoryShare(44 * mib, 256 * mib), 11 * mib);
  assert.equal(isLittleMemory(1024 * mib), false);
  assert.equal(isLittleMemory(1023 * mib), true);
});
