import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { settingRules } from '../../src/config/settings.js';
import { unknownVariables } from '../../src/config/variables.js';
import { run } from '../support/run-cli.js';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const pages = [
  'README.md',
  'docs/operations.md',
  'docs/engines.md',
  'docs/http.md',
  'docs/moving-in.md',
  'docs/testing.md',
  'docs/agents.md',
];

async function textOf(folder: string): Promise<string> {
  const files = await readdir(join(root, folder), { recursive: true });
  const sources = files.filter((name) => name.endsWith('.ts'));
  return (await Promise.all(sources.map((name) => readFile(join(root, folder, name), 'utf8')))).join('\n');
}

test('every BASEDRIVE_ variable that the documentation names is one that the program reads', async () => {
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8');
    const names = text.match(/\bBASEDRIVE_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
    assert.deepEqual(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x']))), [], page);
  }
});

test('every setting that operations.md names is an option, and every limit of the settings is named there', async () => {
  const text = await readFile(join(root, 'docs/operations.md'), 'utf8');
  const help = (
    await Promise.all(
      ['', 'check', 'copy', 'keys', 'export', 'import', 'backup', 'restore', 'projects quota'].map((words) =>
        run([...words.split(' '), '--help'].filter(Boolean)),
      ),
    )
  )
    .map(({ out }) => out)
    .join('\n');
  for (const [option] of text.matchAll(/(?<=`)--[a-z][a-z0-9-]*/g)) {
    assert.ok(help.includes(option), option);
  }
  for (const { flag } of Object.values(settingRules)) {
    const [option = ''] = flag.split(' ');
    if (/timeout|max-|grace/.test(option)) assert.ok(text.includes(`\`${option}\``), option);
  }
});

test('every message that operations.md quotes is one that the program prints', async () => {
  const source = (await textOf('packages/server/src'))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the source
    .replaceAll('${formatFile}', 'FORMAT')
    .replaceAll(/['`] \+\n\s*['`]/g, '');
  const page = await readFile(join(root, 'docs/operations.md'), 'utf8');
  const [, tables = ''] = /### The server does not start\n(.*?)\n## /s.exec(page) ?? [];
  const messages = [...tables.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => [
    ...[...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  ]);
  assert.ok(messages.length > 20);
  // LevelDB and PostgreSQL say these themselves.
  const foreign = /Corruption|IO error|postgres:| = off/;
  for (const message of messages.filter((text) => !foreign.test(text))) {
    for (const part of message
      .split(/…|: |\bN\b/)
      .map((text) => text.trim())
      .filter((text) => text.length > 8)) {
      assert.ok(source.includes(part), `${message}: ${part}`);
    }
  }
});

test('no page tells to run or install from the npm registry what nobody has registered there', async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '*.md', 'packaging'], { cwd: root });
  const fetching: RegExp[] = [
    // A file is named, or nothing is fetched.
    /\bnpx\b(?!.* --no(-install)? )(?!.* --package \.\/).*\bbasedrive(?=[\s`@]|$)/m,
    /\bnpx"[^\]]*"basedrive"/,
    /\bnpm (install|i|add|exec|create)\b[^`]* basedrive(-client)?(@[^\s`]*)?(?=[\s`]|$)/m,
    /npmjs\.com\/package\/basedrive/,
  ];
  for (const path of stdout.trim().split('\n')) {
    const text = await readFile(join(root, path), 'utf8');
    for (const pattern of fetching) assert.equal(pattern.exec(text)?.[0], undefined, path);
  }
});
