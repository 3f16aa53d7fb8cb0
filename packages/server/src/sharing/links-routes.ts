import type { CreateLinksResponse } from 'basedrive-client';
import { requireWithin } from '../access/scope.js';
import { jsonBody, pageWhenTooLarge } from '../drive/request-body.js';
import { json } from '../http/answer.js';
import type { Call, RouteTable } from '../http/call.js';
import { type Clock, nowSeconds } from '../lib/clock.js';
import { runInSlices, type Steps } from '../lib/time-slices.js';
import { badRequest, unauthorized } from '../request-error.js';
import { fileNameOf, type SecretOf, signLink } from './link.js';
import { type LinksBody, readLinksBody } from './links-body.js';

export interface LinksRoutesParts {
  readonly secretOf: SecretOf;
  /** The address of the service for its clients; undefined: that of each request. */
  readonly publicUrl: string | undefined;
  /** Whether the service itself speaks HTTPS. */
  readonly isSecure: boolean;
  readonly clock: Clock;
}

/** It fits a thousand names of 1,024 bytes, with each byte written as `\u00XX`. */
const maxBodyBytes = 8 * 1024 * 1024;
const linksPerStep = 50;
export const linksRoot = '/links';

/** The route of docs/http.md#create-links, below `/v1/{project}/{drive}`. */
export function linksRoutes({ secretOf, publicUrl, isSecure, clock }: LinksRoutesParts): RouteTable {
  /** The beginning of links. Behind a proxy that changes the host, the operator has to say it. */
  function rootOf({ headers }: Call): string {
    if (publicUrl !== undefined) return publicUrl + linksRoot;
    if (headers.host === undefined) throw badRequest('Host: must be given, because links begin with it');
    return `${isSecure ? 'https' : 'http'}://${headers.host}${linksRoot}`;
  }

  function* makeLinks(
    call: Call,
    { names, expiresInSeconds, allowed }: LinksBody,
  ): Steps<CreateLinksResponse> {
    const root = rootOf(call);
    const { keyId } = call.grant;
    const secret = secretOf(keyId);
    // The key has ended since it was checked.
    if (secret === undefined) throw unauthorized();
    const expires = nowSeconds(clock) + expiresInSeconds;
    const links: CreateLinksResponse['links'][number][] = [];
    for (const [index, name] of names.entries()) {
      const link = { ...allowed, project: call.project, drive: call.name, name, expiresAtSeconds: expires };
      const path = `${signLink(link, keyId, secret)}/${encodeURIComponent(fileNameOf(name))}`;
      links.push({ name, url: `${root}/${path}`, expires });
      if (index % linksPerStep === linksPerStep - 1) yield;
    }
    return { links };
  }

  return {
    '/links': {
      POST: pageWhenTooLarge(async (call) => {
        const body = await runInSlices(readLinksBody(await jsonBody(call, maxBodyBytes)));
        for (const name of body.names) requireWithin(call.grant, name);
        return json<CreateLinksResponse>(201, await runInSlices(makeLinks(call, body)));
      }),
    },
  };
}
