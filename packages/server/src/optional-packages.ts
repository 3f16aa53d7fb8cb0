import { readManifest } from './lib/version.js';
import { OperatorError } from './operator-error.js';

/**
 * Loads a module that imports packages which an installation may leave out (`npm install --omit=optional`). `user` is what
 * needs them, for the message. Throws `OperatorError` with the command that installs them if they are not there.
 */
export async function loadOptional<T>(user: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const lacking = optionalPackagesLike(missingPackage(cause));
    if (lacking.length === 0) throw cause;
    const install = `npm install ${lacking.join(' ')}`;
    throw new OperatorError(`${user} needs packages that this installation leaves out: ${install}`, {
      cause,
    });
  }
}

/** The package that an import did not find, or the bundle, which requires. */
function missingPackage(cause: unknown): string | undefined {
  const codes: unknown[] = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
  if (!(cause instanceof Error) || !('code' in cause) || !codes.includes(cause.code)) return undefined;
  return /^Cannot find (?:package|module) '([^']+)'/.exec(cause.message)?.[1];
}

/** The optional packages of the same scope, with their versions: who lacks one lacks all. */
function optionalPackagesLike(name = ''): readonly string[] {
  const { optionalDependencies } = readManifest();
  const [scope = ''] = name.split('/');
  return Object.entries(optionalDependencies)
    .filter(([optional]) => optional.startsWith(`${scope}/`))
    .map(([optional, version]) => `${optional}@${version}`);
}
