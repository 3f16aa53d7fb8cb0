import { requireWithin } from '../../access/scope.js';
import { jsonBodyOf } from '../../drive/request-body.js';
import { json } from '../../http/answers/answer.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, jsonBody, operation, seconds } from '../../http/routing/operation.js';
import { described, list, named, object, optional, text, type ValueOf } from '../../json/schema.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { forbidden, unauthorized } from '../../request-error.js';
import { linkAddress } from '../address.js';
import type { Link } from '../link.js';
import { CreateLinksRequest, type LinksBody, readLinksBody } from '../links-body.js';
import type { SharingServices } from '../services.js';

/** It fits a thousand names of 1,024 bytes, with each byte written as `\u00XX`. */
const maxBodyBytes = 8 * 1024 * 1024;
const linksPerStep = 50;

const FileLink = named(
  'FileLink',
  object(
    {
      id: optional(described(text, 'Of a link that the drive lists')),
      name: text,
      url: text,
      expires: described(seconds, 'Whole seconds since 1970 UTC: from then on the link is not valid'),
    },
    { description: 'A URL that allows one file to be read or stored without a key' },
  ),
);

export const createLinks = operation({
  method: 'POST',
  path: '/v1/{project}/{drive}/links',
  access: 'full',
  names: 'body',
  summary: 'Create links',
  request: jsonBody(CreateLinksRequest, { tooLarge: 'page' }),
  answers: { 201: jsonAnswer('The links, in the order of the request', object({ links: list(FileLink) })) },
  handle: async (call, services: SharingServices) => {
    if (call.grant.isSigned) throw forbidden('limited_key', 'a key that is not stored makes no links');
    const body = await jsonBodyOf(call, maxBodyBytes, (bytes) =>
      readLinksBody(bytes, services.maxLinkSeconds),
    );
    for (const name of body.names) requireWithin(call.grant, name);
    await services.keys.readId(call.grant.keyId);
    const address = linkAddress(call, services);
    const { names } = body;
    const linkOf = linkMaker(call, body, services.clock);
    const { project, name: drive, grant } = call;
    const { keyId } = grant;
    const ids = body.isListed ? await services.listedLinks.add(project, drive, { keyId, names, linkOf }) : [];
    const links = signed(
      names,
      (name, index) => ({ ...linkOf(name), id: ids[index] }),
      (link) => address(link, keyId),
    );
    return json(201, { links: await runInSlices(links) });
  },
});

/** Gives the link that the request asks for, for one of its names. Not all are made at once: a thousand take 2 ms. */
function linkMaker({ project, name: drive }: Call, { expiresInSeconds, allowed }: LinksBody, clock: Clock) {
  const expiresAtSeconds = nowSeconds(clock) + expiresInSeconds;
  return (name: string): Link => ({ ...allowed, project, drive, name, expiresAtSeconds });
}

function* signed(
  names: readonly string[],
  linkOf: (name: string, index: number) => Link,
  urlOf: (link: Link) => string | undefined,
): Steps<readonly ValueOf<typeof FileLink>[]> {
  const made: ValueOf<typeof FileLink>[] = [];
  for (const [index, each] of names.entries()) {
    const link = linkOf(each, index);
    const url = urlOf(link);
    // The key has ended since it was checked.
    if (url === undefined) throw unauthorized();
    const { id, name, expiresAtSeconds: expires } = link;
    made.push({ id, name, url, expires });
    if (index % linksPerStep === linksPerStep - 1) yield;
  }
  return made;
}
