import type { IncomingMessage, ServerResponse } from 'node:http';
import { json as readJsonBody } from 'node:stream/consumers';
import { WrongValue } from '../config/values.js';
import { isLocalHost } from '../http/requests/host.js';
import { OperatorError } from '../operator-error.js';
import type { TestControl } from './control.js';
import type { Fault } from './faults.js';
import { refuseUnknown } from './named-values.js';

type Body = Readonly<Record<string, unknown>>;
interface Action {
  /** The members that its body may have. */
  readonly members: readonly string[];
  /** Does it, and may give the body of the answer. */
  readonly act: (body: Body) => unknown;
}

/**
 * Answers `/_test/…` (docs/testing.md#over-http): each path is a `POST` with a JSON body. A web page cannot call it:
 * its type of body needs a preflight, which is refused. The types of members are checked by the control.
 */
export function createControlRoutes(
  control: TestControl,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const actions: Readonly<Record<string, Action>> = {
    '/_test/clock': {
      members: ['advance'],
      act({ advance = '0s' }) {
        control.advance(advance as string);
        return { now: new Date(control.now()).toISOString() };
      },
    },
    '/_test/reset': { members: [], act: () => control.reset() },
    '/_test/seed': { members: ['folder'], act: ({ folder }) => control.seed(folder as string) },
    '/_test/snapshot': { members: [], act: async () => ({ snapshot: await control.snapshot() }) },
    '/_test/restore': { members: ['snapshot'], act: ({ snapshot }) => control.restore(snapshot as string) },
    '/_test/faults': { members: ['faults'], act: ({ faults }) => control.faults(faults as readonly Fault[]) },
  };

  async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const action = actions[request.url ?? ''];
    if (action === undefined) return failure(404, `Not found: ${Object.keys(actions).join(', ')}`);
    if (request.method !== 'POST') return failure(405, 'Method not allowed: use POST');
    if (!isLocalHost(request.headers.host)) return failure(403, 'Host: must be an address of this machine');
    const type = request.headers['content-type']?.split(';')[0]?.trim();
    if (type !== 'application/json') return failure(415, 'Content-Type: must be application/json');
    const body = (await readJsonBody(request).catch(() => undefined)) as Body | undefined;
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return failure(400, 'body: must be a JSON object');
    refuseUnknown('body', body, action.members);
    return [200, (await action.act(body)) ?? {}];
  }

  return async (request, response) => {
    const [status, body] = await answer(request).catch((cause: unknown) => {
      const isCallers = cause instanceof WrongValue || cause instanceof OperatorError;
      return failure(isCallers ? 400 : 500, cause instanceof Error ? cause.message : String(cause));
    });
    request.resume();
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
}

function failure(status: number, message: string): [number, unknown] {
  return [status, { errors: [message] }];
}
