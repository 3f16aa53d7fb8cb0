import { hasEnded } from '../../access/grant.js';
import { isDeletedSince } from '../../access/project-gate.js';
import type { Call } from '../../http/requests/call.js';
import { inHead, inPath, operation } from '../../http/routing/operation.js';
import { text } from '../../json/schema.js';
import { nowSeconds } from '../../lib/clock.js';
import { forbidden } from '../../request-error.js';
import { keyIdOfToken, verifyLink } from '../../sharing/link.js';
import { readSelection } from '../changes-parameters.js';
import { events } from '../formats.js';
import type { FeedServices } from '../service.js';
import { streamAnswer } from '../stream-changes.js';
import { type Ticket, ticketsRoot } from '../ticket.js';

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
