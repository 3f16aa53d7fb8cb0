import { admit } from '../../access/admit.js';
import type { Grant } from '../../access/grant.js';
import type { ProjectGate } from '../../access/project-gate.js';
import type { Wakefulness } from '../../access/wakefulness.js';
import { badField, unauthorized } from '../../request-error.js';
import type { Handler } from '../requests/call.js';
import type { Exchange } from '../requests/exchange.js';
import { collectionNameProblem } from './collection-name.js';
import type { Router } from './router.js';

export interface Routing {
  readonly router: Router;
  /** What the key may do; undefined if it is not valid. It takes the same time for every wrong or absent key. */
  readonly authenticate: (apiKey: string | undefined) => Grant | undefined;
  /** Reads a key that `authenticate` does not know yet; undefined if there is nothing to read. */
  readonly readKey?: ((apiKey: string | undefined) => Promise<void> | undefined) | undefined;
  /** Whether the request has the key of the operator. Absent: nobody has. It takes the same time for every wrong key. */
  readonly isOperator?: ((apiKey: string | undefined) => boolean) | undefined;
  /** What the operator has decided about projects. */
  readonly projects?: ProjectGate | undefined;
  /** Absent: no other server changes keys and projects. */
  readonly wakefulness?: Wakefulness | undefined;
}

/** Finds the handler, checks the key and its rights, and sets the fields of the exchange that come from the path. */
export function routeRequest(routing: Routing, exchange: Exchange): Handler {
  const { router, authenticate, readKey, isOperator, projects, wakefulness } = routing;
  const { method, target, headers } = exchange;
  const at = target.indexOf('?');
  if (at !== -1) exchange.queryText = target.slice(at + 1);
  const path = at === -1 ? target : target.slice(0, at);
  const { pattern, params, right, handle } = router.match(method, path, exchange.queryText, headers);
  exchange.route = pattern;
  exchange.params = params;
  const { project, name } = params;
  // As `whenAwake` does, without a closure for every request.
  if (project !== undefined && wakefulness !== undefined && exchange.startedMs > wakefulness.awakeUntilMs)
    return () => wakefulness.catchUp().then(() => routeRequest(routing, exchange)(exchange));
  if (right.access === 'operator') {
    if (isOperator?.(headers['x-api-key'] as string | undefined) !== true) throw unauthorized();
    return handle;
  }
  if (right.rank > 0) {
    // Before the body is read, and the same for every wrong key (docs/http.md#keys).
    const apiKey = headers['x-api-key'] as string | undefined;
    const grant = authenticate(apiKey);
    const reading = grant === undefined ? readKey?.(apiKey) : undefined;
    if (reading !== undefined) return () => reading.then(() => routeRequest(routing, exchange)(exchange));
    if (grant === undefined || grant.project !== project) throw unauthorized();
    exchange.grant = grant;
    // The text of the grant, not the equal one of the path: maps find the same text again without reading it.
    exchange.owner = grant.project;
    exchange.project = grant.project;
    exchange.belongsTo(grant.project);
    projects?.count(grant.project, exchange.startedMs);
    // A path of the project itself has no name.
    if (name !== undefined) {
      const nameProblem = collectionNameProblem(name);
      if (nameProblem !== undefined) throw badField('name', nameProblem.code, nameProblem.rule);
      exchange.name = name;
    }
    admit(grant, right, exchange);
    // Without a key, what an operation answers must not tell whether there is such a project.
    if (projects !== undefined) exchange.deletions = projects.admit(grant.project);
  }
  return handle;
}
