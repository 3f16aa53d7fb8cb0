import {
  downloadAnswer,
  errorPage,
  fileAnswers,
  givenCaching,
  type Presentation,
  readParameters,
} from '../../drive/downloads/download.js';
import type { OpenFile } from '../../drive/downloads/open-file.js';
import { nameProblem } from '../../drive/files/name.js';
import { noSniff, noStore, refusal } from '../../http/answers/answer.js';
import { anyOrigin, publicRoot } from '../../http/answers/cors.js';
import type { Answer, Call } from '../../http/requests/call.js';
import { typeForBrowsers } from '../../http/requests/content-type.js';
import { collectionNameProblem } from '../../http/routing/collection-name.js';
import { bytesAnswer, inPath, operation } from '../../http/routing/operation.js';
import { nowSeconds } from '../../lib/clock.js';
import { notFound, RequestError } from '../../request-error.js';
import { type PublicPrefixes, publicPrefixOf } from '../public-prefixes.js';
import type { SharingServices } from '../services.js';

/** Pages of every origin may read a public file, and show it within themselves. */
const forAll = [...anyOrigin, 'Cross-Origin-Resource-Policy', 'cross-origin'] as const;
const indexName = 'index.html';
const errorName = '404.html';

/**
 * What is not below a public prefix is not found, whether it exists or not, and is not even looked for. A `/` of the
 * name may be written as it is.
 */
export const readPublicFile = operation({
  method: 'GET',
  path: `${publicRoot}{project}/{drive}/{path...}`,
  access: 'no key',
  section: 'public-files',
  summary: 'Read a public file',
  description: 'Every `/` of the name may be written as it is.',
  parameters: [inPath('path', 'The name of the file'), ...readParameters],
  answers: {
    ...fileAnswers,
    301: { description: 'The same path with a `/`, below which there is an `index.html`' },
    404: bytesAnswer('There is no such public file: the `404.html` of the prefix, or errors as JSON'),
  },
  failures: [412, 416, 503],
  handle: async (call, services: SharingServices) => {
    try {
      return await serve(call, services);
    } catch (cause) {
      if (!(cause instanceof RequestError)) throw cause;
      return refusal(cause, anyOrigin);
    }
  },
});

/** A drive with public prefixes. */
interface PublicDrive extends SharingServices {
  readonly project: string;
  readonly drive: string;
  readonly settings: PublicPrefixes;
}

async function serve(call: Call, services: SharingServices) {
  const { params, target, headers } = call;
  const { project = '', name: drive = '', '*': path = '' } = params;
  const mayExist = canExist(project, drive) && !isBeingDeleted(services, project);
  const settings = mayExist ? await services.prefixes.readRecent(project, drive) : undefined;
  if (settings === undefined || settings.prefixes.length === 0) throw notFound();
  call.belongsTo(project);
  const publicDrive: PublicDrive = { ...services, project, drive, settings };
  const isDirectory = path === '' || path.endsWith('/');
  const name = isDirectory ? path + indexName : path;
  const file = await openPublic(publicDrive, name);
  if (file !== undefined) {
    return downloadAnswer(file, headers, presentation(name, file, cacheable(publicDrive, file)));
  }
  if (!isDirectory) {
    const index = await openPublic(publicDrive, `${path}/${indexName}`);
    index?.release();
    if (index !== undefined) return toDirectory(target, cacheable(publicDrive, index));
  }
  const prefix = publicPrefixOf(settings, `${path}/`);
  const page = prefix === undefined ? undefined : await openPublic(publicDrive, prefix + errorName);
  if (page === undefined) throw notFound();
  return errorPage(404, page, presentation(errorName, page, noStore));
}

/** Whether a drive can be there. Without a key, nothing else has checked the names of the path. */
function canExist(project: string, drive: string): boolean {
  const isProject = collectionNameProblem(project) === undefined && !project.includes('/');
  return isProject && collectionNameProblem(drive) === undefined;
}

/** Whoever has no key must not learn that there is such a project: it is answered like one that does not exist. */
function isBeingDeleted({ gate }: SharingServices, project: string): boolean {
  try {
    gate.admit(project);
    return false;
  } catch (cause) {
    if (cause instanceof RequestError) return true;
    throw cause;
  }
}

/** A name is a text, not a path: the one that is compared with the prefixes is the one that is opened. */
async function openPublic(publicDrive: PublicDrive, name: string): Promise<OpenFile | undefined> {
  if (publicPrefixOf(publicDrive.settings, name) === undefined || nameProblem(name) !== undefined)
    return undefined;
  return await publicDrive.drives.open(publicDrive.project, publicDrive.drive, name);
}

function presentation(name: string, file: OpenFile, caching: readonly string[]): Presentation {
  const contentType = typeForBrowsers(file.row.contentType);
  const given = file.row.headers;
  return { name, contentType, disposition: 'inline', given, headers: [...caching, ...forAll] };
}

/** A cache must not keep a file beyond its end. */
function cacheable({ settings, clock }: PublicDrive, file: OpenFile) {
  const given = givenCaching(file);
  if (given !== undefined) return given;
  const { expiresAtSeconds = Number.POSITIVE_INFINITY } = file.row;
  const seconds = Math.max(0, Math.min(settings.maxAgeSeconds, expiresAtSeconds - nowSeconds(clock)));
  return ['Cache-Control', `public, max-age=${seconds}, must-revalidate`];
}

/**
 * Sends a browser from a directory without its `/` to the one with it, where the relative links of its page lead to the
 * right places. The location is relative, because a proxy may serve it below another path. A `/` that the client has written
 * as `%2F` stays so: for the browser it is no end of a directory.
 */
function toDirectory(target: string, caching: readonly string[]): Answer<301> {
  const [path = ''] = target.split('?', 1);
  const names = path.slice(path.lastIndexOf('/') + 1).split(/%2f/i);
  const last = names.map((name) => encodeURIComponent(decodeURIComponent(name))).join('%2F');
  return {
    status: 301,
    headers: ['Location', `./${last}/`, ...caching, ...forAll, ...noSniff],
    body: '',
  };
}
