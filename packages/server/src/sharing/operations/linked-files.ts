import { type Grant, hasEnded } from '../../access/grant.js';
import { type Deletions, isDeletedSince } from '../../access/project-gate.js';
import type { Source } from '../../drive/contents/piece.js';
import { downloadAnswer, fileAnswers, readParameters } from '../../drive/downloads/download.js';
import { maxFileBytes } from '../../drive/limits.js';
import { fileNotFound } from '../../drive/parameters.js';
import { sentFileOf } from '../../drive/request-body.js';
import { StoredFile } from '../../drive/schemas.js';
import { json } from '../../http/answers/answer.js';
import { conditionParameters, readWriteCondition } from '../../http/answers/conditional.js';
import { isForm } from '../../http/requests/bodies/form-file.js';
import type { Call } from '../../http/requests/call.js';
import { declaredType, essenceOf, typeByName, typeForBrowsers } from '../../http/requests/content-type.js';
import { bytesBody, inPath, jsonAnswer, operation } from '../../http/routing/operation.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { badField, forbidden, projectDeleted, type RequestError, refused } from '../../request-error.js';
import { fileNameOf, keyIdOfToken, type Link, mayMakeLink, verifyLink } from '../link.js';
import { linksRoot, type SharingServices } from '../services.js';

export const linkParameters = [
  inPath('token', 'What the link allows, signed'),
  inPath('file', 'The last part of the name'),
];

/** They need no key: the link says what is allowed. */
const byLink = {
  path: `${linksRoot}/{token}/{file}`,
  access: 'no key',
  section: 'links',
} as const;

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

export const readLinkedFile = operation({
  ...byLink,
  method: 'GET',
  summary: 'Download by a link',
  parameters: [...linkParameters, ...readParameters],
  answers: fileAnswers,
  failures: [403, 404, 410, 412, 416, 503],
  handle: async (call, services: SharingServices) => {
    const { link } = await linkOf(call, 'GET', services);
    const { project, drive, name, disposition = 'inline' } = link;
    const file = await services.drives.open(project, drive, name);
    if (file === undefined) throw fileNotFound();
    const contentType = typeForBrowsers(file.row.contentType);
    const given = file.row.headers;
    return downloadAnswer(file, call.headers, { name, contentType, disposition, given, headers: ofLinks });
  },
});

export const storeLinkedFile = operation({
  ...byLink,
  method: 'POST',
  summary: 'Upload by a link',
  parameters: [...linkParameters, ...conditionParameters],
  request: bytesBody('The bytes, or a form with the file'),
  answers: { 201: jsonAnswer('The file is stored', StoredFile) },
  failures: [403, 409, 410, 412, 415, 503],
  handle: async (call, services: SharingServices) => {
    const allowed = await linkOf(call, 'POST', services);
    const { link } = allowed;
    const { project, drive, name, maxBytes = 0, overwrite = false } = link;
    const { drives } = services;
    const condition = overwrite ? readWriteCondition(call.headers) : isFree;
    const declared = declaredType(call.headers);
    if (!isForm(declared)) requireType(link, declared ?? typeByName(name));
    const most = Math.min(maxBytes, maxFileBytes);
    const sent = await sentFileOf(call, { maxBytes: most, keptByWrite: drives.keptByWrite });
    try {
      const contentType = sent.contentType ?? typeByName(name);
      requireType(link, contentType);
      const announcedBytes = isForm(declared) ? undefined : call.contentLength;
      const source = await whileAllowed(sent.source, allowed, services);
      const requireAccess = () => requireLink(allowed, services);
      await drives.put(project, drive, name, {
        source,
        announcedBytes,
        contentType,
        requireAccess,
        condition,
      });
      return json(201, { name, project_id: project, drive_name: drive });
    } finally {
      sent.drop?.();
    }
  },
});

/** A link that a request has, and what the key that made it may do. */
export interface AllowedLink {
  readonly link: Link;
  readonly grant: Grant;
  /** When it was found that its project is there. */
  readonly deletions: Deletions;
}

/**
 * The link of a request. Throws the same 403 `RequestError` for every link that does not allow it, and the 410 of a project that
 * is being deleted. Counts the request as one of the project.
 */
export async function linkOf(
  call: Call,
  method: Link['method'],
  { keys, gate, clock, listedLinks }: SharingServices,
): Promise<AllowedLink> {
  const { params } = call;
  await keys.readId(keyIdOfToken(params.token ?? '') ?? '');
  const signed = verifyLink(params.token ?? '', keys.linkSecret);
  const link = signed?.link;
  const grant = keys.grantOf(signed?.keyId ?? '');
  const isAllowed =
    link !== undefined &&
    link.method === method &&
    !hasExpired(link, clock) &&
    fileNameOf(link.name) === params.file &&
    mayMakeLink(grant, link) &&
    (await listedLinks.has(link));
  if (!isAllowed || grant === undefined) throw invalidLink();
  call.belongsTo(link.project);
  return { link, grant, deletions: gate.admit(link.project) };
}

/**
 * What is uploaded by a link, as long as the link and its key are valid (docs/http.md#links): who ends one of them must find
 * nothing stored later. So must who deletes the project, whose name may be that of a new one by then. Throws the 403
 * `RequestError` of a link that is not valid, and the 410 of a deleted project, in place of the end of the bytes, too.
 */
export async function whileAllowed(
  source: Source,
  allowed: AllowedLink,
  { clock, listedLinks }: Pick<SharingServices, 'clock' | 'listedLinks'>,
): Promise<Source> {
  const requireValid = () => requireLink(allowed, { clock });
  const requireListed = async () => {
    const isListed = await listedLinks.has(allowed.link);
    requireValid();
    if (!isListed) throw invalidLink();
  };
  async function* read(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      requireValid();
      yield chunk;
    }
    await requireListed();
  }
  if (!Buffer.isBuffer(source)) return read(source);
  await requireListed();
  return source;
}

/** Throws the errors of `whileAllowed`, as far as this server knows without reading. */
function requireLink(
  { link, grant, deletions }: AllowedLink,
  { clock }: Pick<SharingServices, 'clock'>,
): void {
  if (hasEnded(grant, clock) || hasExpired(link, clock)) throw invalidLink();
  if (isDeletedSince(deletions, link.project)) throw projectDeleted();
}

function hasExpired({ expiresAtSeconds }: Link, clock: Clock): boolean {
  return expiresAtSeconds <= nowSeconds(clock);
}

function invalidLink(): RequestError {
  return forbidden('invalid_link', 'the link is not valid, or no longer');
}

export function isFree(etag: string | undefined): RequestError | undefined {
  return etag === undefined ? undefined : refused('file_exists', 'The file exists already');
}

export function requireType({ contentType: allowed }: Link, contentType: string): void {
  if (allowed === undefined) return;
  const essence = essenceOf(contentType);
  const isAllowed = allowed.endsWith('/*')
    ? essence?.startsWith(allowed.slice(0, -1)) === true
    : essence === allowed;
  if (!isAllowed) throw badField('Content-Type', 'unsupported_type', `must be ${allowed}`);
}
