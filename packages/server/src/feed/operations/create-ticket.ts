import { json } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import { jsonAnswer, jsonBody, operation, seconds } from '../../http/routing/operation.js';
import { closed, described, object, orNull, text } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { forbidden, unauthorized } from '../../request-error.js';
import { addressOf } from '../../sharing/address.js';
import { signLink } from '../../sharing/link.js';
import { followedMembers } from '../follow-parameters.js';
import type { FeedServices } from '../service.js';
import { maxTicketBytes, readTicketBody, type Ticket, ticketSeconds, ticketsRoot } from '../ticket.js';

export const createTicket = operation({
  method: 'POST',
  path: '/v1/{project}/changes/tickets',
  access: 'read',
  names: 'narrowed',
  summary: 'Create a ticket for changes',
  request: jsonBody(
    closed({
      since: orNull(text),
      ...followedMembers,
    }),
    { required: false },
  ),
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
    const ticket: Ticket = {
      method: 'CHANGES',
      project: call.project,
      parameters,
      expiresAtSeconds: expires,
    };
    const url = `${addressOf(call, services)}${ticketsRoot}/${signLink(ticket, keyId, secret)}`;
    return json(201, { url, expires });
  },
});
