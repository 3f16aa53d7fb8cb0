import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

// The directions of imports are in biome.json. Patterns match names, so a folder that is renamed would go unwatched:
// each of these imports must be refused, and what they name must exist.

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const source = 'packages/server/src';

/** A path of the list below, from the root: what does not name its package is in the server. */
function fromRoot(path: string): string {
  return path.startsWith('packages/') ? path : `${source}/${path}`;
}

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');

const refused: readonly (readonly [importer: string, imported: string])[] = [
  ['lib/new.ts', 'spaces.ts'],
  ['lib/concurrency/new.ts', 'spaces.ts'],
  ['json/new.ts', 'base/limits.ts'],
  ['engines/level/new.ts', 'drive/rows.ts'],
  ['engines/level/database/new.ts', 'engines/fs/store.ts'],
  ['engines/level/database/new.ts', 'engines/level/reading/read.ts'],
  ['engines/level/damage/new.ts', 'engines/level/database/readers.ts'],
  ['engines/level/damage/new.ts', 'drive/rows.ts'],
  ['engines/postgres/new.ts', 'engines/s3/store.ts'],
  ['engines/fs/new.ts', 'store/data-folder.ts'],
  ['engines/shared/new.ts', 'engines/level/store.ts'],
  ['engines/item-store.ts', 'engines/level/store.ts'],
  ['http/new.ts', 'base/operations.ts'],
  ['http/new.ts', 'keys/key-ring.ts'],
  ['access/new.ts', 'http/requests/call.ts'],
  ['access/new.ts', 'keys/key-ring.ts'],
  ['engines/level/new.ts', 'access/grant.ts'],
  ['base/new.ts', 'drive/rows.ts'],
  ['base/new.ts', 'engines/level/store.ts'],
  ['drive/new.ts', 'base/items/item.ts'],
  ['drive/new.ts', 'maintenance/maintenance.ts'],
  ['base/new.ts', 'catalog/service.ts'],
  ['drive/new.ts', 'catalog/service.ts'],
  ['base/new.ts', 'sharing/public-prefixes.ts'],
  ['drive/new.ts', 'sharing/public-prefixes.ts'],
  ['base/items/new.ts', 'base/query/filter.ts'],
  ['base/query/new.ts', 'base/pages/page.ts'],
  ['base/query/new.ts', 'drive/rows.ts'],
  ['base/indexes/new.ts', 'base/pages/matches-of.ts'],
  ['base/indexes/writing/new.ts', 'base/service.ts'],
  ['base/indexes/reading/new.ts', 'base/indexes/writing/attempts.ts'],
  ['base/indexes/reading/new.ts', 'drive/rows.ts'],
  ['base/updates/new.ts', 'base/transactions/transaction-runner.ts'],
  ['base/pages/new.ts', 'base/by-query/by-query.ts'],
  ['base/pages/new.ts', 'base/service.ts'],
  ['base/by-query/new.ts', 'base/service.ts'],
  ['base/bulk/new.ts', 'base/operations/bulk.ts'],
  ['sharing/new.ts', 'base/service.ts'],
  ['sharing/new.ts', 'engines/level/store.ts'],
  ['drive/new.ts', 's3/gateway.ts'],
  ['http/new.ts', 's3/gateway.ts'],
  ['keys/new.ts', 's3/gateway.ts'],
  ['s3/new.ts', 'base/service.ts'],
  ['s3/new.ts', 'engines/s3/store.ts'],
  ['s3/new.ts', 'store/open-store.ts'],
  ['catalog/new.ts', 'store/open-store.ts'],
  ['catalog/new.ts', 'engines/level/store.ts'],
  ['keys/new.ts', 'base/items/item.ts'],
  ['maintenance/new.ts', 'drive/rows.ts'],
  ['store/copy/new.ts', 'server/start.ts'],
  ['store/new.ts', 'engines/level/store.ts'],
  ['mcp/tools/new.ts', 'base/service.ts'],
  ['packages/client/src/new.ts', 'packages/client/src/archive/project.ts'],
  ['packages/client/src/index.ts', 'packages/client/src/archive/export/report.ts'],
  ['packages/client/src/index.ts', 'packages/client/src/folders/folder.ts'],
  ['packages/client/src/index.ts', 'packages/client/src/node-http/node-http.ts'],
  ['packages/client/src/in-node.ts', 'packages/client/src/archive/project.ts'],
  ['packages/client/src/lib/new.ts', 'packages/client/src/http/error.ts'],
  ['packages/client/src/http/new.ts', 'packages/client/src/node-http/node-http.ts'],
  ['packages/client/src/http/new.ts', 'packages/client/src/items/item.ts'],
  ['packages/client/src/http/new.ts', 'packages/client/src/index.ts'],
  ['packages/client/src/node-http/new.ts', 'packages/client/src/base/open-base.ts'],
  ['packages/client/src/items/new.ts', 'packages/client/src/feed/changes.ts'],
  ['packages/client/src/feed/new.ts', 'packages/client/src/project/catalog.ts'],
  ['packages/client/src/feed/new.ts', 'packages/client/src/base/base.ts'],
  ['packages/client/src/base/new.ts', 'packages/client/src/drive/drive.ts'],
  ['packages/client/src/base/new.ts', 'packages/client/src/archive/project.ts'],
  ['packages/client/src/drive/new.ts', 'packages/client/src/base/base.ts'],
  ['packages/client/src/drive/new.ts', 'packages/client/src/folders/folder.ts'],
  ['packages/client/src/folders/new.ts', 'packages/client/src/archive/project.ts'],
  ['config/new.ts', 'store/open-store.ts'],
  ['server/new.ts', 'cli/program.ts'],
  ['server/new.ts', 'engines/postgres/store.ts'],
  ['server/new.ts', 'testing/test-server.ts'],
  ['base/new.ts', 'testing/movable-clock.ts'],
  ['openapi/new.ts', 'base/items/item.ts'],
  ['testing/new.ts', 'cli/program.ts'],
  ['testing/new.ts', 'engines/level/store.ts'],
  ['cli/commands/new.ts', 'base/service.ts'],
];

const allowed: readonly (readonly [importer: string, imported: string])[] = [
  ['base/new.ts', 'engines/item-store.ts'],
  ['base/new.ts', 'access/scope.ts'],
  ['base/pages/new.ts', 'base/indexes/reading/plan.ts'],
  ['base/query/new.ts', 'base/items/item.ts'],
  ['base/by-query/new.ts', 'base/pages/page.ts'],
  ['http/new.ts', 'access/admit.ts'],
  ['keys/new.ts', 'http/requests/call.ts'],
  ['engines/memory/new.ts', 'engines/level/store.ts'],
  ['store/new.ts', 'drive/rows.ts'],
  ['catalog/new.ts', 'drive/rows.ts'],
  ['catalog/new.ts', 'base/items/expiry.ts'],
  ['s3/new.ts', 'keys/key-ring.ts'],
  ['sharing/new.ts', 'drive/service.ts'],
  ['server/new.ts', 'base/operations.ts'],
  ['cli/new.ts', 'server/start.ts'],
  ['cli/new.ts', 'testing/test-server.ts'],
  ['testing/new.ts', 'server/app.ts'],
  ['cli/new.ts', 'mcp/server.ts'],
  ['mcp/tools/new.ts', 'lib/version.ts'],
  ['packages/client/src/node.ts', 'packages/client/src/archive/project.ts'],
  ['packages/client/src/in-node.ts', 'packages/client/src/node-http/node-exchange.ts'],
  ['packages/client/src/node.ts', 'packages/client/src/folders/upload-folder.ts'],
  ['packages/client/src/http/new.ts', 'packages/client/src/lib/bytes.ts'],
  ['packages/client/src/http/new.ts', 'packages/client/src/http-types.ts'],
  ['packages/client/src/feed/new.ts', 'packages/client/src/items/item.ts'],
  ['packages/client/src/base/new.ts', 'packages/client/src/feed/changes.ts'],
  ['packages/client/src/drive/new.ts', 'packages/client/src/http/request.ts'],
  ['packages/client/src/folders/new.ts', 'packages/client/src/drive/drive.ts'],
  ['packages/client/src/archive/import/new.ts', 'packages/client/src/archive/layout/manifest.ts'],
];

const told = await lint([...refused, ...allowed]);

for (const [n, [importer, imported]] of refused.entries()) {
  test(`the linter refuses an import of ${imported} from ${importer}`, () => {
    assert.ok(existsSync(join(root, fromRoot(imported))), `${imported} exists`);
    assert.ok(existsSync(join(root, dirname(fromRoot(importer)))), `the folder of ${importer} exists`);
    assert.ok(told.has(n));
  });
}

for (const [n, [importer, imported]] of allowed.entries()) {
  test(`the linter allows an import of ${imported} from ${importer}`, () => {
    assert.ok(existsSync(join(root, fromRoot(imported))), `${imported} exists`);
    assert.ok(!told.has(refused.length + n));
  });
}

/** Lints files with these imports, by the rules of this repository; gives the numbers of those that it refuses. */
async function lint(imports: readonly (readonly [string, string])[]): Promise<ReadonlySet<number>> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-directions-'));
  try {
    await cp(join(root, 'biome.json'), join(folder, 'biome.json'));
    const texts = new Map<string, string>();
    const places: string[] = [];
    for (const [n, [importer, imported]] of imports.entries()) {
      // A contract or an entry is named itself in the rules; other files only by their folder.
      const file = fromRoot(importer.replace(/\/new\.ts$/, `/new-${n}.ts`));
      const path = relative(dirname(file), fromRoot(imported)).replace(/\.ts$/, '.js');
      const specifier = path.startsWith('.') ? path : `./${path}`;
      const before = texts.get(file) ?? '';
      texts.set(file, `${before}export * as all${n} from '${specifier}';\n`);
      places.push(`${file}:${before.split('\n').length}`);
    }
    for (const [file, text] of texts) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    const rule = ['--only=style/noRestrictedImports', '--vcs-enabled=false', '--max-diagnostics=none'];
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', ...rule, '--reporter=github', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const found = Array.from(
      stdout.matchAll(/file=([^,]+),line=(\d+)/g),
      ([, file, line]) => `${file}:${line}`,
    );
    return new Set(places.flatMap((place, n) => (found.some((one) => one.endsWith(place)) ? [n] : [])));
  } finally {
    await rm(folder, { recursive: true });
  }
}
