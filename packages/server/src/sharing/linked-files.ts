import type { PutFileResponse } from 'basedrive-client';
import type { Grant } from '../access/grant.js';
import { ranks } from '../access/rights.js';
import { isWithin } from '../access/scope.js';
import { downloadAnswer } from '../drive/download.js';
import { pageWhenTooLarge, sourceOf } from '../drive/request-body.js';
import type { DriveService } from '../drive/service.js';
import { json } from '../http/answer.js';
import type { Answer, Call, RouteTable } from '../http/call.js';
import { readWriteCondition } from '../http/conditional.js';
import { declaredType, essenceOf, typeByName, typeForBrowsers } from '../http/content-type.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { conflict, forbidden, notFound, RequestError, unsupportedMediaType } from '../request-error.js';
import { fileNameOf, type Link, type SecretOf, verifyLink } from './link.js';
import { linksRoot } from './links-routes.js';

export interface LinkedFilesParts {
  readonly drives: Pick<DriveService, 'open' | 'put' | 'keptByWrite'>;
  readonly secretOf: SecretOf;
  /** What the key with this id may do now; undefined if it has ended. */
  readonly grantOf: (keyId: string) => Grant | undefined;
  readonly clock: Clock;
}

/** A page of another origin may show the file. The address of the page's links must not reveal the link itself. */
const ofLinks = [
  'Cache-Control',
  'private, no-cache',
  'Vary',
  'Origin',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Referrer-Policy',
  'no-referrer',
] as const;

/** The routes of docs/http.md#links. They need no key: the link says what is allowed. */
export function linkedFilesRoutes({ drives, secretOf, grantOf, clock }: LinkedFilesParts): RouteTable {
  /** The link of a request. Throws the same 403 `RequestError` for every link that does not allow it. */
  function linkOf({ params }: Call, method: Link['method']): Link {
    const signed = verifyLink(params.token ?? '', secretOf);
    const link = signed?.link;
    const isAllowed =
      link !== undefined &&
      link.method === method &&
      link.expiresAtSeconds > nowSeconds(clock) &&
      fileNameOf(link.name) === params.file &&
      mayMakeLink(grantOf(signed?.keyId ?? ''), link);
    if (!isAllowed) throw forbidden('the link is not valid, or no longer');
    return link;
  }

  async function download(call: Call): Promise<Answer> {
    const { project, drive, name, disposition = 'inline' } = linkOf(call, 'GET');
    const file = await drives.open(project, drive, name);
    if (file === undefined) throw notFound('File not found');
    const contentType = typeForBrowsers(file.contentType);
    return downloadAnswer(file, call.headers, { name, contentType, disposition, headers: ofLinks });
  }

  async function upload(call: Call): Promise<Answer> {
    const link = linkOf(call, 'POST');
    const { project, drive, name, maxBytes = 0, overwrite = false } = link;
    const contentType = declaredType(call.headers) ?? typeByName(name);
    requireType(link, contentType);
    const condition = overwrite ? readWriteCondition(call.headers) : isFree;
    const source = await sourceOf(call, { maxBytes, keptByWrite: drives.keptByWrite });
    try {
      await drives.put(project, drive, name, { source, contentType, condition });
    } catch (cause) {
      if (overwrite || !(cause instanceof RequestError) || cause.status !== 412) throw cause;
      throw conflict('The file exists already');
    }
    return json<PutFileResponse>(201, { name, project_id: project, drive_name: drive });
  }

  return { [`${linksRoot}/:token/:file`]: { GET: download, POST: pageWhenTooLarge(upload) } };
}

/** Whether a key may make this link: it dies with the key, and with the right that it was made by. */
function mayMakeLink(grant: Grant | undefined, { project, drive, name }: Link): boolean {
  return (
    grant !== undefined &&
    grant.project === project &&
    grant.rank >= ranks.full &&
    grant.drives.has(drive) &&
    isWithin(grant, name)
  );
}

function isFree(etag: string | undefined): string | undefined {
  return etag === undefined ? undefined : 'the file exists';
}

function requireType({ contentType: allowed }: Link, contentType: string): void {
  if (allowed === undefined) return;
  const essence = essenceOf(contentType);
  const isAllowed = allowed.endsWith('/*')
    ? essence?.startsWith(allowed.slice(0, -1)) === true
    : essence === allowed;
  if (!isAllowed) throw unsupportedMediaType(`Content-Type: must be ${allowed}`);
}
