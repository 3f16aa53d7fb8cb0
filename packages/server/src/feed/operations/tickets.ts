import { hasEnded } from '../../access/grant.js';
import { isDeletedSince } from '../../access/project-gate.js';
import { json } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import type { Call } from '../../http/requests/call.js';
import { inHead, inPath, jsonAnswer, jsonBody, operation, seconds } from '../../http/routing/operation.js';
import { closed, described, object, orNull, text } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { forbidden, unauthorized } from '../../request-error.js';
import { addressOf } from '../../sharing/address.js';
import { keyIdOfToken, signLink, verifyLink } from '../../sharing/link.js';
import { readSelection } from '../changes-parameters.js';
import {
  followedMembers,
  type Parameters,
  parseShortBody,
  readFollowed,
  readText,
} from '../follow-parameters.js';
import { readPosition } from '../position.js';
import type { FeedServices } from '../service.js';
import { events, streamAnswer } from '../stream-changes.js';

/** What a ticket allows: to follow these changes of a project (docs/http.md#create-ticket). */
interface Ticket {
  readonly method: 'CHANGES';
  readonly project: string;
  /** The parameters of List Changes. */
  readonly parameters: Parameters;
  /** Whole seconds since 1970 UTC: from then on nobody can begin to follow with it. */
  readonly expiresAtSeconds: number;
}

/** It becomes a part of an address, which may have some 12 KiB. */
const maxTicketBytes = 4096;
const ticketSeconds = 300;
const ticketsRoot = '/changes';

/** Reads the body of Create Ticket as the parameters of List Changes. Throws a 400 `RequestError`. */
function readTicketBody(body: Buffer): Parameters {
  const parameters = readFollowed(parseShortBody(body, maxTicketBytes), { since: readText });
  if (parameters.since !== undefined && parameters.since !== '0') readPosition(parameters.since, 'since');
  return parameters;
}

export const createTicket = operation({
  method: 'POST',
  path: '/v1/{project}/changes/tickets',
  access: 'read',
  names: 'narrowed',
  summary: 'Create a ticket for changes',
  request: jsonBody(closed({ since: orNull(text), ...followedMembers }), { required: false }),
  answers: {
    201: jsonAnswer(
      'The address of a stream of changes, which needs no key',
      object({ url: text, expires: described(seconds, 'Until then the stream may be opened') }),
    ),
  },
  failures: [400],
  handle: async (call, services: FeedServices) => {
    if (call.grant.isSigned) throw forbidden('limited_key', 'a key that is not stored makes no tickets');
    const parameters = readTicketBody(await readJsonBody(call, maxTicketBytes));
    const { keyId } = call.grant;
    await services.keys.readId(keyId);
    const secret = services.keys.linkSecret(keyId);
    // The key has ended since it was checked.
    if (secret === undefined) throw unauthorized();
    const expires = nowSeconds(services.clock) + ticketSeconds;
    const { project } = call;
    const ticket: Ticket = { method: 'CHANGES', project, parameters, expiresAtSeconds: expires };
    const url = `${addressOf(call, services)}${ticketsRoot}/${signLink(ticket, keyId, secret)}`;
    return json(201, { url, expires });
  },
});

/** For browsers, whose `EventSource` sends no header but `Last-Event-ID`. */
export const followByTicket = operation({
  method: 'GET',
  path: `${ticketsRoot}/{token}`,
  access: 'no key',
  section: 'create-ticket',
  summary: 'Follow changes by a ticket',
  parameters: [
    inPath('token', 'What the ticket allows, signed'),
    inHead('Last-Event-ID', 'The cursor to go on after'),
  ],
  answers: { 200: { description: 'A stream of changes', content: { [events.type]: { schema: text } } } },
  failures: [403, 404, 410],
  handle: async (call, services: FeedServices) => {
    const { ticket, grant, deletions } = await ticketOf(call, services);
    const { project, parameters } = ticket;
    const reader = {
      project,
      grant,
      isOver: () => call.isAbandoned || hasEnded(grant, services.clock) || isDeletedSince(deletions, project),
    };
    const requested = await call.run(readSelection({ get: (name) => parameters[name] }));
    call.mayLast();
    const since = call.headers['last-event-id']?.toString() || parameters.since;
    return await streamAnswer(services.feed.follow(reader, requested, since), events);
  },
});

/**
 * The ticket of a request, and what its key may do. Throws the same 403 `RequestError` for every one that is not valid, and the
 * 410 of a project that is being deleted.
 */
async function ticketOf(call: Call, { keys, gate, clock }: FeedServices) {
  const { params } = call;
  await keys.readId(keyIdOfToken(params.token ?? '') ?? '');
  const signed = verifyLink<Ticket>(params.token ?? '', keys.linkSecret);
  const grant = signed && keys.grantOf(signed.keyId);
  const isValid =
    signed !== undefined &&
    grant !== undefined &&
    signed.link.method === 'CHANGES' &&
    signed.link.expiresAtSeconds > nowSeconds(clock) &&
    signed.link.project === grant.project;
  if (!isValid) throw forbidden('invalid_link', 'the ticket is not valid, or no longer');
  call.belongsTo(grant.project);
  return { ticket: signed.link, grant, deletions: gate.admit(grant.project) };
}
