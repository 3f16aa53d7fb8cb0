import { requireWithin } from '../../access/scope.js';
import { jsonBodyOf } from '../../drive/request-body.js';
import { json } from '../../http/answers/answer.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, jsonBody, operation, seconds } from '../../http/routing/operation.js';
import { described, list, named, object, optional, text, type ValueOf } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
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
    const links = await linksOf(call, body, services);
    const urlOf = (link: Link) => address(link, call.grant.keyId);
    return json(201, { links: await runInSlices(signed(links, urlOf)) });
  },
});

/** The links that the request asks for, with ids if the drive lists them. */
async function linksOf(
  call: Call,
  { names, expiresInSeconds, isListed, allowed }: LinksBody,
  { clock, listedLinks }: SharingServices,
): Promise<readonly Link[]> {
  const { project, name: drive, grant } = call;
  const expiresAtSeconds = nowSeconds(clock) + expiresInSeconds;
  const links = names.map((name): Link => ({ ...allowed, project, drive, name, expiresAtSeconds }));
  return isListed ? await listedLinks.add(grant.keyId, links) : links;
}

function* signed(
  links: readonly Link[],
  urlOf: (link: Link) => string | undefined,
): Steps<readonly ValueOf<typeof FileLink>[]> {
  const made: ValueOf<typeof FileLink>[] = [];
  for (const [index, link] of links.entries()) {
    const url = urlOf(link);
    // The key has ended since it was checked.
    if (url === undefined) throw unauthorized();
    const { id, name, expiresAtSeconds: expires } = link;
    made.push({ id, name, url, expires });
    if (index % linksPerStep === linksPerStep - 1) yield;
  }
  return made;
}
