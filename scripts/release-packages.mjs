// The packages of a release, as npm publishes them: what a reader of the registry needs is added to each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { npm, unpack } from './packed-server.mjs';
import { root } from './setup.mjs';

/** In the order in which they are published. */
const packages = ['client', 'server'];

/** Where the repository can be read. */
export function places({ repository, files }, version) {
  const page = pageOf(repository);
  return { page, files: files === undefined ? `${page}/blob/v${version}` : pageOf(files) };
}

/** The address of a page without what may end it. Throws if it is none that others can open. */
function pageOf(given) {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'https:') throw new Error(`${given}: must be an address that begins with https://`);
  return url.href.replace(/\/+$/, '').replace(/\.git$/, '');
}

/**
 * Packs every package into `to`. The links of its README lead to the files of this version, its package.json names the
 * repository, and none of what only a clone needs is declared. Gives the paths of the tarballs.
 */
export function packPackages(to, where) {
  return packages.map((name) => {
    const folder = mkdtempSync(join(tmpdir(), 'basedrive-package-'));
    try {
      const path = posix.join('packages', name);
      unpack(join(root, path), folder);
      writeFileSync(join(folder, 'package.json'), manifestFor(path, where));
      writeFileSync(join(folder, 'README.md'), readmeFor(path, where));
      return join(to, npm(['pack', folder, '--pack-destination', to], to).split('\n').at(-1));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

/** How to publish these tarballs: with provenance, a signed statement of where they were built, if npm can make it here. */
export function howToPublish(tarballs, environment) {
  // npm signs with the identity that these give to a job.
  const { GITHUB_ACTIONS, ACTIONS_ID_TOKEN_REQUEST_URL, GITLAB_CI, SIGSTORE_ID_TOKEN } = environment;
  const maySign = (GITHUB_ACTIONS && ACTIONS_ID_TOKEN_REQUEST_URL) || (GITLAB_CI && SIGSTORE_ID_TOKEN);
  const command = maySign ? 'npm publish --provenance' : 'npm publish';
  const lacking = maySign ? '' : ' (without provenance, for which npm needs a CI job with an identity)';
  return `To publish${lacking}:\n  ${tarballs.map((path) => `${command} ${path}`).join(' && ')}`;
}

/** The README of a package; its links lead to the files of this version, if it is known where they can be read. */
export function readmeFor(path, where) {
  const text = readFileSync(join(root, path, 'README.md'), 'utf8');
  if (where === undefined) return text;
  const linkOut = /\]\((?!#|[a-z]+:)([^)]+)\)/g;
  return text.replaceAll(linkOut, (_, link) => `](${where.files}/${posix.join(path, link)})`);
}

function manifestFor(path, { page }) {
  const text = readFileSync(join(root, path, 'package.json'), 'utf8');
  const { devDependencies: _, ...manifest } = JSON.parse(text);
  const added = {
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
    repository: { type: 'git', url: `git+${page}.git`, directory: path },
  };
  return `${JSON.stringify({ ...manifest, ...added }, undefined, 2)}\n`;
}
