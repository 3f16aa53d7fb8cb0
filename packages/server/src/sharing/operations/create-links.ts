import { requireWithin } from '../../access/scope.js';
import { jsonBodyOf } from '../../drive/request-body.js';
import { json } from '../../http/answers/answer.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, jsonBody, operation, seconds } from '../../http/routing/operation.js';
import { described, list, named, object, text, type ValueOf } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { forbidden, unauthorized } from '../../request-error.js';
import { addressOf } from '../address.js';
import { fileNameOf, signLink } from '../link.js';
import { CreateLinksRequest, type LinksBody, readLinksBody } from '../links-body.js';
import { linksRoot, type SharingServices } from '../services.js';

/** It fits a thousand names of 1,024 bytes, with each byte written as `\u00XX`. */
const maxBodyBytes = 8 * 1024 * 1024;
const linksPerStep = 50;

const FileLink = named(
  'FileLink',
  object(
    {
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
    return json(201, { links: await runInSlices(makeLinks(call, body, services)) });
  },
});

function* makeLinks(
  call: Call,
  { names, expiresInSeconds, allowed }: LinksBody,
  services: SharingServices,
): Steps<readonly ValueOf<typeof FileLink>[]> {
  const root = addressOf(call, services) + linksRoot;
  const { keyId } = call.grant;
  const secret = services.keys.linkSecret(keyId);
  // The key has ended since it was checked.
  if (secret === undefined) throw unauthorized();
  const expires = nowSeconds(services.clock) + expiresInSeconds;
  const links: ValueOf<typeof FileLink>[] = [];
  for (const [index, name] of names.entries()) {
    const link = { ...allowed, project: call.project, drive: call.name, name, expiresAtSeconds: expires };
    const path = `${signLink(link, keyId, secret)}/${encodeURIComponent(fileNameOf(name))}`;
    links.push({ name, url: `${root}/${path}`, expires });
    if (index % linksPerStep === linksPerStep - 1) yield;
  }
  return links;
}
