import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'packages/client/README.md',
  'bench/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  const prose = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a link of a page, or undefined. Other sites are not asked. */
function linkProblem(page: string, link: string): string | undefined {
  if (/^https?:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return undefined;
  return `${link}: ${target} has no such heading`;
}

describe('the pages of the documentation', () => {
  for (const page of pages) {
    test(`every link of ${page} leads to a file and a heading that exist`, () => {
      const links = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
      const problems = links
        .map((link) => linkProblem(page, link))
        .filter((problem) => problem !== undefined);
      assert.deepEqual(problems, []);
    });

    test(`every file of this repository that ${page} names exists`, () => {
      const named = Array.from(
        read(page).matchAll(/`((?:packages|acceptance|bench|docs|scripts)\/[\w./-]+)`/g),
        ([, path = '']) => path,
      );
      // An upper-case word in a path is a placeholder for a name.
      const missing = named.filter((path) => !/\/[A-Z]+\//.test(path) && !existsSync(join(root, path)));
      assert.deepEqual(missing, []);
    });
  }
});
