import { downloadAnswer, errorPage, type Presentation } from '../drive/download.js';
import { nameProblem } from '../drive/name.js';
import type { OpenFile } from '../drive/open-file.js';
import type { DriveService } from '../drive/service.js';
import { errors, noStore } from '../http/answer.js';
import type { Answer, Call, Handler, RouteTable } from '../http/call.js';
import { collectionNameProblem } from '../http/collection-name.js';
import { typeForBrowsers } from '../http/content-type.js';
import { anyOrigin, publicRoot } from '../http/cors.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { notFound, RequestError } from '../request-error.js';
import { type PublicPrefixes, type PublicPrefixStore, publicPrefixOf } from './public-prefixes.js';

export interface PublicFilesParts {
  readonly drives: Pick<DriveService, 'open'>;
  readonly prefixes: PublicPrefixStore;
  readonly clock: Clock;
}

/** Pages of every origin may read a public file, and show it within themselves. */
const forAll = [...anyOrigin, 'Cross-Origin-Resource-Policy', 'cross-origin'] as const;
const indexName = 'index.html';
const errorName = '404.html';

/**
 * The routes of docs/http.md#public-files. They need no key: what is not below a public prefix is not found, whether it
 * exists or not, and is not even looked for.
 */
export function publicFilesRoutes({ drives, prefixes, clock }: PublicFilesParts): RouteTable {
  /** A name is a text, not a path: the one that is compared with the prefixes is the one that is opened. */
  async function openPublic(place: Place, name: string): Promise<OpenFile | undefined> {
    if (publicPrefixOf(place.settings, name) === undefined || nameProblem(name) !== undefined)
      return undefined;
    return await drives.open(place.project, place.drive, name);
  }

  function presentation(name: string, file: OpenFile, caching: readonly string[]): Presentation {
    const contentType = typeForBrowsers(file.contentType);
    return { name, contentType, disposition: 'inline', headers: [...caching, ...forAll] };
  }

  async function serve(call: Call): Promise<Answer> {
    const { publicProject: project = '', drive = '', '*': path = '' } = call.params;
    const settings = isPlace(project, drive) ? await prefixes.readRecent(project, drive) : undefined;
    if (settings === undefined || settings.prefixes.length === 0) throw notFound();
    const place: Place = { project, drive, settings };
    const isDirectory = path === '' || path.endsWith('/');
    const name = isDirectory ? path + indexName : path;
    const file = await openPublic(place, name);
    if (file !== undefined) {
      const caching = cacheable(settings, file.expiresAtSeconds);
      return downloadAnswer(file, call.headers, presentation(name, file, caching));
    }
    if (!isDirectory) {
      const index = await openPublic(place, `${path}/${indexName}`);
      index?.release();
      if (index !== undefined) return toDirectory(path, cacheable(settings, index.expiresAtSeconds));
    }
    const prefix = publicPrefixOf(settings, `${path}/`);
    const page = prefix === undefined ? undefined : await openPublic(place, prefix + errorName);
    if (page === undefined) throw notFound();
    return errorPage(404, page, presentation(errorName, page, noStore));
  }

  /** A cache must not keep a file beyond its end. */
  function cacheable({ maxAgeSeconds }: PublicPrefixes, expiresAtSeconds = Number.POSITIVE_INFINITY) {
    const seconds = Math.max(0, Math.min(maxAgeSeconds, expiresAtSeconds - nowSeconds(clock)));
    return ['Cache-Control', `public, max-age=${seconds}, must-revalidate`];
  }

  return { [`${publicRoot}:publicProject/:drive/*`]: { GET: readableByAll(serve) } };
}

interface Place {
  readonly project: string;
  readonly drive: string;
  readonly settings: PublicPrefixes;
}

/** Whether a drive can be there. Without a key, nothing else has checked the names of the path. */
function isPlace(project: string, drive: string): boolean {
  const isProject = collectionNameProblem(project) === undefined && !project.includes('/');
  return isProject && collectionNameProblem(drive) === undefined;
}

/**
 * Sends a browser from a directory without its `/` to the one with it, where the relative links of its page lead to the
 * right places. The location is relative, because a proxy may serve it below another path.
 */
function toDirectory(path: string, caching: readonly string[]): Answer {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return {
    status: 301,
    headers: ['Location', `./${encodeURIComponent(last)}/`, ...caching, ...forAll],
    body: '',
  };
}

/** Makes pages of every origin see the errors, too. */
function readableByAll(handler: (call: Call) => Promise<Answer>): Handler {
  return async (call) => {
    try {
      return await handler(call);
    } catch (cause) {
      if (!(cause instanceof RequestError)) throw cause;
      return errors(cause.status, cause.messages, [...Object.entries(cause.headers).flat(), ...anyOrigin]);
    }
  };
}
