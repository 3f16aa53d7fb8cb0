import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { modules } from '../contenders/basedrive.js';
import { repository } from '../processes/installed.js';

/** The service's program, from the root of a checkout. */
const programPath = modules.slice(repository.length);

export interface Build {
  /** The path of its program. */
  readonly program: string;
  /** The short name of its commit. */
  readonly commit: string;
}

/**
 * Another build: `against` is a revision, which is installed and compiled in a worktree in `folder`, or
 * the folder of a checkout that is compiled already. The worktree is forgotten by git when the process ends; the folder
 * belongs to the caller. Throws if the revision is unknown or cannot be built.
 */
export function buildOf(against: string, folder: string): Build {
  const built = join(against, programPath);
  if (existsSync(built)) return { program: built, commit: shortName(against, 'HEAD') };
  const commit = git('rev-parse', '--verify', '--end-of-options', `${against}^{commit}`);
  const checkout = join(folder, 'checkout');
  process.on('exit', () => git('worktree', 'remove', '--force', checkout));
  git('worktree', 'add', '--quiet', '--detach', checkout, commit);
  // It installs and compiles what is missing, which is everything.
  execFileSync(process.execPath, ['scripts/start.mjs', '--version'], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { program: join(checkout, programPath), commit: shortName(repository, commit) };
}

function shortName(checkout: string, revision: string): string {
  return git('-C', checkout, 'rev-parse', '--short=7', revision);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
}
