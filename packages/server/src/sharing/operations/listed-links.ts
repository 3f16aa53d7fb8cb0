import { ranks } from '../../access/rights.js';
import { isWithin } from '../../access/scope.js';
import { readTimedLast } from '../../drive/parameters.js';
import { isTimedId } from '../../drive/rows.js';
import { json } from '../../http/answers/answer.js';
import { namesPage, pageAnswer, pagingOf, readLimit, readNamePart } from '../../http/parameters/paging.js';
import { inQuery, jsonAnswer, operation, required, seconds } from '../../http/routing/operation.js';
import {
  described,
  integer,
  list,
  named,
  object,
  oneOf,
  optional,
  text,
  truth,
  type ValueOf,
} from '../../json/schema.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { badField, refused } from '../../request-error.js';
import { linkAddress } from '../address.js';
import { mayMakeLink } from '../link.js';
import type { ListedLink } from '../listed-links.js';
import type { SharingServices } from '../services.js';

const ListedFileLink = named(
  'ListedFileLink',
  object({
    id: text,
    name: text,
    url: optional(described(text, 'Absent for a limited key that has not made the link')),
    method: oneOf('GET', 'POST'),
    created: seconds,
    expires: seconds,
    disposition: optional(oneOf('inline', 'attachment')),
    max_bytes: optional(integer({ minimum: 0 })),
    content_type: optional(text),
    parts: optional(truth),
    overwrite: optional(truth),
  }),
);

const linksPerStep = 50;

export const listLinks = operation({
  ...namesPage,
  method: 'GET',
  path: '/v1/{project}/{drive}/links',
  access: 'full',
  names: 'narrowed',
  summary: 'List the listed links of a drive',
  answers: { 200: pageAnswer('A page of links', { links: list(ListedFileLink) }) },
  handle: async (call, services: SharingServices) => {
    const { keys, listedLinks } = services;
    const { links, more } = await listedLinks.list(call.project, call.name, {
      prefix: readNamePart(call, 'prefix'),
      within: call.grant.prefix,
      last: readTimedLast(call, 'a page of links'),
      limit: readLimit(call),
      isAbandoned: () => call.isAbandoned,
      isAllowed: async ({ keyId, link }) => {
        await keys.readId(keyId);
        return mayMakeLink(keys.grantOf(keyId), link);
      },
    });
    const ids = links.map(({ link }) => link.id);
    const address = linkAddress(call, services);
    // Another key's link may outlive this one, whose holder must not take it along.
    const { grant } = call;
    const shown = grant.rank >= ranks['no limit'] ? undefined : grant.keyId;
    return json(200, { ...pagingOf(ids, more), links: await runInSlices(detailsOf(links, address, shown)) });
  },
});

/** `shownOf`: the key whose links are shown with their URLs; undefined for all. */
function* detailsOf(
  links: readonly ListedLink[],
  address: ReturnType<typeof linkAddress>,
  shownOf: string | undefined,
): Steps<readonly ValueOf<typeof ListedFileLink>[]> {
  const found: ValueOf<typeof ListedFileLink>[] = [];
  for (const [index, { keyId, link, createdMs }] of links.entries()) {
    const url = address(link, keyId);
    // The key has ended since the list was read.
    if (url === undefined) continue;
    const { id, name, method, expiresAtSeconds, disposition, maxBytes, contentType, parts, overwrite } = link;
    found.push({
      id,
      name,
      ...((shownOf ?? keyId) === keyId && { url }),
      method,
      created: Math.floor(createdMs / 1000),
      expires: expiresAtSeconds,
      disposition,
      max_bytes: maxBytes,
      content_type: contentType,
      parts,
      overwrite,
    });
    if (index % linksPerStep === linksPerStep - 1) yield;
  }
  return found;
}

export const endLink = operation({
  method: 'DELETE',
  path: '/v1/{project}/{drive}/links',
  access: 'full',
  names: 'narrowed',
  summary: 'End a listed link',
  parameters: [required(inQuery('id', 'The id of the link'))],
  answers: { 200: jsonAnswer('It no longer works', object({ id: text })) },
  failures: [400, 404],
  handle: async (call, { listedLinks }: SharingServices) => {
    const id = call.query.get('id');
    if (id === undefined || id === '') throw badField('id', 'required', 'is required');
    const isAllowed = (name: string) => isWithin(call.grant, name);
    const isEnded = isTimedId(id) && (await listedLinks.end(call.project, call.name, id, isAllowed));
    if (!isEnded) throw refused('link_not_found', 'Link not found');
    return json(200, { id });
  },
});
